/* The GPU implementations of Ant System, all that the registry has, run by the host backend under sanitizers: right
 * output for every n and order of threads, the all-zero rule, the rule of candidate sets, and that verification rejects
 * kernels with planted bugs. An argument chooses tests by their names: '*zero_rule*'. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "instances/tsplib.h"
#include "kernels/host/host_backend.h"
#include "kernels/tsp/check/verify.h"
#include "kernels/tsp/tsp.h"
#include "tests/planted/tsp_choices.h"
#include "tests/planted/tsp_construct.h"
#include "tests/planted/tsp_race.h"
#include "tests/support/candidate_steps.h"
#include "tests/support/registered.h"
#include "tests/support/selection_test.h"

enum { N_ORDERS = 5, VERIFIED = 3 };

/* Candidates per city, smaller and larger than a warp. A rung may refuse sets of more than a warp. */
static const int set_sizes[] = {20, 32, 40, 64};
enum { N_SET_SIZES = sizeof set_sizes / sizeof *set_sizes, SURE_SET = 32 };

static const ab_implementation *next_rung(const ab_implementation *last)
{
    return next_of("tsp", ON_HOST, last);
}

/* Workers: less than a warp, a warp, and a block that one tile suffices for or several; the table jpdc-3 has the
 * others. */
static const int worker_counts[] = {16, 128, 32};
enum { N_WORKER_COUNTS = sizeof worker_counts / sizeof *worker_counts };

/* A rung with one value of what it has as a parameter. */
typedef struct setting {
    const ab_implementation *rung;
    size_t number; /* of the rung's settings */
    int nn;        /* TSP_CANDIDATES, else 0 */
    int workers;   /* TSP_WORKERS, else 0 */
    bool readonly; /* TSP_THREAD_EACH */
    int block;     /* TSP_RACE: ants of a block whose rows are not in shared memory; else 0 */
    int near;      /* TSP_RACE, not TSP_CANDIDATES: few near cities, so that most steps end in the tail */
} setting;

static size_t count_settings(const ab_implementation *rung)
{
    if (rung->traits & TSP_CANDIDATES) return N_SET_SIZES;
    if (rung->traits & TSP_WORKERS) return N_WORKER_COUNTS;
    return rung->traits & (TSP_THREAD_EACH | TSP_RACE) ? 2 : 1;
}

/* Setting number `i` of a rung, whatever i. */
static setting setting_of(const ab_implementation *rung, size_t i)
{
    setting with = {.rung = rung, .number = i % count_settings(rung)};
    if (rung->traits & TSP_CANDIDATES) with.nn = set_sizes[with.number];
    if (rung->traits & TSP_WORKERS) with.workers = worker_counts[with.number];
    if (rung->traits & TSP_THREAD_EACH) with.readonly = with.number == 1;
    if (rung->traits & TSP_RACE && with.number == 1) with.block = 3;
    if (rung->traits & TSP_RACE && !(rung->traits & TSP_CANDIDATES) && with.number == 1) with.near = 5;
    return with;
}

/* The settings of all rungs, one after the other; false after the last one. Begin with a zeroed one. */
static bool next_setting(setting *it)
{
    const bool same = it->rung != NULL && it->number + 1 < count_settings(it->rung);
    const ab_implementation *rung = same ? it->rung : next_rung(it->rung);
    if (rung != NULL) *it = setting_of(rung, same ? it->number + 1 : 0);
    return rung != NULL;
}

/* Opens a rung, with candidate sets where it wants them: it copies everything it needs. */
static ab_status open_setting(setting with, tsp_problem problem, const tsp_params *given, tsp_colony **colony)
{
    int32_t *nn_list = NULL;
    tsp_params params = *given;
    if (with.workers) set_own(with.rung, &params, "workers", with.workers);
    set_own(with.rung, &params, "readonly", with.readonly);
    set_own(with.rung, &params, "block-ants", with.block);
    set_own(with.rung, &params, "near", with.near);
    if (with.nn && problem.n >= 2) {
        problem.nn = with.nn < problem.n ? with.nn : problem.n - 1;
        assert_int_equal(tsp_nearest_neighbours(&problem, problem.nn, &nn_list).code, AB_OK);
        problem.nn_list = nn_list;
    }
    const ab_status status = open_colony(with.rung->open, &problem, &params, colony);
    free(nn_list);
    return status;
}

