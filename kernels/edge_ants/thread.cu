/* A thread per ant: the mapping that a sequential program suggests, and the slowest of the thesis.
 *
 * A thread compares its ant's 32 memory entries with its neighbours, weighs the 8 of them and spins. The ants of a warp
 * diverge wherever one is relocated. Their pixels lie far apart, so that each load of a warp touches up to 32 cache
 * lines. In the cached variant the block copies its ants' memories to shared memory, coalesced, and reads them without
 * bank conflicts. Otherwise each thread reads the 128 bytes of its ant, one line of the L1 cache. The cached variant
 * needs 128 bytes of shared memory per thread: 96 KiB for 768. 3000 ants are 94 warps, fewer than an H100 has
 * multiprocessors: bound by the latency of a long chain of instructions. Source: thesis §5.4, Table 5.1.
 */
#include "kernels/edge_ants/colony.h"

/* The memory of the block's ants, one row per ant. Entry i of row r stands in column i ^ r (mod 32). So a warp that
 * reads column after column of 32 rows, or writes row after row, hits 32 different banks. */
static __device__ __forceinline__ void cache_memory(const ea_device &colony, shared_array<int> cache)
{
    const int first = (int)(blockIdx.x * blockDim.x), entries = min(colony.n_ants - first, (int)blockDim.x) * EA_MEMORY;
    const int *const memory = colony.memory + (size_t)first * EA_MEMORY;
    for (int i = (int)threadIdx.x; i < entries; i += (int)blockDim.x) {
        const int row = i / EA_MEMORY;
        cache[i ^ row % EA_MEMORY] = memory[i];
    }
}

/* Which of the places around `position` stand in the ant's memory. */
static __device__ __forceinline__ unsigned search_cache(int position, int width, shared_array<int> cache)
{
    const int row = (int)threadIdx.x;
    unsigned visited = 0;
    for (int i = 0; i < EA_MEMORY; ++i)
        visited |= ea_places(position, cache[(row * EA_MEMORY + i) ^ row % EA_MEMORY], width);
    return visited;
}

static __device__ __forceinline__ unsigned search_memory(int position, int width, const int *memory)
{
    unsigned visited = 0;
    for (int i = 0; i < EA_MEMORY; ++i) visited |= ea_places(position, memory[i], width);
    return visited;
}

template <bool cached> static __global__ void ants_by_thread(ea_device colony, unsigned long long seed, int iteration)
{
    SHARED_DYNAMIC(int, cache, 0, cached ? (int)blockDim.x *EA_MEMORY : 0);
    const int ant = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (cached) {
        cache_memory(colony, cache);
        __syncthreads();
    }
    if (ant >= colony.n_ants) return;
    const int position = colony.position[ant];
    float weight[EA_NEIGHBOURS];
    for (int i = 0; i < EA_NEIGHBOURS; ++i) weight[i] = weigh(colony, position, i);
    const unsigned visited = cached ? search_cache(position, colony.width, cache)
                                    : search_memory(position, colony.width, colony.memory + (size_t)ant * EA_MEMORY);
    for (int i = 0; i < EA_NEIGHBOURS; ++i)
        if (ea_among(visited, i)) weight[i] = 0.0f;
    const float4 random = draw(seed, ant, iteration);
    const int winner = ea_spin(weight, random.x);
    enter(colony, ant, iteration,
          winner < 0 ? random_pixel(colony, random) : ea_neighbour(position, winner, colony.width, colony.height),
          1.0f);
}

static size_t shared_bytes(int block_threads)
{
    return (size_t)block_threads * EA_MEMORY * sizeof(int);
}

static ab_status move(const ea_device *colony, unsigned long long seed, int iteration)
{
    const int threads = colony->block_threads, blocks = ceil_div(colony->n_ants, threads);
    if (colony->cache_memory)
        LAUNCH(ants_by_thread<true>, blocks, threads, shared_bytes(threads))(*colony, seed, iteration);
    else
        LAUNCH(ants_by_thread<false>, blocks, threads, 0)(*colony, seed, iteration);
    return AB_LAUNCHED("ants_by_thread");
}

static ab_status check(const ea_problem *, const ea_params *params)
{
    if (!params->cache_memory) return ab_ok();
    return device_allow_shared((const void *)ants_by_thread<true>, shared_bytes(params->block_threads), -1);
}

AB_RUNG(edge_ants_rung, edge_ants_thread) = {.move = move, .check = check};
