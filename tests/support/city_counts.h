/* Does a colony choose each city as often as the random proportional rule says, from each other city by itself?
 *
 * Of every choice of given tours the exact probabilities of all cities are known, as the tours say who was visited. So
 * each pair of cities has a count of choices, the count that was to be expected, and its variance. A fault that takes
 * from one city and gives to its neighbours, which no sum over cities shows, shows in two counts. The first steps of
 * tours, of which nobody was visited before, are counted apart too.
 */
#ifndef ANTBENCH_CITY_COUNTS_H
#define ANTBENCH_CITY_COUNTS_H

#include "kernels/tsp/tsp.h"

enum { CITY_FIRST, CITY_ALL, CITY_STEPS };                       /* the first steps, and all */
enum { CITY_COUNT, CITY_EXPECTED, CITY_VARIANCE, CITY_NUMBERS }; /* of choices */

typedef struct city_counts {
    int n;
    double *weight; /* [n][n]: 0 on the diagonal and outside of candidate sets */
    double *table;  /* [CITY_STEPS][CITY_NUMBERS][n][n] */
} city_counts;

/* How far counts are from what was to be expected, in standard deviations. */
typedef struct city_verdict {
    double choices; /* how many */
    double sum;     /* of the chi-square statistic over all pairs, which is about normal */
    double worst;   /* of one pair, of the worst, */
    int from, to;   /* ... which is this */
} city_verdict;

/* Weights as the parameters have them. Free counts in every case. */
ab_status city_counts_open(const tsp_problem *problem, const tsp_params *params, const float *pheromone,
                           city_counts *counts);
void city_counts_free(city_counts *counts); /* accepts a zeroed one */

/* tours: [n_ants][n + 1], on all cores. A step whose candidate set is exhausted is no choice. AB_FAILED for what is no tour. */
ab_status city_counts_add(city_counts *counts, const int32_t *tours, int n_ants);

city_verdict city_counts_judge(const city_counts *counts, int steps);

#endif
