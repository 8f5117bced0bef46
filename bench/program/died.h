/* A kernel that ends the program by a signal is a wrong row, and the other rows go on. The memory of such a process is
 * not to be trusted any more: its handler starts the program again in its place, which notes the row and resumes the
 * run. */
#ifndef ANTBENCH_DIED_H
#define ANTBENCH_DIED_H

#include "bench/plan/options.h"
#include "bench/plan/plan.h"
#include "bench/program/bench.h"

/* Prepares for that, and notes the row that ended the process before this one as wrong. The directory is the run's. */
ab_status ab_died_begin(ab_bench *bench, const ab_plan *plan, const char *directory);

/* Says which of the plan's cells is being measured: a signal from here on is laid to it. */
void ab_died_measuring(const ab_bench *bench, const ab_plan *plan, const ab_cell *cell);
void ab_died_measured(void);

#endif
