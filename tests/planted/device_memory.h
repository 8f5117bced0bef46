/* More allocations than a state has room for (kernels/cuda/device_memory.h). */
#ifndef ANTBENCH_PLANTED_DEVICE_MEMORY_H
#define ANTBENCH_PLANTED_DEVICE_MEMORY_H

#include <stdbool.h>

#include "base/status.h"

/* Makes `count` allocations of device or page-locked memory, uses and frees them; the status of the last. */
#ifdef __cplusplus
extern "C"
#endif
    ab_status
    planted_allocate_host(int count, bool pinned);

#endif
