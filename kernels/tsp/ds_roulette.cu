/* Tour construction by Double-Spin Roulette: one block of four warps per ant.
 *
 * The cities are cut into sub-blocks of 32, over which the warps tile. Stage 1 scans the weights of each sub-block,
 * unless a warp vote finds it exhausted. Stage 2 spins over the sub-block sums, stage 3 inside the chosen sub-block. It
 * is exactly the random proportional rule, with two random numbers per step; I-Roulette needs one per city and is not
 * proportional. Scans use shuffles (the thesis: shared memory, Fig. 3.5). Warp 0 does stages 2 and 3, so a step needs
 * two block barriers, not three. Limit: 5.2 n bytes of shared memory. Per step and ant it reads one row of choice_info,
 * 4 n bytes, mostly from L2. Source: thesis §3.5.2, Fig. 3.4.
 */
#include "kernels/cuda/cuda_random.h"
#include "kernels/cuda/warp.h"
#include "kernels/tsp/colony.h"

enum { N_WARPS = 4, N_THREADS = N_WARPS * WARP_SIZE };
/* Sub-blocks that a warp scans side by side, to hide the latency of its loads and shuffles. */
enum { AT_ONCE = 2 };

/* Layout of the dynamic shared memory, in bytes. */
static size_t shared_bytes(int stride)
{
    return (size_t)stride * sizeof(float) + (size_t)(stride / WARP_SIZE) * sizeof(float) + (size_t)stride;
}

/* Stage 1: scans the weights of every sub-block that still has an unvisited city; the others get zeros. */
static __device__ __forceinline__ void scan_sub_blocks(const float *row, int n_sub_blocks, shared_array<float> scan,
                                                       shared_array<float> sub_block_sum,
                                                       shared_array<unsigned char> tabu)
{
    const int warp = (int)threadIdx.x / WARP_SIZE, lane = (int)threadIdx.x % WARP_SIZE;
    for (int first = warp; first < n_sub_blocks; first += N_WARPS * AT_ONCE) {
        float weights[AT_ONCE];
#pragma unroll
        for (int i = 0; i < AT_ONCE; ++i) {
            const int sub_block = first + i * N_WARPS, city = sub_block * WARP_SIZE + lane;
            const unsigned char unvisited = sub_block < n_sub_blocks ? tabu[city] : (unsigned char)0;
            weights[i] = __any_sync(FULL_WARP, unvisited) ? row[city] * (float)unvisited : 0.0f;
        }
#pragma unroll
        for (int i = 0; i < AT_ONCE; ++i) weights[i] = warp_inclusive_scan(weights[i], lane);
#pragma unroll
        for (int i = 0; i < AT_ONCE; ++i) {
            const int sub_block = first + i * N_WARPS;
            if (sub_block >= n_sub_blocks) break;
            scan[sub_block * WARP_SIZE + lane] = weights[i];
            if (lane == WARP_SIZE - 1) sub_block_sum[sub_block] = weights[i];
        }
    }
}

/* Stage 2, by one warp: spins over the sub-blocks with the random number u, each lane holding a run of them. Returns
 * the chosen one, or -1 if all weigh 0. */
static __device__ __forceinline__ int spin_sub_blocks(float u, int n_sub_blocks, shared_array<float> sub_block_sum)
{
    const int lane = (int)threadIdx.x % WARP_SIZE, per_lane = ceil_div(n_sub_blocks, WARP_SIZE);
    const int first = min(lane * per_lane, n_sub_blocks), last = min(first + per_lane, n_sub_blocks);
    float mine = 0.0f;
    for (int i = first; i < last; ++i) mine += sub_block_sum[i];
    const float upto = warp_inclusive_scan(mine, lane);
    const float total = __shfl_sync(FULL_WARP, upto, WARP_SIZE - 1), target = u * total;
    if (!(total > 0.0f)) return -1;
    const int holder = warp_spin(mine > 0.0f, upto, target);
    int chosen = -1;
    float walked = upto - mine;
    for (int i = first; i < last && !(chosen >= 0 && walked >= target); ++i) {
        walked += sub_block_sum[i];
        if (sub_block_sum[i] > 0.0f) chosen = i;
    }
    return __shfl_sync(FULL_WARP, chosen, holder);
}

