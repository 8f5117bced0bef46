/* Kernels that each break one rule of CUDA; tests/kernels/test_host_backend.c requires the report. */
#include "kernels/cuda/cluster.h"
#include "tests/planted/planted.h"

static const unsigned FULL_WARP = 0xFFFFFFFFu;

static __global__ void divergent_barrier()
{
    if (blockIdx.x == 1 && threadIdx.x >= 32)
        __syncthreads();
    else
        __syncthreads();
}

extern "C" ab_status AB_GPU(planted_divergent_barrier)()
{
    LAUNCH(divergent_barrier, 3, 64, 0)();
    return AB_LAUNCHED("divergent_barrier");
}

static __global__ void different_barriers()
{
    threadIdx.x == 7 ? static_cast<void>(__syncthreads_or(1)) : __syncthreads();
}

extern "C" ab_status AB_GPU(planted_different_barriers)()
{
    LAUNCH(different_barriers, 1, 64, 0)();
    return AB_LAUNCHED("different_barriers");
}

static __global__ void exit_before_barrier()
{
    if (blockIdx.x == 2 && threadIdx.x == 5) return;
    __syncthreads();
}

extern "C" ab_status AB_GPU(planted_exit_before_barrier)()
{
    LAUNCH(exit_before_barrier, 3, 64, 0)();
    return AB_LAUNCHED("exit_before_barrier");
}

static __global__ void exit_before_cluster()
{
    if (blockIdx.x == 1 && threadIdx.x == 5) return;
    meet_cluster();
}

extern "C" ab_status AB_GPU(planted_exit_before_cluster)()
{
    LAUNCH_CLUSTER(exit_before_cluster, 3, 64, 0)();
    return AB_LAUNCHED("exit_before_cluster");
}

static __global__ void block_of_no_cluster()
{
    SHARED(int, word, 1);
    *shared_of(word, blockIdx.x + 1) = 1;
}

extern "C" ab_status AB_GPU(planted_block_of_no_cluster)()
{
    LAUNCH_CLUSTER(block_of_no_cluster, 2, 1, 0)();
    return AB_LAUNCHED("block_of_no_cluster");
}

static __global__ void stopped_by_report(int *reached)
{
    if (threadIdx.x == 5) return;
    __syncthreads();
    ++*reached;
    __syncthreads();
    ++*reached;
}

extern "C" ab_status AB_GPU(planted_stopped_by_report)(int *reached)
{
    LAUNCH(stopped_by_report, 3, 64, 0)(reached);
    return AB_LAUNCHED("stopped_by_report");
}

static __global__ void lane_exited()
{
    if (threadIdx.x == 63) return;
    __shfl_down_sync(FULL_WARP, (int)threadIdx.x, 1);
}

extern "C" ab_status AB_GPU(planted_lane_exited)()
{
    LAUNCH(lane_exited, 1, 64, 0)();
    return AB_LAUNCHED("lane_exited");
}

static __global__ void lane_elsewhere()
{
    if (threadIdx.y % 4 < 2) __syncwarp(FULL_WARP);
    __syncthreads();
}

extern "C" ab_status AB_GPU(planted_lane_elsewhere)()
{
    LAUNCH(lane_elsewhere, dim3(2, 2), dim3(8, 8), 0)();
    return AB_LAUNCHED("lane_elsewhere");
}

static __global__ void mask_without_self()
{
    if (threadIdx.x < 4) __ballot_sync(0x7u, 1);
}

extern "C" ab_status AB_GPU(planted_mask_without_self)()
{
    LAUNCH(mask_without_self, 1, 32, 0)();
    return AB_LAUNCHED("mask_without_self");
}

static __global__ void different_masks()
{
    __any_sync(threadIdx.x % 2 == 0 ? FULL_WARP : 0xAAAAAAAAu, 1);
}

extern "C" ab_status AB_GPU(planted_different_masks)()
{
    LAUNCH(different_masks, 1, 32, 0)();
    return AB_LAUNCHED("different_masks");
}

static __global__ void different_intrinsics()
{
    threadIdx.x < 16 ? __any_sync(FULL_WARP, 1) : __all_sync(FULL_WARP, 1);
}

