/* Steps with candidate sets (kernels/tsp/tsp.h) that a rule decides. While a set has an unvisited city, a step goes to
 * a city of the set. If the set is exhausted, the step goes to the best remaining city. One wrong step shows, however
 * rare it is. */
#ifndef ANTBENCH_TSP_REMAINING_H
#define ANTBENCH_TSP_REMAINING_H

#include "kernels/tsp/tsp.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Returns the pheromone of a city's edges, [n], until the next call of the thread. */
typedef const float *tsp_remaining_row(const void *context, int city);

/* What a check looks at. */
typedef struct tsp_remaining {
    const tsp_problem *problem;
    const tsp_params *params;
    tsp_remaining_row *row;
    const void *context;
    int64_t looks; /* cities that searches for the best one may look at; each thread has its share, or one search */
} tsp_remaining;

/* Checks the tours [n_ants][n + 1] on all cores. AB_OK, or AB_FAILED with the first wrong step of the first wrong tour.
 * Weights below TSP_VERIFY_LEAST_WEIGHT are not judged. visited[threads][n] is scratch. */
ab_status tsp_remaining_check(const tsp_remaining *of, const int32_t *tours, int n_ants, bool *visited);

#ifdef __cplusplus
}
#endif
#endif
