/* psystem/enhanced: baseline with a division in one kernel, which evolves a membrane's objects into those of both its
 * halves, and with the output on the GPU too. A block a membrane, a thread an object. Kept: every membrane and what is
 * in it after each division. Not kept: charges, d, c and the indices of r, whose only task is to time the system's
 * steps, which are known (JSC §3.4: "replaced by a fixed number of iterations in the loop").
 * Source: JSC §3.4, Algorithm 3.
 */
#include "kernels/psystem/enhanced.h"

static ab_status open(const cnf_formula *formula, const ps_params *params, ps_system **opened)
{
    static const ps_memory_rung rung = {2, {"generate", "check-out"}, {generate, check_out}, prepare, rows, false};
    return AB_GPU(ps_membranes_open)(&rung, formula, params, opened);
}

AB_RUNG(psystem_rung, psystem_enhanced) = {.open = open};
