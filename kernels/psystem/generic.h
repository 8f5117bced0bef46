/* psystem/generic for any rule set (kernels/psystem/rules.h). */
#ifndef ANTBENCH_PSYSTEM_GENERIC_H
#define ANTBENCH_PSYSTEM_GENERIC_H

#include "kernels/psystem/psystem.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A system with room for `most` inner membranes, which the rules need not outlive; on the host backend, and on the GPU.
 * Its result has the answer and the steps; satisfying membranes it knows none. */
ab_status psystem_generic_rules_host(const ps_rules *rules, int64_t most, const ps_params *params, ps_system **opened);
ab_status psystem_generic_rules_cuda(const ps_rules *rules, int64_t most, const ps_params *params, ps_system **opened);

#ifdef __cplusplus
}
#endif
#endif
