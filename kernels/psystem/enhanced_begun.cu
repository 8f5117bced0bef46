/* psystem/enhanced-begun: the enhanced simulator that begins with 128 membranes, about one for each multiprocessor of a
 * large GPU, made on the CPU ("a larger set of initial membranes"). One thread of the CPU makes the first 7 divisions,
 * a copy brings the membranes to the GPU, and the GPU divides on. All else is psystem/enhanced.
 * Source: JSC §3.4, which says that it is possible.
 */
#include "kernels/psystem/enhanced.h"

enum { BEGUN = 7 }; /* divisions on the CPU */

static ab_status open(const cnf_formula *formula, const ps_params *params, ps_system **opened)
{
    static const ps_memory_rung rung = {2,    {"generate", "check-out"}, {generate, check_out}, prepare, rows, false,
                                        BEGUN};
    return AB_GPU(ps_membranes_open)(&rung, formula, params, opened);
}

AB_RUNG(psystem_rung, psystem_enhanced_begun) = {.open = open};
