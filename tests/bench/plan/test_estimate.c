/* Which cells have no warm-up (bench/plan/estimate.h). */
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_gpu_is_judged_by_the_first_process),
        cmocka_unit_test(a_cpu_is_judged_by_the_estimate),
    };
    return cmocka_run_group_tests_name("estimate", tests, NULL, NULL);
}
