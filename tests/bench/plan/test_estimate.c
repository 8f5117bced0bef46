/* How long cells take, and which have no warm-up (bench/plan/estimate.h). */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "bench/plan/estimate.h"

static const double ESTIMATED_S = 0.5;

static void estimate(const ab_circumstances *c, const void *params, double *sample_s, double *once_s)
{
    (void)c, (void)params;
    *sample_s = ESTIMATED_S;
    *once_s = 0.0;
}

static bool is_long(ab_backend backend, bool fresh, double known_s)
{
    const ab_operation operation = {.estimate = estimate};
    const ab_implementation implementation = {.backend = backend};
    const ab_measure measure = {.fresh = fresh};
    const ab_cell cell = {.operation = &operation, .c = {.implementation = &implementation, .measure = &measure}};
    return ab_cell_is_long(&cell, known_s);
}

static void a_gpu_is_judged_by_the_first_process(void **state)
{
    (void)state;
    assert_false(is_long(AB_CUDA, true, NAN)); /* the estimate of a GPU's rows is too rough */
    assert_false(is_long(AB_CUDA, true, 0.2));
    assert_true(is_long(AB_CUDA, true, 0.3));
    assert_false(is_long(AB_CUDA, false, 0.3)); /* works that groups share count as long from a second on */
    assert_true(is_long(AB_CUDA, false, 1.1));
}

static void a_cpu_is_judged_by_the_estimate(void **state)
{
    (void)state;
    assert_true(is_long(AB_CPU, true, NAN));
    assert_true(is_long(AB_CPU, true, 0.1));
    assert_false(is_long(AB_CPU, false, 2.0));
}

/* The seconds of a row of one sample in the first or a later process. */
static double estimate_of(bool timed, bool verify, int process)
{
    const ab_operation operation = {.estimate = estimate};
    const ab_implementation implementation = {.backend = AB_CPU};
    const ab_measure measure = {.timed = timed, .at_once = 1};
    const ab_block block = {0};
    const ab_line line = {0};
    const ab_cell cell = {.operation = &operation,
                          .block = &block,
                          .line = &line,
                          .timed = timed,
                          .c = {.implementation = &implementation, .measure = &measure}};
    const ab_options options = {.profile = AB_THESIS, .verify = verify};
    const ab_plan plan = {.options = &options,
                          .share = {.effort = {.runs = 1, .budget_s = 0.1}, .process = process, .processes = 7}};
    return ab_cell_estimate(&plan, &cell);
}

static void a_timed_row_takes_longer_than_its_samples(void **state)
{
    (void)state;
    assert_true(estimate_of(false, false, 1) == ESTIMATED_S);
    assert_true(estimate_of(true, true, 1) == 0.0);
    assert_true(estimate_of(true, false, 1) > ESTIMATED_S + 0.01);
    assert_true(estimate_of(true, false, 2) > 2 * ESTIMATED_S + 0.01); /* with a warm-up */
    assert_true(estimate_of(true, false, 2) < 2 * ESTIMATED_S + 0.1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_gpu_is_judged_by_the_first_process),
        cmocka_unit_test(a_cpu_is_judged_by_the_estimate),
        cmocka_unit_test(a_timed_row_takes_longer_than_its_samples),
    };
    return cmocka_run_group_tests_name("estimate", tests, NULL, NULL);
}
