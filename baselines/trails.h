/* The pheromone of the CPU colonies in single precision, and the heuristic that it is multiplied by.
 *
 * Range of float: eta^beta is divided by its smallest value, a constant that cancels in the rule. Pheromone that would
 * leave the normal range becomes 0. So a weight is 0 only if the pheromone is, and with alpha = 1 every weight is a
 * normal number.
 */
#ifndef ANTBENCH_TRAILS_H
#define ANTBENCH_TRAILS_H

#include "baselines/cpu_open.h"

typedef struct trails {
    cpu_colony common;              /* first */
    const struct trails_kind *kind; /* kind of a colony that trails_open opened; else NULL */
    size_t stride;                  /* floats per row: n rounded up; what lies beyond n is 0 */
    uint16_t *city;                 /* [n]: of each row and column */
    uint16_t *place;                /* [n]: row and column of each city */
    float *pheromone;               /* [n][stride] */
    float *heuristic;               /* [n][stride]: eta^beta over its smallest value, 0 on the diagonal */
} trails;

/* What distinguishes one kind of colony with trails from another. */
typedef struct trails_kind {
    size_t bytes;                         /* size of the colony, which begins with its trails */
    size_t granule;                       /* floats that the rows are a multiple of */
    size_t (*together)(size_t n);         /* granule of the neighbourhoods that order rows; NULL: by city */
    ab_status (*prepare)(trails *colony); /* allocates and fills what is its own */
    void (*choose)(const trails *colony); /* the choice stage */
    cpu_build_tours *build;               /* function of the construct stage */
    int side_by_side;                     /* number of ants that one call of build has at most */
} trails_kind;

/* Initialises what is common and the trails, for params->threads threads. AB_UNSUPPORTED where the weights would leave
 * the range of float. */
ab_status trails_init(trails *colony, const tsp_problem *problem, const tsp_params *params, const trails_kind *kind);

/* Opens one: trails_init, then prepare. */
ab_status trails_open(const trails_kind *kind, const tsp_problem *problem, const tsp_params *params,
                      tsp_colony **colony);

/* The choice_info of an edge, times the constant. */
static inline __attribute__((always_inline)) float trails_choice(float pheromone, float heuristic, double alpha)
{
    return alpha == 1.0 ? pheromone * heuristic : (float)(tsp_power(pheromone, alpha) * heuristic);
}

/* The choice_info of row i, into weights[stride]. */
void trails_weigh(const trails *colony, size_t i, float *weights);

/* The `count` cities nearest to i, the lowest index first among equals, into cities[count]; where there are fewer, i
 * itself fills up. */
void trails_nearest(const trails *colony, size_t i, int count, uint16_t *cities);

void trails_update(trails *colony); /* the update stage */

/* The methods of a tsp_colony with trails. */
extern const tsp_methods trails_methods;

#endif
