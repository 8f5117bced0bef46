/* Checks of what an Ant System colony computed, against the instance alone. */
#ifndef ANTBENCH_VERIFY_TSP_H
#define ANTBENCH_VERIFY_TSP_H

#include <stdbool.h>

#include "kernels/implementation.h"
#include "kernels/tsp/tsp.h"

/* AB_OK if tour[0..n] is closed, visits every city exactly once and `length` is its length, recomputed in 64 bits;
 * otherwise AB_FAILED with what is wrong. */
ab_status verify_tour(const as_problem *problem, const int32_t *tour, int64_t length);

/* Runs one untimed iteration of a freshly opened colony on poisoned buffers and checks everything it leaves: each ant's
 * tour and length, the best tour, and the pheromone against a recomputation in double from those tours (relative error
 * at most VERIFY_PHEROMONE_TOLERANCE; NaN fails). *tours is set to the number of valid tours. A wrong output is
 * AB_FAILED with *wrong true; any other status with *wrong false means that the iteration could not be run or checked.
 */
ab_status verify_iteration(as_colony *colony, const as_problem *problem, const as_params *params, int *tours,
                           bool *wrong);

/* Checks every tour of the last iteration, the best tour so far and that the pheromone is finite, without running
 * anything; *best gets the best length and the count of all-zero steps. *wrong as above. */
ab_status verify_tours(as_colony *colony, const as_problem *problem, int n_ants, as_result *best, bool *wrong);

/* Checks every candidate set: nn different other cities, none farther than the one after it or than any city that is left
 * out. *valid is set to the number of valid sets; *wrong as above. */
ab_status verify_candidates(const as_problem *problem, int *valid, bool *wrong);

/* Float deposits of up to n ants on one edge, in any order. */
#define VERIFY_PHEROMONE_TOLERANCE 1e-3

#endif
