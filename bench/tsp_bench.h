/* Measuring Ant System: what the drivers of the TSP tables share.
 *
 * A cell is one (implementation, parameters, instance). It is verified, timed over independent runs, and written as rows:
 * the time of an iteration (table "3.3", say) with the quality of the tours of the same runs, and the time of the stages.
 * On the host backend a cell is verified with a few ants and not timed. Candidate sets are built before, outside of every
 * timed region, and their time is a row of its own.
 */
#ifndef ANTBENCH_TSP_BENCH_H
#define ANTBENCH_TSP_BENCH_H

#include "bench/bench.h"
#include "bench/tsp_candidates.h"
#include "instances/tsplib.h"
#include "kernels/tsp/tsp.h"

/* One measurement. */
typedef struct tsp_cell {
    const char *table;          /* "3.3" */
    const char *row;            /* "ds-roulette" */
    const char *stages_table;   /* "3.4" for rows of the stages' times as well, or NULL */
    const char *implementation; /* "tsp/ds-roulette" */
    const tsp_instance *instance;
    const char *asked;                   /* the name asked for: "d198", also where `instance` is its stand-in u198 */
    const ab_published_table *published; /* where the sources' times of an iteration are; NULL for none */
    const ab_published_table *published_stages; /* and of its stages, with stages_table */
    as_protocol protocol;
    int nn;            /* size of the candidate sets, at most n - 1 of which is used; 0 for none */
    int threads;       /* of a CPU implementation, 0 for all cores */
    int max_runs;      /* at most so many runs, 0 for the effort's */
    int carveout;      /* GPU, -1 for the driver's choice */
    double estimate_s; /* of one iteration, roughly: for the ETA alone */
} tsp_cell;

/* Fills the key of the row that `cell` writes for `implementation` (scope iteration or functional). */
void tsp_cell_key(const ab_bench *bench, const tsp_cell *cell, const ab_implementation *implementation, ab_row *row);

/* Seconds the cell will roughly take. A step of effort.host_steps is a city that an ant looks at. */
double tsp_cell_estimate(const ab_bench *bench, const tsp_cell *cell, const ab_implementation *implementation);

/* Measures the cell and appends its rows; candidate sets come from and go to `candidates`. *row, the key before, is the
 * row of the iteration. Fails only when results cannot be written any more. */
ab_status tsp_measure_cell(ab_bench *bench, tsp_candidates *candidates, const tsp_cell *cell,
                           const ab_implementation *implementation, ab_row *row);

#endif
