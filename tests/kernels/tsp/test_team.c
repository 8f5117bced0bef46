/* Colonies of several ranks (kernels/tsp/team/team.h), on the CPU and on the host backend: as one process here and, with MPI,
 * as several (build/bin/tests/test_team_mpi, which tests/bench/program/test_ranks.py starts).
 *
 * A divided colony builds the tours that its part's implementation builds alone; an island those of a lone colony with
 * the same ants, and what it takes in is the best tour of the others.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kernels/operation.h"
#include "kernels/tsp/check/verify.h"
#include "kernels/tsp/team/team.h"
#include "mpi/ranks.h"
#include "mpi/workers.h"
#include "tests/support/problems.h"
#include "tests/support/registered.h"

enum { N = 24, ANTS = 13, NN = 8, ITERATIONS = 3 };

#define assert_ok(expression)                                                                                          \
    do {                                                                                                               \
        const ab_status assert_ok_status = (expression);                                                               \
        if (assert_ok_status.code != AB_OK) fail_msg("%s", assert_ok_status.reason);                                   \
    } while (0)

/* What is joined, and what it is made of. */
static const struct pair {
    const char *split, *islands, *part;
    ab_backend backend;
} pairs[] = {{"tsp/cpu-split", "tsp/cpu-islands", "tsp/cpu-vectors-nn", AB_CPU},
             {"tsp/split", "tsp/islands", "tsp/race-candidates", AB_HOST}};
enum { PAIRS = sizeof pairs / sizeof *pairs };

static tsp_problem problem;
static int32_t *sets;

static int make_problem(void **state)
{
    (void)state;
    problem = random_problem(N, 1000, 5);
    if (tsp_nearest_neighbours(&problem, NN, &sets).code != AB_OK) return 1;
    problem.nn = NN;
    problem.nn_list = sets;
    return 0;
}

static int drop_problem(void **state)
{
    (void)state;
    problem.nn_list = NULL;
    free(sets);
    free_problem(&problem);
    return 0;
}

static tsp_params params_of(tsp_protocol protocol)
{
    tsp_params params = tsp_default_params(N, protocol);
    params.n_ants = ANTS;
    params.nn = NN;
    params.ranks = ranks_count();
    return params;
}

static tsp_colony *opened(const char *id, ab_backend backend, const tsp_params *params)
{
    tsp_colony *colony = NULL;
    assert_ok(open_colony(registered(id, backend)->open, &problem, params, &colony));
    return colony;
}

static void close_colony(tsp_colony *colony)
{
    colony->work.methods->close(&colony->work);
}

/* A copy of everything that a colony shows. */
typedef struct shown {
    int32_t tours[ANTS][N + 1], best_tour[N + 1];
    int64_t lengths[ANTS];
    float pheromone[N][N];
    tsp_result result;
} shown;

static shown *look(tsp_colony *colony, shown *at)
{
    at->result = (tsp_result){.tours = at->tours[0], .lengths = at->lengths, .best_tour = at->best_tour};
    assert_ok(colony->methods->read(colony, &at->result));
    assert_ok(colony->methods->read_pheromone(colony, at->pheromone[0]));
    return at;
}

static void assert_same_pheromone(const shown *a, const shown *b, double tolerance)
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            if (i != j &&
                fabs((double)a->pheromone[i][j] - (double)b->pheromone[i][j]) > tolerance * (double)b->pheromone[i][j])
                fail_msg("pheromone[%d][%d] is %.9g, not %.9g", i, j, (double)a->pheromone[i][j],
                         (double)b->pheromone[i][j]);
}

/* ---- One colony ---- */

static void compare_split(const struct pair *pair, tsp_protocol protocol)
{
    static shown divided, alone;
    const tsp_params params = params_of(protocol);
    tsp_params of_one = params;
    of_one.ranks = 1;
    tsp_colony *team = opened(pair->split, pair->backend, &params);
    tsp_colony *one = opened(pair->part, pair->backend, &of_one);
    for (int i = 0; i < ITERATIONS; i++) {
        assert_ok(ab_iterate(&team->work));
        assert_ok(ab_iterate(&one->work));
        look(team, &divided);
        look(one, &alone);
        assert_memory_equal(divided.tours, alone.tours, sizeof alone.tours);
        assert_memory_equal(divided.lengths, alone.lengths, sizeof alone.lengths);
        assert_int_equal(divided.result.best_length, alone.result.best_length);
        assert_int_equal(divided.result.zero_weight_steps, alone.result.zero_weight_steps);
        assert_int_equal(divided.result.iterations, i + 1);
        assert_same_pheromone(&divided, &alone, 1e-5);
    }
    close_colony(team);
    close_colony(one);
}

