/* A warp per ant whose first 8 lanes look through the ant's memory, each for its own neighbour.
 *
 * Each of the 8 reads all 32 entries, which the warp's lanes have copied to shared memory, an entry each, or, not
 * cached, from global memory through the L1 cache. So the copy is read 8 times, where warp.cu reads an entry once and
 * compares by votes: here "manually caching the values" (thesis §5.5.5) has something to save. All else is warp.cu's.
 * Bound by latency: 32 loads of the memory, one behind the other, that do not wait for one another.
 * Source: thesis §5.4.3, §5.5.5, Fig. 5.7.
 */
#include "kernels/cuda/warp.h"
#include "kernels/edge_ants/colony.h"

/* Whether `pixel` is among the ant's entries. */
template <typename Entries> static __device__ __forceinline__ bool holds(Entries entries, int pixel)
{
    bool found = false;
#pragma unroll 8
    for (int i = 0; i < EA_MEMORY; ++i) found |= entries[i] == pixel;
    return found;
}

template <bool cached> static __global__ void ants_by_search(ea_device colony, unsigned long long seed, int iteration)
{
    SHARED_DYNAMIC(int, cache, 0, cached ? (int)blockDim.x : 0); /* a row per warp */
    const int thread = (int)threadIdx.x, lane = thread % WARP_SIZE;
    const int ant = (int)(blockIdx.x * blockDim.x + threadIdx.x) / WARP_SIZE;
    if (ant >= colony.n_ants) return;
    const int position = colony.position[ant];
    const int *const memory = colony.memory + (size_t)ant * EA_MEMORY;
    if (cached) {
        cache[thread] = memory[lane];
        __syncwarp(FULL_WARP);
    }
    float weight = 0.0f;
    if (lane < EA_NEIGHBOURS) {
        const int pixel = ea_neighbour(position, lane, colony.width, colony.height);
        const bool found = cached ? holds(cache + (thread - lane), pixel) : holds(memory, pixel);
        weight = found ? 0.0f : weigh(colony, position, lane);
    }
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
        LAUNCH(ants_by_search<true>, blocks, threads, (size_t)threads * sizeof(int))(*colony, seed, iteration);
    else
        LAUNCH(ants_by_search<false>, blocks, threads, 0)(*colony, seed, iteration);
    return AB_LAUNCHED("ants_by_search");
}

AB_RUNG(edge_ants_rung, edge_ants_search) = {.move = move};
