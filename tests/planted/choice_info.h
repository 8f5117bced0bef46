/* The planted bugs of choice_info.cu. */
#ifndef ANTBENCH_PLANTED_CHOICE_INFO_H
#define ANTBENCH_PLANTED_CHOICE_INFO_H

#include "kernels/choice_info/choice_info.h"

enum planted_ci_bug {
    CI_BUG_NONE,
    CI_BUG_FORGETS_THE_LAST, /* the last edge is not written */
    CI_BUG_NO_SQUARE,        /* eta to the power 1 */
    CI_BUG_OTHER_EDGE,       /* the pheromone of the edge before */
    CI_BUG_A_LITTLE,         /* one edge is off by 0.01 % */
    CI_BUG_NAN,              /* one edge is NaN */
    N_CI_BUGS
};

#ifdef __cplusplus
extern "C"
#endif
    ab_status
    planted_choice_info_open(const tsp_snapshot *snapshot, const ci_params *params, int bug, ci_weights **weights);

#endif
