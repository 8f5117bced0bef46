/* The check of candidate sets (kernels/tsp/check/verify.h): it accepts what tsp_nearest_neighbours builds and refuses
 * each way in which a set can be wrong. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kernels/tsp/check/verify.h"

enum { N = 6, NN = 3 };

/* Cities on a line, the last two in one place: 0 1 3 6 10 10. */
static const int32_t dist[N * N] = {
    0, 1, 3, 6, 10, 10, 1,  0, 2, 5, 9, 9, 3,  2, 0, 3, 7, 7, //
    6, 5, 3, 0, 4,  4,  10, 9, 7, 4, 0, 0, 10, 9, 7, 4, 0, 0,
};

static tsp_problem must_build(int nn, int32_t **nn_list)
{
    tsp_problem problem = {.n = N, .dist = dist};
    const ab_status status = tsp_nearest_neighbours(&problem, nn, nn_list);
    if (status.code != AB_OK) fail_msg("%s", status.reason);
    problem.nn = nn;
    problem.nn_list = *nn_list;
    return problem;
}

static void what_is_built_is_accepted(void **state)
{
    (void)state;
    for (int nn = 1; nn < N; nn++) {
        int32_t *nn_list = NULL;
        const tsp_problem problem = must_build(nn, &nn_list);
        int valid = 0;
        bool wrong = true;
        assert_int_equal(tsp_verify_candidates(&problem, &valid, &wrong).code, AB_OK);
        assert_int_equal(valid, N);
        assert_false(wrong);
        free(nn_list);
    }
}

/* Replaces the set of city 2, which is 1, 0, 3. */
static void expect_refused(int first, int second, int third, const char *reason)
{
    int32_t *nn_list = NULL;
    const tsp_problem problem = must_build(NN, &nn_list);
    const int32_t set[NN] = {first, second, third};
    memcpy(nn_list + 2 * NN, set, sizeof set);
    int valid = 0;
    bool wrong = false;
    const ab_status status = tsp_verify_candidates(&problem, &valid, &wrong);
    assert_int_equal(status.code, AB_FAILED);
    assert_string_equal(status.reason, reason);
    assert_int_equal(valid, N - 1);
    assert_true(wrong);
    free(nn_list);
}

static void wrong_sets_are_refused(void **state)
{
    (void)state;
    expect_refused(1, 0, 6, "candidate 2 of city 2 is 6 of 6");
    expect_refused(1, 0, -1, "candidate 2 of city 2 is -1 of 6");
    expect_refused(2, 1, 0, "candidate 0 of city 2, 2, is no new city");
    expect_refused(1, 1, 0, "candidate 1 of city 2, 1, is no new city");
    expect_refused(0, 1, 3, "candidate 1 of city 2 is nearer than the one before");
    expect_refused(1, 0, 4, "city 3 is nearer to city 2 than its last candidate");
}

/* All cores check so many cities. Another thread may meet a later wrong set before the first one is met. */
static void the_first_of_several_wrong_sets_is_told(void **state)
{
    enum { MANY = 2000 };
    (void)state;
    tsp_point points[MANY];
    for (int i = 0; i < MANY; i++) points[i] = (tsp_point){i, 0.0};
    tsp_problem problem = {.n = MANY, .points = points, .rule = tsp_find_rule("EUC_2D"), .nn = 1};
    int32_t *distances = NULL, *sets = NULL;
    assert_int_equal(tsp_compute_distances("", problem.rule, points, MANY, &distances).code, AB_OK);
    problem.dist = distances;
    assert_int_equal(tsp_nearest_neighbours(&problem, 1, &sets).code, AB_OK);
    problem.nn_list = sets;
    sets[MANY - 1] = sets[MANY / 2] = sets[700] = MANY;
    for (int run = 0; run < 20; run++) {
        int valid = 0;
        bool wrong = false;
        const ab_status status = tsp_verify_candidates(&problem, &valid, &wrong);
        assert_string_equal(status.reason, "candidate 0 of city 700 is 2000 of 2000");
        assert_int_equal(valid, MANY - 3);
        assert_true(wrong);
    }
    free(sets);
    free(distances);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_built_is_accepted),
        cmocka_unit_test(wrong_sets_are_refused),
        cmocka_unit_test(the_first_of_several_wrong_sets_is_told),
    };
    return cmocka_run_group_tests_name("tsp_verify_candidates", tests, NULL, NULL);
}
