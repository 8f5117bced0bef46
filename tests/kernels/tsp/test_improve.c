/* Stage "improve" (kernels/tsp/steps/improve.cu, baselines/cpu_improve.c) beside every implementation of Ant System: right
 * tours of every size, for the best ant and for all, by every order of threads; each move gains what it says; one
 * tour gives one tour; and verification rejects stages with planted faults. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "instances/tsplib.h"
#include "kernels/host/host_backend.h"
#include "kernels/tsp/check/improved.h"
#include "kernels/tsp/check/verify.h"
#include "tests/planted/tsp_improve.h"
#include "tests/support/problems.h"
#include "tests/support/registered.h"

enum { NN = 20, VERIFIED = 2, N_ORDERS = 3, ANTS = 3 };

static const char *const improve_names[] = {"none", "best", "all"};

/* A problem with candidate sets where the implementation wants them; they are the caller's. */
static tsp_problem problem_for(const ab_implementation *it, tsp_problem problem, int32_t **nn_list)
{
    *nn_list = NULL;
    if (!(it->traits & TSP_CANDIDATES)) return problem;
    problem.nn = NN < problem.n ? NN : problem.n - 1;
    assert_int_equal(tsp_nearest_neighbours(&problem, problem.nn, nn_list).code, AB_OK);
    problem.nn_list = *nn_list;
    return problem;
}

static tsp_params params_for(int n, tsp_protocol protocol, tsp_improving improve)
{
    tsp_params params = tsp_default_params(n, protocol);
    params.improve = improve;
    params.n_ants = n < ANTS ? n : ANTS;
    return params;
}

static tsp_colony *must_open(const ab_implementation *it, const tsp_problem *problem, const tsp_params *params)
{
    tsp_colony *colony = NULL;
    const ab_status status = open_colony(it->open, problem, params, &colony);
    if (status.code != AB_OK) fail_msg("%s, n %d: %s", it->id, problem->n, status.reason);
    return colony;
}

static void close_colony(tsp_colony *colony)
{
    colony->work.methods->close(&colony->work);
}

/* ---- Every implementation ---- */

static void check(const ab_implementation *it, const tsp_problem *cities, tsp_protocol protocol, tsp_improving improve)
{
    int32_t *nn_list;
    const tsp_problem problem = problem_for(it, *cities, &nn_list);
    const tsp_params params = params_for(problem.n, protocol, improve);
    tsp_colony *colony = must_open(it, &problem, &params);
    int valid = 0;
    bool wrong = false;
    assert_int_equal(ab_stage_named(&colony->work, "improve"), 2);
    assert_int_equal(ab_stage_named(&colony->work, "update"), 3);
    const ab_status status = tsp_verify_iterations(colony, &problem, &params, VERIFIED, &valid, &wrong);
    if (status.code != AB_OK)
        fail_msg("%s, n %d, %s, improve %s: %s", it->id, problem.n, tsp_protocol_name(protocol), improve_names[improve],
                 status.reason);
    assert_int_equal(valid, params.n_ants);
    close_colony(colony);
    free(nn_list);
}

static void every_implementation_has_the_stage(void **state)
{
    (void)state;
    tsp_problem problem = random_problem(24, 1000, 7);
    unsigned order = 0;
    for (const ab_implementation *it = NULL; (it = next_of("tsp", ON_CPU | ON_HOST, it)) != NULL; order++) {
        host_backend_set_order(order % N_ORDERS);
        check(it, &problem, order % 2 ? TSP_ALL_ANTS : TSP_BEST_ANT, TSP_IMPROVE_BEST);
        check(it, &problem, order % 2 ? TSP_BEST_ANT : TSP_ALL_ANTS, TSP_IMPROVE_ALL);
    }
    host_backend_set_order(0);
    free_problem(&problem);
}

