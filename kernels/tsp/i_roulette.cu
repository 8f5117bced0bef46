/* Tour construction by I-Roulette as its authors describe it: a queen ant per block, a worker ant per thread.
 *
 * Every city draws its own random number r. The workers tile over the cities. Each multiplies r, choice_info and a 0 or
 * 1 for visited or not, and enters the product in shared memory, where the block reduces it to the tile's partial best.
 * One thread then takes the best of the partial bests (JPDC §3.2.2-3.2.3, Algorithm 3). That is not proportional: heavy
 * cities win more often than their share. The tabu list is a bit per tile in a register of each worker (§5.1.2). Random
 * numbers and the tour are in shared memory (thesis §3.6.4). 128 workers are JPDC's best. Decided here: "the best
 * absolute heuristic value" is the largest product (thesis §3.5.1). The reduction halves the block at each barrier,
 * down to one warp, which needs no barrier. A product and its city are one word; surplus workers idle.
 *
 * Floor: barriers of the whole block, log2(workers) - 4 for each tile of each step.
 * Limits: n <= 32 * workers, as a register holds 32 tiles; 8 n bytes of shared memory and 8 per worker.
 * Source: JPDC §3.2.2, §3.2.3, §5.1.2; thesis §3.5.1.
 */
#include "kernels/cuda/cuda_random.h"
#include "kernels/cuda/warp.h"
#include "kernels/tsp/colony.h"
#include "kernels/tsp/worker_params.h"

enum { DRAWS = 4 /* random numbers per cuRAND call */ };

/* Layout of the dynamic shared memory, in bytes. */
static size_t shared_bytes(int n, int workers)
{
    return (size_t)(workers + ceil_div(n, workers)) * sizeof(unsigned long long) +
           (size_t)n * (sizeof(float) + sizeof(int));
}

/* Enters this worker's key, and leaves the largest of the block in keys[0], which thread 0 may read. */
static __device__ __forceinline__ void reduce_largest(unsigned long long key, shared_array<unsigned long long> keys)
{
    const int thread = (int)threadIdx.x, workers = (int)blockDim.x, last = min(workers, (int)WARP_SIZE);
    keys[thread] = key;
    __syncthreads();
    for (int half = workers / 2; half >= WARP_SIZE; half /= 2) {
        if (thread < half && keys[thread + half] > keys[thread]) keys[thread] = keys[thread + half];
        __syncthreads();
    }
    if (thread >= last) return;
    for (int half = last / 2; half > 0; half /= 2) {
        if (thread < half && keys[thread + half] > keys[thread]) keys[thread] = keys[thread + half];
        __syncwarp(FULL_WARP >> (WARP_SIZE - last));
    }
}

/* Draws a random number for each city; each worker draws for its own cities. */
static __device__ __forceinline__ void draw_all(int n, curandStatePhilox4_32_10_t &random, shared_array<float> draws)
{
    const int workers = (int)blockDim.x;
    for (int first = (int)threadIdx.x; first < n; first += DRAWS * workers) {
        const float4 r = curand_uniform4(&random);
        const float draw[DRAWS] = {r.x, r.y, r.z, r.w};
#pragma unroll
        for (int i = 0; i < DRAWS; ++i)
            if (first + i * workers < n) draws[first + i * workers] = draw[i];
    }
}

/* The all-zero rule (tsp.h), by the whole block. Bit t of `unvisited` stands for this worker's city of tile t. */
static __device__ int nearest_unvisited(const int *dist, int n, unsigned unvisited,
                                        shared_array<unsigned long long> keys)
{
    unsigned long long nearest = 0;
    for (int city = (int)threadIdx.x; city < n; city += (int)blockDim.x, unvisited >>= 1)
        if ((unvisited & 1u) && ~city_key(dist[city], city) > nearest) nearest = ~city_key(dist[city], city);
    reduce_largest(nearest, keys);
    __syncthreads();
    const int city = (int)(unsigned)~keys[0];
    __syncthreads(); /* every worker has read it */
    return city;
}

