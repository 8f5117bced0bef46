/* Judges the times of a row. */
#ifndef ANTBENCH_JUDGE_H
#define ANTBENCH_JUDGE_H

#include "bench/row/row.h"

#define AB_NOISY 0.05
#define AB_WAITED 0.05

/* Sets the status of a row from its times. Without samples it is `timeout`, without an interval `few`. It is `noisy` if
 * the relative half-width of the interval is above AB_NOISY, or if the samples are uneven (ab_is_uneven). It is also
 * `noisy` if the process waited for a core for more than AB_WAITED of the time. Else it is `ok`. With `explain` the
 * note names the faults other than a wide interval. scripts/antbench/data/validate.py has the same rule and checks
 * stored runs with it. */
void ab_judge_times(ab_row *row, bool explain);

/* True if the relative half-width of a row's interval is at most `within` and its times have no other fault. */
bool ab_times_are_precise(const ab_row *row, double within);

#endif
