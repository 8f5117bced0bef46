/* How often ants choose each kind of city, beside the exact probabilities. For every step of given tours, the weights of
 * all cities that may follow are known. Choices are counted in three ways. The first is the city's index modulo 32, as
 * warps hold cities. The second is its place among the nearest cities, as candidate sets and clocks hold them. The third,
 * for few cities, is the pair of cities. Counts of a right implementation differ from sums of probabilities by chance
 * alone. It fails once in 10^10 times.
 */
#ifndef ANTBENCH_TSP_CHANCES_H
#define ANTBENCH_TSP_CHANCES_H

#include "kernels/tsp/tsp.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { CHANCES_BY_INDEX, CHANCES_BY_PLACE, CHANCES_BY_PAIR, CHANCES_KINDS };
enum {
    CHANCES_GROUPS = 32, /* of cities by index, and by place: the last has all farther ones */
    CHANCES_FEW = 16,    /* most cities whose pairs are counted */
    CHANCES_CLASSES = CHANCES_FEW * CHANCES_FEW
};

/* Choices of one kind, by class. */
typedef struct tsp_tally {
    double count[CHANCES_CLASSES];    /* choices */
    double expected[CHANCES_CLASSES]; /* sums of probabilities */
} tsp_tally;

typedef struct tsp_chances {
    int n;
    double *weight;       /* [n][n]; 0 on the diagonal and outside of candidate sets */
    unsigned char *place; /* [n][n] group of the column's city by its place among the row's nearest */
    bool *visited;        /* [threads][n, rounded up to cache lines]: scratch */
    tsp_tally of[CHANCES_KINDS];
} tsp_chances;

/* Computes the weights from the parameters and the pheromone [n][n]. Close in every case. */
ab_status tsp_chances_open(const tsp_problem *problem, const tsp_params *params, const float *pheromone,
                           tsp_chances *chances);
void tsp_chances_close(tsp_chances *chances); /* accepts zeroed ones */

/* Counts the steps of the tours [n_ants][n + 1], on all cores; a step whose candidate set is exhausted is no choice. */
void tsp_chances_add(tsp_chances *chances, const int32_t *tours, int n_ants);

/* AB_OK, or AB_FAILED with the class that is farthest from what is expected. */
ab_status tsp_chances_check(const tsp_chances *chances);

#ifdef __cplusplus
}
#endif
#endif