static __global__ void __launch_bounds__(MAX_WORKERS)
    i_roulette(tsp_device colony, unsigned long long seed, unsigned iteration)
{
    const int n = colony.n, workers = (int)blockDim.x, n_tiles = ceil_div(n, workers);
    const size_t keys = sizeof(unsigned long long) * (size_t)(workers + n_tiles);
    SHARED_DYNAMIC(unsigned long long, products, 0, workers); /* products of a tile: best_key of each worker's
                                                               * product */
    SHARED_DYNAMIC(unsigned long long, partial_best, sizeof(unsigned long long) * (size_t)workers, n_tiles);
    SHARED_DYNAMIC(float, draws, keys, n); /* this step's random numbers */
    SHARED_DYNAMIC(int, tour, keys + sizeof(float) * (size_t)n, n);

    const int ant = (int)blockIdx.x, thread = (int)threadIdx.x;
    long long length = 0;           /* used by thread 0 */
    int last_edge = 0;              /* added a step late, so that no step waits for its load */
    unsigned zero_weight_steps = 0; /* used by thread 0 */
    unsigned unvisited = 0;         /* bit t: city t * workers + thread is not visited */
    for (int tile = 0; tile < n_tiles; ++tile)
        if (tile * workers + thread < n) unvisited |= 1u << tile;

    curandStatePhilox4_32_10_t random;
    const unsigned long long stream = ant_stream(colony, iteration, ant);
    curand_init(seed, stream * (unsigned)workers + (unsigned)thread, 0, &random);
    const float start = curand_uniform4(&random).x;
    if (thread == 0) tour[0] = min((int)(start * (float)n), n - 1);
    __syncthreads();
    int current = tour[0];

    for (int step = 1; step < n; ++step) {
        const size_t row = (size_t)current * (size_t)colony.stride;
        if (current % workers == thread) unvisited &= ~(1u << (current / workers));
        draw_all(n, random, draws);
        for (int tile = 0; tile < n_tiles; ++tile) {
            const int city = tile * workers + thread;
            float product = 0.0f;
            if (city < n)
                product = draws[city] * colony.choice_info[row + (size_t)city] * (float)(unvisited >> tile & 1u);
            reduce_largest(best_key(product, city), products);
            if (thread == 0) partial_best[tile] = products[0];
        }
        if (thread == 0) {
            unsigned long long best = partial_best[0];
            for (int tile = 1; tile < n_tiles; ++tile)
                if (partial_best[tile] > best) best = partial_best[tile];
            tour[step] = best_weighs_nothing(best) ? -1 : best_city(best);
        }
        __syncthreads();
        int next = tour[step];
        if (next < 0) {
            next = nearest_unvisited(colony.dist + row, n, unvisited, products);
            ++zero_weight_steps;
            if (thread == 0) tour[step] = next;
        }
        if (thread == 0) {
            length += last_edge;
            last_edge = colony.dist[row + (size_t)next];
        }
        current = next;
    }

    __syncthreads();
    int *const finished = colony.tours + (size_t)ant * (size_t)(n + 1);
    for (int i = thread; i < n; i += workers) finished[i] = tour[i];
    if (thread == 0) finish_tour(colony, ant, finished, current, length + last_edge, zero_weight_steps);
}

static ab_status construct(const tsp_device *colony, const tsp_params *params, unsigned iteration)
{
    LAUNCH(i_roulette, colony->n_ants, worker_count(params), shared_bytes(colony->n, worker_count(params)))
    (*colony, params->seed, iteration);
    return AB_LAUNCHED("i_roulette");
}

static ab_status check(const tsp_problem *problem, const tsp_params *params)
{
    AB_TRY(tsp_check_workers(problem, worker_count(params)));
    return device_allow_shared((const void *)i_roulette, shared_bytes(problem->n, worker_count(params)),
                               params->carveout);
}

AB_OWN_PARAMETERS(tsp_i_roulette) = WORKER_PARAMETERS;

AB_RUNG(tsp_rung, tsp_i_roulette) = {.construct = construct, .check = check};
