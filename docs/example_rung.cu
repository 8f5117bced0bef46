/* The smallest way of building tours on a GPU: an ant per thread, which spins one roulette over all cities left.
 *
 * Nothing is shared and nothing is kept but the tour itself: its first cities are those visited, the others, in any
 * order, those left. Exact, and slow: the threads of a warp read rows of their own. It is in no table; the tests build
 * it, register it as tsp/example and run it like every other, so that it is right. To begin a kernel of yours,
 *
 *   1. copy this file to kernels/tsp/mine.cu, call the rung tsp_mine and write a kernel;
 *   2. add a line to bench/registry.def, which says what its tours must be like (AB_EXACT: in proportion):
 *          GPU(tsp, "mine", tsp_mine, "kernels/tsp/mine.cu", AB_EXACT, "source", "what it does")
 *   3. make test-kernel check-gpu ID=tsp/mine; build/bin/antbench 3.3 --implementations tsp/mine
 *
 * kernels/tsp/colony.h says what else a rung may have: memory of its own, preconditions, further steps.
 * Source: thesis §3.2, eq. 3.1.
 */
#include "kernels/cuda/cuda_random.h"
#include "kernels/tsp/colony.h"

enum { N_THREADS = 64 };

/* The place in the tour, from `step` on, of the next city: in proportion to choice_info; the nearest where all that are
 * left weigh nothing (tsp.h). */
static __device__ int choose(const tsp_device &colony, const int *tour, int step, float u, unsigned &zero_weight_steps)
{
    const size_t row = (size_t)tour[step - 1] * (size_t)colony.stride;
    float total = 0.0f, walked = 0.0f;
    for (int i = step; i < colony.n; ++i) total += colony.choice_info[row + (size_t)tour[i]];
    int chosen = -1, nearest = step;
    for (int i = step; i < colony.n && !(chosen >= 0 && walked >= u * total); ++i) {
        const float weight = colony.choice_info[row + (size_t)tour[i]];
        if (weight > 0.0f) chosen = i;
        walked += weight;
    }
    if (chosen >= 0) return chosen;
    for (int i = step; i < colony.n; ++i)
        if (city_key(colony.dist[row + (size_t)tour[i]], tour[i]) <
            city_key(colony.dist[row + (size_t)tour[nearest]], tour[nearest]))
            nearest = i;
    ++zero_weight_steps;
    return nearest;
}

static __global__ void example(tsp_device colony, unsigned long long seed, unsigned iteration)
{
    const int n = colony.n, ant = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (ant >= colony.n_ants) return;
    int *const tour = colony.tours + (size_t)ant * (size_t)(n + 1);
    long long length = 0;
    unsigned zero_weight_steps = 0;
    curandStatePhilox4_32_10_t random;
    curand_init(seed, ant_stream(colony, iteration, ant), 0, &random);
    for (int city = 0; city < n; ++city) tour[city] = city;
    for (int step = 0; step < n; ++step) {
        const float u = curand_uniform(&random);
        const int place =
            step == 0 ? min((int)(u * (float)n), n - 1) : choose(colony, tour, step, u, zero_weight_steps);
        const int city = tour[place];
        tour[place] = tour[step];
        tour[step] = city;
        if (step > 0) length += colony.dist[(size_t)tour[step - 1] * (size_t)colony.stride + (size_t)city];
    }
    finish_tour(colony, ant, tour, tour[n - 1], length, zero_weight_steps);
}

static ab_status construct(const tsp_device *colony, const tsp_params *params, unsigned iteration)
{
    LAUNCH(example, ceil_div(colony->n_ants, N_THREADS), N_THREADS, 0)(*colony, params->seed, iteration);
    return AB_LAUNCHED("example");
}

AB_RUNG(tsp_rung, tsp_example) = {.construct = construct};
