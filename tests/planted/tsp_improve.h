/* Stage "improve" one move at a time, and with planted faults (tests/kernels/tsp/test_improve.c). */
#ifndef ANTBENCH_PLANTED_TSP_IMPROVE_H
#define ANTBENCH_PLANTED_TSP_IMPROVE_H

#include "kernels/tsp/tsp.h"

enum planted_improve_fault {
    IMPROVE_FAULT_NONE,
    IMPROVE_ONE_MOVE,     /* no fault, but each run of the stage makes one move of each tour */
    IMPROVE_FAULT_IDLE,   /* makes no move */
    IMPROVE_FAULT_LONGER, /* makes the first tour longer, and says so */
    IMPROVE_FAULT_GAIN,   /* takes a gain for more than it is */
    IMPROVE_FAULT_TWICE,  /* loses a city of the last tour to its neighbour, as a reversal that is off by one does */
    IMPROVE_FAULT_LINKS,  /* leaves what is deposited by as construction left it */
    IMPROVE_FAULT_BEST,   /* leaves the best ant's length as construction left it, where it is looked up */
    N_IMPROVE_FAULTS
};

#ifdef __cplusplus
extern "C" {
#endif

/* tsp/race-candidates with the fault. */
ab_status planted_improve_open(const tsp_problem *problem, const tsp_params *params, int fault, tsp_colony **colony);

/* The stage as it is, on tours [n_ants][n + 1] of a problem with a matrix, by lists near[n][count] of at most 16 cities;
 * at most so many moves of a tour. */
ab_status planted_improve_tours(const tsp_problem *problem, const int32_t *near, int count, int most_moves, int n_ants,
                                int32_t *tours, int64_t *lengths);

#ifdef __cplusplus
}
#endif

#endif
