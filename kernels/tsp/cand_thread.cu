/* Tour construction with candidate sets, task-parallel: one ant per thread, in blocks of one warp.
 *
 * Each thread does what the CPU does (thesis Fig. 4.3). It sums the weights of the unvisited candidates, and walks them
 * once more to where its random number falls. If none is left it looks through all cities. The threads of a warp are in
 * different cities, so every load of a weight is its own cache line, and one exhausted set holds up 31 other ants. The
 * tabu list is one bit per city in shared memory, word w of the 32 ants side by side. Blocks of one warp spread n ants
 * over the most multiprocessors. Limits: nn >= 1, 4 n bytes of shared memory. Source: thesis §4.4.4, Fig. 4.3.
 */
#include "kernels/cuda/cuda_random.h"
#include "kernels/cuda/warp.h"
#include "kernels/tsp/colony.h"

enum { BITS = 32 }; /* cities per word of the tabu list */

/* Bit `city` of this thread's tabu list: not visited. */
static __device__ __forceinline__ bool is_left(shared_array<unsigned> unvisited, int city)
{
    return unvisited[city / BITS * WARP_SIZE + (int)threadIdx.x] >> (city % BITS) & 1u;
}

static __device__ __forceinline__ void visit(shared_array<unsigned> unvisited, int city)
{
    unvisited[city / BITS * WARP_SIZE + (int)threadIdx.x] &= ~(1u << (city % BITS));
}

/* A city of the candidate set in proportion to its weight; -1 if none is left that weighs anything. */
static __device__ __forceinline__ int query_candidates(const tsp_device &colony, int from, float u,
                                                       shared_array<unsigned> unvisited)
{
    const int *const candidates = colony.nn_list + (size_t)from * (size_t)colony.nn_stride;
    const float *const weights = colony.choice_info + (size_t)from * (size_t)colony.stride;
    float total = 0.0f;
    for (int i = 0; i < colony.nn; ++i)
        if (is_left(unvisited, candidates[i])) total += weights[candidates[i]];
    if (!(total > 0.0f)) return -1;
    const float target = u * total;
    float walked = 0.0f;
    int chosen = -1;
    for (int i = 0; i < colony.nn && !(chosen >= 0 && walked >= target); ++i) {
        const float weight = is_left(unvisited, candidates[i]) ? weights[candidates[i]] : 0.0f;
        if (weight > 0.0f) chosen = candidates[i];
        walked += weight;
    }
    return chosen;
}

/* The best remaining city; by the all-zero rule (tsp.h), counted, where all weigh 0. */
static __device__ int best_remaining(const tsp_device &colony, int from, shared_array<unsigned> unvisited,
                                     unsigned &zero_weight_steps)
{
    const float *const weights = colony.choice_info + (size_t)from * (size_t)colony.stride;
    const int *const dist = colony.dist + (size_t)from * (size_t)colony.stride;
    unsigned long long best = 0, nearest = ~0ull;
    for (int city = 0; city < colony.n; ++city)
        if (is_left(unvisited, city) && best_key(weights[city], city) > best) best = best_key(weights[city], city);
    if (!best_weighs_nothing(best)) return best_city(best);
    for (int city = 0; city < colony.n; ++city)
        if (is_left(unvisited, city) && city_key(dist[city], city) < nearest) nearest = city_key(dist[city], city);
    ++zero_weight_steps;
    return (int)(unsigned)nearest;
}

static __global__ void __launch_bounds__(WARP_SIZE)
    cand_thread(tsp_device colony, unsigned long long seed, unsigned iteration)
{
    const int n = colony.n, words = ceil_div(n, BITS), ant = (int)(blockIdx.x * WARP_SIZE + threadIdx.x);
    SHARED_DYNAMIC(unsigned, unvisited, 0, words *WARP_SIZE); /* [words][32]: one bit per city and ant */
    if (ant >= colony.n_ants) return;

    int *const tour = colony.tours + (size_t)ant * (size_t)(n + 1);
    long long length = 0;
    int last_edge = 0; /* added a step late, so that no step waits for its load */
    unsigned zero_weight_steps = 0;
    curandStatePhilox4_32_10_t random;
    curand_init(seed, ant_stream(colony, iteration, ant), 0, &random);
    for (int word = 0; word < words; ++word) unvisited[word * WARP_SIZE + (int)threadIdx.x] = ~0u;

    int from = min((int)(curand_uniform(&random) * (float)n), n - 1);
    tour[0] = from;
    visit(unvisited, from);
    for (int step = 1; step < n; ++step) {
        int next = query_candidates(colony, from, curand_uniform(&random), unvisited);
        if (next < 0) next = best_remaining(colony, from, unvisited, zero_weight_steps);
        length += last_edge;
        last_edge = colony.dist[(size_t)from * (size_t)colony.stride + (size_t)next];
        tour[step] = from = next;
        visit(unvisited, next);
    }
    finish_tour(colony, ant, tour, from, length + last_edge, zero_weight_steps);
}

static size_t shared_bytes(int n)
{
    return (size_t)ceil_div(n, BITS) * WARP_SIZE * sizeof(unsigned);
}

static ab_status construct(const tsp_device *colony, const tsp_params *params, unsigned iteration)
{
    LAUNCH(cand_thread, ceil_div(colony->n_ants, WARP_SIZE), WARP_SIZE, shared_bytes(colony->n))
    (*colony, params->seed, iteration);
    return AB_LAUNCHED("cand_thread");
}

static ab_status check(const tsp_problem *problem, const tsp_params *params)
{
    if (problem->nn < 1) return ab_unsupported("needs a candidate set");
    return device_allow_shared((const void *)cand_thread, shared_bytes(problem->n), params->carveout);
}

AB_RUNG(tsp_rung, tsp_cand_thread) = {.construct = construct, .check = check};
