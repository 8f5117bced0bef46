/* Tour construction by the roulette wheel of data_rw.cu with sums of warps: a queen ant per block, a worker per thread.
 *
 * As in data_rw.cu the workers enter the products in shared memory and one thread draws r and walks. Each warp adds its
 * 32 products by shuffles, which Fermi had not. The walk goes along these sums first and then inside one of them:
 * exactly the random proportional rule, with two barriers a step. The walk's loops go to their ends, so that its loads
 * do not wait for one another. Limits: n <= 32 * workers, 4.1 n bytes of shared memory. Per step and ant it reads one
 * row of choice_info, 4 n bytes, mostly from L2. A block waits for n / 16 + 32 additions one after another, where
 * data_rw.cu has up to 2 n.
 * Source: this project, after JPDC §3.2.2, §3.2.3.
 */
#include "kernels/cuda/cuda_random.h"
#include "kernels/cuda/warp.h"
#include "kernels/tsp/worker_ants.h"

enum { HALF_WARP = WARP_SIZE / 2 };

/* Layout of the dynamic shared memory, in bytes: a product per city of whole tiles, a sum for each group of them. */
static size_t shared_bytes(int n, int workers)
{
    const int cities = ceil_div(n, workers) * workers;
    return (size_t)(cities + cities / min(workers, (int)WARP_SIZE)) * sizeof(float);
}

/* The sum of the products of a group: a warp, or all of a block of 16. */
template <int GROUP> static __device__ __forceinline__ float sum_of_group(float product)
{
#pragma unroll
    for (int offset = GROUP / 2; offset > 0; offset /= 2)
        product += __shfl_xor_sync(FULL_WARP >> (WARP_SIZE - GROUP), product, offset);
    return product;
}

/* By one thread: the first city at which the sum of products reaches r, u of the sum of all; -1 if all weigh 0. Inside
 * a group rounding can leave r past all of its products, then the last that weighs anything. */
template <int GROUP>
static __device__ __forceinline__ int spin(float u, int n_groups, shared_array<float> products,
                                           shared_array<float> sums)
{
    float total = 0.0f, walked = 0.0f, before = 0.0f;
    for (int i = 0; i < n_groups; ++i) total += sums[i];
    if (!(total > 0.0f)) return -1;
    const float r = u * total;
    int group = 0;
    for (int i = 0; i < n_groups; ++i) { /* once it is there walked < r does not come true again, nor is it ever 0 */
        walked += sums[i];
        const bool passed = walked < r || walked == 0.0f;
        before = passed ? walked : before;
        group += passed;
    }
    int city = -1;
    bool reached = false;
    walked = before;
#pragma unroll 8
    for (int i = group * GROUP; i < group * GROUP + GROUP; ++i) {
        walked += products[i];
        if (reached || !(products[i] > 0.0f)) continue;
        city = i;
        reached = walked >= r;
    }
    return city;
}

template <int GROUP>
static __global__ void __launch_bounds__(MAX_WORKERS)
    data_rw_warp(tsp_device colony, unsigned long long seed, unsigned iteration)
{
    const int n = colony.n, workers = (int)blockDim.x, n_tiles = ceil_div(n, workers), cities = n_tiles * workers;
    SHARED_DYNAMIC(float, products, 0, cities);
    SHARED_DYNAMIC(float, sums, sizeof(float) * (size_t)cities, cities / GROUP);
    SHARED(unsigned long long, least, 1);          /* for the all-zero rule */
    SHARED(int, chosen, 1);                        /* the city to go to, -1 for the all-zero rule */
    SHARED(curandStatePhilox4_32_10_t, random, 1); /* used by thread 0; in registers every worker would have one */

    const int ant = (int)blockIdx.x, thread = (int)threadIdx.x;
    int *const tour = colony.tours + (size_t)ant * (size_t)(n + 1);
    long long length = 0;           /* used by thread 0 */
    int last_edge = 0;              /* added a step late, so that no step waits for its load */
    unsigned zero_weight_steps = 0; /* used by thread 0 */
    unsigned unvisited = unvisited_at_first(n);

    if (thread == 0) {
        curand_init(seed, ant_stream(colony, iteration, ant), 0, &random[0]);
        chosen[0] = tour[0] = min((int)(curand_uniform(&random[0]) * (float)n), n - 1);
    }
    __syncthreads();
    int current = chosen[0];

    for (int step = 1; step < n; ++step) {
        const size_t row = (size_t)current * (size_t)colony.stride;
        if (current % workers == thread) unvisited &= ~(1u << (current / workers));
#pragma unroll 4
        for (int tile = 0; tile < n_tiles; ++tile) {
            const int city = tile * workers + thread;
            const float weight = city < n ? colony.choice_info[row + (size_t)city] : 0.0f;
            const float product = weight * (float)(unvisited >> tile & 1u), sum = sum_of_group<GROUP>(product);
            products[city] = product;
            if (thread % GROUP == 0) sums[city / GROUP] = sum;
        }
        __syncthreads();
        if (thread == 0) chosen[0] = spin<GROUP>(curand_uniform(&random[0]), cities / GROUP, products, sums);
        __syncthreads();
        int next = chosen[0];
        if (next < 0) {
            next = nearest_unvisited(colony.dist + row, n, unvisited, least);
            ++zero_weight_steps;
        }
        if (thread == 0) {
            tour[step] = next;
            length += last_edge;
            last_edge = colony.dist[row + (size_t)next];
        }
        current = next;
    }

    if (thread == 0) finish_tour(colony, ant, tour, current, length + last_edge, zero_weight_steps);
}

static auto *kernel_for(int workers)
{
    return workers < WARP_SIZE ? data_rw_warp<HALF_WARP> : data_rw_warp<WARP_SIZE>;
}

static ab_status construct(const tsp_device *colony, const tsp_params *params, unsigned iteration)
{
    LAUNCH(kernel_for(worker_count(params)), colony->n_ants, worker_count(params),
           shared_bytes(colony->n, worker_count(params)))
    (*colony, params->seed, iteration);
    return AB_LAUNCHED("data_rw_warp");
}

static ab_status check(const tsp_problem *problem, const tsp_params *params)
{
    AB_TRY(tsp_check_workers(problem, worker_count(params)));
    return device_allow_shared((const void *)kernel_for(worker_count(params)),
                               shared_bytes(problem->n, worker_count(params)), params->carveout);
}

AB_OWN_PARAMETERS(tsp_data_rw_warp) = WORKER_PARAMETERS;

AB_RUNG(tsp_rung, tsp_data_rw_warp) = {.construct = construct, .check = check};
