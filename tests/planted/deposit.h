/* The planted bugs of deposit.cu. */
#ifndef ANTBENCH_PLANTED_DEPOSIT_H
#define ANTBENCH_PLANTED_DEPOSIT_H

#include "kernels/deposit/deposit.h"

enum planted_dp_bug {
    DP_BUG_NONE,
    DP_BUG_FORGETS_THE_CLOSING_EDGE, /* the way back to the first city */
    DP_BUG_FORGETS_AN_ANT,           /* the last */
    DP_BUG_DEPOSITS_TWICE,           /* ant 0, on its first edge */
    DP_BUG_ONE_DIRECTION,            /* the way there alone */
    DP_BUG_AMOUNT_OF_ANOTHER,        /* every ant deposits what ant 0 does */
    DP_BUG_EVAPORATES_AGAIN,         /* one entry */
    DP_BUG_A_LITTLE,                 /* an entry is off by 0.01 % */
    DP_BUG_NAN,                      /* an entry is NaN */
    N_DP_BUGS
};

#ifdef __cplusplus
extern "C"
#endif
    ab_status
    planted_deposit_open(const tsp_snapshot *snapshot, const dp_params *params, int bug, dp_trails **trails);

#endif
