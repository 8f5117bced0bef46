/* The planted bugs of psystem.cu. */
#ifndef ANTBENCH_PLANTED_PSYSTEM_H
#define ANTBENCH_PLANTED_PSYSTEM_H

#include "kernels/psystem/psystem.h"

enum planted_ps_bug {
    PS_BUG_NONE,
    PS_BUG_SKIPS_A_MEMBRANE,   /* the last one is not checked out */
    PS_BUG_LOSES_A_CLAUSE_BIT, /* clause 1 counts as true everywhere */
    PS_BUG_KEEPS_A_CHARGE,     /* both halves of the last division are + */
    PS_BUG_OTHER_MEMBRANE,     /* the flags of two membranes are exchanged; the count is right */
    PS_BUG_LOSES_AN_OBJECT,    /* in a membrane a literal that is true vanishes, though its clause has another */
    N_PS_BUGS
};

#ifdef __cplusplus
extern "C"
#endif
    ab_status
    planted_psystem_open(const cnf_formula *formula, const ps_params *params, int bug, ps_system **system);

#endif
