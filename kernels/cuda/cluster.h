/* Clusters: blocks that write into one another's shared memory and have a barrier (from compute capability 9.0 on).
 *
 * LAUNCH_CLUSTER launches one cluster, early (early_launch.h), so that blockIdx.x is a block's rank and gridDim.x how many
 * there are. Elsewhere, and on the host backend, a cluster is one block, and its barrier the block's own.
 */
#ifndef ANTBENCH_CLUSTER_H
#define ANTBENCH_CLUSTER_H

#include "kernels/cuda/early_launch.h"

#ifdef __CUDACC__
#define LAUNCH_CLUSTER(kernel, blocks, block, shared_bytes)                                                            \
    ab_launch_early(kernel, (blocks), (block), (shared_bytes), (blocks))
#else
#define LAUNCH_CLUSTER LAUNCH
#endif

/* How many blocks a cluster can have anywhere: 8, or 1 where there are none. */
static inline int cluster_blocks(void)
{
#ifdef __CUDACC__
    int device = 0, clusters = 0;
    if (cudaGetDevice(&device) == cudaSuccess &&
        cudaDeviceGetAttribute(&clusters, cudaDevAttrClusterLaunch, device) == cudaSuccess && clusters)
        return 8;
#endif
    return 1;
}

/* The block of that rank's array of what is here `mine`. */
template <typename Array> static __device__ __forceinline__ Array shared_of(Array mine, unsigned rank)
{
#if defined __CUDA_ARCH__ && __CUDA_ARCH__ >= 900
    return (Array)__cluster_map_shared_rank(mine, rank);
#else
    (void)rank;
    return mine;
#endif
}

/* Waits for all threads of the cluster; what they have written is seen after it. */
static __device__ __forceinline__ void meet_cluster()
{
#if defined __CUDA_ARCH__ && __CUDA_ARCH__ >= 900
    asm volatile("barrier.cluster.arrive.release.aligned;\n\tbarrier.cluster.wait.acquire.aligned;" ::: "memory");
#else
    __syncthreads();
#endif
}

#endif
