/* The main program of a driver: options, the plan, one cell after another with progress, the printed tables, the exit
 * code. */
#ifndef ANTBENCH_PROGRAM_H
#define ANTBENCH_PROGRAM_H

#include "bench/plan/driver.h"

/* Runs the whole command line `antbench DRIVER [options]` and returns the exit code. */
int ab_program_main(const ab_driver *driver, int argc, char **argv);

#endif
