/* A run that is interrupted says how it goes on. Its rows are safe as they are (bench/record/run.h). */
#ifndef ANTBENCH_INTERRUPT_H
#define ANTBENCH_INTERRUPT_H

#include "bench/plan/options.h"

/* From here on SIGINT, SIGTERM and SIGHUP, those of them that are not ignored, write a line to stderr before they end
 * the program, as they would have: its exit status tells which it was. */
void ab_interrupt_begin(const ab_options *options, const char *directory);
void ab_interrupt_end(void); /* as before */

#endif
