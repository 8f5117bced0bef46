/* Checks the registry (registry.def). kernels/implementation.h has what finds an implementation. */
#ifndef ANTBENCH_REGISTRY_H
#define ANTBENCH_REGISTRY_H

#include "kernels/implementation.h"

/* Checks that each id is there once. The kernels of a GPU may be there for CUDA and for the host backend. Returns
 * AB_BAD_INPUT for the first id that is there twice. */
ab_status ab_registry_check(const ab_implementation *all, size_t count);

#endif
