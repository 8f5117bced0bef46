/* What needs many steps of the GPU implementations of Ant System on the host backend, and so runs without sanitizers:
 * the selection rule that each claims in the registry (AB_EXACT), and hundreds of iterations. An argument chooses tests by
 * their names: '*two_cities*'. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "instances/tsplib.h"
#include "kernels/tsp/check/verify.h"
#include "kernels/tsp/tsp.h"
#include "tests/support/registered.h"
#include "tests/support/selection_test.h"

static const ab_implementation *next_rung(const ab_implementation *last)
{
    return next_of("tsp", ON_HOST, last);
}

/* The rungs that must choose in proportion, with candidate sets or without. */
static const ab_implementation *next_exact(bool candidates, const ab_implementation *last)
{
    while ((last = next_rung(last)) != NULL)
        if (last->traits & AB_EXACT && !(last->traits & TSP_CANDIDATES) == !candidates) return last;
    return NULL;
}

static tsp_params params_of(const ab_implementation *rung, int n, int n_ants, int workers)
{
    tsp_params params = tsp_default_params(n, TSP_BEST_ANT);
    params.n_ants = n_ants;
    set_own(rung, &params, "workers", workers);
    return params;
}

/* Selection by a rung from weights of one kind, on an instance of n cities, with sets of nn candidates; 0: all. */
static selection_report select_among(const ab_implementation *rung, int n, int nn, tsp_params params,
                                     selection_weights kind)
{
    tsp_instance instance;
    assert_int_equal(tsp_generate(TSP_UNIFORM, n, 13, &instance).code, AB_OK);
    tsp_problem problem = {.n = n, .dist = instance.dist, .nn = nn};
    int32_t *nn_list = NULL;
    if (nn) assert_int_equal(tsp_nearest_neighbours(&problem, nn, &nn_list).code, AB_OK);
    problem.nn_list = nn_list;
    float *pheromone = malloc((size_t)n * (size_t)n * sizeof *pheromone);
    assert_non_null(pheromone);
    selection_pheromone(&problem, &params, kind, pheromone);
    selection_report report;
    const ab_status status = selection_test(rung->open, &problem, &params, pheromone, &report);
    if (status.code != AB_OK) fail_msg("%s: %s", rung->id, status.reason);
    free(pheromone);
    free(nn_list);
    tsp_free(&instance);
    return report;
}

/* Only sets of more than a warp may be refused. */
static bool takes_sets_of(const ab_implementation *rung, int nn)
{
    enum { N = 70 };
    static const int32_t dist[N * N], nn_list[N * N];
    const tsp_problem problem = {.n = N, .dist = dist, .nn = nn, .nn_list = nn_list};
    const tsp_params params = tsp_default_params(N, TSP_BEST_ANT);
    tsp_colony *colony = NULL;
    const ab_status status = open_colony(rung->open, &problem, &params, &colony);
    if (colony != NULL) colony->work.methods->close(&colony->work);
    if (status.code == AB_UNSUPPORTED && nn > 32) return false;
    assert_int_equal(status.code, AB_OK);
    return true;
}

static void check_kind(const ab_implementation *rung, int n, int nn, tsp_params params, selection_weights kind)
{
    const selection_report report = select_among(rung, n, nn, params, kind);
    print_message("# %s, n %d, nn %d, alpha %g, beta %g, weights %d: %lld steps, chi-square %.1f on %d "
                  "degrees, p %.3g\n",
                  rung->id, n, nn, params.alpha, params.beta, (int)kind, (long long)report.steps, report.all.statistic,
                  report.all.df, report.all.p);
    assert_true(selection_worst_p(&report) > 1e-4);
}

/* Small instances may not be refused. */
static bool takes_cities(const ab_implementation *rung, int n)
{
    tsp_instance instance;
    assert_int_equal(tsp_generate(TSP_UNIFORM, n, 13, &instance).code, AB_OK);
    const tsp_problem problem = {.n = n, .dist = instance.dist};
    const tsp_params params = tsp_default_params(n, TSP_BEST_ANT);
    tsp_colony *colony = NULL;
    const ab_status status = open_colony(rung->open, &problem, &params, &colony);
    if (colony != NULL) colony->work.methods->close(&colony->work);
    tsp_free(&instance);
    if (status.code == AB_UNSUPPORTED && n > 200) return false;
    assert_int_equal(status.code, AB_OK);
    return true;
}

