/* Tells the user how to continue a run that is interrupted. Its rows are already safe (bench/record/run.h). */
#ifndef ANTBENCH_INTERRUPT_H
#define ANTBENCH_INTERRUPT_H

#include "bench/plan/options.h"

/* From here on SIGINT, SIGTERM and SIGHUP, unless ignored, write a line to stderr before they end the program. The
 * program still ends by the signal, so its exit status shows which one it was. */
void ab_interrupt_begin(const ab_options *options, const char *directory);
void ab_interrupt_end(void); /* restores the signals */

#endif
