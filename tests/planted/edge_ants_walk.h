/* Edge ants with planted bugs, for tests/kernels/edges/test_edge_ants.c. */
#ifndef ANTBENCH_PLANTED_EDGE_ANTS_WALK_H
#define ANTBENCH_PLANTED_EDGE_ANTS_WALK_H

#include "kernels/edge_ants/edge_ants.h"

enum {
    EA_BUG_NONE,
    EA_BUG_FORGETS_THE_MEMORY,  /* goes back to where it was */
    EA_BUG_WRAPS_AROUND,        /* walks over the right border into the next row */
    EA_BUG_LEAVES_THE_IMAGE,    /* walks over the lower border */
    EA_BUG_JUMPS,               /* is relocated although it could move */
    EA_BUG_STANDS_STILL,        /* the last ant is not moved */
    EA_BUG_FORGETS_EVAPORATION, /* the secondary matrix is a copy of the primary */
    EA_BUG_EVAPORATES_A_LITTLE, /* by rho + 0.0001 */
    EA_BUG_FORGETS_A_DEPOSIT,   /* that of ant 0 */
    EA_BUG_DEPOSITS_TWICE,      /* ant 0 does */
    EA_BUG_DEPOSITS_IN_PRIMARY, /* where other ants read, and which is then thrown away */
    EA_BUG_FORGETS_TO_SWAP,     /* the next iteration reads the old matrix */
    EA_BUG_WRONG_SLOT,          /* remembers in the slot of the iteration before */
    EA_BUG_SPILLS_NAN,          /* overwrites a pixel with NaN */
    EA_BUG_LATER,               /* deposits twice after some iterations */
    EA_BUG_ANTS_ALIKE,          /* every ant moves by the numbers of ant 0 */
    EA_BUG_ITERATIONS_ALIKE,    /* every iteration has the numbers of the first */
    EA_BUG_NOTHING_ON_FRAME,    /* no deposit in the last column */
    N_EA_BUGS
};

#ifdef __cplusplus
extern "C"
#endif
    ab_status
    planted_edge_ants_open(const ea_problem *problem, const ea_params *params, int bug, ea_colony **colony);

#endif
