/* MAX-MIN Ant System (kernels/tsp/max_min.h): its limits and its course by numbers worked out by hand, and the
 * pheromone of every implementation that has it, over iterations in which the best tour so far deposits and over
 * beginnings anew; a colony that does something else is found out. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kernels/tsp/check/max_min_again.h"
#include "kernels/tsp/check/verify.h"
#include "kernels/tsp/max_min.h"
#include "tests/support/problems.h"
#include "tests/support/registered.h"

enum { CITIES = 16, ANTS = 3, LONG = 36, NN = 8 };

/* ---- Numbers ---- */

static void limits_are_those_of_the_paper(void **state)
{
    (void)state;
    const tsp_max_min_limits hundred = tsp_max_min_limits_of(100, 0.02, 1000);
    /* 0.05^(1/100) = 0.970487; (1 - 0.970487)/(49 * 0.970487) = 6.2063e-4, of 0.05 */
    assert_true(fabs(hundred.most - 0.05) < 1e-12 && fabs(hundred.least - 3.1031e-5) < 1e-8);
    const tsp_max_min_limits two = tsp_max_min_limits_of(2, 0.02, 10), three = tsp_max_min_limits_of(3, 0.02, 10);
    assert_true(two.least == two.most && three.least == three.most); /* would be above it */
    assert_true(tsp_max_min_limits_of(50, 0.5, 0).most == 2.0);
}

static void the_best_so_far_deposits_more_and_more_often(void **state)
{
    (void)state;
    static const struct {
        int from, to, best;
    } expected[] = {{1, 25, 0}, {26, 75, 10}, {76, 125, 16}, {126, 250, 63}, {251, 300, 50}};
    tsp_max_min_course course = {0};
    for (size_t k = 0; k < sizeof expected / sizeof *expected; k++) {
        int best = 0;
        for (int i = expected[k].from; i <= expected[k].to; i++)
            best += tsp_max_min_go_on(&course, i, false, 0) == TSP_MAX_MIN_BEST_SO_FAR;
        assert_int_equal(best, expected[k].best);
    }
}

static void patience_is_counted_from_the_last_better_tour(void **state)
{
    (void)state;
    tsp_max_min_course course = {0};
    for (int i = 1; i <= 60; i++) {
        const bool again = i == 27 || i == 37 || i == 47 || i == 57; /* ten after 17, then ten after ten */
        assert_int_equal(tsp_max_min_go_on(&course, i, i == 9 || i == 17, 10) == TSP_MAX_MIN_RESTART, again);
    }
    assert_int_equal(course.begun, 57);
    assert_int_equal(tsp_max_min_go_on(&course, 62, true, 10), TSP_MAX_MIN_ITERATION_BEST); /* the fifth iteration */
}

/* What verification has in its place agrees, over all parts of the schedule and with any patience. */
static void both_writings_agree(void **state)
{
    (void)state;
    for (int n = 1; n < 2000; n++) {
        const tsp_max_min_limits limits = tsp_max_min_limits_of(n, 0.02, 3 * n - 3);
        const double most = tsp_max_min_again_most(0.02, 3 * n - 3), least = most * tsp_max_min_again_share(n);
        assert_true(fabs(limits.most - most) <= 1e-12 * most && fabs(limits.least - least) <= 1e-10 * least);
    }
    for (int patience = 0; patience < 300; patience += patience < 9 ? 1 : 29) {
        tsp_max_min_course course = {0};
        tsp_max_min_again again = {0};
        for (int i = 1; i < 1000; i++) {
            const bool better = i % 97 == 0 || i == 31;
            const tsp_max_min_step step = tsp_max_min_go_on(&course, i, better, patience);
            tsp_max_min_again_go_on(&again, better, patience);
            assert_int_equal(again.restarts, step == TSP_MAX_MIN_RESTART);
            assert_int_equal(again.best_so_far, step == TSP_MAX_MIN_BEST_SO_FAR);
        }
    }
}

/* ---- Colonies ---- */

