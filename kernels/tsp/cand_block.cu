/* Tour construction with candidate sets: one block of four warps per ant, DS-Roulette with its flow reversed.
 *
 * Stage 1: one warp asks by ballot whether the candidate set of the current city has unvisited members. If so, it spins
 * once among them. Otherwise, in stage 2, all four warps tile over all cities for the best remaining one, each with a
 * warp-wide maximum. In stage 3 one thread takes the best of the four. DS-Roulette reads a row of choice_info in every
 * step; this reads a candidate set, in all but a few per cent of them. The first warp walks on by itself until a set is
 * exhausted, so that the other three wait at one barrier and cost nothing. A set of fewer than 32 leaves lanes idle and
 * exhausts sooner. Limits: 1 <= nn <= 64, n bytes of shared memory. Bound by latency: a step is a chain of two loads
 * (candidates, then their weights), a scan and a ballot. Source: thesis §4.4.5, Fig. 4.4.
 */
#include "kernels/cuda/cuda_random.h"
#include "kernels/cuda/warp.h"
#include "kernels/tsp/colony.h"

enum { N_WARPS = 4, N_THREADS = N_WARPS * WARP_SIZE, MAX_CANDIDATES = 2 * WARP_SIZE };

/* Stage 1, by one warp: a city of the candidate set in proportion to its weight, by the random number u; -1 if none is
 * left that weighs anything. A lane has one candidate, or two in sets of more than 32. */
static __device__ __forceinline__ int query_candidates(const tsp_device &colony, int from, float u,
                                                       shared_array<unsigned char> tabu)
{
    const int lane = (int)threadIdx.x % WARP_SIZE;
    const int *const candidates = colony.nn_list + (size_t)from * (size_t)colony.nn_stride;
    const float *const weights = colony.choice_info + (size_t)from * (size_t)colony.stride;
    const bool two = colony.nn_stride > WARP_SIZE;
    const int first = candidates[lane], second = two ? candidates[WARP_SIZE + lane] : from;
    const bool first_left = tabu[first], second_left = tabu[second];
    if (!__ballot_sync(FULL_WARP, first_left || second_left)) return -1;
    const float weight = first_left ? weights[first] : 0.0f;
    const float both = weight + (second_left ? weights[second] : 0.0f);
    const float upto = warp_inclusive_scan(both, lane);
    const float total = __shfl_sync(FULL_WARP, upto, WARP_SIZE - 1), target = u * total;
    if (!(total > 0.0f)) return -1;
    const int winner = warp_spin(both > 0.0f, upto, target);
    const bool takes_first = weight > 0.0f && (weight == both || upto - both + weight >= target);
    return __shfl_sync(FULL_WARP, takes_first ? first : second, winner);
}

/* Stage 2, by each warp: the best_key of the remaining cities that the warp tiles over, the same in all lanes. */
static __device__ __forceinline__ unsigned long long best_remaining(const tsp_device &colony, int from,
                                                                    shared_array<unsigned char> tabu)
{
    const float *const weights = colony.choice_info + (size_t)from * (size_t)colony.stride;
    unsigned long long best = 0;
    for (int city = (int)threadIdx.x; city < colony.n; city += N_THREADS) {
        const unsigned long long key = tabu[city] ? best_key(weights[city], city) : 0;
        if (key > best) best = key;
    }
    return warp_max(best);
}

/* The all-zero rule (tsp.h), by one thread. */
static __device__ int nearest_remaining(const tsp_device &colony, int from, shared_array<unsigned char> tabu)
{
    const int *const dist = colony.dist + (size_t)from * (size_t)colony.stride;
    unsigned long long nearest = ~0ull;
    for (int city = 0; city < colony.n; ++city)
        if (tabu[city] && city_key(dist[city], city) < nearest) nearest = city_key(dist[city], city);
    return (int)(unsigned)nearest;
}

