/* The tabu list of a worker ant, for rungs with a queen ant per block and a worker ant per thread.
 *
 * It has a bit per tile in a register (JPDC §3.2.2). A tile is as many cities as there are workers. Bit t of
 * `unvisited` is the bit of city t * workers + thread. So n <= 32 * workers (tsp_check_workers).
 */
#ifndef ANTBENCH_WORKER_ANTS_H
#define ANTBENCH_WORKER_ANTS_H

#include "kernels/tsp/colony.h"
#include "kernels/tsp/worker_params.h"

/* Returns the bits of this worker before the first step. */
static __device__ __forceinline__ unsigned unvisited_at_first(int n)
{
    unsigned unvisited = 0;
    for (int tile = 0, city = (int)threadIdx.x; city < n; ++tile, city += (int)blockDim.x) unvisited |= 1u << tile;
    return unvisited;
}

/* The all-zero rule (tsp.h), by the whole block. */
static __device__ int nearest_unvisited(const int *dist, int n, unsigned unvisited,
                                        shared_array<unsigned long long> least)
{
    if (threadIdx.x == 0) least[0] = ~0ull;
    __syncthreads();
    unsigned long long nearest = ~0ull;
    for (int city = (int)threadIdx.x; city < n; city += (int)blockDim.x, unvisited >>= 1)
        if ((unvisited & 1u) && city_key(dist[city], city) < nearest) nearest = city_key(dist[city], city);
    atomicMin(&least[0], nearest);
    __syncthreads();
    return (int)(unsigned)least[0];
}

#endif