static void a_divided_colony_builds_the_tours_of_one(void **state)
{
    (void)state;
    for (int k = 0; k < PAIRS; k++) {
        compare_split(&pairs[k], TSP_ALL_ANTS);
        compare_split(&pairs[k], TSP_BEST_ANT);
    }
}

/* ---- Islands ---- */

/* The lone colony that the first island is until something arrives. */
static tsp_colony *first_island_alone(const struct pair *pair, const tsp_params *params)
{
    tsp_params lone = *params;
    lone.ranks = 1;
    lone.n_ants = ANTS / params->ranks;
    lone.all_ants = ANTS;
    return opened(pair->part, pair->backend, &lone);
}

/* Whether a better tour has arrived on the first island, in which case the pheromone has grown on its edges by 1/length
 * each way; else nothing has changed. */
static bool check_arrival(const shown *before, const shown *after)
{
    const bool arrived = after->result.best_length < before->result.best_length;
    static shown expected;
    expected = *before;
    for (int k = 0; arrived && k < N; k++) {
        const int32_t a = after->best_tour[k], b = after->best_tour[k + 1];
        expected.pheromone[a][b] += 1.0f / (float)after->result.best_length;
        expected.pheromone[b][a] += 1.0f / (float)after->result.best_length;
    }
    assert_same_pheromone(after, &expected, 1e-6);
    return arrived;
}

/* Two iterations apart, then what the exchange makes of the first island. */
static bool exchange_once(const struct pair *pair, tsp_params params)
{
    static shown together, alone, after;
    tsp_colony *team = opened(pair->islands, pair->backend, &params);
    tsp_colony *lone = first_island_alone(pair, &params);
    const size_t own = (size_t)(ANTS / params.ranks);
    for (int i = 0; i < params.exchange; i++) {
        assert_ok(ab_iterate(&team->work));
        assert_ok(ab_iterate(&lone->work));
    }
    look(team, &together);
    look(lone, &alone);
    assert_memory_equal(together.tours, alone.tours, own * sizeof alone.tours[0]);
    assert_same_pheromone(&together, &alone, 0.0);
    assert_true(together.result.best_length <= alone.result.best_length);
    for (int ant = 0; ant < ANTS; ant++) assert_tour(&problem, together.tours[ant], together.lengths[ant]);
    assert_ok(run_stage_named(&team->work, "exchange"));
    look(team, &after);
    const bool of_all = params.topology == TSP_ALL || params.ranks == 2; /* is what arrives the best that is shown? */
    const bool arrived = of_all && check_arrival(&alone, &after);
    assert_int_equal(after.result.best_length, together.result.best_length);
    close_colony(team);
    close_colony(lone);
    return arrived;
}

static void islands_take_in_the_best_tours_of_others(void **state)
{
    (void)state;
    for (int k = 0; k < PAIRS; k++)
        for (int topology = TSP_RING; topology <= TSP_ALL; topology++) {
            int arrived = 0;
            tsp_params params = params_of(TSP_BEST_ANT);
            params.topology = topology;
            params.exchange = 2;
            for (params.seed = 1; params.seed <= 4; params.seed++) arrived += exchange_once(&pairs[k], params);
            if (params.ranks == 1) assert_int_equal(arrived, 0);
            if (params.ranks == 2 || (params.ranks > 2 && topology == TSP_ALL)) assert_in_range(arrived, 1, 4);
        }
}

/* What a ring carries on: after as many exchanges as there are ranks the first island has seen the best of all. */
static void a_ring_carries_the_best_tour_round(void **state)
{
    (void)state;
    static shown now;
    tsp_params params = params_of(TSP_BEST_ANT);
    params.exchange = 1;
    tsp_colony *team = opened("tsp/cpu-islands", AB_CPU, &params);
    assert_ok(ab_iterate(&team->work));
    const int64_t best = look(team, &now)->result.best_length;
    for (int i = 0; i < params.ranks; i++) assert_ok(run_stage_named(&team->work, "exchange"));
    look(team, &now);
    assert_int_equal(now.result.best_length, best);
    double most = 0.0;
    for (int k = 0; k < N; k++) most += (double)now.pheromone[now.best_tour[k]][now.best_tour[k + 1]];
    double initial;
    assert_ok(tsp_initial_pheromone(&problem, params.rho, &initial));
    const double level = (1.0 - params.rho) * initial;
    assert_true(most / N > level + 0.99 / (double)best); /* on all its edges there is a deposit more */
    close_colony(team);
}