extern "C" ab_status AB_GPU(planted_different_intrinsics)()
{
    LAUNCH(different_intrinsics, 1, 32, 0)();
    return AB_LAUNCHED("different_intrinsics");
}

static __global__ void absent_lane()
{
    __syncwarp(FULL_WARP);
}

extern "C" ab_status AB_GPU(planted_absent_lane)()
{
    LAUNCH(absent_lane, 1, 40, 0)();
    return AB_LAUNCHED("absent_lane");
}

static __global__ void index_too_large(int n)
{
    SHARED(unsigned char, tabu, 80);
    if (blockIdx.x == 3)
        for (int city = threadIdx.x; city <= n; city += blockDim.x) tabu[city] = 1;
}

extern "C" ab_status AB_GPU(planted_index_too_large)()
{
    LAUNCH(index_too_large, 4, 32, 0)(80);
    return AB_LAUNCHED("index_too_large");
}

enum { INDEX_NEGATIVE_LINE = __LINE__ + 4 };

static __device__ float left_neighbour(shared_array<const float> x)
{
    return x[-1];
}

static __global__ void index_negative(float *out)
{
    SHARED_DYNAMIC(float, row, 0, 64);
    row[threadIdx.x] = 1.0f;
    __syncthreads();
    *out = left_neighbour(row + threadIdx.x);
}

extern "C" ab_status AB_GPU(planted_index_negative)()
{
    float out = 0.0f;
    LAUNCH(index_negative, 1, 64, 64 * sizeof(float))(&out);
    return AB_LAUNCHED("index_negative");
}

extern "C" int AB_GPU(planted_index_negative_line)()
{
    return INDEX_NEGATIVE_LINE;
}

static __global__ void dynamic_too_small()
{
    SHARED_DYNAMIC(float, row, 128, 64);
    row[0] = 0.0f;
}

extern "C" ab_status AB_GPU(planted_dynamic_too_small)()
{
    LAUNCH(dynamic_too_small, 1, 32, 64 * sizeof(float))();
    return AB_LAUNCHED("dynamic_too_small");
}

static __global__ void dynamic_misaligned()
{
    SHARED_DYNAMIC(float, row, 6, 8);
    row[0] = 0.0f;
}

extern "C" ab_status AB_GPU(planted_dynamic_misaligned)()
{
    LAUNCH(dynamic_misaligned, 1, 32, 256)();
    return AB_LAUNCHED("dynamic_misaligned");
}

static __global__ void static_too_large()
{
    SHARED(float, small, 4);
    SHARED(float, large, 12 * 1024);
    small[0] = large[0] = 0.0f;
}

extern "C" ab_status AB_GPU(planted_static_too_large)()
{
    LAUNCH(static_too_large, 1, 32, 0)();
    return AB_LAUNCHED("static_too_large");
}

static __global__ void shared_too_large()
{
    SHARED(float, tile, 1024);
    tile[0] = 0.0f;
}

extern "C" ab_status AB_GPU(planted_shared_too_large)()
{
    LAUNCH(shared_too_large, 1, 32, 46 * 1024)();
    return AB_LAUNCHED("shared_too_large");
}

static __global__ void dynamic_not_allowed()
{
}

extern "C" ab_status AB_GPU(planted_dynamic_not_allowed)()
{
    LAUNCH(dynamic_not_allowed, 1, 32, 48 * 1024 + 1)();
    return AB_LAUNCHED("dynamic_not_allowed");
}

static __global__ void nothing()
{
}

extern "C" ab_status AB_GPU(planted_too_many_together)()
{
    LAUNCH_TOGETHER(nothing, 4, 32, 0)();
    return AB_LAUNCHED("nothing");
}

extern "C" ab_status AB_GPU(planted_no_blocks)()
{
    LAUNCH(nothing, 0, 32, 0)();
    return AB_LAUNCHED("nothing");
}

extern "C" ab_status AB_GPU(planted_too_many_threads)()
{
    LAUNCH(nothing, 1, dim3(32, 33), 0)();
    return AB_LAUNCHED("nothing");
}
