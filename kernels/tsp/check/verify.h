/* Checks of what an Ant System colony computed, against the instance alone. */
#ifndef ANTBENCH_VERIFY_TSP_H
#define ANTBENCH_VERIFY_TSP_H

#include <stdbool.h>

#include "kernels/implementation.h"
#include "kernels/tsp/tsp.h"

/* AB_OK if tour[0..n] is closed, visits every city exactly once and `length` is its length, recomputed in 64 bits;
 * otherwise AB_FAILED with what is wrong. */
ab_status tsp_verify_tour(const tsp_problem *problem, const int32_t *tour, int64_t length);

/* Runs untimed iterations of a freshly opened colony, each on poisoned buffers, and checks everything that each leaves:
 *   weights    pheromone and choice_info are finite and not negative everywhere, the diagonals included, and 0 where
 *              tsp_device promises it; choice_info is what the pheromone of this iteration makes it (relative error at
 *              most TSP_VERIFY_WEIGHT_TOLERANCE)
 *   tours      each ant's tour, with its length
 *   improved   after stage "improve" no tour is longer than before, each has its stated length, and 2-opt can hardly
 *              make the improved ones shorter (kernels/tsp/check/improved.h)
 *   best       the best tour is a tour, and as long as the shortest of all iterations so far
 *   all-zero   no step uses that rule if every weight is above TSP_VERIFY_LEAST_WEIGHT; if all weights are 0 all steps
 *              use it, and go to the nearest city
 *   choices    if all edges weigh the same no two tours are equal, and no part of the wheel is drawn much more often
 *              than others (kernels/tsp/check/wheel.h); this takes tours as the stage "construct" leaves them
 *   pheromone  equal to a recomputation in double from the old pheromone and the tours (relative error at most
 *              TSP_VERIFY_PHEROMONE_TOLERANCE; NaN fails); with mmas its limits and restarts (max_min_again.h)
 * Before the last of several iterations the pheromone is overwritten so that all edges weigh the same. Its tours are
 * longer than the earlier ones, whose best must stay. From TSP_VERIFY_ITERATIONS_CHOICES iterations on this is done
 * before the last two, whose choices are checked. From TSP_VERIFY_ITERATIONS_ALL on one more follows, in which all
 * weights are 0. *tours is set to the number of valid tours of the last iteration checked. A wrong output is AB_FAILED
 * with *wrong true. Any other status with *wrong false means that an iteration could not be run or checked. */
enum { TSP_VERIFY_ITERATIONS_CHOICES = 4, TSP_VERIFY_ITERATIONS_ALL = 5 };
ab_status tsp_verify_iterations(tsp_colony *colony, const tsp_problem *problem, const tsp_params *params,
                                int iterations, int *tours, bool *wrong);

/* Checks every tour of the last iteration, the best tour so far and the weights, as above, without running an
 * iteration. The weights need not be up to date. At most TSP_MOST_ZERO_STEPS of the steps since opening may have
 * used the all-zero rule. *best gets the best length and the count of those steps. *wrong as above. */
ab_status tsp_verify_tours(tsp_colony *colony, const tsp_problem *problem, int n_ants, tsp_result *best, bool *wrong);

/* Checks every candidate set: nn different other cities, each no farther than the next one and than any city left
 * out. The number of valid sets goes to *valid; *wrong as above. */
ab_status tsp_verify_candidates(const tsp_problem *problem, int *valid, bool *wrong);

#endif
