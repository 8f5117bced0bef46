/* A construction kernel that visits the cities in order from city `ant`, right as it stands and wrong in one way for
 * each planted bug: verification must reject every one (tests/kernels/tsp/test_tsp_kernels.c). */
#include "kernels/tsp/colony.h"
#include "tests/planted/tsp_construct.h"

static __global__ void visit_in_order(tsp_device colony, int bug, int stride)
{
    const int ant = (int)blockIdx.x, n = colony.n;
    int *const tour = colony.tours + (size_t)ant * (size_t)(n + 1);
    if (threadIdx.x != 0 || (bug == BUG_IDLE_ANT && ant == colony.n_ants - 1)) return;
    for (int i = 0; i <= n; ++i) tour[i] = (ant + i * stride) % n;
    if (bug == BUG_VISITS_TWICE) tour[2] = tour[1];
    if (bug == BUG_NOT_CLOSED) tour[n] = tour[1];
    if (bug == BUG_NO_SUCH_CITY) tour[1] = n;
    long long length = 0;
    for (int i = 0; i < n; ++i)
        if (!(bug == BUG_FORGETS_AN_EDGE && i == n - 1) && tour[i] < n && tour[i + 1] < n)
            length += colony.dist[(size_t)tour[i] * (size_t)colony.stride + (size_t)tour[i + 1]];
    colony.lengths[ant] = length;
    if (!(bug == BUG_IGNORES_ANT_0 && ant == 0)) atomicMin(colony.iteration_best, tour_key(length, ant));
    if (bug == BUG_SPILLS_NAN) colony.pheromone[1] = nanf("");
    if (bug == BUG_SPILLS_A_LITTLE) colony.pheromone[1] *= 1.01f;
    if (bug == BUG_NAN_ON_DIAGONAL) colony.pheromone[0] = nanf("");
    if (bug == BUG_NAN_IN_PADDING) colony.pheromone[n] = nanf("");
    if (bug == BUG_DIAGONAL_WEIGHS) colony.choice_info[0] = 1.0f;
    if (bug == BUG_FORGETS_BEST) *colony.best = ~0ull;
    if (bug == BUG_ALL_ZERO_RULE && ant == 0) atomicAdd(colony.zero_weight_steps, 1ull);
}

template <int bug> static ab_status construct(const tsp_device *colony, const tsp_params *, unsigned iteration)
{
    LAUNCH(visit_in_order, colony->n_ants, 32, 0)(*colony, bug, bug == BUG_FORGETS_BEST && iteration % 2 ? 7 : 1);
    return AB_LAUNCHED("visit_in_order");
}

extern "C" ab_status planted_tsp_open(const tsp_problem *problem, const tsp_params *params, int bug,
                                      tsp_colony **colony)
{
    static const tsp_rung rungs[N_BUGS] = {
        {.construct = construct<0>},  {.construct = construct<1>},  {.construct = construct<2>},
        {.construct = construct<3>},  {.construct = construct<4>},  {.construct = construct<5>},
        {.construct = construct<6>},  {.construct = construct<7>},  {.construct = construct<8>},
        {.construct = construct<9>},  {.construct = construct<10>}, {.construct = construct<11>},
        {.construct = construct<12>}, {.construct = construct<13>},
    };
    return AB_GPU(tsp_open)(&rungs[bug], problem, params, colony);
}

/* ---- Every step ---- */

/* Where iteration `iteration` begins, in place of choice_info. */
static __global__ void note_iteration(tsp_device colony, int iteration)
{
    colony.choice_info[0] = (float)iteration;
}

/* The cities backwards from there, in the rung's own memory. */
static __global__ void list_backwards(tsp_device colony)
{
    const int n = colony.n;
    for (int i = 0; i < n; ++i) ((int *)colony.scratch)[i] = ((int)colony.choice_info[0] + n - i) % n;
}

static __device__ void measure(const tsp_device &colony, int ant, const int *tour)
{
    long long length = 0;
    for (int i = 0; i < colony.n; ++i)
        length += colony.dist[(size_t)tour[i] * (size_t)colony.stride + (size_t)tour[i + 1]];
    colony.lengths[ant] = length;
    atomicMin(colony.iteration_best, tour_key(length, ant));
}

/* Turned on by the ant's number. */
static __global__ void visit_list(tsp_device colony)
{
    const int ant = (int)blockIdx.x, n = colony.n;
    int *const tour = colony.tours + (size_t)ant * (size_t)(n + 1);
    for (int i = 0; i <= n; ++i) tour[i] = (((const int *)colony.scratch)[i % n] + ant) % n;
    measure(colony, ant, tour);
}

/* The other way round: no longer. */
static __global__ void turn_round(tsp_device colony)
{
    const int ant = (int)blockIdx.x, n = colony.n;
    int *const tour = colony.tours + (size_t)ant * (size_t)(n + 1);
    for (int i = 1; i < n - i; ++i) {
        const int city = tour[i];
        tour[i] = tour[n - i];
        tour[n - i] = city;
    }
    measure(colony, ant, tour);
}

static ab_status choice_step(const tsp_device *colony, const tsp_params *, unsigned iteration)
{
    LAUNCH(note_iteration, 1, 1, 0)(*colony, (int)iteration);
    return AB_LAUNCHED("note_iteration");
}

static ab_status prepare_step(const tsp_device *colony, const tsp_params *, unsigned)
{
    LAUNCH(list_backwards, 1, 1, 0)(*colony);
    return AB_LAUNCHED("list_backwards");
}

static ab_status construct_step(const tsp_device *colony, const tsp_params *, unsigned)
{
    LAUNCH(visit_list, colony->n_ants, 1, 0)(*colony);
    return AB_LAUNCHED("visit_list");
}

static ab_status improve_step(const tsp_device *colony, const tsp_params *, unsigned)
{
    LAUNCH(turn_round, colony->n_ants, 1, 0)(*colony);
    return AB_LAUNCHED("turn_round");
}

static ab_status deposit_step(const tsp_device *colony, const tsp_params *params, unsigned)
{
    AB_TRY(AB_GPU(tsp_evaporate)(colony, (float)params->rho));
    return AB_GPU(tsp_deposit_all)(colony);
}

static ab_status check_two(const tsp_problem *, const tsp_params *params)
{
    return params->n_ants >= 2 ? ab_ok() : ab_unsupported("needs two ants");
}

static size_t list_bytes(const tsp_problem *problem, const tsp_params *)
{
    return (size_t)problem->n * sizeof(int);
}

extern "C" ab_status planted_tsp_open_with_all_steps(const tsp_problem *problem, const tsp_params *params,
                                                     tsp_colony **colony)
{
    static const tsp_rung rung = {.construct = construct_step,
                                  .prepare = prepare_step,
                                  .improve = improve_step,
                                  .choice = choice_step,
                                  .deposit = deposit_step,
                                  .check = check_two,
                                  .scratch_bytes = list_bytes};
    return AB_GPU(tsp_open)(&rung, problem, params, colony);
}
