/* The only code that differs between nvcc and the host backend.
 *
 * A kernel file includes this header, and cuda_random.h if it draws random numbers, and no other CUDA header. It
 * launches with LAUNCH and declares shared memory with SHARED and SHARED_DYNAMIC. It names the functions that C calls
 * with AB_GPU, because both compilations are linked into one program:
 *
 *   static __global__ void scale(float *x, int n) { SHARED(float, tile, 32); ... }
 *   extern "C" ab_status AB_GPU(tsp_scale)(float *x, int n)
 *   {
 *       LAUNCH(scale, ceil_div(n, 128), 128, 0)(x, n);
 *       return AB_LAUNCHED("scale");
 *   }
 */
#ifndef ANTBENCH_CUDA_PORT_H
#define ANTBENCH_CUDA_PORT_H

#include "kernels/implementation.h"

#ifdef __CUDACC__

#include <cuda_runtime.h>

#include "kernels/cuda/launches.h"

#define AB_GPU(name) name##_cuda
#define LAUNCH(kernel, grid, block, shared_bytes)                                                                      \
    ab_launching((const void *)(kernel), (block), (shared_bytes)), kernel<<<(grid), (block), (shared_bytes)>>>
/* Launches kernels that call meet_grid (grid_barrier.h). The grid must not have more blocks than the device holds at
 * once. */
#define LAUNCH_TOGETHER(kernel, grid, block, shared_bytes) ab_launch_together(kernel, (grid), (block), (shared_bytes))
/* Names, in a statement of its own, a plan of the kernel: a way that only some sizes or devices take. The host backend
 * keeps which were taken (host_backend_plans), and a test fails for those that nothing has taken. */
#define AB_PLAN(text) (void)0
/* Declares a shared array. A __device__ function that does so is not static: nvcc would put a hash of the current folder
 * into the array's name, and so into the code. */
#define SHARED(type, name, count) __shared__ type name[count]
/* The type by which a __device__ function takes a shared array. On the host backend its accesses are checked as well.
 */
template <typename T> using shared_array = T *;
/* Declares the dynamic shared memory as an array of `type` with `count` elements, starting at byte `offset`, a multiple
 * of the element's size. */
#define SHARED_DYNAMIC(type, name, offset, count)                                                                      \
    extern __shared__ __align__(16) unsigned char ab_dynamic_shared[];                                                 \
    type *const name = reinterpret_cast<type *>(ab_dynamic_shared + (offset))

/* Records a launch if a list of launches is active. */
static inline void ab_launching(const void *kernel, dim3 block, size_t shared_bytes)
{
    if (ab_told_launches) ab_tell_launch(kernel, (int)(block.x * block.y * block.z), shared_bytes);
}

/* The result of LAUNCH_TOGETHER. Calling it with the kernel's arguments launches the kernel. */
template <typename... Parameters>
static inline auto ab_launch_together(void (*kernel)(Parameters...), dim3 grid, dim3 block, size_t shared_bytes)
{
    return [=](Parameters... arguments) {
        void *pointers[] = {&arguments...};
        ab_launching((const void *)kernel, block, shared_bytes);
        (void)cudaLaunchCooperativeKernel((const void *)kernel, grid, block, pointers, shared_bytes);
    };
}

#else

/* CUDA's runtime, device intrinsics and cuRAND's Philox for the CPU, under CUDA's names. SHARED and SHARED_DYNAMIC
 * declare arrays that check every access against `count`. LAUNCH runs the grid and returns when it is done. */
#include "kernels/host/cuda_host.h"

#define AB_GPU(name) name##_host

#endif

/* Begins the definition of a rung, the constant data by which registry.def and an operation's opener know a kernel:
 *
 *   AB_RUNG(tsp_rung, tsp_mine) = {.construct = construct};
 *
 * Its symbol has the type in it, so a line of registry.def under another operation does not link. */
#define AB_RUNG(type, name)                                                                                            \
    extern "C" const type AB_RUNG_OF(type, name);                                                                      \
    const type AB_RUNG_OF(type, name)
#define AB_RUNG_OF(type, name) AB_GPU(type##_##name)

/* Begins the table of parameters that only this rung has. No other line is needed. An entry with name NULL ends the
 * table. Its offsets are into the operation's params, in the part for rungs:
 *
 *   AB_OWN_PARAMETERS(tsp_mine) = {{.name = "near", .help = "...", .offset = TSP_OWN(mine_params, near), .most = 9}, {}};
 *
 * Members that a line leaves out are zero. Both backends define the same table. The rung takes 0 for its default:
 * tests and rungs of several GPUs open it without the table. */
#define AB_OWN_PARAMETERS(rung)                                                                                        \
    _Pragma("GCC diagnostic ignored \"-Wmissing-field-initializers\"") extern "C" __attribute__((weak))                \
    const ab_parameter rung##_parameters[];                                                                            \
    const ab_parameter rung##_parameters[]

#define AB_STRINGIZE_(x) #x
#define AB_STRINGIZE(x) AB_STRINGIZE_(x)

/* The memory of a GPU is fixed, so too little of it is an unmet precondition. On the host backend it is an ordinary
 * error. */
#ifdef __CUDACC__
#define AB_OUT_OF_MEMORY(format, ...) ab_unsupported("needs more GPU memory than is free: " format, __VA_ARGS__)
#else
#define AB_OUT_OF_MEMORY(format, ...) ab_failed("out of memory: " format, __VA_ARGS__)
#endif

/* Returns from the calling function with expression, file and line unless the CUDA call succeeded. Too little device
 * memory is an unmet precondition; anything else is an error. CUDA's error state is cleared, so that the next launch
 * does not report it. */
#define CUDA_TRY(expression)                                                                                           \
    do {                                                                                                               \
        cudaError_t cuda_try_error = (expression);                                                                     \
        if (cuda_try_error == cudaSuccess) break;                                                                      \
        (void)cudaGetLastError();                                                                                      \
        if (cuda_try_error == cudaErrorMemoryAllocation)                                                               \
            return AB_OUT_OF_MEMORY("%s at " __FILE__ ":" AB_STRINGIZE(__LINE__), #expression);                        \
        return ab_failed(__FILE__ ":" AB_STRINGIZE(__LINE__) ": %s: %s", #expression,                                  \
                         cudaGetErrorString(cuda_try_error));                                                          \
    } while (0)

/* The status of the last launch, for the end of a launcher. */
#define AB_LAUNCHED(kernel) ab_launched(kernel, cudaGetLastError())

static inline ab_status ab_launched(const char *kernel, cudaError_t error)
{
#ifdef __CUDACC__
    if (ab_told_launches) ab_name_launches(kernel);
#endif
    return error == cudaSuccess ? ab_ok() : ab_failed("launch of %s: %s", kernel, cudaGetErrorString(error));
}

static inline __host__ __device__ int ceil_div(int a, int b)
{
    return (a + b - 1) / b;
}

#endif
