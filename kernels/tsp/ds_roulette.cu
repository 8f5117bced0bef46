/* Tour construction by Double-Spin Roulette: one block of four warps per ant.
 *
 * The cities are cut into sub-blocks of 32, over which the warps tile. Stage 1 scans the weights of each sub-block that a
 * warp vote finds not yet exhausted; stage 2 spins over the sub-block sums, stage 3 inside the chosen sub-block. Exactly
 * the random proportional rule with two random numbers a step, where I-Roulette needs one per city and is not
 * proportional. Scans use shuffles (the thesis: shared memory, Fig. 3.5); stages 2 and 3 are both warp 0's, so a step
 * needs two block barriers, not three. Limit: 5.2 n bytes of shared memory. Per step and ant it reads one row of
 * choice_info, 4 n bytes, mostly from L2.
 * Source: thesis §3.5.2, Fig. 3.4.
 */
#include "kernels/tsp/colony.h"
#include "kernels/warp.h"

enum { N_WARPS = 4, N_THREADS = N_WARPS * WARP_SIZE };

/* Layout of the dynamic shared memory, in bytes. */
static size_t shared_bytes(int stride)
{
    return (size_t)stride * sizeof(float) + (size_t)(stride / WARP_SIZE) * sizeof(float) + (size_t)stride;
}

/* The lane of the first candidate at or past `target` on the wheel; rounding can leave the target past all of them, then
 * the last candidate. Candidates must exist. */
static __device__ __forceinline__ int spin(bool candidate, float scan, float target)
{
    const unsigned hit = __ballot_sync(FULL_WARP, candidate && scan >= target);
    if (hit) return __ffs((int)hit) - 1;
    return WARP_SIZE - 1 - __clz((int)__ballot_sync(FULL_WARP, candidate));
}

static __global__ void __launch_bounds__(N_THREADS) ds_roulette(tsp_device colony, unsigned long long seed,
                                                                unsigned iteration)
{
    const int n = colony.n, stride = colony.stride, n_sub_blocks = stride / WARP_SIZE;
    SHARED_DYNAMIC(float, scan, 0, stride);                                        /* weights, scanned per sub-block */
    SHARED_DYNAMIC(float, sub_block_sum, sizeof(float) * (size_t)stride, n_sub_blocks);
    SHARED_DYNAMIC(unsigned char, tabu, sizeof(float) * (size_t)(stride + n_sub_blocks), stride); /* 0: visited */
    SHARED(int, current, 1);                                                       /* the city the ant is in */

    const int ant = (int)blockIdx.x, thread = (int)threadIdx.x, warp = thread / WARP_SIZE, lane = thread % WARP_SIZE;
    int *const tour = colony.tours + (size_t)ant * (size_t)(n + 1);
    long long length = 0;
    unsigned zero_weight_steps = 0;
    curandStatePhilox4_32_10_t random; /* of warp 0, the same in all its lanes */

    for (int city = thread; city < stride; city += N_THREADS) tabu[city] = city < n;
    __syncthreads();
    if (warp == 0) {
        curand_init(seed, (unsigned long long)iteration * (unsigned)colony.n_ants + (unsigned)ant, 0, &random);
        const int start = min((int)(curand_uniform(&random) * (float)n), n - 1);
        if (lane == 0) {
            tabu[start] = 0;
            current[0] = tour[0] = start;
        }
    }
    __syncthreads();

    for (int step = 1; step < n; ++step) {
        /* Stage 1: scan the weights of every sub-block that still has an unvisited city. */
        const int from = current[0];
        const float *const row = colony.choice_info + (size_t)from * (size_t)stride;
        for (int sub_block = warp; sub_block < n_sub_blocks; sub_block += N_WARPS) {
            const int city = sub_block * WARP_SIZE + lane;
            const unsigned char unvisited = tabu[city];
            float weights = 0.0f;
            if (__any_sync(FULL_WARP, unvisited)) {
                weights = warp_inclusive_scan(row[city] * (float)unvisited, lane);
                scan[city] = weights;
            }
            if (lane == WARP_SIZE - 1) sub_block_sum[sub_block] = weights;
        }
        __syncthreads();

        if (warp == 0) {
            /* Stage 2: the first spin chooses a sub-block. */
            float total = 0.0f;
            for (int i = lane; i < n_sub_blocks; i += WARP_SIZE) total += sub_block_sum[i];
            total = warp_sum(total);
            int next;
            if (total > 0.0f) {
                const float4 u = curand_uniform4(&random);
                const float target = u.x * total;
                float before = 0.0f;
                int chosen = -1;
                for (int first = 0; first < n_sub_blocks; first += WARP_SIZE) {
                    const float sum = first + lane < n_sub_blocks ? sub_block_sum[first + lane] : 0.0f;
                    const float upto = before + warp_inclusive_scan(sum, lane);
                    const unsigned some = __ballot_sync(FULL_WARP, sum > 0.0f);
                    if (!some) continue;
                    chosen = first + spin(sum > 0.0f, upto, target);
                    if (__any_sync(FULL_WARP, sum > 0.0f && upto >= target)) break;
                    before = __shfl_sync(FULL_WARP, upto, WARP_SIZE - 1);
                }
                /* Stage 3: the second spin chooses a city in it. */
                const int city = chosen * WARP_SIZE + lane;
                next = chosen * WARP_SIZE + spin(tabu[city] != 0, scan[city], u.y * sub_block_sum[chosen]);
            } else {
                unsigned long long nearest = ~0ull;
                for (int city = lane; city < n; city += WARP_SIZE)
                    if (tabu[city]) {
                        const unsigned long long key = city_key(colony.dist[(size_t)from * (size_t)stride + city], city);
                        if (key < nearest) nearest = key;
                    }
                next = (int)(unsigned)warp_min(nearest);
                ++zero_weight_steps;
            }
            __syncwarp(FULL_WARP); /* every lane has read tabu and current */
            if (lane == 0) {
                tabu[next] = 0;
                current[0] = tour[step] = next;
                length += colony.dist[(size_t)from * (size_t)stride + next];
            }
        }
        __syncthreads();
    }

    if (thread == 0) {
        tour[n] = tour[0];
        length += colony.dist[(size_t)current[0] * (size_t)stride + tour[0]];
        colony.lengths[ant] = length;
        atomicMin(colony.iteration_best, tour_key(length, ant));
        if (zero_weight_steps) atomicAdd(colony.zero_weight_steps, (unsigned long long)zero_weight_steps);
    }
}

static ab_status construct(const tsp_device *colony, uint64_t seed, unsigned iteration)
{
    LAUNCH(ds_roulette, colony->n_ants, N_THREADS, shared_bytes(colony->stride))(*colony, seed, iteration);
    return AB_LAUNCHED("ds_roulette");
}

extern "C" ab_status AB_GPU(tsp_ds_roulette)(const as_problem *problem, const as_params *params, as_colony **colony)
{
    const size_t bytes = shared_bytes(ceil_div(problem->n, WARP_SIZE) * WARP_SIZE);
    AB_TRY(AB_GPU(tsp_allow_shared)((const void *)ds_roulette, bytes, params->carveout));
    return AB_GPU(tsp_open_colony)(problem, params, construct, colony);
}