static ab_status verify(const ab_implementation *it, const tsp_params *opened, const tsp_params *verified,
                        int iterations)
{
    tsp_problem problem = random_problem(CITIES, 1000, 5);
    int32_t *nn_list = NULL;
    tsp_colony *colony = NULL;
    int valid = 0;
    bool wrong = false;
    if (it->traits & TSP_CANDIDATES) {
        assert_int_equal(tsp_nearest_neighbours(&problem, NN, &nn_list).code, AB_OK);
        problem.nn = NN;
        problem.nn_list = nn_list;
    }
    ab_status status = open_colony(it->open, &problem, opened, &colony);
    if (status.code == AB_OK) status = tsp_verify_iterations(colony, &problem, verified, iterations, &valid, &wrong);
    assert_int_equal(status.code == AB_FAILED, wrong);
    if (colony) colony->work.methods->close(&colony->work);
    free(nn_list);
    free_problem(&problem);
    return status;
}

static tsp_params params_of(int patience, tsp_improving improve)
{
    tsp_params params = tsp_default_params(CITIES, TSP_MAX_MIN);
    params.n_ants = ANTS;
    params.patience = patience;
    params.improve = improve;
    return params;
}

static void every_implementation_has_limits(void **state)
{
    (void)state;
    int refused = 0;
    for (const ab_implementation *it = NULL; (it = next_of("tsp", ON_CPU | ON_HOST, it)) != NULL;) {
        const tsp_params params = params_of(2, TSP_IMPROVE_BEST);
        const ab_status status = verify(it, &params, &params, TSP_VERIFY_ITERATIONS_CHOICES);
        refused += status.code == AB_UNSUPPORTED;
        if (status.code == AB_UNSUPPORTED)
            assert_non_null(strstr(status.reason, "needs protocol as or as-best"));
        else if (status.code != AB_OK)
            fail_msg("%s: %s", it->id, status.reason);
    }
    assert_true(refused <= 2); /* those without matrices */
}

static const struct {
    const char *id;
    ab_backend backend;
} several[] = {{"tsp/cpu-rejection", AB_CPU},
               {"tsp/acotsp-seq", AB_CPU},
               {"tsp/cpu-vectors-nn", AB_CPU},
               {"tsp/race-candidates", AB_HOST}};
enum { SEVERAL = sizeof several / sizeof *several };

/* Long enough for the best tour so far to deposit twice. */
static void long_runs_are_right(void **state)
{
    (void)state;
    for (int i = 0; i < SEVERAL; i++) {
        const tsp_params params = params_of(0, TSP_IMPROVE_NONE), impatient = params_of(5, TSP_IMPROVE_ALL);
        const ab_implementation *it = registered(several[i].id, several[i].backend);
        ab_status status = verify(it, &params, &params, LONG);
        if (status.code == AB_OK) status = verify(it, &impatient, &impatient, LONG);
        if (status.code != AB_OK) fail_msg("%s: %s", it->id, status.reason);
    }
}

/* Opened as one thing and verified as another. */
static void what_is_no_max_min_ant_system_is_found(void **state)
{
    (void)state;
    const tsp_params right = params_of(0, TSP_IMPROVE_NONE), impatient = params_of(3, TSP_IMPROVE_NONE);
    tsp_params unlimited = right, faster = right;
    unlimited.protocol = TSP_BEST_ANT;
    faster.rho = 0.03;
    for (int i = 0; i < SEVERAL; i += 3) { /* the CPU's and the GPU's update */
        const ab_implementation *it = registered(several[i].id, several[i].backend);
        const ab_status statuses[] = {
            verify(it, &unlimited, &right, LONG), verify(it, &right, &unlimited, LONG),
            verify(it, &faster, &right, LONG),    verify(it, &right, &impatient, LONG),
            verify(it, &impatient, &right, LONG),
        };
        for (size_t k = 0; k < sizeof statuses / sizeof *statuses; k++)
            if (statuses[k].code != AB_FAILED || !strstr(statuses[k].reason, "pheromone["))
                fail_msg("%s, %zu: \"%s\"", it->id, k, statuses[k].reason);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(limits_are_those_of_the_paper),
        cmocka_unit_test(the_best_so_far_deposits_more_and_more_often),
        cmocka_unit_test(patience_is_counted_from_the_last_better_tour),
        cmocka_unit_test(both_writings_agree),
        cmocka_unit_test(every_implementation_has_limits),
        cmocka_unit_test(long_runs_are_right),
        cmocka_unit_test(what_is_no_max_min_ant_system_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