/* Few cities, duplicates among them, one place, and around words of bits. */
static void every_size(void **state)
{
    (void)state;
    static const int sizes[] = {2, 3, 4, 5, 6, 7, 8, 9, 17, 18, 32, 33, 65};
    const ab_implementation *const all[] = {registered("tsp/cpu-vectors-nn", AB_CPU),
                                            registered("tsp/race-candidates", AB_HOST)};
    static const int sides[] = {10000, 4, 1};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (size_t k = 0; k < 2; k++)
            for (int i = 0; i < 2; i++) {
                tsp_problem problem = random_problem(sizes[s], sides[k * (1 + s % 2)], 3);
                host_backend_set_order(s % N_ORDERS);
                check(all[i], &problem, TSP_ALL_ANTS, k ? TSP_IMPROVE_BEST : TSP_IMPROVE_ALL);
                free_problem(&problem);
            }
    host_backend_set_order(0);
}

/* ---- One tour gives one tour ---- */

enum { CITIES = 48 };

static void run_tours(const ab_implementation *it, const tsp_problem *problem, int threads, int32_t *tours)
{
    tsp_params params = params_for(CITIES, TSP_BEST_ANT, TSP_IMPROVE_ALL);
    tsp_result result = {.tours = tours};
    params.threads = threads;
    tsp_colony *colony = must_open(it, problem, &params);
    for (int i = 0; i < 2; i++) assert_int_equal(ab_iterate(&colony->work).code, AB_OK);
    assert_int_equal(colony->methods->read(colony, &result).code, AB_OK);
    close_colony(colony);
}

static void orders_and_threads_do_not_matter(void **state)
{
    (void)state;
    static int32_t expected[ANTS * (CITIES + 1)], tours[ANTS * (CITIES + 1)];
    tsp_problem cities = random_problem(CITIES, 1000, 5);
    static const char *const ids[] = {"tsp/ds-roulette", "tsp/race-candidates", "tsp/cpu-rejection"};
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
        const bool cpu = strcmp(ids[i], "tsp/cpu-rejection") == 0;
        const ab_implementation *it = registered(ids[i], cpu ? AB_CPU : AB_HOST);
        int32_t *nn_list;
        const tsp_problem problem = problem_for(it, cities, &nn_list);
        run_tours(it, &problem, 1, expected);
        for (int other = 1; other < N_ORDERS; other++) {
            host_backend_set_order((uint64_t)other);
            run_tours(it, &problem, other, tours);
            assert_memory_equal(tours, expected, sizeof expected);
        }
        host_backend_set_order(0);
        free(nn_list);
    }
    free_problem(&cities);
}

/* ---- Move by move ---- */

/* A problem of the planted rung, with sets. */
static tsp_problem planted_problem(int n, int32_t **nn_list)
{
    return problem_for(registered("tsp/race-candidates", AB_HOST), random_problem(n, 1000, 11), nn_list);
}

/* Each run of the stage makes one move: every tour's length is what its moves so far have left of it, by a sum over the
 * tour, and no tour stays as it is before it is at its end, which is that of the stage as it is. */
static void each_move_gains_what_it_says(void **state)
{
    (void)state;
    int32_t *nn_list;
    tsp_problem problem = planted_problem(CITIES, &nn_list);
    const tsp_params params = params_for(CITIES, TSP_ALL_ANTS, TSP_IMPROVE_ALL);
    static int32_t tours[ANTS * (CITIES + 1)];
    int64_t lengths[ANTS], before[ANTS], built = 0, left = 0;
    tsp_result result = {.tours = tours, .lengths = lengths};
    tsp_improved_lists near;
    tsp_colony *colony = NULL;
    int runs = 0;
    assert_int_equal(tsp_improved_open(&problem, &near).code, AB_OK);
    assert_int_equal(planted_improve_open(&problem, &params, IMPROVE_ONE_MOVE, &colony).code, AB_OK);
    assert_int_equal(run_stage_named(&colony->work, "choice").code, AB_OK);
    assert_int_equal(run_stage_named(&colony->work, "construct").code, AB_OK);
    assert_int_equal(colony->methods->read(colony, &result).code, AB_OK);
    for (int ant = 0; ant < ANTS; ant++) built += lengths[ant];
    for (bool moved = true; moved; runs++) {
        moved = false;
        memcpy(before, lengths, sizeof before);
        assert_int_equal(run_stage_named(&colony->work, "improve").code, AB_OK);
        assert_int_equal(colony->methods->read(colony, &result).code, AB_OK);
        for (int ant = 0; ant < ANTS; ant++) {
            assert_tour(&problem, tours + ant * (CITIES + 1), lengths[ant]);
            assert_true(lengths[ant] <= before[ant]);
            moved |= lengths[ant] < before[ant];
        }
    }
    for (int ant = 0; ant < ANTS; ant++) {
        assert_int_equal(tsp_improved_count_left(&problem, &near, tours + ant * (CITIES + 1)),
                         0); /* all cities looked at */
        left += lengths[ant];
    }
    print_message("# %lld long, %d moves later %lld\n", (long long)built, runs, (long long)left);
    assert_true(runs > 10 && 10 * left < 9 * built);
    close_colony(colony);
    tsp_improved_close(&near);
    free(nn_list);
    free_problem(&problem);
}

