/* A block per ant: the mapping of DS-Roulette (tsp/ds-roulette), where a step has hundreds of cities to share out.
 *
 * Here a step has 8 neighbours and 32 memory entries. A thread per entry compares, 8 weigh and spin, and all others
 * wait at the barriers, so that the thesis calls the mapping wasteful. Compared with a thread per ant, independent work
 * is done side by side. More threads per block only mean fewer ants on a multiprocessor at a time: two blocks of 768
 * threads fit, so 3000 ants take a dozen rounds on 132 multiprocessors. In the cached variant the entries are copied to
 * shared memory before they are compared. A thread needs its entry once, so the copy should only cost. Source: thesis
 * §5.4.3, Table 5.1.
 */
#include "kernels/cuda/warp.h"
#include "kernels/edge_ants/colony.h"

template <bool cached> static __global__ void ants_by_block(ea_device colony, unsigned long long seed, int iteration)
{
    SHARED(int, cache, EA_MEMORY);
    SHARED(unsigned, visited, 1); /* places around the ant that stand in its memory */
    const int ant = (int)blockIdx.x, thread = (int)threadIdx.x;
    const int *const memory = colony.memory + (size_t)ant * EA_MEMORY;
    const int position = colony.position[ant];
    if (cached && thread < EA_MEMORY) cache[thread] = memory[thread];
    if (thread == 0) visited[0] = 0;
    __syncthreads();
    float weight = thread < EA_NEIGHBOURS ? weigh(colony, position, thread) : 0.0f;
    if (thread < EA_MEMORY) {
        const unsigned places = ea_places(position, cached ? cache[thread] : memory[thread], colony.width);
        if (places) atomicOr(&visited[0], places);
    }
    __syncthreads();
    if (thread >= WARP_SIZE) return;

    if (thread < EA_NEIGHBOURS && ea_among(visited[0], thread)) weight = 0.0f;
    const float4 random = draw(seed, ant, iteration);
    const float sum = warp_inclusive_scan(weight, thread);
    const float total = __shfl_sync(FULL_WARP, sum, WARP_SIZE - 1);
    const bool moves = __any_sync(FULL_WARP, weight > 0.0f);
    const int winner = moves ? warp_spin(weight > 0.0f, sum, random.x * total) : -1;
    if (thread == 0)
        enter(colony, ant, iteration,
              moves ? ea_neighbour(position, winner, colony.width, colony.height) : random_pixel(colony, random), 1.0f);
}

static ab_status move(const ea_device *colony, unsigned long long seed, int iteration)
{
    if (colony->cache_memory)
        LAUNCH(ants_by_block<true>, colony->n_ants, colony->block_threads, 0)(*colony, seed, iteration);
    else
        LAUNCH(ants_by_block<false>, colony->n_ants, colony->block_threads, 0)(*colony, seed, iteration);
    return AB_LAUNCHED("ants_by_block");
}

AB_RUNG(edge_ants_rung, edge_ants_block) = {.move = move};