/* NULL where the rung refuses sets as large as that. */
static tsp_colony *must_open(setting with, const tsp_problem *problem, const tsp_params *params)
{
    tsp_colony *colony = NULL;
    const ab_status status = open_setting(with, *problem, params, &colony);
    if (status.code == AB_UNSUPPORTED && with.nn > SURE_SET) return NULL;
    if (status.code != AB_OK)
        fail_msg("%s, nn %d, workers %d, n %d: %s", with.rung->id, with.nn, with.workers, problem->n, status.reason);
    return colony;
}

/* A uniform instance, in which the last cities are duplicates of the first. */
static tsp_instance instance_with_duplicates(int n)
{
    tsp_instance instance;
    assert_int_equal(tsp_generate(TSP_UNIFORM, n, 7, &instance).code, AB_OK);
    for (int copy = n - 1; copy > n / 2 && copy > n - 4; --copy)
        for (int j = 0; j < n; ++j) {
            const int original = n - 1 - copy;
            const int32_t d = j == copy || j == original ? 0 : instance.dist[original * n + j];
            instance.dist[copy * n + j] = instance.dist[j * n + copy] = d;
        }
    return instance;
}

static void check_setting(setting with, int n, tsp_protocol protocol)
{
    tsp_instance instance = instance_with_duplicates(n);
    const tsp_problem problem = {.n = n, .dist = instance.dist};
    tsp_params params = tsp_default_params(n, protocol);
    params.n_ants = n < 5 ? n : 5;
    tsp_colony *colony = must_open(with, &problem, &params);
    if (colony != NULL) {
        int valid = 0;
        bool wrong = false;
        const ab_status status = tsp_verify_iterations(colony, &problem, &params, VERIFIED, &valid, &wrong);
        if (status.code != AB_OK)
            fail_msg("%s, nn %d, workers %d, n %d, %s: %s", with.rung->id, with.nn, with.workers, n,
                     tsp_protocol_name(protocol), status.reason);
        assert_int_equal(valid, params.n_ants);
        colony->work.methods->close(&colony->work);
    }
    tsp_free(&instance);
}

/* Settings and protocols take turns, each with each. */
static void test_every_size_and_order(void **state)
{
    (void)state;
    static const int sizes[] = {2, 3, 5, 31, 32, 33, 64, 80, 128, 129, 200};
    for (unsigned order = 0; order < N_ORDERS; ++order) {
        host_backend_set_order(order);
        for (const ab_implementation *rung = NULL; (rung = next_rung(rung)) != NULL;)
            for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i)
                if (order == 0 || i % N_ORDERS == order)
                    check_setting(setting_of(rung, i / 2 + order), sizes[i], i % 2 ? TSP_BEST_ANT : TSP_ALL_ANTS);
    }
    host_backend_set_order(0);
}

/* Tours of a few iterations; false where the rung refuses the setting. */
static bool run_tours(setting with, const tsp_problem *problem, const tsp_params *params, uint64_t order,
                      int32_t *tours)
{
    host_backend_set_order(order);
    tsp_colony *colony = must_open(with, problem, params);
    tsp_result result = {.tours = tours};
    for (int i = 0; colony != NULL && i < 2; ++i) assert_int_equal(ab_iterate(&colony->work).code, AB_OK);
    if (colony != NULL) {
        assert_int_equal(colony->methods->read(colony, &result).code, AB_OK);
        colony->work.methods->close(&colony->work);
    }
    host_backend_set_order(0);
    return colony != NULL;
}

/* They must not depend on the order in which threads run. */
static void test_tours_do_not_depend_on_the_order(void **state)
{
    (void)state;
    enum { N = 50, ANTS = 5 };
    tsp_instance instance;
    assert_int_equal(tsp_generate(TSP_CLUSTERED, N, 3, &instance).code, AB_OK);
    const tsp_problem problem = {.n = N, .dist = instance.dist};
    tsp_params params = tsp_default_params(N, TSP_BEST_ANT);
    params.n_ants = ANTS;
    static int32_t expected[ANTS * (N + 1)], tours[ANTS * (N + 1)];
    for (setting with = {0}; next_setting(&with);) {
        if (!run_tours(with, &problem, &params, 0, expected)) continue;
        for (uint64_t order = 1; order < N_ORDERS; ++order) {
            run_tours(with, &problem, &params, order, tours);
            assert_memory_equal(tours, expected, sizeof expected);
        }
    }
    tsp_free(&instance);
}

