/* Estimates how often and how long a cell is measured: this process's samples, their time budget, and the total time.
 */
#ifndef ANTBENCH_ESTIMATE_H
#define ANTBENCH_ESTIMATE_H

#include "bench/plan/plan.h"

/* True if a sample of the cell takes so long that it needs no warm-up (ab_sampling). A CPU's sample is estimated. A GPU's
 * took `known_s` seconds in the first process; NAN: not known. */
bool ab_cell_is_long(const ab_cell *cell, double known_s);

/* True if the cell needs more steps on the host backend than the effort allows. Its row is then `skipped`. */
bool ab_cell_is_too_large(const ab_cell *cell);

/* Return the approximate seconds that measuring the cell takes: in this process, and in all processes from this one to
 * the last. */
double ab_cell_estimate(const ab_plan *plan, const ab_cell *cell);
double ab_cell_estimate_from_here(const ab_plan *plan, const ab_cell *cell);

/* How many samples of a cell this process takes, and how many of them belong to one run. */
typedef struct ab_count {
    int runs, at_once, samples;
} ab_count;
ab_count ab_cell_count(const ab_plan *plan, const ab_cell *cell);

/* Returns the seconds that this process may use for its samples: its share of the row's budget, or all of it if no
 * other process measures the row. */
double ab_cell_budget(const ab_plan *plan, const ab_cell *cell);

/* Returns the least number of samples that this process takes, whatever they cost. */
int ab_cell_least(const ab_plan *plan, const ab_cell *cell);

#endif
