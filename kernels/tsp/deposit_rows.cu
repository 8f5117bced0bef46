/* Evaporation and deposit in one launch, a block per row of the pheromone: tsp_evaporate and tsp_deposit_all or
 * tsp_deposit_best without an atomic in global memory.
 *
 * Where every ant deposits, construction leaves each city's two neighbours in all tours side by side (tour_links). A
 * city's block adds up what the ants deposit on its edges in shared memory, and reads and writes its row once. Amounts
 * are whole numbers there, in units of n_ants / 2^30 of what the best ant deposits: integer atomics are native in
 * shared memory, and sums cannot overflow and do not depend on the order, so that one seed gives the same pheromone
 * again. The amount of an ant whose tour is x times as long as the best is rounded by at most x n_ants 2^-31 of itself.
 * Where the best ant alone deposits, its tour says what links would.
 *
 * Floor at n = n_ants = 2392: 4 n^2 bytes of links and 8 n^2 of pheromone are 69 MB, from and to the L2 cache at about
 * 5 TB/s 0.014 ms; 2 n atomics of shared memory a row, several ants with the same edge after each other, some 16 cycles
 * a warp's: 18 rows a multiprocessor 0.02 ms. The atomics in global memory that it replaces take 0.15 ms.
 * Measured at pr2392 on an NVIDIA H100 80GB HBM3, commit 9dc223a: the stage 0.050 ms (`as`) and 0.022 (`as-best`); the
 * kernel 0.041 by ncu, 1.5 instructions a cycle, 39 % of its sectors found in the L2 cache: its matrices do not stay
 * there.
 * Source: this project; in JPDC's terms (§3.3) scatter to gather, but of 2 n_ants entries a row, not of n_ants n.
 */
#include "kernels/tsp/deposit_rows.h"

enum { MOST_THREADS = 256, USUAL_SHARED = 48 * 1024 /* bytes that need not be asked for */ };

/* What the best ant deposits. */
static __device__ __forceinline__ float best_amount(const tsp_device &colony)
{
    const long long length = (long long)(*colony.iteration_best >> ANT_BITS);
    return 1.0f / (float)(length > 0 ? length : 1);
}

static __device__ __forceinline__ int best_ant(const tsp_device &colony)
{
    return (int)(*colony.iteration_best & ((1 << ANT_BITS) - 1));
}

/* Adds what every ant deposits on the row's edges, in shares of `unit`. */
static __device__ void add_all(const tsp_device &colony, const tour_links *links, float unit,
                               shared_array<unsigned> deposits)
{
    const float best = best_amount(colony);
    for (int ant = (int)threadIdx.x; ant < colony.n_ants; ant += (int)blockDim.x) {
        const float amount = 1.0f / (float)(colony.lengths[ant] > 0 ? colony.lengths[ant] : 1);
        const unsigned share = (unsigned)(amount / best * unit + 0.5f);
        atomicAdd(&deposits[links[ant] & 0xffff], share);
        atomicAdd(&deposits[links[ant] >> 16], share);
    }
}

/* A block a row, and one block more, which keeps the tour that is the best so far. */
static __global__ void __launch_bounds__(MOST_THREADS)
    deposit_all_rows(tsp_device colony, const tour_links *links, float keep)
{
    const int row = (int)blockIdx.x, thread = (int)threadIdx.x;
    SHARED_DYNAMIC(unsigned, deposits, 0, colony.stride);
    if (row == colony.n) {
        keep_if_best(colony, best_ant(colony));
        return;
    }
    const float unit = (float)(1 << 30) / (float)colony.n_ants, amount = best_amount(colony);
    float *const pheromone = colony.pheromone + (size_t)row * (size_t)colony.stride;
    for (int j = thread; j < colony.stride; j += (int)blockDim.x) deposits[j] = 0;
    __syncthreads();
    add_all(colony, links + (size_t)row * (size_t)colony.n_ants, unit, deposits);
    __syncthreads();
    for (int j = thread; j < colony.stride; j += (int)blockDim.x)
        pheromone[j] = keep * pheromone[j] + (float)deposits[j] * (amount / unit);
}

/* The same by the best ant alone: each block the row of a city of its tour, whose neighbours stand beside it. */
static __global__ void __launch_bounds__(MOST_THREADS) deposit_best_rows(tsp_device colony, float keep)
{
    const int n = colony.n, position = (int)blockIdx.x, best = best_ant(colony);
    if (position == n) {
        keep_if_best(colony, best);
        return;
    }
    const int *const tour = colony.tours + (size_t)best * (size_t)(n + 1);
    const int before = tour[position ? position - 1 : n - 1], after = tour[position + 1];
    const float amount = best_amount(colony);
    float *const pheromone = colony.pheromone + (size_t)tour[position] * (size_t)colony.stride;
    for (int j = (int)threadIdx.x; j < colony.stride; j += (int)blockDim.x)
        pheromone[j] = keep * pheromone[j] + (float)((j == before) + (j == after)) * amount;
}

/* The links of every ant's tour, a block an ant, or of the best ant's. */
static __global__ void __launch_bounds__(MOST_THREADS) link_tours(tsp_device colony, tour_links *links, bool all)
{
    const int ant = all ? (int)blockIdx.x : best_ant(colony), n = colony.n;
    const int *const tour = colony.tours + (size_t)ant * (size_t)(n + 1);
    for (int i = (int)threadIdx.x; i < n; i += (int)blockDim.x)
        links[(size_t)tour[i] * (size_t)colony.n_ants + (size_t)ant] =
            link_tour(tour[i > 0 ? i - 1 : n - 1], tour[i + 1]);
}

extern "C" ab_status AB_GPU(tsp_link_tours)(const tsp_device *colony, tour_links *links, const as_params *params)
{
    const bool all = params->improve == AS_IMPROVE_ALL;
    if (!links) return ab_ok();
    LAUNCH(link_tours, all ? colony->n_ants : 1, MOST_THREADS, 0)(*colony, links, all);
    return AB_LAUNCHED("link_tours");
}

extern "C" ab_status AB_GPU(tsp_deposit_rows)(const tsp_device *colony, const tour_links *links,
                                              const as_params *params)
{
    const float keep = 1.0f - (float)params->rho;
    const int threads = min(ceil_div(colony->n, 128) * 32, (int)MOST_THREADS);
    const size_t bytes = sizeof(unsigned) * (size_t)colony->stride;
    if (params->protocol == AS_BEST_ANT) {
        LAUNCH(deposit_best_rows, colony->n + 1, threads, 0)(*colony, keep);
    } else {
        if (bytes > USUAL_SHARED) AB_TRY(device_allow_shared((const void *)deposit_all_rows, bytes, -1));
        LAUNCH(deposit_all_rows, colony->n + 1, threads, bytes)(*colony, links, keep);
    }
    return AB_LAUNCHED("deposit_rows");
}
