/* Tour construction by data parallelism with the roulette wheel: a queen ant per block, a worker ant per thread.
 *
 * The workers tile over the cities: each multiplies choice_info by a 0 or 1 for visited or not and enters the product
 * in shared memory. Then "a particular thread is identified to proceed sequentially with the selection" (JPDC §3.2.3).
 * It adds all products, draws r up to their sum, and walks along them from the first city until their sum reaches r.
 * These are lines 9 and 12 to 18 of JPDC's Algorithm 2. The tabu list is a bit per tile in a register of each worker, hence at
 * most 32 tiles (§5.1.2).
 *
 * Decided here: JPDC's best of each tile's choice suits I-Roulette. With a wheel it would not be in proportion, so one
 * wheel goes over all tiles. Limits: n <= 32 * workers, 4 n bytes of shared memory. Per step and ant it reads one row
 * of choice_info, 4 n bytes, mostly from L2. A block waits for one thread's n additions and its walk of up to n more.
 * data_rw_warp.cu has sums of warps in their place. Source: JPDC §3.2.2, §3.2.3, Algorithm 2, §5.1.2; JSC §2.2.1.
 */
#include "kernels/cuda/cuda_random.h"
#include "kernels/tsp/worker_ants.h"

/* Bytes of dynamic shared memory: a product for each city, up to a whole vector of four, as which nvcc loads the last. */
static size_t shared_bytes(int n)
{
    return (size_t)ceil_div(n, 4) * sizeof(float4);
}

/* By one thread: the first city at which the sum of products reaches r, u of the sum of all; -1 if all weigh 0. Both
 * sums add the same numbers in the same order, so that the walk ends at the last city that weighs anything. */
static __device__ __forceinline__ int spin(float u, int n, shared_array<float> products)
{
    float total = 0.0f, walked = 0.0f;
    for (int city = 0; city < n; ++city) total += products[city];
    if (!(total > 0.0f)) return -1;
    const float r = u * total;
    int city = 0;
    for (; city < n; ++city) {
        walked += products[city];
        if (walked >= r && walked > 0.0f) break; /* u of the least numbers there are can be 0 */
    }
    return city;
}

static __global__ void __launch_bounds__(MAX_WORKERS)
    data_rw(tsp_device colony, unsigned long long seed, unsigned iteration)
{
    const int n = colony.n, workers = (int)blockDim.x, ant = (int)blockIdx.x, thread = (int)threadIdx.x;
    SHARED_DYNAMIC(float, products, 0, n);
    SHARED(unsigned long long, least, 1);          /* for the all-zero rule */
    SHARED(int, chosen, 1);                        /* the city to go to, -1 for the all-zero rule */
    SHARED(curandStatePhilox4_32_10_t, random, 1); /* used by thread 0; in registers every worker would have one */

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
        for (int city = thread, tile = 0; city < n; city += workers, ++tile)
            products[city] = colony.choice_info[row + (size_t)city] * (float)(unvisited >> tile & 1u);
        __syncthreads();
        if (thread == 0) chosen[0] = spin(curand_uniform(&random[0]), n, products);
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

static ab_status construct(const tsp_device *colony, const tsp_params *params, unsigned iteration)
{
    LAUNCH(data_rw, colony->n_ants, worker_count(params), shared_bytes(colony->n))(*colony, params->seed, iteration);
    return AB_LAUNCHED("data_rw");
}

static ab_status check(const tsp_problem *problem, const tsp_params *params)
{
    AB_TRY(tsp_check_workers(problem, worker_count(params)));
    return device_allow_shared((const void *)data_rw, shared_bytes(problem->n), params->carveout);
}

AB_OWN_PARAMETERS(tsp_data_rw) = WORKER_PARAMETERS;

AB_RUNG(tsp_rung, tsp_data_rw) = {.construct = construct, .check = check};
