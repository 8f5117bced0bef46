/* tsp/race-candidates with a stage "improve" of its own: the usual one, that one a move at a time, and with a fault
 * in what it leaves: verification must find every one (tests/kernels/tsp/test_improve.c). Device memory is the
 * heap on the host backend. */
#define tsp_race_candidates planted_improve_rung
#include "kernels/tsp/race_candidates.cu"

#include <limits.h>

#include "tests/planted/tsp_improve.h"

/* Behind the rung's own scratch memory. */
static size_t own_bytes(const tsp_device *colony)
{
    tsp_problem problem = {};
    tsp_params params = {};
    problem.n = colony->n;
    problem.nn = colony->nn;
    params.n_ants = colony->n_ants;
    return (scratch_bytes(&problem, &params) + 255) / 256 * 256;
}

static tsp_near *near_of(const tsp_device *colony)
{
    return (tsp_near *)((char *)colony->scratch + own_bytes(colony));
}

static size_t bytes_with_near(const tsp_problem *problem, const tsp_params *params)
{
    return scratch_bytes(problem, params) + 256 + (size_t)problem->n * TSP_NEAR * sizeof(tsp_near);
}

static ab_status begin_with_near(const tsp_device *colony, const tsp_problem *problem, const tsp_params *params)
{
    const int n = problem->n, count = n > TSP_NEAR ? (int)TSP_NEAR : n - 1;
    int32_t *list = NULL;
    AB_TRY(tsp_nearest_neighbours(problem, count, &list));
    for (int i = 0; i < n * TSP_NEAR; ++i) {
        const int city = i / TSP_NEAR, k = i % TSP_NEAR, to = k < count ? list[city * count + k] : city;
        near_of(colony)[i] = {to, k < count ? tsp_distance(problem, city, to) : (int)TSP_NO_CITY};
    }
    free(list);
    return begin(colony, problem, params);
}

static long long measure(const tsp_device *colony, const int *tour)
{
    long long length = 0;
    for (int i = 0; i < colony->n; ++i)
        length += colony->dist[(size_t)tour[i] * (size_t)colony->stride + (size_t)tour[i + 1]];
    return length;
}

/* Two cities change places. */
static void lengthen(const tsp_device *colony)
{
    int *const tour = colony->tours;
    const int city = tour[1];
    tour[1] = tour[colony->n / 2];
    tour[colony->n / 2] = city;
    colony->lengths[0] = measure(colony, tour);
}

template <int fault>
static ab_status improve_step(const tsp_device *colony, const tsp_params *params, unsigned iteration)
{
    const unsigned long long best = *colony->iteration_best;
    if (fault == IMPROVE_FAULT_IDLE) return ab_ok();
    if (fault == IMPROVE_FAULT_LONGER) {
        lengthen(colony);
        return ab_ok();
    }
    AB_TRY(AB_GPU(tsp_improve)(colony, near_of(colony), params->improve, fault == IMPROVE_ONE_MOVE ? 1 : INT_MAX));
    int *const last = colony->tours + (size_t)(colony->n_ants - 1) * (size_t)(colony->n + 1);
    if (fault == IMPROVE_FAULT_GAIN) --colony->lengths[0];
    if (fault == IMPROVE_FAULT_TWICE) last[2] = last[1];
    if (fault == IMPROVE_FAULT_BEST) *colony->iteration_best = best;
    return fault == IMPROVE_FAULT_LINKS ? ab_ok() : relink(colony, params, iteration);
}

#define FAULTY(fault)                                                                                                  \
    {                                                                                                                  \
        .construct = construct, .improve = improve_step<fault>, .choice = choice, .resets_best = true,                 \
        .same_weights = true, .factors = factors, .deposit = deposit, .check = check,                                  \
        .scratch_bytes = bytes_with_near, .begin = begin_with_near                                                     \
    }

/* near[n][count] with the distances, filled up to TSP_NEAR. */
static tsp_near *pad_lists(const tsp_problem *problem, const int32_t *near, int count)
{
    const int n = problem->n;
    tsp_near *const padded = (tsp_near *)malloc((size_t)n * TSP_NEAR * sizeof *padded);
    for (int i = 0; padded && i < n * TSP_NEAR; ++i) {
        const int city = i / TSP_NEAR, k = i % TSP_NEAR, to = k < count ? near[city * count + k] : city;
        padded[i] = {to, k < count ? tsp_distance(problem, city, to) : (int)TSP_NO_CITY};
    }
    return padded;
}

extern "C" ab_status planted_improve_tours(const tsp_problem *problem, const int32_t *near, int count, int most_moves,
                                           int n_ants, int32_t *tours, int64_t *lengths)
{
    unsigned long long best = ~0ull;
    tsp_device colony = {};
    tsp_near *const lists = pad_lists(problem, near, count);
    if (!lists) return ab_failed("out of memory: %d cities", problem->n);
    static_assert(sizeof *lengths == sizeof *colony.lengths, "lengths are written as they are");
    colony.n = colony.stride = problem->n;
    colony.n_ants = n_ants;
    colony.dist = problem->dist;
    colony.tours = tours;
    colony.lengths = (long long *)lengths;
    colony.iteration_best = &best;
    const ab_status status = AB_GPU(tsp_improve)(&colony, lists, TSP_IMPROVE_ALL, most_moves);
    free(lists);
    return status;
}

extern "C" ab_status planted_improve_open(const tsp_problem *problem, const tsp_params *params, int fault,
                                          tsp_colony **colony)
{
    static const tsp_rung rungs[N_IMPROVE_FAULTS] = {FAULTY(0), FAULTY(1), FAULTY(2), FAULTY(3),
                                                     FAULTY(4), FAULTY(5), FAULTY(6), FAULTY(7)};
    return AB_GPU(tsp_open)(&rungs[fault], problem, params, colony);
}
