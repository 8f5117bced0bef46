/* The planted faults of tsp_choices.cu. */
#ifndef ANTBENCH_PLANTED_TSP_CHOICES_H
#define ANTBENCH_PLANTED_TSP_CHOICES_H

#include "kernels/tsp/tsp.h"

enum planted_choice_fault {
    CHOICE_FAULT_NONE,
    CHOICE_FAULT_ANTS_ALIKE,       /* every ant draws the same numbers */
    CHOICE_FAULT_ITERATIONS_ALIKE, /* every iteration draws the same numbers */
    CHOICE_FAULT_ANTS_SHIFTED,     /* an ant draws what its neighbour drew in the iteration before */
    CHOICE_FAULT_NEVER_FIRST,      /* the wheel never stops at the first of several cities */
    CHOICE_FAULT_NEVER_LAST,       /* nor at the last */
    CHOICE_FAULT_NARROW,           /* numbers are drawn from the lower three quarters */
    CHOICE_FAULT_FARTHEST,         /* the all-zero rule goes to the farthest city */
    CHOICE_FAULT_UNCOUNTED,        /* it is not counted */
    N_CHOICE_FAULTS
};

#ifdef __cplusplus
extern "C" {
#endif

/* The random proportional rule, a thread per ant, with the fault. */
ab_status planted_choices_open(const tsp_problem *problem, const tsp_params *params, int fault, tsp_colony **colony);

#ifdef __cplusplus
}
#endif

#endif