/* While one work has the ranks no other can have them. */
static void one_work_of_several_ranks_at_a_time(void **state)
{
    (void)state;
    const tsp_params params = params_of(TSP_ALL_ANTS);
    tsp_colony *colony = opened("tsp/cpu-split", AB_CPU, &params), *other = NULL;
    ab_open *const open = registered("tsp/cpu-islands", AB_CPU)->open;
    const ab_status status = open_colony(open, &problem, &params, &other);
    assert_int_equal(status.code, AB_FAILED);
    assert_non_null(strstr(status.reason, "one work of several ranks at a time"));
    assert_ok(ab_iterate(&colony->work));
    close_colony(colony);
    assert_ok(open_colony(open, &problem, &params, &other));
    close_colony(other);
}

/* ---- Either ---- */

static void both_pass_verification(void **state)
{
    (void)state;
    for (int k = 0; k < PAIRS; k++)
        for (int islands = 0; islands < 2; islands++)
            for (int protocol = TSP_ALL_ANTS; protocol <= TSP_BEST_ANT; protocol++) {
                tsp_params params = params_of(protocol);
                params.exchange = 1;
                int tours;
                bool wrong;
                tsp_colony *team = opened(islands ? pairs[k].islands : pairs[k].split, pairs[k].backend, &params);
                assert_ok(tsp_verify_iterations(team, &problem, &params, TSP_VERIFY_ITERATIONS_ALL, &tours, &wrong));
                assert_int_equal(tours, ANTS);
                close_colony(team);
            }
}

/* What cannot be is refused by all ranks, which then do what can. */
static void what_cannot_be_is_refused(void **state)
{
    (void)state;
    tsp_colony *colony = NULL;
    tsp_params params = params_of(TSP_ALL_ANTS);
    const tsp_problem without_sets = {.n = N, .dist = problem.dist};
    ab_open *const open = registered("tsp/cpu-split", AB_CPU)->open;
    ab_status status = open_colony(open, &without_sets, &params, &colony);
    assert_int_equal(status.code, AB_UNSUPPORTED);
    assert_non_null(strstr(status.reason, "needs a candidate set"));
    params.ranks = ranks_count() + 1;
    status = open_colony(open, &problem, &params, &colony);
    assert_int_equal(status.code, AB_UNSUPPORTED);
    assert_non_null(strstr(status.reason, "scripts/ranks"));
    params.ranks = ranks_count();
    params.n_ants = params.ranks - 1;
    assert_true(open_colony(open, &problem, &params, &colony).code != AB_OK);
    params = params_of(TSP_MAX_MIN);
    assert_int_equal(open_colony(open, &problem, &params, &colony).code, AB_UNSUPPORTED);
    params = params_of(TSP_ALL_ANTS);
    params.improve = TSP_IMPROVE_BEST;
    status = open_colony(open, &problem, &params, &colony);
    assert_int_equal(status.code, AB_UNSUPPORTED);
    assert_non_null(strstr(status.reason, "improve none"));
    compare_split(&pairs[0], TSP_ALL_ANTS);
}

/* Ranks say "GPU-" and their number in main. */
static void no_two_ranks_have_one_gpu(void **state)
{
    (void)state;
    assert_ok(ranks_devices("GPU-0"));
    assert_ok(ranks_devices(""));
    const ab_status status = ranks_devices("GPU-1");
    assert_int_equal(status.code, ranks_count() == 1 ? AB_OK : AB_BAD_INPUT);
    if (ranks_count() > 1) assert_non_null(strstr(status.reason, "ranks 0 and 1 have the same GPU, GPU-1"));
}

static int run_all(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_divided_colony_builds_the_tours_of_one),
        cmocka_unit_test(islands_take_in_the_best_tours_of_others),
        cmocka_unit_test(a_ring_carries_the_best_tour_round),
        cmocka_unit_test(both_pass_verification),
        cmocka_unit_test(what_cannot_be_is_refused),
        cmocka_unit_test(one_work_of_several_ranks_at_a_time),
        cmocka_unit_test(no_two_ranks_have_one_gpu),
    };
    return cmocka_run_group_tests(tests, make_problem, drop_problem);
}

static void work(const char *operation, ab_status gpu)
{
    ab_find_operation(operation)->serve(gpu);
}

int main(void)
{
    ranks_begin();
    if (ranks_mine() > 0) {
        char device[RANKS_DEVICE_NAME];
        snprintf(device, sizeof device, "GPU-%d", ranks_mine());
        (void)ranks_devices(device);
        workers_serve(work, ab_unsupported("no GPU in this test"));
        return 0;
    }
    const int failed = run_all();
    workers_dismiss();
    return failed;
}
