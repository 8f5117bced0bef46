/* The random proportional rule as plainly as it can be, a thread per ant, right as it stands and wrong for each fault in
 * how its ants choose, by tours that are all valid (tests/kernels/tsp/test_tsp_kernels.c). */
#include "kernels/cuda/cuda_random.h"
#include "kernels/tsp/colony.h"
#include "tests/planted/tsp_choices.h"

/* The next city by one spin, or -1 where all that are left weigh 0. */
static __device__ int spin(const float *weights, const bool *visited, int n, float u, int fault)
{
    float total = 0.0f, sum = 0.0f;
    int first = -1, last = -1, before_last = -1;
    for (int city = 0; city < n; ++city) {
        if (visited[city] || weights[city] <= 0.0f) continue;
        if (first < 0) first = city;
        before_last = last;
        last = city;
        total += weights[city];
    }
    for (int city = first; city >= 0 && city < last; ++city) {
        if (visited[city] || weights[city] <= 0.0f) continue;
        sum += weights[city];
        if (sum >= u * total && !(fault == CHOICE_FAULT_NEVER_FIRST && city == first)) return city;
    }
    return fault == CHOICE_FAULT_NEVER_LAST && before_last >= 0 ? before_last : last;
}

static __device__ int nearest(const int *dist, const bool *visited, int n, bool farthest)
{
    int found = -1;
    for (int city = 0; city < n; ++city)
        if (!visited[city] && (found < 0 || (farthest ? dist[city] > dist[found] : dist[city] < dist[found])))
            found = city;
    return found;
}

static __global__ void walk(tsp_device colony, int fault, unsigned long long seed, unsigned iteration)
{
    const int ant = (int)blockIdx.x, n = colony.n;
    int *const tour = colony.tours + (size_t)ant * (size_t)(n + 1);
    bool *const visited = (bool *)colony.scratch + (size_t)ant * (size_t)n;
    unsigned stream = iteration * (unsigned)colony.n_ants + (unsigned)ant, zero_weight_steps = 0;
    long long length = 0;
    curandStatePhilox4_32_10_t random;
    if (fault == CHOICE_FAULT_ANTS_ALIKE) stream = iteration;
    if (fault == CHOICE_FAULT_ITERATIONS_ALIKE) stream = (unsigned)ant;
    if (fault == CHOICE_FAULT_ANTS_SHIFTED) stream = iteration + (unsigned)ant;
    curand_init(seed, stream, 0, &random);
    for (int city = 0; city < n; ++city) visited[city] = false;
    tour[0] = min((int)(curand_uniform(&random) * (float)n), n - 1);
    for (int step = 1; step < n; ++step) {
        const size_t row = (size_t)tour[step - 1] * (size_t)colony.stride;
        const float u = curand_uniform(&random) * (fault == CHOICE_FAULT_NARROW ? 0.75f : 1.0f);
        visited[tour[step - 1]] = true;
        tour[step] = spin(colony.choice_info + row, visited, n, u, fault);
        if (tour[step] < 0) {
            tour[step] = nearest(colony.dist + row, visited, n, fault == CHOICE_FAULT_FARTHEST);
            if (fault != CHOICE_FAULT_UNCOUNTED) ++zero_weight_steps;
        }
        length += colony.dist[row + (size_t)tour[step]];
    }
    finish_tour(colony, ant, tour, tour[n - 1], length, zero_weight_steps);
}

template <int fault> static ab_status construct(const tsp_device *colony, const tsp_params *params, unsigned iteration)
{
    LAUNCH(walk, colony->n_ants, 1, 0)(*colony, fault, params->seed, iteration);
    return AB_LAUNCHED("walk");
}

static size_t visited_bytes(const tsp_problem *problem, const tsp_params *params)
{
    return (size_t)params->n_ants * (size_t)problem->n;
}

extern "C" ab_status planted_choices_open(const tsp_problem *problem, const tsp_params *params, int fault,
                                          tsp_colony **colony)
{
    static const tsp_rung rungs[N_CHOICE_FAULTS] = {
        {.construct = construct<0>, .scratch_bytes = visited_bytes},
        {.construct = construct<1>, .scratch_bytes = visited_bytes},
        {.construct = construct<2>, .scratch_bytes = visited_bytes},
        {.construct = construct<3>, .scratch_bytes = visited_bytes},
        {.construct = construct<4>, .scratch_bytes = visited_bytes},
        {.construct = construct<5>, .scratch_bytes = visited_bytes},
        {.construct = construct<6>, .scratch_bytes = visited_bytes},
        {.construct = construct<7>, .scratch_bytes = visited_bytes},
        {.construct = construct<8>, .scratch_bytes = visited_bytes},
    };
    return AB_GPU(tsp_open)(&rungs[fault], problem, params, colony);
}