/* By two kinds of weights, which take turns: from `turn` on. */
static void check_proportional(const ab_implementation *rung, int n, int nn, int workers, int n_ants, size_t turn)
{
    for (size_t i = 0; i < 2; ++i)
        check_kind(rung, n, nn, params_of(rung, n, n_ants, workers), (selection_weights)((turn + i) % WEIGHTS_KINDS));
}

/* Cities fewer than a warp and more, none of these n a multiple of 32; with 1100 a warp has more sub-blocks of 32 than
 * lanes. Workers: fewer than the cities and more, less than a warp, and several warps. */
static void test_cities_are_chosen_in_proportion(void **state)
{
    (void)state;
    static const struct {
        int n, n_ants, workers;
    } cases[] = {{20, 500, 32}, {45, 400, 16}, {100, 150, 64}, {1100, 4, 128}};
    for (const ab_implementation *rung = NULL; (rung = next_exact(false, rung)) != NULL;)
        for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i)
            if (takes_cities(rung, cases[i].n))
                check_proportional(rung, cases[i].n, 0, cases[i].workers, cases[i].n_ants, 3 * i);
}

/* The choice among unvisited candidates, for sets smaller than a warp, of a warp, and of more, where it takes them. */
static void test_candidates_are_chosen_in_proportion(void **state)
{
    (void)state;
    static const int set_sizes[] = {20, 32, 50};
    for (const ab_implementation *rung = NULL; (rung = next_exact(true, rung)) != NULL;)
        for (size_t i = 0; i < sizeof set_sizes / sizeof *set_sizes; ++i)
            if (takes_sets_of(rung, set_sizes[i])) check_proportional(rung, 70, set_sizes[i], 0, 300, i);
}

/* Exponents that the papers do not use, and kernels have code of their own for. */
static void test_choices_follow_other_exponents(void **state)
{
    (void)state;
    static const double exponents[][2] = {{2.0, 1.0}, {0.5, 3.0}};
    for (int candidates = 0; candidates < 2; ++candidates)
        for (const ab_implementation *rung = NULL; (rung = next_exact(candidates, rung)) != NULL;)
            for (size_t i = 0; i < sizeof exponents / sizeof *exponents; ++i) {
                tsp_params params = params_of(rung, 45, 400, 64);
                params.alpha = exponents[i][0];
                params.beta = exponents[i][1];
                check_kind(rung, 45, candidates ? 20 : 0, params, WEIGHTS_SKEWED);
            }
}

static const char *const i_roulettes[] = {"tsp/i-roulette", "tsp/i-roulette-warp"};
enum { N_I_ROULETTES = sizeof i_roulettes / sizeof *i_roulettes };

/* Unequal weights give it away. Equal ones cannot: then the largest of equally distributed numbers wins, whatever its
 * tile. */
static void test_i_roulettes_are_not_proportional(void **state)
{
    (void)state;
    for (int i = 0; i < N_I_ROULETTES; ++i) {
        const ab_implementation *rung = registered(i_roulettes[i], AB_HOST);
        assert_false(rung->traits & AB_EXACT);
        const selection_report uniform = select_among(rung, 45, 0, params_of(rung, 45, 500, 16), WEIGHTS_UNIFORM);
        assert_true(selection_worst_p(&uniform) > 1e-4);
        const selection_report skewed = select_among(rung, 45, 0, params_of(rung, 45, 500, 16), WEIGHTS_SKEWED);
        print_message("# %s, n 45, skewed weights: %lld steps, chi-square %.1f on %d degrees, p %.3g\n", rung->id,
                      (long long)skewed.steps, skewed.all.statistic, skewed.all.df, skewed.all.p);
        assert_true(skewed.all.p < 1e-12);
    }
}

