/* The planted bugs of tsp_construct.cu. */
#ifndef ANTBENCH_PLANTED_TSP_CONSTRUCT_H
#define ANTBENCH_PLANTED_TSP_CONSTRUCT_H

#include "kernels/tsp/tsp.h"

enum planted_bug {
    BUG_NONE,
    BUG_VISITS_TWICE,    /* a city twice, another never */
    BUG_NOT_CLOSED,      /* the tour does not end where it began */
    BUG_NO_SUCH_CITY,    /* a city beyond n - 1 */
    BUG_FORGETS_AN_EDGE, /* the length lacks the closing edge */
    BUG_IDLE_ANT,        /* the last ant writes nothing */
    BUG_IGNORES_ANT_0,   /* the best tour is chosen among the others */
    BUG_SPILLS_NAN,      /* overwrites a pheromone value with NaN */
    BUG_SPILLS_A_LITTLE, /* changes a pheromone value by 1 % */
    BUG_NAN_ON_DIAGONAL, /* overwrites the pheromone from a city to itself with NaN */
    BUG_NAN_IN_PADDING,  /* overwrites the pheromone behind the end of a row with NaN */
    BUG_DIAGONAL_WEIGHS, /* gives the weight from a city to itself, for the next choice */
    BUG_FORGETS_BEST,    /* keeps the best tour of the last iteration, not of all */
    BUG_ALL_ZERO_RULE,   /* says that a step found nothing but weights of 0 */
    N_BUGS
};

#ifdef __cplusplus
extern "C" {
#endif

ab_status planted_tsp_open(const tsp_problem *problem, const tsp_params *params, int bug, tsp_colony **colony);

/* No bug, but a rung that has every step: see the test. */
ab_status planted_tsp_open_with_all_steps(const tsp_problem *problem, const tsp_params *params, tsp_colony **colony);

#ifdef __cplusplus
}
#endif

#endif
