/* A warp per ant, several ants per block: the thesis's contribution, and its fastest mapping with four ants in a block
 * of 128 threads.
 *
 * Each lane compares one memory entry with the neighbours, the first 8 weigh one neighbour each, and a scan over the warp
 * gives the total and the roulette. Against a block per ant no thread waits at a barrier and no warp is idle. Scan and
 * roulette use shuffles and votes (the thesis: shared memory; a GPU of 2010 had no shuffles), so that visibilities and
 * weights stay in registers. Cached, the entries pass through shared memory as in the thesis, which found that "considerably
 * faster" than the L1 cache (Fig. 5.7); since a lane needs its entry once, it can only cost here.
 * Source: thesis §5.4.3, Fig. 5.3 and 5.4.
 */
#include "kernels/edge_ants/colony.h"
#include "kernels/warp.h"

/* The places around `position` that stand in the memory, an entry a lane: the same in all lanes. */
static __device__ __forceinline__ unsigned search(int position, int entry, int width)
{
    const unsigned places = ea_places(position, entry, width);
    unsigned visited = 0;
#pragma unroll
    for (int place = 0; place < EA_NEIGHBOURS + 1; ++place)
        if (__any_sync(FULL_WARP, (int)(places >> place & 1))) visited |= 1u << place;
    return visited;
}

template <bool cached> static __global__ void walk(ea_device colony, unsigned long long seed, int iteration)
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
    const unsigned visited = search(position, entry, colony.width);
    const float weight = lane < EA_NEIGHBOURS ? weigh(colony, position, lane, visited) : 0.0f;
    const float4 random = draw(seed, ant, iteration);
    const float sum = warp_inclusive_scan(weight, lane);
    const float total = __shfl_sync(FULL_WARP, sum, WARP_SIZE - 1);
    const bool moves = __any_sync(FULL_WARP, weight > 0.0f);
    const int winner = moves ? warp_spin(weight > 0.0f, sum, random.x * total) : -1;
    if (lane == 0)
        enter(colony, ant, iteration,
              moves ? ea_neighbour(position, winner, colony.width, colony.height) : random_pixel(colony, random), 1.0f);
}

static ab_status move(const ea_device *colony, unsigned long long seed, int iteration)
{
    const int threads = colony->block_threads, blocks = ceil_div(colony->n_ants, threads / WARP_SIZE);
    if (colony->cache_memory)
        LAUNCH(walk<true>, blocks, threads, (size_t)threads * sizeof(int))(*colony, seed, iteration);
    else
        LAUNCH(walk<false>, blocks, threads, 0)(*colony, seed, iteration);
    return AB_LAUNCHED("walk");
}

static ab_status run(ea_device *colony, const ea_stretch *stretch)
{
    return AB_GPU(ea_evaporate_and_move)(colony, stretch, move);
}

extern "C" ab_status AB_GPU(edge_ants_warp)(const ea_problem *problem, const ea_params *params, ea_colony **colony)
{
    return AB_GPU(ea_open_colony)(problem, params, run, colony);
}
