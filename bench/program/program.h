/* The program around a driver: options, the plan, one cell after another with progress, the printed tables, the exit
 * code. */
#ifndef ANTBENCH_PROGRAM_H
#define ANTBENCH_PROGRAM_H

#include "bench/plan/driver.h"

/* The command line `antbench DRIVER [options]`, whole; returns the exit code. */
int ab_program_main(const ab_driver *driver, int argc, char **argv);

/* ---- What all drivers measure, for the report: on stdout ---- */

/* --tables, TSV: driver, program, file, table, heading, published; also of drivers that have slips. */
ab_status ab_describe_tables(void);
/* --sets, CSV: set, members; of drivers that have passed ab_driver_check, as --rows. */
ab_status ab_describe_sets(void);
/* --rows, CSV: driver, table, row, implementation, instances, params, label, published, iterations; AB_FAILED where a
 * file of published numbers cannot be read. */
ab_status ab_describe_rows(void);

#endif
