/* Launches that begin while the one before them ends (programmatic dependent launch, from compute capability 9.0 on): what it
 * costs to start a grid is then spent beside it. A kernel so launched calls await_launch before it reads or writes anything that
 * others do. Elsewhere they are launches like any other. */
#ifndef ANTBENCH_EARLY_LAUNCH_H
#define ANTBENCH_EARLY_LAUNCH_H

#include "kernels/cuda/cuda_port.h"

#ifdef __CUDACC__
#define LAUNCH_EARLY(kernel, grid, block, shared_bytes) ab_launch_early(kernel, (grid), (block), (shared_bytes))

/* What LAUNCH_EARLY makes of a kernel: calling it with the kernel's arguments launches it, in clusters of so many
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

/* By each block: the next launch, if it is early, may begin once all blocks have called this or ended. */
static __device__ __forceinline__ void release_launch()
{
#if defined __CUDA_ARCH__ && __CUDA_ARCH__ >= 900
    cudaTriggerProgrammaticLaunchCompletion();
#endif
}

/* Waits for all that the launch before has done. */
static __device__ __forceinline__ void await_launch()
{
#if defined __CUDA_ARCH__ && __CUDA_ARCH__ >= 900
    cudaGridDependencySynchronize();
#endif
}

#endif
