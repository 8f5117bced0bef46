/* Early launches begin while the previous launch ends (programmatic dependent launch, compute capability 9.0 or later).
 * So the cost of starting a grid overlaps with the previous kernel. A kernel launched early calls await_launch before
 * it reads or writes shared data. On other devices they are ordinary launches. */
#ifndef ANTBENCH_EARLY_LAUNCH_H
#define ANTBENCH_EARLY_LAUNCH_H

#include "kernels/cuda/cuda_port.h"

#ifdef __CUDACC__
#define LAUNCH_EARLY(kernel, grid, block, shared_bytes) ab_launch_early(kernel, (grid), (block), (shared_bytes))

/* The result of LAUNCH_EARLY. Calling it with the kernel's arguments launches the kernel, in clusters of this many
 * blocks (cluster.h). */
template <typename... Parameters>
static inline auto ab_launch_early(void (*kernel)(Parameters...), dim3 grid, dim3 block, size_t shared_bytes,
                                   unsigned cluster = 1)
{
    return [=](Parameters... arguments) {
        void *pointers[] = {&arguments...};
        ab_launching((const void *)kernel, block, shared_bytes);
        cudaLaunchAttribute attributes[2] = {};
        attributes[0].id = cudaLaunchAttributeProgrammaticStreamSerialization;
        attributes[0].val.programmaticStreamSerializationAllowed = 1;
        attributes[1].id = cudaLaunchAttributeClusterDimension;
        attributes[1].val.clusterDim = {cluster, 1, 1};
        cudaLaunchConfig_t config = {};
        config.gridDim = grid;
        config.blockDim = block;
        config.dynamicSmemBytes = shared_bytes;
        config.attrs = attributes;
        config.numAttrs = cluster > 1 ? 2 : 1;
        (void)cudaLaunchKernelExC(&config, (const void *)kernel, pointers);
    };
}
#else
#define LAUNCH_EARLY LAUNCH
#endif

/* Called by each block: the next launch, if early, may begin once all blocks have called this or ended. */
static __device__ __forceinline__ void release_launch()
{
#if defined __CUDA_ARCH__ && __CUDA_ARCH__ >= 900
    cudaTriggerProgrammaticLaunchCompletion();
#endif
}

/* Waits until the previous launch has finished. */
static __device__ __forceinline__ void await_launch()
{
#if defined __CUDA_ARCH__ && __CUDA_ARCH__ >= 900
    cudaGridDependencySynchronize();
#endif
}

#endif
