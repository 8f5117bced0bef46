/* A barrier across all blocks of a grid, for kernels that LAUNCH_TOGETHER has launched.
 *
 * One thread of each block meets the threads of the other blocks. Meanwhile the rest of the block can do work that does
 * not depend on them. After the barrier a block must read shared data anew. Arrival releases, and the end of waiting
 * acquires, for the whole device. On the host backend a grid has one block (cudaDevAttrCooperativeLaunch is 0) and
 * this barrier is the block's own, unless its device is to run several blocks together (host_backend_set_device).
 */
#ifndef ANTBENCH_GRID_BARRIER_H
#define ANTBENCH_GRID_BARRIER_H

#include "kernels/cuda/cuda_port.h"

/* Adds to a counter and returns its old value. Other blocks that see the new value also see all earlier writes of this
 * block. */
static __device__ __forceinline__ unsigned add_released(unsigned *counter, unsigned share)
{
#ifdef __CUDACC__
    unsigned before;
    asm volatile("atom.add.release.gpu.u32 %0, [%1], %2;" : "=r"(before) : "l"(counter), "r"(share) : "memory");
    return before;
#else
    return atomicAdd(counter, share);
#endif
}

static __device__ __forceinline__ unsigned load_acquired(const unsigned *counter)
{
#ifdef __CUDACC__
    unsigned value;
    asm volatile("ld.acquire.gpu.u32 %0, [%1];" : "=r"(value) : "l"(counter) : "memory");
    return value;
#else
    return *counter;
#endif
}

/* Called in each round of a loop that waits for another block. The host backend lets that one run. */
static __device__ __forceinline__ void spin()
{
#ifndef __CUDACC__
    __nanosleep(0);
#endif
}

/* Waits for all threads of the block, before and after meet_blocks. */
static __device__ __forceinline__ void gather_block()
{
    __syncthreads();
}

/* Called by one thread of each block, between two calls of gather_block. Waits until all blocks have arrived. `arrived`
 * is 0 before the first use, and only the barrier uses it. The arrivals of all blocks add up to its highest bit, which
 * so changes at every meeting. */
static __device__ __forceinline__ void meet_blocks(unsigned *arrived)
{
    if (gridDim.x == 1) return;
    const unsigned before = add_released(arrived, blockIdx.x == 0 ? 0x80000000u - (gridDim.x - 1) : 1u);
    while (((before ^ load_acquired(arrived)) & 0x80000000u) == 0) spin();
}

/* Waits for all threads of the grid. */
static __device__ __forceinline__ void meet_grid(unsigned *arrived)
{
    gather_block();
    if (threadIdx.x == 0) meet_blocks(arrived);
    gather_block();
}

#endif
