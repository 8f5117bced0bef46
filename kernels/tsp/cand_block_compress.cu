/* Tour construction with candidate sets as in cand_block.cu, with a compressed tabu list.
 *
 * The remaining cities stand at the front of a list; visiting one moves the last of them into its place. Stage 2 then
 * tiles over the remaining cities alone. To find a city's place, and to ask whether a candidate is visited, a second
 * list holds the position of each city. That is the price: both lists change in every step, in shared memory eight
 * times as large, for the few steps that reach stage 2. The thesis finds that it does not pay.
 * Limits: 1 <= nn <= 64, 8 n bytes of shared memory (n <= 29 000 on an H100).
 * Source: thesis §4.4.6, after Uchida et al.
 */
#include "kernels/cuda/cuda_random.h"
#include "kernels/cuda/warp.h"
#include "kernels/tsp/colony.h"

enum { N_WARPS = 4, N_THREADS = N_WARPS * WARP_SIZE, MAX_CANDIDATES = 2 * WARP_SIZE };

/* Stage 1, by one warp: a city of the candidate set in proportion to its weight, by the random number u; -1 if none is
 * left that weighs anything. A lane has one candidate, or two in sets of more than 32. */
static __device__ __forceinline__ int query_candidates(const tsp_device &colony, int from, float u,
                                                       shared_array<int> position)
{
    const int lane = (int)threadIdx.x % WARP_SIZE;
    const int *const candidates = colony.nn_list + (size_t)from * (size_t)colony.nn_stride;
    const float *const weights = colony.choice_info + (size_t)from * (size_t)colony.stride;
    const bool two = colony.nn_stride > WARP_SIZE;
    const int first = candidates[lane], second = two ? candidates[WARP_SIZE + lane] : from;
    const bool first_left = position[first] >= 0, second_left = position[second] >= 0;
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

/* Stage 2, by each warp: the best_key of the remaining cities that the warp tiles over, in all lanes; n_left remain. */
static __device__ __forceinline__ unsigned long long best_remaining(const tsp_device &colony, int from,
                                                                    shared_array<int> remaining, int n_left)
{
    const float *const weights = colony.choice_info + (size_t)from * (size_t)colony.stride;
    unsigned long long best = 0;
    for (int i = (int)threadIdx.x; i < n_left; i += N_THREADS) {
        const unsigned long long key = best_key(weights[remaining[i]], remaining[i]);
        if (key > best) best = key;
    }
    return warp_max(best);
}

/* The all-zero rule (tsp.h), by one thread. */
static __device__ int nearest_remaining(const tsp_device &colony, int from, shared_array<int> remaining, int n_left)
{
    const int *const dist = colony.dist + (size_t)from * (size_t)colony.stride;
    unsigned long long nearest = ~0ull;
    for (int i = 0; i < n_left; ++i)
        if (city_key(dist[remaining[i]], remaining[i]) < nearest) nearest = city_key(dist[remaining[i]], remaining[i]);
    return (int)(unsigned)nearest;
}

/* Visits `city`, one of n_left remaining ones: the last of them takes its place. By one thread. */
static __device__ __forceinline__ void visit(int city, int n_left, shared_array<int> remaining,
                                             shared_array<int> position)
{
    const int place = position[city], last = remaining[n_left - 1];
    remaining[place] = last;
    position[last] = place;
    position[city] = -1;
}

static __global__ void __launch_bounds__(N_THREADS)
    cand_block_compress(tsp_device colony, unsigned long long seed, unsigned iteration)
{
    const int n = colony.n, stride = colony.stride;
    SHARED_DYNAMIC(int, remaining, 0, n);                      /* after `step` cities, the first n - step are left */
    SHARED_DYNAMIC(int, position, sizeof(int) * (size_t)n, n); /* place of each city in `remaining`; -1 if visited */
    SHARED(unsigned long long, best, N_WARPS);                 /* stage 2: each warp's best remaining city */
    SHARED(int, reached, 2); /* step at which the first warp stopped, and the city it is in */

    const int ant = (int)blockIdx.x, thread = (int)threadIdx.x, warp = thread / WARP_SIZE, lane = thread % WARP_SIZE;
    int *const tour = colony.tours + (size_t)ant * (size_t)(n + 1);
    long long length = 0;           /* used by thread 0 */
    int last_edge = 0;              /* added a step late, so that no step waits for its load */
    unsigned zero_weight_steps = 0; /* used by thread 0 */
    int step = 1, from = 0;
    float draw = 0.0f;                 /* used by warp 0: lane i has the number of step 32 k + i */
    curandStatePhilox4_32_10_t random; /* likewise */

    for (int city = thread; city < n; city += N_THREADS) remaining[city] = position[city] = city;
    __syncthreads();
    if (warp == 0) {
        const unsigned long long stream = ant_stream(colony, iteration, ant);
        curand_init(seed, stream * WARP_SIZE + (unsigned)lane, 0, &random);
        draw = curand_uniform(&random);
        from = min((int)(__shfl_sync(FULL_WARP, draw, 0) * (float)n), n - 1); /* lane 0's number of step 0 */
        if (lane == 0) {
            visit(from, n, remaining, position);
            tour[0] = from;
        }
        __syncwarp(FULL_WARP);
    }

    for (;;) {
        if (warp == 0) {
            while (step < n) {
                const int next = query_candidates(colony, from, __shfl_sync(FULL_WARP, draw, step), position);
                if (next < 0) break;
                __syncwarp(FULL_WARP); /* every lane has read position */
                if (lane == 0) {
                    visit(next, n - step, remaining, position);
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
        const unsigned long long mine = best_remaining(colony, from, remaining, n - step);
        if (lane == 0) best[warp] = mine;
        __syncthreads();
        if (warp == 0) {
            int next = 0;
            if (lane == 0) { /* Stage 3 */
                unsigned long long most = best[0];
                for (int i = 1; i < N_WARPS; ++i)
                    if (best[i] > most) most = best[i];
                const bool nothing = best_weighs_nothing(most);
                next = nothing ? nearest_remaining(colony, from, remaining, n - step) : best_city(most);
                zero_weight_steps += nothing;
                visit(next, n - step, remaining, position);
                tour[step] = next;
                length += last_edge;
                last_edge = colony.dist[(size_t)from * (size_t)stride + (size_t)next];
            }
            __syncwarp(FULL_WARP); /* the others see what thread 0 wrote to the lists */
            from = __shfl_sync(FULL_WARP, next, 0);
            if (++step % WARP_SIZE == 0) draw = curand_uniform(&random);
        }
    }

    if (thread == 0) finish_tour(colony, ant, tour, from, length + last_edge, zero_weight_steps);
}

/* remaining and position */
static size_t shared_bytes(int n)
{
    return 2 * sizeof(int) * (size_t)n;
}

static ab_status construct(const tsp_device *colony, const tsp_params *params, unsigned iteration)
{
    LAUNCH(cand_block_compress, colony->n_ants, N_THREADS, shared_bytes(colony->n))
    (*colony, params->seed, iteration);
    return AB_LAUNCHED("cand_block_compress");
}

static ab_status check(const tsp_problem *problem, const tsp_params *params)
{
    if (problem->nn < 1 || problem->nn > MAX_CANDIDATES)
        return ab_unsupported("needs a candidate set of 1 to %d cities, nn is %d", MAX_CANDIDATES, problem->nn);
    return device_allow_shared((const void *)cand_block_compress, shared_bytes(problem->n), params->carveout);
}

AB_RUNG(tsp_rung, tsp_cand_block_compress) = {.construct = construct, .check = check};
