/* psystem/enhanced: baseline with a division in one kernel, which evolves a membrane's objects into the objects of its
 * two halves, and with the output on the GPU too. A block per membrane, a thread per object. Kept: every membrane and
 * its content after each division. Not kept: charges, d, c and the indices of r. They only time the system's steps,
 * whose number is known (JSC §3.4: "replaced by a fixed number of iterations in the loop"). Source: JSC §3.4, Algorithm
 * 3.
 */
#include "kernels/psystem/enhanced.h"

static ab_status open(const cnf_formula *formula, const ps_params *params, ps_system **opened)
{
    static const ps_memory_rung rung = {2, {"generate", "check-out"}, {generate, check_out}, prepare, rows, false};
    return AB_GPU(ps_membranes_open)(&rung, formula, params, opened);
}

AB_RUNG(psystem_rung, psystem_enhanced) = {.open = open};
