/* Joins the rows that several processes measured. */
#ifndef ANTBENCH_JOIN_H
#define ANTBENCH_JOIN_H

#include "bench/record/recorded.h"

/* Fills *joined from parts[n], n >= 1. parts[i] is what process i + 1 recorded, or NULL if it did not measure the row;
 * at least one part is not NULL. If a process failed, the joined row is a failure. Each sample has the number of its
 * process. Free the samples. */
ab_status ab_join_rows(const ab_recorded_row *const *parts, int n, ab_recorded_row *joined);

#endif
