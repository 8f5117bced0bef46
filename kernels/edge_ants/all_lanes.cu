/* A warp per ant, as in warp.cu, but the other 24 lanes do additional work. Lane l weighs neighbour l % 8, so that no
 * branch separates the first 8 lanes from the others.
 *
 * Every neighbour is weighed four times, by lanes that read the same pixel at once. All 32 lanes vote whether the ant
 * can move, so that no compiler can remove their weights; the first 8 lanes spin the roulette. Everything else is as in
 * warp.cu. Source: thesis §5.4.3, "Calculate the probability of visiting local pixels".
 */
#include "kernels/edge_ants/colony.h"
#include "kernels/cuda/warp.h"

/* Whether the ant's memory, an entry a lane, holds neighbour `own` of each lane. */
static __device__ __forceinline__ bool remembered(int position, int entry, int width, int own)
{
    const unsigned places = ea_places(position, entry, width);
    bool found = false;
#pragma unroll
    for (int which = 0; which < EA_NEIGHBOURS; ++which) {
        const bool any = __any_sync(FULL_WARP, ea_among(places, which));
        if (own == which) found = any;
    }
    return found;
}

template <bool cached>
static __global__ void ants_by_all_lanes(ea_device colony, unsigned long long seed, int iteration)
{
    SHARED_DYNAMIC(int, cache, 0, cached ? (int)blockDim.x : 0); /* a row per warp */
    const int thread = (int)threadIdx.x, lane = thread % WARP_SIZE, own = lane % EA_NEIGHBOURS;
    const int ant = (int)(blockIdx.x * blockDim.x + threadIdx.x) / WARP_SIZE;
    if (ant >= colony.n_ants) return;
    const int position = colony.position[ant];
    int entry = colony.memory[(size_t)ant * EA_MEMORY + (size_t)lane];
    if (cached) {
        cache[thread] = entry;
        __syncwarp(FULL_WARP);
        entry = cache[thread];
    }
    float weight = weigh(colony, position, own);
    if (remembered(position, entry, colony.width, own)) weight = 0.0f;
    const bool moves = __any_sync(FULL_WARP, weight > 0.0f);
    if (lane >= EA_NEIGHBOURS) weight = 0.0f;
    const float4 random = draw(seed, ant, iteration);
    const float sum = warp_inclusive_scan(weight, lane);
    const float total = __shfl_sync(FULL_WARP, sum, WARP_SIZE - 1);
    const int winner = moves ? warp_spin(weight > 0.0f, sum, random.x * total) : -1;
    if (lane == 0)
        enter(colony, ant, iteration,
              moves ? ea_neighbour(position, winner, colony.width, colony.height) : random_pixel(colony, random), 1.0f);
}

static ab_status move(const ea_device *colony, unsigned long long seed, int iteration)
{
    const int threads = colony->block_threads, blocks = ceil_div(colony->n_ants, threads / WARP_SIZE);
    if (colony->cache_memory)
        LAUNCH(ants_by_all_lanes<true>, blocks, threads, (size_t)threads * sizeof(int))(*colony, seed, iteration);
    else
        LAUNCH(ants_by_all_lanes<false>, blocks, threads, 0)(*colony, seed, iteration);
    return AB_LAUNCHED("ants_by_all_lanes");
}

AB_RUNG(edge_ants_rung, edge_ants_warp_all_lanes) = {.move = move};