/* One seed gives the same tours again, another gives others. */
static void test_seed_decides_the_tours(void **state)
{
    (void)state;
    enum { N = 50, ANTS = 4 };
    tsp_instance instance;
    assert_int_equal(tsp_generate(TSP_UNIFORM, N, 5, &instance).code, AB_OK);
    const tsp_problem problem = {.n = N, .dist = instance.dist};
    tsp_params params = tsp_default_params(N, TSP_BEST_ANT);
    params.n_ants = ANTS;
    static int32_t first[ANTS * (N + 1)], again[ANTS * (N + 1)];
    for (setting with = {0}; next_setting(&with);) {
        params.seed = 1;
        if (!run_tours(with, &problem, &params, 0, first)) continue;
        run_tours(with, &problem, &params, 0, again);
        assert_memory_equal(first, again, sizeof first);
        params.seed = 2;
        run_tours(with, &problem, &params, 0, again);
        assert_memory_not_equal(first, again, sizeof first);
    }
    tsp_free(&instance);
}

static void assert_nearest_neighbour_tour(const tsp_instance *instance, int n, const int32_t *tour)
{
    const tsp_problem problem = {.n = n, .dist = instance->dist};
    bool visited[TSP_MAX_MATRIX] = {false};
    for (int step = 0; step + 1 < n; ++step) {
        visited[tour[step]] = true;
        assert_int_equal(tour[step + 1], tsp_nearest_unvisited(&problem, tour[step], visited));
    }
}

/* All weights 0: each step must go to the nearest unvisited city, the lowest index among equals, and be counted. */
static void test_all_zero_rule(void **state)
{
    (void)state;
    enum { N = 70, ANTS = 6 };
    tsp_instance instance = instance_with_duplicates(N);
    const tsp_problem problem = {.n = N, .dist = instance.dist};
    tsp_params params = tsp_default_params(N, TSP_BEST_ANT);
    params.n_ants = ANTS;
    static float zero[N * N];
    static int32_t tours[ANTS * (N + 1)];
    for (setting with = {0}; next_setting(&with);) {
        tsp_result result = {.tours = tours};
        tsp_colony *colony = must_open(with, &problem, &params);
        if (colony == NULL) continue;
        assert_int_equal(colony->methods->write_pheromone(colony, zero).code, AB_OK);
        assert_int_equal(run_stage_named(&colony->work, "choice").code, AB_OK);
        assert_int_equal(run_stage_named(&colony->work, "construct").code, AB_OK);
        assert_int_equal(colony->methods->read(colony, &result).code, AB_OK);
        assert_int_equal(result.zero_weight_steps, ANTS * (N - 1));
        for (int ant = 0; ant < ANTS; ++ant) assert_nearest_neighbour_tour(&instance, N, tours + ant * (N + 1));
        colony->work.methods->close(&colony->work);
    }
    tsp_free(&instance);
}

