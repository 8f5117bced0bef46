/* A barrier across all blocks of a grid, for kernels that LAUNCH_TOGETHER has launched.
 *
 * It comes in two halves, so that a block can do what needs nothing of the others while they arrive. What a block has
 * read before must be read anew after it: arrival releases and the end of waiting acquires, for the whole device.
 * The host backend runs blocks one after another, so a grid there has one block (cudaDevAttrCooperativeLaunch is 0), for
 * which this is the block's own barrier.
 */
#ifndef ANTBENCH_GRID_BARRIER_H
#define ANTBENCH_GRID_BARRIER_H

#include "kernels/cuda_port.h"

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

/* The block has come. *arrived is 0 before the first use and the barrier's alone: the blocks' arrivals add up to its
 * highest bit, which so changes with every meeting. Returns what await_grid is to be called with. */
static __device__ __forceinline__ unsigned arrive_grid(unsigned *arrived)
{
    __syncthreads();
    if (gridDim.x == 1 || threadIdx.x != 0) return 0;
    return add_released(arrived, blockIdx.x == 0 ? 0x80000000u - (gridDim.x - 1) : 1u);
}

/* Waits until all blocks have come. */
static __device__ __forceinline__ void await_grid(const unsigned *arrived, unsigned before)
{
    if (gridDim.x > 1 && threadIdx.x == 0)
        while (((before ^ load_acquired(arrived)) & 0x80000000u) == 0) continue;
    __syncthreads();
}

/* Waits for all threads of the grid. */
static __device__ __forceinline__ void meet_grid(unsigned *arrived)
{
    await_grid(arrived, arrive_grid(arrived));
}

#endif
