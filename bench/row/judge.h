/* What is to be thought of a row's times. */
#ifndef ANTBENCH_JUDGE_H
#define ANTBENCH_JUDGE_H

#include "bench/row/row.h"

#define AB_NOISY 0.05
#define AB_WAITED 0.05

/* Sets the status of a row by its times: timeout without samples, few without an interval, noisy where half of the
 * interval is more than AB_NOISY of what it is of, where the samples are uneven (ab_is_uneven), or where the process
 * waited for a core for more than AB_WAITED of the time; else ok. With `explain` the note says what speaks against the
 * times, but for the interval. scripts/antbench/data/validate.py has the same rule, and checks the status of runs by
 * it. */
void ab_judge_times(ab_row *row, bool explain);

/* Whether half of a row's interval is within that share of what it is of, and nothing else speaks against its times. */
bool ab_times_are_precise(const ab_row *row, double within);

#endif
