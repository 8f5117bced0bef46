/* Does every step of a tour follow the rule for candidate sets (kernels/tsp/tsp.h)? */
#ifndef ANTBENCH_CANDIDATE_STEPS_H
#define ANTBENCH_CANDIDATE_STEPS_H

#include "kernels/tsp/tsp.h"

/* What an iteration's steps were; the last step, to the only city left, counts too. */
typedef struct candidate_steps {
    int64_t from_set; /* an unvisited candidate with a weight */
    int64_t best;     /* the best remaining city, the candidates being exhausted or weightless */
    int64_t all_zero; /* the nearest, all remaining cities weighing 0 */
} candidate_steps;

/* choice_info [n][n] as the rule defines it, in double, from a pheromone matrix. */
void candidate_choice(const tsp_problem *problem, const tsp_params *params, const float *pheromone, double *choice);

/* Holds every step of tours [n_ants][n + 1] against a search by brute force: where an unvisited candidate has a weight,
 * the city chosen must be such a one; where none has, it must be the best remaining city by choice [n][n], the lowest
 * index among equals; where all remaining weigh 0, the nearest. `tolerance` is the relative error that rounding may
 * make in the implementation's choice_info: 0 for double, 1e-6 for single precision. AB_FAILED naming ant, step and
 * cities where a step, or a tour, is wrong. */
ab_status check_candidate_steps(const tsp_problem *problem, const double *choice, double tolerance,
                                const int32_t *tours, int n_ants, candidate_steps *counts);

#endif
