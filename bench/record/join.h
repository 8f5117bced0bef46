/* Several processes measured the same row: what they say together. */
#ifndef ANTBENCH_JOIN_H
#define ANTBENCH_JOIN_H

#include "bench/record/recorded.h"

/* Fills *joined from parts[n], n >= 1: the i-th is what process i + 1 recorded, NULL where it did not measure the row;
 * one at least is not. A process that failed makes the row a failure. Samples carry the number of their process; free
 * them. */
ab_status ab_join_rows(const ab_recorded_row *const *parts, int n, ab_recorded_row *joined);

#endif
