/* The clock on a CPU: what a series keeps of a work (bench/harness/measure.h). */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bench/harness/measure.h"

/* A work whose methods are its own and go with it, as those of a system that chooses its stages when it is opened. */
typedef struct brief_work {
    ab_work work;
    ab_work_methods methods;
    int runs[2];
} brief_work;

static ab_status run_stage(ab_work *work, int stage)
{
    ++((brief_work *)work)->runs[stage];
    return ab_ok();
}

static void close_work(ab_work *work)
{
    if (work) memset(work, 0xa5, sizeof(brief_work));
    free(work);
}

static brief_work *open_work(void)
{
    brief_work *brief = calloc(1, sizeof *brief);
    assert_non_null(brief);
    brief->methods = (ab_work_methods){2, {"first", "second"}, run_stage, close_work};
    brief->work.methods = &brief->methods;
    return brief;
}

static void test_a_series_outlives_its_work(void **state)
{
    (void)state;
    brief_work *brief = open_work();
    const ab_timing timing = ab_timing_new(AB_CPU, false);
    ab_series series = {0};
    int completed = 0;
    assert_int_equal(ab_time_work(&brief->work, &timing, 3, INFINITY, &series, &completed).code, AB_OK);
    assert_int_equal(completed, 3);
    assert_int_equal(brief->runs[0], 3);
    assert_int_equal(brief->runs[1], 3);
    close_work(&brief->work);
    assert_int_equal(series.n, 3);
    assert_int_equal(series.n_stages, 2);
    assert_string_equal(series.stage_names[0], "first");
    assert_string_equal(series.stage_names[1], "second");
    for (int i = 0; i < 3 * 2; ++i) assert_true(series.ms[i] >= 0.0);
    ab_series_free(&series);
}

static void test_a_spent_budget_leaves_one_iteration(void **state)
{
    (void)state;
    brief_work *brief = open_work();
    const ab_timing timing = ab_timing_new(AB_CPU, false);
    ab_series series = {0};
    int completed = 0;
    assert_int_equal(ab_time_work(&brief->work, &timing, 100, 0.0, &series, &completed).code, AB_OK);
    assert_int_equal(completed, 1);
    assert_int_equal(series.n, 1);
    assert_int_equal(brief->runs[1], 1);
    close_work(&brief->work);
    ab_series_free(&series);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_series_outlives_its_work),
        cmocka_unit_test(test_a_spent_budget_leaves_one_iteration),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