/* A rung with every step that a rung can have: they run in their stages, with memory of the rung's own. */
static void test_every_step_of_a_rung(void **state)
{
    (void)state;
    enum { N = 40, ANTS = 6 };
    tsp_instance instance;
    assert_int_equal(tsp_generate(TSP_UNIFORM, N, 7, &instance).code, AB_OK);
    const tsp_problem problem = {.n = N, .dist = instance.dist};
    tsp_params params = tsp_default_params(N, TSP_ALL_ANTS);
    params.n_ants = ANTS;
    tsp_colony *colony = NULL;
    assert_int_equal(planted_tsp_open_with_all_steps(&problem, &params, &colony).code, AB_OK);
    assert_int_equal(colony->work.methods->n_stages, 4);
    assert_int_equal(ab_stage_named(&colony->work, "improve"), 2);
    assert_int_equal(ab_stage_named(&colony->work, "update"), 3);
    assert_int_equal(ab_stage_named(&colony->work, "deposit"), -1);
    static int32_t tours[ANTS * (N + 1)];
    tsp_result result = {.tours = tours};
    for (int iteration = 0; iteration < 3; ++iteration) {
        int valid = 0;
        bool wrong = false;
        const ab_status status = iteration == 0 ? tsp_verify_iterations(colony, &problem, &params, 1, &valid, &wrong)
                                                : ab_iterate(&colony->work);
        if (status.code != AB_OK) fail_msg("iteration %d: %s", iteration, status.reason);
        assert_int_equal(colony->methods->read(colony, &result).code, AB_OK);
        /* choice and prepare leave the cities backwards from `iteration`, construct turns them by the ant's number,
         * improve the other way round. */
        for (int ant = 0; ant < ANTS; ++ant)
            for (int i = 0; i <= N; ++i) assert_int_equal(tours[ant * (N + 1) + i], (iteration + ant + i) % N);
    }
    colony->work.methods->close(&colony->work);
    params.n_ants = 1;
    const ab_status refused = planted_tsp_open_with_all_steps(&problem, &params, &colony);
    assert_int_equal(refused.code, AB_UNSUPPORTED);
    assert_string_equal(refused.reason, "needs two ants");
    tsp_free(&instance);
}

/* A run in which more than a hundredth of the steps go to the nearest city is none of Ant System. */
static void test_runs_by_the_all_zero_rule_are_wrong(void **state)
{
    (void)state;
    enum { N = 70, ANTS = 6 };
    tsp_instance instance = instance_with_duplicates(N);
    const tsp_problem problem = {.n = N, .dist = instance.dist};
    tsp_params params = tsp_default_params(N, TSP_BEST_ANT);
    params.n_ants = ANTS;
    static float zero[N * N];
    for (setting with = {0}; next_setting(&with);) {
        tsp_colony *colony = must_open(with, &problem, &params);
        tsp_result best;
        bool wrong = false;
        if (colony == NULL) continue;
        assert_int_equal(ab_iterate(&colony->work).code, AB_OK);
        assert_int_equal(tsp_verify_tours(colony, &problem, ANTS, &best, &wrong).code, AB_OK);
        assert_int_equal(best.iterations, 1);
        assert_int_equal(colony->methods->write_pheromone(colony, zero).code, AB_OK);
        assert_int_equal(ab_iterate(&colony->work).code, AB_OK);
        const ab_status status = tsp_verify_tours(colony, &problem, ANTS, &best, &wrong);
        assert_true(wrong);
        assert_string_equal(status.reason,
                            "the all-zero rule was used in 414 of 828 steps, more than 1 %: this is not Ant "
                            "System");
        colony->work.methods->close(&colony->work);
    }
    tsp_free(&instance);
}

static void test_verification_rejects_planted_bugs(void **state)
{
    (void)state;
    static const char *const expected[N_BUGS] = {
        [BUG_VISITS_TWICE] = "ant 0: city 1 is visited twice",
        [BUG_NOT_CLOSED] = "ant 0: the tour is not closed",
        [BUG_NO_SUCH_CITY] = "ant 0: position 1 holds city 40 of 40",
        [BUG_FORGETS_AN_EDGE] = "ant 0: length",
        [BUG_IDLE_ANT] = "ant 7: position 0 holds city -1",
        [BUG_IGNORES_ANT_0] = "best tour: ",
        [BUG_SPILLS_NAN] = "pheromone[0][1] is nan",
        [BUG_SPILLS_A_LITTLE] = "pheromone[0][1]",
        [BUG_NAN_ON_DIAGONAL] = "pheromone[0][0] is nan",
        [BUG_NAN_IN_PADDING] = "pheromone[0][40], in the padding, is nan",
        [BUG_DIAGONAL_WEIGHS] = "choice_info[0][0], on the diagonal, is 1",
        [BUG_FORGETS_BEST] = "iterations, the shortest that was found ",
        [BUG_ALL_ZERO_RULE] =
            "the all-zero rule was used in 1 steps of an iteration in which no edge weighs less than ",
    };
    enum { N = 40, ANTS = 8 };
    tsp_instance instance;
    assert_int_equal(tsp_generate(TSP_UNIFORM, N, 7, &instance).code, AB_OK);
    const tsp_problem problem = {.n = N, .dist = instance.dist};
    tsp_params params = tsp_default_params(N, TSP_BEST_ANT);
    params.n_ants = ANTS;
    for (int bug = 0; bug < N_BUGS; ++bug) {
        tsp_colony *colony = NULL;
        int valid = 0;
        bool wrong = false;
        if (bug == BUG_IGNORES_ANT_0) params.n_ants = 1;
        assert_int_equal(planted_tsp_open(&problem, &params, bug, &colony).code, AB_OK);
        const ab_status status = tsp_verify_iterations(colony, &problem, &params, VERIFIED, &valid, &wrong);
        colony->work.methods->close(&colony->work);
        params.n_ants = ANTS;
        if (bug == BUG_NONE) {
            assert_int_equal(status.code, AB_OK);
            continue;
        }
        assert_true(wrong);
        assert_int_equal(status.code, AB_FAILED);
        if (!strstr(status.reason, expected[bug])) fail_msg("bug %d: reported \"%s\"", bug, status.reason);
    }
    tsp_free(&instance);
}

