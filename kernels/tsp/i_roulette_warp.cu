/* Tour construction by I-Roulette, our way: as i_roulette.cu, but one reduction per step, by shuffles and in registers.
 *
 * A block of 128 threads per ant, a thread per city of a tile. Every unvisited city draws its own random number r, and
 * the city with the largest r * weight is next. The maximum is kept per thread over the tiles and reduced once per
 * step. Within warps one instruction does that on GPUs that have it, so a step has one barrier. Products and random
 * numbers never leave registers, and the tour goes to global memory at once. Each thread's tabu list is one bit per
 * tile in a register. Limit: n <= 4096. Bound by arithmetic: n Philox numbers per step and ant. Source: the rule is
 * JPDC's (§3.2.3, Algorithm 3), the way of computing it this project's.
 */
#include "kernels/cuda/cuda_random.h"
#include "kernels/cuda/warp.h"
#include "kernels/tsp/colony.h"

enum { N_WARPS = 4, N_THREADS = N_WARPS * WARP_SIZE, MAX_TILES = 32, DRAWS = 4 /* random numbers per cuRAND call */ };

/* The largest value of the warp and the lowest city among those that have it; value 0 comes with city -1. */
static __device__ __forceinline__ void warp_max(float &value, int &city)
{
    const float largest = warp_max(value);
    city = (int)warp_min(value == largest ? (unsigned)city : ~0u);
    value = largest;
}

static __global__ void __launch_bounds__(N_THREADS)
    i_roulette_warp(tsp_device colony, unsigned long long seed, unsigned iteration)
{
    SHARED(float, warp_value, 2 * N_WARPS);       /* each warp's largest value, for odd and even steps, ... */
    SHARED(int, warp_city, 2 * N_WARPS);          /* ... and its city */
    SHARED(unsigned long long, nearest, N_WARPS); /* each warp's least city_key, for the all-zero rule */
    SHARED(int, first, 1);                        /* the start city */

    const int n = colony.n, stride = colony.stride, n_tiles = ceil_div(n, N_THREADS);
    const int ant = (int)blockIdx.x, thread = (int)threadIdx.x, warp = thread / WARP_SIZE, lane = thread % WARP_SIZE;
    int *const tour = colony.tours + (size_t)ant * (size_t)(n + 1);
    long long length = 0;
    int last_edge = 0; /* added a step late, so that no step waits for its load */
    unsigned zero_weight_steps = 0;

    unsigned unvisited = 0; /* bit t: city t * 128 + thread is not visited */
    for (int tile = 0; tile < n_tiles; ++tile)
        if (tile * N_THREADS + thread < n) unvisited |= 1u << tile;

    curandStatePhilox4_32_10_t random;
    const unsigned long long stream = ant_stream(colony, iteration, ant);
    curand_init(seed, stream * N_THREADS + (unsigned)thread, 0, &random);
    const float4 start = curand_uniform4(&random);
    if (thread == 0) first[0] = min((int)(start.x * (float)n), n - 1);
    __syncthreads();
    int current = first[0];
    if (thread == 0) tour[0] = current;
    if (current % N_THREADS == thread) unvisited &= ~(1u << (current / N_THREADS));

    for (int step = 1; step < n; ++step) {
        const float *const row = colony.choice_info + (size_t)current * (size_t)stride;
        float value = 0.0f;
        int city = -1;
        for (int tile = 0; tile < n_tiles; tile += DRAWS) {
            const float4 r = curand_uniform4(&random);
            const float draw[DRAWS] = {r.x, r.y, r.z, r.w};
#pragma unroll
            for (int i = 0; i < DRAWS; ++i) {
                const int candidate = (tile + i) * N_THREADS + thread;
                if (candidate >= n) continue;
                const float weight = draw[i] * row[candidate] * (float)(unvisited >> (tile + i) & 1u);
                if (weight > value) {
                    value = weight;
                    city = candidate;
                }
            }
        }
        warp_max(value, city);
        const int set = step % 2 * N_WARPS; /* so that no thread writes what another still reads from the last step */
        if (lane == 0) {
            warp_value[set + warp] = value;
            warp_city[set + warp] = city;
        }
        __syncthreads();
        value = 0.0f;
        city = -1;
        for (int i = set; i < set + N_WARPS; ++i)
            if (warp_value[i] > value || (warp_value[i] == value && (unsigned)warp_city[i] < (unsigned)city)) {
                value = warp_value[i];
                city = warp_city[i];
            }

        if (city < 0) { /* all unvisited cities weigh 0 (tsp.h); the whole block agrees */
            unsigned long long key = ~0ull;
            for (int tile = 0; tile < n_tiles; ++tile)
                if (unvisited >> tile & 1u) {
                    const int candidate = tile * N_THREADS + thread;
                    const int distance = colony.dist[(size_t)current * (size_t)stride + (size_t)candidate];
                    if (city_key(distance, candidate) < key) key = city_key(distance, candidate);
                }
            key = warp_min(key);
            if (lane == 0) nearest[warp] = key;
            __syncthreads();
            for (int i = 0; i < N_WARPS; ++i)
                if (nearest[i] < key) key = nearest[i];
            city = (int)(unsigned)key;
            ++zero_weight_steps;
            __syncthreads(); /* every thread has read nearest */
        }

        if (thread == 0) {
            tour[step] = city;
            length += last_edge;
            last_edge = colony.dist[(size_t)current * (size_t)stride + (size_t)city];
        }
        if (city % N_THREADS == thread) unvisited &= ~(1u << (city / N_THREADS));
        current = city;
    }

    if (thread == 0) finish_tour(colony, ant, tour, current, length + last_edge, zero_weight_steps);
}

static ab_status construct(const tsp_device *colony, const tsp_params *params, unsigned iteration)
{
    LAUNCH(i_roulette_warp, colony->n_ants, N_THREADS, 0)(*colony, params->seed, iteration);
    return AB_LAUNCHED("i_roulette_warp");
}

static ab_status check(const tsp_problem *problem, const tsp_params *params)
{
    if (problem->n > MAX_TILES * N_THREADS)
        return ab_unsupported("needs n <= %d (one tabu bit per tile in a 32-bit register), n is %d",
                              MAX_TILES * N_THREADS, problem->n);
    return device_allow_shared((const void *)i_roulette_warp, 0, params->carveout);
}

AB_RUNG(tsp_rung, tsp_i_roulette_warp) = {.construct = construct, .check = check};
