/* Steps with candidate sets (kernels/tsp/tsp.h) that a rule decides. While a set has an unvisited city, a step goes to
 * a city of the set. If the set is exhausted, the step goes to the best remaining city. One wrong step shows, however
 * rare it is. */
#ifndef ANTBENCH_TSP_REMAINING_H
#define ANTBENCH_TSP_REMAINING_H

#include "kernels/tsp/tsp.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Returns the pheromone of a city's edges, [n], until the next call. */
typedef const float *tsp_remaining_row(const void *context, int city);

/* What a check looks at. */
typedef struct tsp_remaining {
    const tsp_problem *problem;
    const tsp_params *params;
    tsp_remaining_row *row;
    const void *context;
    int64_t looks; /* cities that it may still look at in searches for the best one; it counts down */
} tsp_remaining;

/* AB_OK, or AB_FAILED with the first wrong step of a tour [n + 1]. Weights below TSP_VERIFY_LEAST_WEIGHT are not judged.
 * visited[n] is scratch. */
ab_status tsp_remaining_check(tsp_remaining *of, const int32_t *tour, bool *visited);

#ifdef __cplusplus
}
#endif
#endif