/* All iterations that there are to verify, of one colony, which is closed; what is said of it, "" for nothing. */
static ab_status verify_all(tsp_colony *colony, const tsp_problem *problem, const tsp_params *params)
{
    int valid = 0;
    bool wrong = false;
    const ab_status status = tsp_verify_iterations(colony, problem, params, TSP_VERIFY_ITERATIONS_ALL, &valid, &wrong);
    assert_int_equal(wrong, status.code == AB_FAILED);
    colony->work.methods->close(&colony->work);
    return status;
}

/* Choices among cities that weigh the same, and where all weigh 0, are as they should be in every implementation. */
static void test_choices_pass_verification(void **state)
{
    (void)state;
    enum { N = 66, ANTS = 6 };
    tsp_instance instance = instance_with_duplicates(N);
    tsp_problem problem = {.n = N, .dist = instance.dist};
    tsp_params params = tsp_default_params(N, TSP_ALL_ANTS);
    params.n_ants = ANTS;
    for (setting with = {0}; next_setting(&with);) {
        tsp_colony *colony = must_open(with, &problem, &params);
        int32_t *nn_list = NULL;
        if (colony == NULL) continue;
        problem.nn = with.nn;
        if (with.nn) assert_int_equal(tsp_nearest_neighbours(&problem, with.nn, &nn_list).code, AB_OK);
        problem.nn_list = nn_list;
        const ab_status status = verify_all(colony, &problem, &params);
        if (status.code != AB_OK) fail_msg("%s, nn %d: %s", with.rung->id, with.nn, status.reason);
        problem.nn = 0;
        problem.nn_list = NULL;
        free(nn_list);
    }
    tsp_free(&instance);
}

/* Tours that are all valid, of ants that choose as they must not. */
static void test_faults_of_choices_are_found(void **state)
{
    (void)state;
    static const char *const expected[N_CHOICE_FAULTS] = {
        [CHOICE_FAULT_ANTS_ALIKE] = "the same random numbers",
        [CHOICE_FAULT_ITERATIONS_ALIKE] = "the same random numbers",
        [CHOICE_FAULT_ANTS_SHIFTED] = "the same random numbers",
        [CHOICE_FAULT_NEVER_FIRST] = "took the first of them",
        [CHOICE_FAULT_NEVER_LAST] = "took the last of them",
        [CHOICE_FAULT_NARROW] = "took the last of them",
        [CHOICE_FAULT_FARTHEST] = "where all weigh 0 city",
        [CHOICE_FAULT_UNCOUNTED] = "the all-zero rule is said to be used in 0 of ",
    };
    enum { N = 60, ANTS = 8 };
    tsp_instance instance;
    assert_int_equal(tsp_generate(TSP_CLUSTERED, N, 7, &instance).code, AB_OK);
    const tsp_problem problem = {.n = N, .dist = instance.dist};
    tsp_params params = tsp_default_params(N, TSP_BEST_ANT);
    params.n_ants = ANTS;
    for (int fault = 0; fault < N_CHOICE_FAULTS; ++fault) {
        tsp_colony *colony = NULL;
        assert_int_equal(planted_choices_open(&problem, &params, fault, &colony).code, AB_OK);
        const ab_status status = verify_all(colony, &problem, &params);
        if (fault == CHOICE_FAULT_NONE)
            assert_int_equal(status.code, AB_OK);
        else if (status.code == AB_OK || !strstr(status.reason, expected[fault]))
            fail_msg("fault %d: reported \"%s\"", fault, status.reason);
    }
    tsp_free(&instance);
}

