/* What a GPU can do at most: rows of each run that its others are held against. */
#ifndef ANTBENCH_LIMITS_H
#define ANTBENCH_LIMITS_H

#include "bench/program/bench.h"

/* Measures each limit of the GPU as a row of the run, "device-copy" and so on, with scope setup in `table`: once a run,
 * by its first process, and not in profile smoke, which is for whether all is right. */
ab_status ab_measure_limits(ab_bench *bench, const char *table);

#endif
