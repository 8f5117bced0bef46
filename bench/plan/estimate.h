/* How often and how long a cell is measured: the samples of this process, their budget, what all of it roughly takes. */
#ifndef ANTBENCH_ESTIMATE_H
#define ANTBENCH_ESTIMATE_H

#include "bench/plan/plan.h"

/* Whether every process measures the cell anew: what is timed. Anything else comes out the same each time, and the
 * first measures it alone. */
bool ab_cell_is_repeated(const ab_cell *cell);

/* Whether a sample of the cell will take more than a second, roughly. */
bool ab_cell_is_long(const ab_cell *cell);

/* Whether the cell would take more steps on the host backend than the effort allows: then its row is `skipped`. */
bool ab_cell_is_too_large(const ab_cell *cell);

/* Seconds that measuring the cell will roughly take in this process, and in those from this one to the last. */
double ab_cell_estimate(const ab_plan *plan, const ab_cell *cell);
double ab_cell_estimate_from_here(const ab_plan *plan, const ab_cell *cell);

/* Samples of a cell that this process takes, and how many of them a run has. */
typedef struct ab_count {
    int runs, at_once, samples;
} ab_count;
ab_count ab_cell_count(const ab_plan *plan, const ab_cell *cell);

/* Seconds that this process may take for them: its share of the row's, all where no other has a part in it. */
double ab_cell_budget(const ab_plan *plan, const ab_cell *cell);

/* Samples that this process takes whatever they cost. */
int ab_cell_least(const ab_plan *plan, const ab_cell *cell);

#endif