/* The all-zero rule (tsp.h), by one warp. */
static __device__ __forceinline__ int nearest_unvisited(const int *dist, int n, shared_array<unsigned char> tabu)
{
    unsigned long long nearest = ~0ull;
    for (int city = (int)threadIdx.x % WARP_SIZE; city < n; city += WARP_SIZE)
        if (tabu[city] && city_key(dist[city], city) < nearest) nearest = city_key(dist[city], city);
    return (int)(unsigned)warp_min(nearest);
}

static __global__ void __launch_bounds__(N_THREADS)
    ds_roulette(tsp_device colony, unsigned long long seed, unsigned iteration)
{
    const int n = colony.n, stride = colony.stride, n_sub_blocks = stride / WARP_SIZE;
    SHARED_DYNAMIC(float, scan, 0, stride); /* weights, scanned per sub-block */
    SHARED_DYNAMIC(float, sub_block_sum, sizeof(float) * (size_t)stride, n_sub_blocks);
    SHARED_DYNAMIC(unsigned char, tabu, sizeof(float) * (size_t)(stride + n_sub_blocks), stride); /* 0: visited */
    SHARED(int, current, 1);                                                                      /* city that the
                                                                                                   * ant is in */

    const int ant = (int)blockIdx.x, thread = (int)threadIdx.x, warp = thread / WARP_SIZE, lane = thread % WARP_SIZE;
    int *const tour = colony.tours + (size_t)ant * (size_t)(n + 1);
    long long length = 0;           /* used by lane 0 of warp 0 */
    int last_edge = 0;              /* added a step late, so that no step waits for its load */
    unsigned zero_weight_steps = 0; /* used by warp 0 */
    float4 draw = {};               /* used by warp 0: lane i has the numbers of step 32 k + i */
    curandStatePhilox4_32_10_t random;

    for (int city = thread; city < stride; city += N_THREADS) tabu[city] = city < n;
    __syncthreads();
    if (warp == 0) {
        const unsigned long long stream = ant_stream(colony, iteration, ant);
        curand_init(seed, stream * WARP_SIZE + (unsigned)lane, 0, &random);
        draw = curand_uniform4(&random);
        if (lane == 0) {
            const int start = min((int)(draw.z * (float)n), n - 1);
            tabu[start] = 0;
            current[0] = tour[0] = start;
        }
    }
    __syncthreads();

    for (int step = 1; step < n; ++step) {
        const int from = current[0];
        const size_t row = (size_t)from * (size_t)stride;
        scan_sub_blocks(colony.choice_info + row, n_sub_blocks, scan, sub_block_sum, tabu);
        __syncthreads();

        if (warp == 0) {
            if (step % WARP_SIZE == 0) draw = curand_uniform4(&random);
            const float u = __shfl_sync(FULL_WARP, draw.x, step), v = __shfl_sync(FULL_WARP, draw.y, step);
            const int chosen = spin_sub_blocks(u, n_sub_blocks, sub_block_sum);
            int next;
            if (chosen >= 0) { /* Stage 3: the second spin, inside the chosen sub-block. */
                const int city = chosen * WARP_SIZE + lane;
                next = chosen * WARP_SIZE + warp_spin(tabu[city] != 0, scan[city], v * sub_block_sum[chosen]);
            } else {
                next = nearest_unvisited(colony.dist + row, n, tabu);
                ++zero_weight_steps;
            }
            __syncwarp(FULL_WARP); /* every lane has read tabu and current */
            if (lane == 0) {
                tabu[next] = 0;
                current[0] = tour[step] = next;
                length += last_edge;
                last_edge = colony.dist[row + (size_t)next];
            }
        }
        __syncthreads();
    }

    if (thread == 0) finish_tour(colony, ant, tour, current[0], length + last_edge, zero_weight_steps);
}

static ab_status construct(const tsp_device *colony, const tsp_params *params, unsigned iteration)
{
    LAUNCH(ds_roulette, colony->n_ants, N_THREADS, shared_bytes(colony->stride))(*colony, params->seed, iteration);
    return AB_LAUNCHED("ds_roulette");
}

static ab_status check(const tsp_problem *problem, const tsp_params *params)
{
    const size_t bytes = shared_bytes(ceil_div(problem->n, WARP_SIZE) * WARP_SIZE);
    return device_allow_shared((const void *)ds_roulette, bytes, params->carveout);
}

AB_RUNG(tsp_rung, tsp_ds_roulette) = {.construct = construct, .check = check};