/* The share of steps in which the heavier of two cities, of weights 2 and 1, is chosen. */
static double share_of_the_heavier(const ab_implementation *rung)
{
    enum { N = 3, ANTS = 4000 };
    static const int32_t dist[N * N] = {0, 1, 1, 1, 0, 1, 1, 1, 0};
    static const float weights[N * N] = {0, 2, 1, 1, 0,
                                         2, 2, 1, 0}; /* from i: city i + 1 weighs 2, city i + 2 weighs 1 */
    static int32_t tours[ANTS * (N + 1)];
    const tsp_problem problem = {.n = N, .dist = dist};
    tsp_params params = tsp_default_params(N, TSP_BEST_ANT);
    params.n_ants = ANTS;
    set_own(rung, &params, "workers", 16);
    tsp_colony *colony = NULL;
    tsp_result result = {.tours = tours};
    assert_int_equal(open_colony(rung->open, &problem, &params, &colony).code, AB_OK);
    assert_int_equal(colony->methods->write_pheromone(colony, weights).code, AB_OK);
    assert_int_equal(ab_iterate(&colony->work).code, AB_OK);
    assert_int_equal(colony->methods->read(colony, &result).code, AB_OK);
    colony->work.methods->close(&colony->work);
    int heavier = 0;
    for (int ant = 0; ant < ANTS; ++ant) heavier += tours[ant * (N + 1) + 1] == (tours[ant * (N + 1)] + 1) % N;
    return (double)heavier / ANTS;
}

/* By how much: with r1, r2 uniform on (0, 1], 2 r1 > r2 in three cases of four, where the rule says two of three. */
static void test_two_cities_of_weights_two_and_one(void **state)
{
    (void)state;
    const double five_sigma = 5.0 * sqrt(0.25 / 4000.0);
    for (int i = 0; i < N_I_ROULETTES; ++i) {
        const double share = share_of_the_heavier(registered(i_roulettes[i], AB_HOST));
        print_message("# weights 2:1, the heavier is chosen: proportional 0.667, %s %.3f\n", i_roulettes[i], share);
        assert_true(fabs(share - 3.0 / 4.0) < five_sigma);
    }
    for (const ab_implementation *rung = NULL; (rung = next_exact(false, rung)) != NULL;) {
        const double share = share_of_the_heavier(rung);
        print_message("# likewise %s: %.3f\n", rung->id, share);
        assert_true(fabs(share - 2.0 / 3.0) < five_sigma);
    }
}

/* Two hundred iterations at rho 0.5: unused edges underflow to 0 after about 150 of them, and everything stays valid
 * and finite. */
static void test_pheromone_that_underflows(void **state)
{
    (void)state;
    enum { N = 24, ANTS = 4, ITERATIONS = 200 };
    tsp_instance instance;
    assert_int_equal(tsp_generate(TSP_UNIFORM, N, 11, &instance).code, AB_OK);
    const tsp_problem all = {.n = N, .dist = instance.dist};
    tsp_problem candidates = {.n = N, .dist = instance.dist, .nn = 10};
    int32_t *nn_list = NULL;
    assert_int_equal(tsp_nearest_neighbours(&candidates, candidates.nn, &nn_list).code, AB_OK);
    candidates.nn_list = nn_list;
    for (const ab_implementation *rung = NULL; (rung = next_rung(rung)) != NULL;) {
        tsp_params params = tsp_default_params(N, TSP_ALL_ANTS);
        params.n_ants = ANTS;
        set_own(rung, &params, "workers", 16);
        const tsp_problem *problem = rung->traits & TSP_CANDIDATES ? &candidates : &all;
        tsp_colony *colony = NULL;
        tsp_result best;
        bool wrong = false;
        assert_int_equal(open_colony(rung->open, problem, &params, &colony).code, AB_OK);
        for (int i = 0; i < ITERATIONS; ++i) {
            assert_int_equal(ab_iterate(&colony->work).code, AB_OK);
            if (i % 50 && i + 1 < ITERATIONS) continue;
            const ab_status status = tsp_verify_tours(colony, problem, ANTS, &best, &wrong);
            if (status.code != AB_OK) fail_msg("%s, iteration %d: %s", rung->id, i, status.reason);
        }
        assert_true(best.zero_weight_steps > 0);
        colony->work.methods->close(&colony->work);
    }
    free(nn_list);
    tsp_free(&instance);
}

int main(int argc, char **argv)
{
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cities_are_chosen_in_proportion),
        cmocka_unit_test(test_candidates_are_chosen_in_proportion),
        cmocka_unit_test(test_choices_follow_other_exponents),
        cmocka_unit_test(test_i_roulettes_are_not_proportional),
        cmocka_unit_test(test_two_cities_of_weights_two_and_one),
        cmocka_unit_test(test_pheromone_that_underflows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
