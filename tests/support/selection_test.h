/* Does a colony select as the random proportional rule says? (Thesis eq. 3.1.)
 *
 * One iteration is run from a given pheromone matrix, and every step of every tour is held against the exact
 * distribution over the cities that were unvisited, computed in double. The steps all have different distributions, so
 * what is tested is the randomised probability integral transform: put the unvisited cities' probabilities end to end
 * in the order of their indices and draw a point at random inside the chosen city's interval. If the rule is followed
 * these points are uniform on [0, 1) and independent, whatever the distributions were; a chi-square test over bins says
 * so.
 * The same is done with the cities nearest first, which shows what an implementation does to near and far ones.
 *
 * For a problem with candidate sets the distribution is that over the unvisited candidates, and a step that finds none
 * is not counted: what such a step must do is for tests/support/candidate_steps.h.
 */
#ifndef ANTBENCH_SELECTION_TEST_H
#define ANTBENCH_SELECTION_TEST_H

#include "kernels/tsp/tsp.h"

/* The chance of a chi-square statistic of at least x with df degrees of freedom; 0 where x is NaN, so that it fails. */
double chi_square_p(double x, int df);

typedef struct chi_square {
    double statistic; /* sum of (observed - expected)^2 / expected */
    int df;           /* degrees of freedom */
    double p;         /* its chance if the rule is followed */
} chi_square;

typedef struct selection_report {
    chi_square all;            /* of every step that had a choice */
    chi_square nearest_first;  /* likewise, cities nearest first */
    chi_square third[3];       /* of the first, middle and last third of the tours */
    chi_square second_city;    /* of the pairs (start, second city), those expected less than 5 times taken together */
    int64_t steps;             /* steps in `all` */
    int64_t zero_weight_steps; /* as the colony counted them */
} selection_report;

/* The smallest p in the report: what a test compares with its threshold. */
double selection_worst_p(const selection_report *report);

/* Weights for the rule to follow. */
typedef enum selection_weights {
    WEIGHTS_UNIFORM, /* all equal */
    WEIGHTS_SKEWED,  /* over five orders of magnitude, at random */
    WEIGHTS_BLOCKS,  /* sub-blocks of 32 cities are a thousand times heavier or lighter than their neighbours */
    WEIGHTS_HUB,     /* city 0 weighs more than all others together: once it is visited, so does what is visited */
    WEIGHTS_KINDS
} selection_weights;

/* Fills pheromone[n][n] so that pheromone^alpha * eta^beta are such weights. Symmetric. */
void selection_pheromone(const tsp_problem *problem, const tsp_params *params, selection_weights kind,
                         float *pheromone);

/* Opens a colony, runs choice and construct from the pheromone matrix, and reports. Not AB_OK when the colony fails or
 * a tour is not a permutation. */
ab_status selection_test(ab_open *open, const tsp_problem *problem, const tsp_params *params, const float *pheromone,
                         selection_report *report);

#endif