/* ---- Faults ---- */

static void verification_rejects_planted_faults(void **state)
{
    (void)state;
    static const char *const expected[N_IMPROVE_FAULTS] = {
        [IMPROVE_ONE_MOVE] = "of improved tours have a 2-opt move left",
        [IMPROVE_FAULT_IDLE] = "of improved tours have a 2-opt move left",
        [IMPROVE_FAULT_LONGER] = "before it was improved",
        [IMPROVE_FAULT_GAIN] = "ant 0: length",
        [IMPROVE_FAULT_TWICE] = "is visited twice",
        [IMPROVE_FAULT_LINKS] = "pheromone[",
        [IMPROVE_FAULT_BEST] = "the best is said to be",
    };
    int32_t *nn_list;
    tsp_problem problem = planted_problem(60, &nn_list);
    for (int fault = 0; fault < N_IMPROVE_FAULTS; fault++) {
        const tsp_params params = params_for(60, TSP_ALL_ANTS, TSP_IMPROVE_ALL);
        tsp_colony *colony = NULL;
        int valid = 0;
        bool wrong = false;
        assert_int_equal(planted_improve_open(&problem, &params, fault, &colony).code, AB_OK);
        const ab_status status = tsp_verify_iterations(colony, &problem, &params, VERIFIED, &valid, &wrong);
        if (fault == IMPROVE_FAULT_NONE ? status.code != AB_OK : !wrong || !strstr(status.reason, expected[fault]))
            fail_msg("fault %d: reported \"%s\"", fault, status.reason);
        close_colony(colony);
    }
    free(nn_list);
    free_problem(&problem);
}

/* ---- What is refused ---- */

static void long_distances_are_unsupported(void **state)
{
    (void)state;
    const int32_t far = 1 << 29, dist[9] = {0, far, 1, far, 0, 1, 1, 1, 0};
    const tsp_problem problem = {.n = 3, .dist = dist};
    const tsp_params params = params_for(3, TSP_ALL_ANTS, TSP_IMPROVE_ALL);
    tsp_colony *colony = NULL;
    const ab_status status = open_colony(registered("tsp/ds-roulette", AB_HOST)->open, &problem, &params, &colony);
    assert_int_equal(status.code, AB_UNSUPPORTED);
    assert_string_equal(status.reason, "improve needs distances below 536870912, one is 536870912");
    check(registered("tsp/cpu-rejection", AB_CPU),
          &(tsp_problem){.n = 3, .dist = (int32_t[]){0, 9, 1, 9, 0, 1, 1, 1, 0}}, TSP_ALL_ANTS, TSP_IMPROVE_ALL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_implementation_has_the_stage),  cmocka_unit_test(every_size),
        cmocka_unit_test(orders_and_threads_do_not_matter),    cmocka_unit_test(each_move_gains_what_it_says),
        cmocka_unit_test(verification_rejects_planted_faults), cmocka_unit_test(long_distances_are_unsupported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
