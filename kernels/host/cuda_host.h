/* The host backend: CUDA C for the CPU, for a .cu file that g++ compiles (cuda_port.h includes this in place of CUDA).
 *
 *   types.h      vector types
 *   runtime.h    memory, errors, attributes
 *   execution.h  running a grid: fibers, barriers, reports
 *   device.h     what kernels call
 *   shared.h     shared memory with bounds
 *   philox.h     cuRAND's device API
 *   plan.h       plans that a kernel can take
 *
 * It exists to check kernels where there is no GPU. Its faults and reports are described in execution.h.
 */
#ifndef ANTBENCH_CUDA_HOST_H
#define ANTBENCH_CUDA_HOST_H

#include "kernels/host/types.h"
#include "kernels/host/runtime.h"
#include "kernels/host/execution.h"
#include "kernels/host/device.h"
#include "kernels/host/shared.h"
#include "kernels/host/philox.h"
#include "kernels/host/plan.h"

#define __global__
#define __device__
#define __host__
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(...)

#define LAUNCH(kernel, grid, block, shared_bytes) ::host_backend::launch(#kernel, kernel, grid, block, shared_bytes)
#define LAUNCH_TOGETHER(kernel, grid, block, shared_bytes)                                                             \
    ::host_backend::launch(#kernel, kernel, grid, block, shared_bytes, true)

/* Threads that pass the same declaration get the same array: it is known by the address of a static of its own. */
#define SHARED(type, name, count)                                                                                      \
    static constexpr char name##_declaration = 0;                                                                      \
    const ::host_backend::shared_array<type> name =                                                                    \
        ::host_backend::declare_shared<type>(&name##_declaration, #name, count, __LINE__)
#define SHARED_DYNAMIC(type, name, offset, count)                                                                      \
    const ::host_backend::shared_array<type> name =                                                                    \
        ::host_backend::declare_dynamic_shared<type>(#name, offset, count, __LINE__)

using namespace host_cuda; /* CUDA's names, and these only: the backend's own are in host_backend */
using host_backend::shared_array;

#endif
