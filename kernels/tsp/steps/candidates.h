/* The candidate sets of an instance: each size is built once, outside of every timed region, checked, timed by itself
 * and kept for the rows that follow.
 */
#ifndef ANTBENCH_TSP_CANDIDATES_H
#define ANTBENCH_TSP_CANDIDATES_H

#include "kernels/operation.h"
#include "kernels/tsp/tsp.h"

typedef struct tsp_candidates {
    tsp_problem sets[16]; /* [count]: nn and nn_list, which they own */
    int count;
} tsp_candidates;

/* Gives the problem a candidate set of size nn, and builds it if the size is new. Then *setup tells the result, as a
 * row. */
ab_status tsp_candidates_give(tsp_candidates *candidates, int nn, tsp_problem *problem, ab_setup *setup, bool *built);

void tsp_candidates_free(tsp_candidates *candidates); /* accepts a zeroed one */

#endif
