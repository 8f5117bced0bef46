/* What needs many steps of the GPU implementations of Ant System on the host backend, and so runs without sanitizers: the
 * selection rule that each claims, and a thousand iterations. */
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

/* Selection by a rung from weights of one kind, on an instance of n cities. */
static selection_report select_with(const char *id, int n, int n_ants, selection_weights kind)
{
    tsp_instance instance;
    assert_int_equal(tsp_generate(TSP_UNIFORM, n, 13, &instance).code, AB_OK);
    const as_problem problem = {.n = n, .dist = instance.dist};
    as_params params = as_default_params(n, AS_BEST_ANT);
    params.n_ants = n_ants;
    float *pheromone = malloc((size_t)n * (size_t)n * sizeof *pheromone);
    assert_non_null(pheromone);
    selection_pheromone(&problem, &params, kind, pheromone);
    selection_report report;
    const ab_status status = selection_test(rung(id), &problem, &params, pheromone, &report);
    if (status.code != AB_OK) fail_msg("%s: %s", id, status.reason);
    free(pheromone);
    tsp_free(&instance);
    return report;
}

/* Cities in one sub-block and in several, none of these n a multiple of 32; 1100 needs two rounds of the first spin. */
static void test_ds_roulette_is_proportional(void **state)
{
    (void)state;
    static const struct {
        int n, n_ants;
    } cases[] = {{20, 1000}, {45, 800}, {100, 300}, {1100, 8}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i)
        for (int kind = 0; kind < WEIGHTS_KINDS; ++kind) {
            const selection_report report =
                select_with("tsp/ds-roulette", cases[i].n, cases[i].n_ants, (selection_weights)kind);
            print_message("# ds-roulette, n %d, weights %d: %lld steps, chi-square %.1f on %d degrees, p %.3g\n",
                          cases[i].n, kind, (long long)report.steps, report.all.statistic, report.all.df, report.all.p);
            assert_true(selection_worst_p(&report) > 1e-4);
        }
}

/* With unequal weights the heaviest city wins more often than its share. Equal weights are the exception. */
static void test_i_roulette_is_not_proportional(void **state)
{
    (void)state;
    for (int kind = 0; kind < WEIGHTS_KINDS; ++kind) {
        const selection_report report = select_with("tsp/i-roulette", 45, 500, (selection_weights)kind);
        print_message("# i-roulette, n 45, weights %d: %lld steps, chi-square %.1f on %d degrees, p %.3g\n", kind,
                      (long long)report.steps, report.all.statistic, report.all.df, report.all.p);
        if (kind == WEIGHTS_UNIFORM)
            assert_true(selection_worst_p(&report) > 1e-4);
        else
            assert_true(report.all.p < 1e-12 && report.all.statistic > 4.0 * report.all.df);
    }
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
        cmocka_unit_test(test_i_roulette_is_not_proportional),
        cmocka_unit_test(test_thousand_iterations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
