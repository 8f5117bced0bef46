/* A barrier across all blocks of a grid, for kernels that LAUNCH_TOGETHER has launched.
 *
 * One thread of a block meets those of the others, so that the rest of the block can do meanwhile what needs nothing of
 * them. What a block has read before must be read anew after it: arrival releases and the end of waiting acquires, for
 * the whole device.
 * The host backend runs blocks one after another, so a grid there has one block (cudaDevAttrCooperativeLaunch is 0), for
 * which this is the block's own barrier.
 */
#ifndef ANTBENCH_GRID_BARRIER_H
#define ANTBENCH_GRID_BARRIER_H

#include "kernels/cuda/cuda_port.h"

/* Adds what others may then know to follow all that the block has written; returns what stood there. */
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

/* Waits for all threads of the block: before meet_blocks and after it. */
static __device__ __forceinline__ void gather_block()
{
    __syncthreads();
}

/* By one thread of each block, between two gather_block: waits until all blocks have come. *arrived is 0 before the first
 * use and the barrier's alone: the blocks' arrivals add up to its highest bit, which so changes with every meeting. */
static __device__ __forceinline__ void meet_blocks(unsigned *arrived)
{
    if (gridDim.x == 1) return;
    const unsigned before = add_released(arrived, blockIdx.x == 0 ? 0x80000000u - (gridDim.x - 1) : 1u);
    while (((before ^ load_acquired(arrived)) & 0x80000000u) == 0) continue;
}

/* Waits for all threads of the grid. */
static __device__ __forceinline__ void meet_grid(unsigned *arrived)
{
    gather_block();
    if (threadIdx.x == 0) meet_blocks(arrived);
    gather_block();
}

#endif
