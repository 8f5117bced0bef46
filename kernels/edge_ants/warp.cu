/* A warp per ant, several ants per block: the thesis's contribution, and its fastest mapping with four ants in a block
 * of 128 threads.
 *
 * Each lane compares one memory entry with the neighbours, the first 8 weigh one neighbour each, and a scan over the
 * warp gives the total and the roulette. Compared with a block per ant no thread waits at a barrier and no warp is
 * idle. Scan and roulette use shuffles and votes, so that visibilities and weights stay in registers. The thesis uses
 * shared memory, since a GPU of 2010 had no shuffles. In the cached variant the entries pass through shared memory as
 * in the thesis, which found this "considerably faster" than the L1 cache (Fig. 5.7). A lane needs its entry once, so
 * it should only cost here. Source: thesis §5.4.3, Fig. 5.3 and 5.4.
 */
#include "kernels/cuda/warp.h"
#include "kernels/edge_ants/colony.h"

/* Whether the ant's memory, an entry a lane, holds the neighbour of this lane; false from lane 8 on. */
static __device__ __forceinline__ bool remembered(int position, int entry, int width)
{
    const int lane = (int)threadIdx.x % WARP_SIZE;
    const unsigned places = ea_places(position, entry, width);
    bool found = false;
#pragma unroll
    for (int which = 0; which < EA_NEIGHBOURS; ++which) {
        const bool any = __any_sync(FULL_WARP, ea_among(places, which));
        if (lane == which) found = any;
    }
    return found;
}

template <bool cached> static __global__ void ants_by_warp(ea_device colony, unsigned long long seed, int iteration)
{
    SHARED_DYNAMIC(int, cache, 0, cached ? (int)blockDim.x : 0); /* a row per warp */
    const int thread = (int)threadIdx.x, lane = thread % WARP_SIZE;
    const int ant = (int)(blockIdx.x * blockDim.x + threadIdx.x) / WARP_SIZE;
    if (ant >= colony.n_ants) return;
    const int position = colony.position[ant];
    int entry = colony.memory[(size_t)ant * EA_MEMORY + (size_t)lane];
    if (cached) {
        cache[thread] = entry;
        __syncwarp(FULL_WARP);
        entry = cache[thread];
    }
    float weight = lane < EA_NEIGHBOURS ? weigh(colony, position, lane) : 0.0f;
    if (remembered(position, entry, colony.width)) weight = 0.0f;
    const float4 random = draw(seed, ant, iteration);
    const float sum = warp_inclusive_scan(weight, lane);
    const float total = __shfl_sync(FULL_WARP, sum, WARP_SIZE - 1);
    const bool moves = __any_sync(FULL_WARP, weight > 0.0f);
    const int winner = moves ? warp_spin(weight > 0.0f, sum, random.x * total) : -1;
    if (lane == 0)
        enter(colony, ant, iteration,
              moves ? ea_neighbour(position, winner, colony.width, colony.height) : random_pixel(colony, random), 1.0f);
}

extern "C" ab_status AB_GPU(ea_move_by_warp)(const ea_device *colony, unsigned long long seed, int iteration)
{
    const int threads = colony->block_threads, blocks = ceil_div(colony->n_ants, threads / WARP_SIZE);
    if (colony->cache_memory)
        LAUNCH(ants_by_warp<true>, blocks, threads, (size_t)threads * sizeof(int))(*colony, seed, iteration);
    else
        LAUNCH(ants_by_warp<false>, blocks, threads, 0)(*colony, seed, iteration);
    return AB_LAUNCHED("ants_by_warp");
}

AB_RUNG(edge_ants_rung, edge_ants_warp) = {.move = AB_GPU(ea_move_by_warp)};