/* Of all 2^32: the two ends, and steps between. The last 128 are 1 where they are rounded to float. */
static void test_times_of_a_clock_are_finite(void **state)
{
    (void)state;
    double before = 0.0;
    for (int i = 0; i <= 4096; ++i) {
        const unsigned random = i < 2048 ? (unsigned)i * 0x100001u : ~((4096u - (unsigned)i) * 0xffffu / 4u);
        const double time = (double)planted_race_exponential(random), u = ((double)random + 0.5) * 0x1p-32;
        assert_true(isfinite(time) && time > 0.0 && time >= before * (1.0 - 1e-6));
        assert_true(fabs(time + log2(1.0 - u)) < 1e-5 * time + 1e-9);
        before = time;
    }
    assert_true(before == 33.0);
}

/* By how its choices are distributed: with few near cities, so that most steps end among the others, by unequal
 * weights; and with many, by equal ones. */
static void test_faults_of_a_race_are_found(void **state)
{
    (void)state;
    enum { N = 45, ANTS = 200 };
    static float pheromone[N * N];
    tsp_instance instance;
    assert_int_equal(tsp_generate(TSP_UNIFORM, N, 13, &instance).code, AB_OK);
    const tsp_problem problem = {.n = N, .dist = instance.dist};
    tsp_params params = tsp_default_params(N, TSP_BEST_ANT);
    params.n_ants = ANTS;
    for (int fault = 0; fault < N_RACE_FAULTS; ++fault) {
        const bool of_clock = fault == RACE_FAULT_SHARED_CLOCK || fault == RACE_FAULT_OLD_CLOCK;
        selection_report report;
        set_own(registered("tsp/race", AB_HOST), &params, "near", of_clock ? 31 : 6);
        selection_pheromone(&problem, &params, of_clock ? WEIGHTS_UNIFORM : WEIGHTS_SKEWED, pheromone);
        const ab_status status = selection_test(planted_race(fault), &problem, &params, pheromone, &report);
        const double p = status.code == AB_OK ? selection_worst_p(&report) : 0.0;
        print_message("# race, fault %d: p %.3g %s\n", fault, p, status.code == AB_OK ? "" : status.reason);
        assert_int_equal(status.code == AB_OK, fault != RACE_FAULT_ACCEPTS_VISITED);
        assert_true(fault == RACE_FAULT_NONE ? p > 1e-4 : p < 1e-6);
    }
    tsp_free(&instance);
}

static void test_faults_of_rows_in_codes_are_found(void **state)
{
    (void)state;
    enum { N = 45, ANTS = 200 };
    static float pheromone[N * N];
    static const int sizes[] = {9, 32};
    tsp_instance instance;
    assert_int_equal(tsp_generate(TSP_UNIFORM, N, 13, &instance).code, AB_OK);
    for (int fault = 0; fault < N_CODED_FAULTS; ++fault)
        for (size_t size = 0; size < sizeof sizes / sizeof *sizes; ++size) {
            tsp_problem problem = {.n = N, .dist = instance.dist, .nn = sizes[size]};
            tsp_params params = tsp_default_params(N, TSP_BEST_ANT);
            selection_report report;
            int32_t *nn_list = NULL;
            params.n_ants = ANTS;
            assert_int_equal(tsp_nearest_neighbours(&problem, problem.nn, &nn_list).code, AB_OK);
            problem.nn_list = nn_list;
            for (int i = 0; i < N * N; ++i) { /* near and far weigh alike */
                const double length = problem.dist[i] + 0.1;
                pheromone[i] = (float)(length * length * (i % 3 + 1));
            }
            const ab_status status = selection_test(planted_race_coded(fault), &problem, &params, pheromone, &report);
            if (status.code != AB_OK) fail_msg("fault %d: %s", fault, status.reason);
            const double p = selection_worst_p(&report);
            print_message("# rows in codes, sets of %d, fault %d: p %.3g\n", problem.nn, fault, p);
            assert_true(fault == CODED_FAULT_NONE ? p > 1e-4 : p < 1e-6);
            free(nn_list);
        }
    tsp_free(&instance);
}

