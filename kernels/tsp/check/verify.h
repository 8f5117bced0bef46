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
 *   tours      each ant's, with its length
 *   improved   after stage "improve", where there is one, no tour is longer than before, each as long as it is said to
 *              be, and those that were to be improved are hardly to be made shorter (kernels/tsp/check/improved.h)
 *   best       the best tour is one, and as long as the shortest of all iterations so far
 *   all-zero   no step uses that rule where every weight is above TSP_VERIFY_LEAST_WEIGHT; where all weights are 0 all
 *   steps
 *              do, and go to the nearest city
 *   choices    where all edges weigh the same no two tours are the same, and no part of the wheel is drawn much more
 *   often
 *              than others (kernels/tsp/check/wheel.h); that rests on tours as the stage "construct" leaves them
 *   pheromone  against a recomputation in double from what it was and the tours (relative error at most
 *              TSP_VERIFY_PHEROMONE_TOLERANCE; NaN fails), with mmas its limits and beginning anew (max_min_again.h)
 * Before the last of several iterations the pheromone is overwritten so that all edges weigh the same: its tours are
 * longer than those before, whose best must stay. From TSP_VERIFY_ITERATIONS_CHOICES iterations on it is before the
 * last two, whose choices are looked at, and from TSP_VERIFY_ITERATIONS_ALL on another follows in which all weigh 0.
 * *tours is set to the number of valid tours of the last iteration checked. A wrong output is AB_FAILED with *wrong
 * true; any other status with *wrong false means that an iteration could not be run or checked. */
enum { TSP_VERIFY_ITERATIONS_CHOICES = 4, TSP_VERIFY_ITERATIONS_ALL = 5 };
ab_status tsp_verify_iterations(tsp_colony *colony, const tsp_problem *problem, const tsp_params *params,
                                int iterations, int *tours, bool *wrong);

/* Checks every tour of the last iteration, the best tour so far, the weights as above, but for their being up to date,
 * and that no more than TSP_MOST_ZERO_STEPS of the steps since opening used the all-zero rule, without running
 * anything; *best gets the best length and the count of those steps. *wrong as above. */
ab_status tsp_verify_tours(tsp_colony *colony, const tsp_problem *problem, int n_ants, tsp_result *best, bool *wrong);

/* Checks every candidate set: nn different other cities, none farther than the one after it or than any city that is
 * left out. *valid is set to the number of valid sets; *wrong as above. */
ab_status tsp_verify_candidates(const tsp_problem *problem, int *valid, bool *wrong);

/* Float deposits of up to n ants on one edge, in any order. */
#define TSP_VERIFY_PHEROMONE_TOLERANCE 1e-3

/* A product of floats, and a power of one. */
#define TSP_VERIFY_WEIGHT_TOLERANCE 1e-4

/* Far enough from where a float, times a random number and added up with others, ends. */
#define TSP_VERIFY_LEAST_WEIGHT 1e-27

#endif
