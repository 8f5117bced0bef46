/* A barrier across all blocks of a grid, for kernels that LAUNCH_TOGETHER has launched.
 *
 * The host backend runs blocks one after another, so a grid there has one block (cudaDevAttrCooperativeLaunch is 0), for
 * which this is the block's own barrier. What a block has read before must be read anew after it: the fences see to that.
 */
#ifndef ANTBENCH_GRID_BARRIER_H
#define ANTBENCH_GRID_BARRIER_H

#include "kernels/cuda_port.h"

/* Waits for all threads of the grid. *arrived is 0 before the first use and the barrier's alone: the blocks' arrivals add
 * up to its highest bit, which so changes with every meeting. */
static __device__ __forceinline__ void meet_grid(unsigned *arrived)
{
    __syncthreads();
    if (gridDim.x == 1) return;
    if (threadIdx.x == 0) {
        const unsigned share = blockIdx.x == 0 ? 0x80000000u - (gridDim.x - 1) : 1u;
        __threadfence();
        const unsigned before = atomicAdd(arrived, share);
        while (((before ^ *(volatile unsigned *)arrived) & 0x80000000u) == 0) continue;
        __threadfence();
    }
    __syncthreads();
}

#endif