/* Every step of a rung with small candidate sets, against brute force; returns how many found their set exhausted. */
static int64_t check_steps(setting with, tsp_kind kind, int n)
{
    enum { ANTS = 5 };
    const int nn = with.nn;
    tsp_instance instance;
    assert_int_equal(tsp_generate(kind, n, 17, &instance).code, AB_OK);
    tsp_problem problem = {.n = n, .dist = instance.dist, .nn = nn};
    int32_t *nn_list = NULL, *tours = malloc(ANTS * ((size_t)n + 1) * sizeof *tours);
    double *choice = malloc((size_t)n * (size_t)n * sizeof *choice);
    float *pheromone = malloc((size_t)n * (size_t)n * sizeof *pheromone);
    assert_true(tours && choice && pheromone);
    assert_int_equal(tsp_nearest_neighbours(&problem, nn, &nn_list).code, AB_OK);
    problem.nn_list = nn_list;
    tsp_params params = tsp_default_params(n, TSP_BEST_ANT);
    params.n_ants = ANTS;
    uint32_t random = 12345;
    for (int i = 0; i < n * n; ++i) { /* a fifth of the edges have no pheromone */
        random = random * 1664525u + 1013904223u;
        pheromone[i] = random >> 24 < 51 ? 0.0f : (float)(1 + (random >> 16 & 0xff));
    }
    tsp_result result = {.tours = tours};
    candidate_steps counts = {0};
    tsp_colony *colony = must_open(with, &problem, &params);
    if (colony != NULL) {
        assert_int_equal(colony->methods->write_pheromone(colony, pheromone).code, AB_OK);
        assert_int_equal(run_stage_named(&colony->work, "choice").code, AB_OK);
        assert_int_equal(run_stage_named(&colony->work, "construct").code, AB_OK);
        assert_int_equal(colony->methods->read(colony, &result).code, AB_OK);
        candidate_choice(&problem, &params, pheromone, choice);
        const ab_status status = check_candidate_steps(&problem, choice, 1e-6, tours, ANTS, &counts);
        if (status.code != AB_OK) fail_msg("%s, n %d, nn %d: %s", with.rung->id, n, nn, status.reason);
        colony->work.methods->close(&colony->work);
    }
    free(nn_list);
    free(tours);
    free(choice);
    free(pheromone);
    tsp_free(&instance);
    return counts.best;
}

/* Few candidates, clusters, sets that leave out one city or none: the sets run out often. */
static void test_candidate_steps_follow_the_rule(void **state)
{
    (void)state;
    for (const ab_implementation *rung = NULL; (rung = next_rung(rung)) != NULL;) {
        if (!(rung->traits & TSP_CANDIDATES)) continue;
        assert_true(check_steps((setting){rung, .nn = 4}, TSP_CLUSTERED, 150) > 50);
        assert_true(check_steps((setting){rung, .nn = 8}, TSP_UNIFORM, 100) > 10);
        if (rung->traits & TSP_RACE) /* more cities than a ring, a list or shared memory has (race.h) */
            assert_true(check_steps((setting){rung, .nn = 3}, TSP_CLUSTERED, 1211) > 500);
        check_steps((setting){rung, .nn = 32}, TSP_UNIFORM, 34);
        check_steps((setting){rung, .nn = 32}, TSP_UNIFORM, 33);
        check_steps((setting){rung, .nn = 64}, TSP_UNIFORM, 66);
    }
}