static __global__ void __launch_bounds__(N_THREADS)
    cand_block(tsp_device colony, unsigned long long seed, unsigned iteration)
{
    const int n = colony.n, stride = colony.stride;
    SHARED_DYNAMIC(unsigned char, tabu, 0, n); /* 0: visited */
    SHARED(unsigned long long, best, N_WARPS); /* stage 2: each warp's best remaining city */
    SHARED(int, reached, 2);                   /* step at which the first warp stopped, and the city it is in */

    const int ant = (int)blockIdx.x, thread = (int)threadIdx.x, warp = thread / WARP_SIZE, lane = thread % WARP_SIZE;
    int *const tour = colony.tours + (size_t)ant * (size_t)(n + 1);
    long long length = 0;           /* used by thread 0 */
    int last_edge = 0;              /* added a step late, so that no step waits for its load */
    unsigned zero_weight_steps = 0; /* used by thread 0 */
    int step = 1, from = 0;
    float draw = 0.0f;                 /* used by warp 0: lane i has the number of step 32 k + i */
    curandStatePhilox4_32_10_t random; /* likewise */

    for (int city = thread; city < n; city += N_THREADS) tabu[city] = 1;
    __syncthreads();
    if (warp == 0) {
        const unsigned long long stream = ant_stream(colony, iteration, ant);
        curand_init(seed, stream * WARP_SIZE + (unsigned)lane, 0, &random);
        draw = curand_uniform(&random);
        from = min((int)(__shfl_sync(FULL_WARP, draw, 0) * (float)n), n - 1); /* lane 0's number of step 0 */
        if (lane == 0) {
            tabu[from] = 0;
            tour[0] = from;
        }
        __syncwarp(FULL_WARP);
    }

    for (;;) {
        if (warp == 0) {
            while (step < n) {
                const int next = query_candidates(colony, from, __shfl_sync(FULL_WARP, draw, step), tabu);
                if (next < 0) break;
                __syncwarp(FULL_WARP); /* every lane has read tabu */
                if (lane == 0) {
                    tabu[next] = 0;
                    tour[step] = next;
                    length += last_edge;
                    last_edge = colony.dist[(size_t)from * (size_t)stride + (size_t)next];
                }
                __syncwarp(FULL_WARP);
                from = next;
                if (++step % WARP_SIZE == 0) draw = curand_uniform(&random);
            }
            if (lane == 0) {
                reached[0] = step;
                reached[1] = from;
            }
        }
        __syncthreads();
        step = reached[0];
        from = reached[1];
        if (step == n) break;
        const unsigned long long mine = best_remaining(colony, from, tabu);
        if (lane == 0) best[warp] = mine;
        __syncthreads();
        if (warp == 0) {
            int next = 0;
            if (lane == 0) { /* Stage 3 */
                unsigned long long most = best[0];
                for (int i = 1; i < N_WARPS; ++i)
                    if (best[i] > most) most = best[i];
                const bool nothing = best_weighs_nothing(most);
                next = nothing ? nearest_remaining(colony, from, tabu) : best_city(most);
                zero_weight_steps += nothing;
                tabu[next] = 0;
                tour[step] = next;
                length += last_edge;
                last_edge = colony.dist[(size_t)from * (size_t)stride + (size_t)next];
            }
            __syncwarp(FULL_WARP); /* the others see what thread 0 wrote to tabu */
            from = __shfl_sync(FULL_WARP, next, 0);
            if (++step % WARP_SIZE == 0) draw = curand_uniform(&random);
        }
    }

    if (thread == 0) finish_tour(colony, ant, tour, from, length + last_edge, zero_weight_steps);
}

static ab_status construct(const tsp_device *colony, const tsp_params *params, unsigned iteration)
{
    LAUNCH(cand_block, colony->n_ants, N_THREADS, (size_t)colony->n)(*colony, params->seed, iteration);
    return AB_LAUNCHED("cand_block");
}

static ab_status check(const tsp_problem *problem, const tsp_params *params)
{
    if (problem->nn < 1 || problem->nn > MAX_CANDIDATES)
        return ab_unsupported("needs a candidate set of 1 to %d cities, nn is %d", MAX_CANDIDATES, problem->nn);
    return device_allow_shared((const void *)cand_block, (size_t)problem->n, params->carveout);
}

AB_RUNG(tsp_rung, tsp_cand_block) = {.construct = construct, .check = check};
