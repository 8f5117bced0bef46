/* What needs many steps of the GPU implementations of Ant System on the host backend, and so runs without sanitizers:
 * the selection rule that each claims, and a thousand iterations. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bench/verify_tsp.h"
#include "instances/tsplib.h"
#include "kernels/tsp/tsp.h"
#include "tests/support/selection_test.h"

static const char *const rungs[] = {"tsp/i-roulette", "tsp/ds-roulette"};
enum { N_RUNGS = sizeof rungs / sizeof *rungs };

static as_open *rung(const char *id)
{
    const ab_implementation *found = ab_find_implementation(id, AB_HOST);
    assert_non_null(found);
    return found->open.tsp;
}

/* Selection by a rung from weights of one kind, on an instance of n cities, with sets of nn candidates or, for 0, all. */
static selection_report select_among(const char *id, int n, int nn, int n_ants, selection_weights kind)
{
    tsp_instance instance;
    assert_int_equal(tsp_generate(TSP_UNIFORM, n, 13, &instance).code, AB_OK);
    as_problem problem = {.n = n, .dist = instance.dist, .nn = nn};
    int32_t *nn_list = NULL;
    if (nn) assert_int_equal(as_nearest_neighbours(&problem, nn, &nn_list).code, AB_OK);
    problem.nn_list = nn_list;
    as_params params = as_default_params(n, AS_BEST_ANT);
    params.n_ants = n_ants;
    float *pheromone = malloc((size_t)n * (size_t)n * sizeof *pheromone);
    assert_non_null(pheromone);
    selection_pheromone(&problem, &params, kind, pheromone);
    selection_report report;
    const ab_status status = selection_test(rung(id), &problem, &params, pheromone, &report);
    if (status.code != AB_OK) fail_msg("%s: %s", id, status.reason);
    free(pheromone);
    free(nn_list);
    tsp_free(&instance);
    return report;
}

static selection_report select_with(const char *id, int n, int n_ants, selection_weights kind)
{
    return select_among(id, n, 0, n_ants, kind);
}

/* Cities in one sub-block and in several, none of these n a multiple of 32; 1100 needs two rounds of the first spin. */
static void test_ds_roulette_is_proportional(void **state)
{
    (void)state;
    static const struct {
        int n, n_ants;
    } cases[] = {{20, 500}, {45, 400}, {100, 150}, {1100, 4}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i)
        for (int kind = 0; kind < WEIGHTS_KINDS; ++kind) {
            const selection_report report =
                select_with("tsp/ds-roulette", cases[i].n, cases[i].n_ants, (selection_weights)kind);
            print_message("# ds-roulette, n %d, weights %d: %lld steps, chi-square %.1f on %d degrees, p %.3g\n",
                          cases[i].n, kind, (long long)report.steps, report.all.statistic, report.all.df, report.all.p);
            assert_true(selection_worst_p(&report) > 1e-4);
        }
}

/* The choice among unvisited candidates, for sets smaller than a warp, of a warp, and of two lanes' worth each. */
static void test_candidates_are_chosen_in_proportion(void **state)
{
    (void)state;
    static const struct {
        const char *id;
        int nn;
    } cases[] = {{"tsp/cand-thread", 32},
                 {"tsp/cand-block", 20},
                 {"tsp/cand-block", 32},
                 {"tsp/cand-block", 50},
                 {"tsp/cand-block-compress", 32}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i)
        for (int kind = 0; kind < WEIGHTS_KINDS; ++kind) {
            const selection_report report = select_among(cases[i].id, 70, cases[i].nn, 300, (selection_weights)kind);
            print_message("# %s, nn %d, weights %d: %lld steps, chi-square %.1f on %d degrees, p %.3g\n", cases[i].id,
                          cases[i].nn, kind, (long long)report.steps, report.all.statistic, report.all.df,
                          report.all.p);
            assert_true(selection_worst_p(&report) > 1e-4);
        }
}

/* Unequal weights give it away. Equal ones cannot: then the largest of equally distributed numbers wins. */
static void test_i_roulette_is_not_proportional(void **state)
{
    (void)state;
    const selection_report uniform = select_with("tsp/i-roulette", 45, 500, WEIGHTS_UNIFORM);
    assert_true(selection_worst_p(&uniform) > 1e-4);
    const selection_report skewed = select_with("tsp/i-roulette", 45, 500, WEIGHTS_SKEWED);
    print_message("# i-roulette, n 45, skewed weights: %lld steps, chi-square %.1f on %d degrees, p %.3g\n",
                  (long long)skewed.steps, skewed.all.statistic, skewed.all.df, skewed.all.p);
    assert_true(skewed.all.p < 1e-12);
}

/* The share of steps in which the heavier of two cities, of weights 2 and 1, is chosen. */
static double share_of_the_heavier(const char *id)
{
    enum { N = 3, ANTS = 4000 };
    static const int32_t dist[N * N] = {0, 1, 1, 1, 0, 1, 1, 1, 0};
    static const float weights[N * N] = {0, 2, 1, 1, 0,
                                         2, 2, 1, 0}; /* from i: city i + 1 weighs 2, city i + 2 weighs 1 */
    static int32_t tours[ANTS * (N + 1)];
    const as_problem problem = {.n = N, .dist = dist};
    as_params params = as_default_params(N, AS_BEST_ANT);
    params.n_ants = ANTS;
    as_colony *colony = NULL;
    as_result result = {.tours = tours};
    assert_int_equal(rung(id)(&problem, &params, &colony).code, AB_OK);
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
    const double ds = share_of_the_heavier("tsp/ds-roulette"), i = share_of_the_heavier("tsp/i-roulette");
    print_message("# weights 2:1, the heavier is chosen: proportional 0.667, ds-roulette %.3f, i-roulette %.3f\n", ds,
                  i);
    assert_true(fabs(ds - 2.0 / 3.0) < five_sigma);
    assert_true(fabs(i - 3.0 / 4.0) < five_sigma);
}

/* A thousand iterations at rho 0.5: unused edges underflow to 0, and everything stays valid and finite. */
static void test_thousand_iterations(void **state)
{
    (void)state;
    enum { N = 24, ANTS = 4, ITERATIONS = 1000 };
    tsp_instance instance;
    assert_int_equal(tsp_generate(TSP_UNIFORM, N, 11, &instance).code, AB_OK);
    const as_problem problem = {.n = N, .dist = instance.dist};
    as_params params = as_default_params(N, AS_ALL_ANTS);
    params.n_ants = ANTS;
    for (int r = 0; r < N_RUNGS; ++r) {
        as_colony *colony = NULL;
        as_result best;
        bool wrong = false;
        assert_int_equal(rung(rungs[r])(&problem, &params, &colony).code, AB_OK);
        for (int i = 0; i < ITERATIONS; ++i) {
            assert_int_equal(ab_iterate(&colony->work).code, AB_OK);
            if (i % 50 && i + 1 < ITERATIONS) continue;
            const ab_status status = verify_tours(colony, &problem, ANTS, &best, &wrong);
            if (status.code != AB_OK) fail_msg("%s, iteration %d: %s", rungs[r], i, status.reason);
        }
        assert_true(best.zero_weight_steps > 0);
        colony->work.methods->close(&colony->work);
    }
    tsp_free(&instance);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ds_roulette_is_proportional),
        cmocka_unit_test(test_candidates_are_chosen_in_proportion),
        cmocka_unit_test(test_i_roulette_is_not_proportional),
        cmocka_unit_test(test_two_cities_of_weights_two_and_one),
        cmocka_unit_test(test_thousand_iterations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