static void test_limits_are_unsupported(void **state)
{
    (void)state;
    static const int32_t dist[4] = {0, 1, 1, 0};
    const tsp_problem single = {.n = 1, .dist = dist}, pair = {.n = 2, .dist = dist};
    tsp_params params = tsp_default_params(2, TSP_BEST_ANT);
    tsp_colony *colony = NULL;
    for (const ab_implementation *rung = NULL; (rung = next_rung(rung)) != NULL;) {
        ab_status status = open_colony(rung->open, &single, &params, &colony);
        assert_int_equal(status.code, AB_UNSUPPORTED);
        assert_non_null(strstr(status.reason, "n >= 2"));
        assert_null(colony);
        if (!(rung->traits & TSP_CANDIDATES)) continue;
        status = open_colony(rung->open, &pair, &params, &colony);
        assert_int_equal(status.code, AB_UNSUPPORTED);
        assert_non_null(strstr(status.reason, "candidate set"));
    }
}

/* What a rung says of an instance of n cities: its code, and the reason. */
static ab_status opening(const char *id, int n, int workers)
{
    int32_t *dist = calloc((size_t)n * (size_t)n, sizeof *dist);
    assert_non_null(dist);
    const tsp_problem problem = {.n = n, .dist = dist};
    tsp_params params = tsp_default_params(n, TSP_BEST_ANT);
    const ab_implementation *rung = registered(id, AB_HOST);
    tsp_colony *colony = NULL;
    ab_status status = try_own(rung, &params, "workers", workers);
    if (status.code == AB_OK) status = open_colony(rung->open, &problem, &params, &colony);
    if (colony != NULL) colony->work.methods->close(&colony->work);
    free(dist);
    return status;
}

static void test_workers_have_bits_for_32_tiles(void **state)
{
    (void)state;
    static const char *const ids[] = {"tsp/data-rw", "tsp/data-rw-warp", "tsp/i-roulette"};
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
        assert_int_equal(opening(ids[i], 512, 16).code, AB_OK);
        const ab_status refused = opening(ids[i], 513, 16);
        assert_int_equal(refused.code, AB_UNSUPPORTED);
        assert_string_equal(refused.reason,
                            "needs n <= 512 (one tabu bit per tile of 16 cities in a 32-bit register), n is 513");
        assert_int_equal(opening(ids[i], 1025, 32).code, AB_UNSUPPORTED);
        assert_int_equal(opening(ids[i], 20, 1024).code, AB_OK);
        assert_int_equal(opening(ids[i], 20, 48).code, AB_BAD_INPUT);
        assert_int_equal(opening(ids[i], 20, 8).code, AB_BAD_INPUT);
        assert_int_equal(opening(ids[i], 20, 0).code, AB_BAD_INPUT);
    }
}

static void test_large_instances_are_unsupported(void **state)
{
    (void)state;
    const ab_status tiles = opening("tsp/i-roulette-warp", 4097, 0), shared = opening("tsp/task-thread", 4097, 0);
    assert_int_equal(tiles.code, AB_UNSUPPORTED);
    assert_string_equal(tiles.reason, "needs n <= 4096 (one tabu bit per tile in a 32-bit register), n is 4097");
    assert_int_equal(shared.code, AB_UNSUPPORTED);
    assert_non_null(strstr(shared.reason, "bytes of shared memory per block"));
}

int main(int argc, char **argv)
{
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_size_and_order),
        cmocka_unit_test(test_tours_do_not_depend_on_the_order),
        cmocka_unit_test(test_seed_decides_the_tours),
        cmocka_unit_test(test_all_zero_rule),
        cmocka_unit_test(test_every_step_of_a_rung),
        cmocka_unit_test(test_limits_are_unsupported),
        cmocka_unit_test(test_workers_have_bits_for_32_tiles),
        cmocka_unit_test(test_large_instances_are_unsupported),
        cmocka_unit_test(test_verification_rejects_planted_bugs),
        cmocka_unit_test(test_choices_pass_verification),
        cmocka_unit_test(test_faults_of_choices_are_found),
        cmocka_unit_test(test_times_of_a_clock_are_finite),
        cmocka_unit_test(test_faults_of_a_race_are_found),
        cmocka_unit_test(test_faults_of_rows_in_codes_are_found),
        cmocka_unit_test(test_runs_by_the_all_zero_rule_are_wrong),
        cmocka_unit_test(test_candidate_steps_follow_the_rule),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
