/* Clusters: blocks that write to each other's shared memory and have a common barrier (compute capability 9.0 or
 * later).
 *
 * LAUNCH_CLUSTER launches one cluster, early (early_launch.h). Then blockIdx.x is a block's rank and gridDim.x the
 * number of blocks. On other devices a cluster is one block and its barrier is the block's own. So it is on the host
 * backend, unless its device is to run several blocks together (host_backend_set_device).
 */
#ifndef ANTBENCH_CLUSTER_H
#define ANTBENCH_CLUSTER_H

#include "kernels/cuda/early_launch.h"

#ifdef __CUDACC__
#define LAUNCH_CLUSTER(kernel, blocks, block, shared_bytes)                                                            \
    ab_launch_early(kernel, (blocks), (block), (shared_bytes), (blocks))
#else
#define LAUNCH_CLUSTER LAUNCH_TOGETHER
#endif

/* Returns the largest number of blocks that every device supports in a cluster: 8, or 1 without clusters. */
static inline int cluster_blocks(void)
{
#ifdef __CUDACC__
    int device = 0, clusters = 0;
    if (cudaGetDevice(&device) == cudaSuccess &&
        cudaDeviceGetAttribute(&clusters, cudaDevAttrClusterLaunch, device) == cudaSuccess && clusters)
        return 8;
    return 1;
#else
    return min(host_device_limits.together, 8);
#endif
}

#ifdef __CUDACC__
/* Returns the counterpart of the array `mine` in the block of this rank. */
template <typename Array> static __device__ __forceinline__ Array shared_of(Array mine, unsigned rank)
{
#if defined __CUDA_ARCH__ && __CUDA_ARCH__ >= 900
    return (Array)__cluster_map_shared_rank(mine, rank);
#else
    (void)rank;
    return mine;
#endif
}

/* Waits for all threads of the cluster. Their earlier writes are visible afterwards. */
static __device__ __forceinline__ void meet_cluster()
{
#if defined __CUDA_ARCH__ && __CUDA_ARCH__ >= 900
    asm volatile("barrier.cluster.arrive.release.aligned;\n\tbarrier.cluster.wait.acquire.aligned;" ::: "memory");
#else
    __syncthreads();
#endif
}
#else
template <typename Array> static inline Array shared_of(Array mine, unsigned rank, int line = __builtin_LINE())
{
    return mine.of_block(rank, line);
}

static inline void meet_cluster(int line = __builtin_LINE())
{
    host_backend::group_barrier("meet_cluster", line);
}
#endif

#endif
