/* The candidate sets that cells are measured with: each is built once for an instance and a size, outside of every
 * timed region, checked, timed by itself and kept for the cells that follow.
 */
#ifndef ANTBENCH_TSP_CANDIDATES_H
#define ANTBENCH_TSP_CANDIDATES_H

#include "bench/harness/row.h"
#include "kernels/tsp/tsp.h"

enum { TSP_CANDIDATE_SAMPLES = 10 }; /* building is timed at most so often */

typedef struct tsp_candidates {
    as_problem *sets; /* [count]: n, dist, nn and nn_list, which they own */
    int count;
} tsp_candidates;

/* Gives the problem the set of size nn that was built for it before; false where there is none. */
bool tsp_candidates_find(const tsp_candidates *candidates, int nn, as_problem *problem);

/* Builds a set, checks it, times building it again, keeps it and gives it to the problem. Fills the row's statistics,
 * stop reason and verification, and samples[row->ms.samples]. A set that is wrong is AB_FAILED with *wrong true. */
ab_status tsp_candidates_build(tsp_candidates *candidates, int nn, as_problem *problem, ab_row *row,
                               ab_sample samples[TSP_CANDIDATE_SAMPLES], bool *wrong);

void tsp_candidates_free(tsp_candidates *candidates); /* accepts a zeroed one */

#endif
