/* Statistics against values worked out by hand, from tables, and from the definition by brute force. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "bench/row/stats.h"

static void assert_near(double value, double expected, double tolerance)
{
    if (!(fabs(value - expected) <= tolerance)) fail_msg("%.17g is not within %g of %.17g", value, tolerance, expected);
}

static void quantiles_interpolate(void **state)
{
    (void)state;
    const double sorted[] = {1, 2, 4, 8};
    assert_near(ab_quantile(sorted, 4, 0), 1, 0);
    assert_near(ab_quantile(sorted, 4, 0.25), 1.75, 0);
    assert_near(ab_quantile(sorted, 4, 0.5), 3, 0);
    assert_near(ab_quantile(sorted, 4, 0.75), 5, 0);
    assert_near(ab_quantile(sorted, 4, 1), 8, 0);
    assert_near(ab_quantile(sorted, 1, 0.75), 1, 0);
}

static void summary_of_unsorted_samples(void **state)
{
    (void)state;
    const double samples[] = {4, 1, 3, 2, 5, 9};
    const ab_summary summary = ab_summarise(samples, 6);
    assert_int_equal(summary.samples, 6);
    assert_near(summary.median, 3.5, 0);
    assert_near(summary.mean, 4, 1e-15);
    assert_near(summary.stddev, sqrt(8), 1e-15);
    assert_near(summary.min, 1, 0);
    assert_near(summary.q1, 2.25, 0);
    assert_near(summary.q3, 4.75, 0);
    assert_near(summary.max, 9, 0);
    assert_near(summary.ci95_lo, 1, 0);
    assert_near(summary.ci95_hi, 9, 0);
    assert_near(ab_relative_error(&summary), 4 / 3.5, 1e-15);
    assert_near(samples[0], 4, 0);
}

static void few_samples_leave_fields_undetermined(void **state)
{
    (void)state;
    const double samples[] = {7, 9, 8, 6, 10};
    const ab_summary none = ab_summarise(samples, 0), one = ab_summarise(samples, 1), five = ab_summarise(samples, 5);
    assert_int_equal(none.samples, 0);
    assert_true(isnan(none.median) && isnan(none.mean) && isnan(none.min) && isnan(none.max) && isnan(none.stddev));
    assert_near(one.median, 7, 0);
    assert_true(isnan(one.stddev) && isnan(one.ci95_lo));
    assert_near(five.stddev, sqrt(2.5), 1e-15);
    assert_true(isnan(five.ci95_lo) && isnan(five.ci95_hi) && isnan(ab_relative_error(&five)));
}

static void nan_never_vanishes(void **state)
{
    (void)state;
    const double samples[] = {1, 2, NAN, 4, 5, 6, 7};
    const ab_summary summary = ab_summarise(samples, 7);
    assert_int_equal(summary.samples, 7);
    assert_true(isnan(summary.median) && isnan(summary.mean) && isnan(summary.min) && isnan(summary.max));
}

static void student_is_that_of_printed_tables(void **state)
{
    (void)state;
    const struct {
        int df;
        double t;
    } known[] = {{1, 12.7062047}, {2, 4.3026527},  {3, 3.1824463},  {4, 2.7764451},
                 {9, 2.2621572},  {30, 2.0422725}, {999, 1.9623415}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        assert_near(ab_student_t975(known[i].df), known[i].t, 1e-6);
}

static void the_interval_of_processes_is_of_their_means(void **state)
{
    (void)state;
    const double samples[] = {1, 1, 3, 1, 3, 3, 4, 2};
    /* Means 1, 2 and 3; a process without samples says nothing, and one with more samples no more than the others. */
    const ab_summary summary = ab_summarise_processes(samples, (const int[]){2, 0, 2, 4}, 4);
    assert_int_equal(summary.samples, 8);
    assert_int_equal(summary.processes, 3);
    assert_near(summary.mean, 2, 1e-15);
    assert_near(summary.median, 2.5, 1e-15);
    assert_near(summary.ci95_lo, 0.577572285131, 1e-9);
    assert_near(summary.ci95_hi, 6.92554006309, 1e-9);
    assert_near(ab_relative_error(&summary), (6.92554006309 - 0.577572285131) / 4, 1e-9);
}

/* Ends by scipy: mean exp(-+h) with h = stats.t.interval's half of the processes' means, over their mean. */
static void the_interval_of_processes_is_above_0(void **state)
{
    (void)state;
    const struct {
        double means[5];
        int n;
        double lo, hi;
    } known[] = {{{0.1, 0.1, 4.0}, 3, 0.025762169658, 76.0805485726},                /* Student's begins at -4.19 */
                 {{1.00, 1.01, 0.99, 1.02, 0.98}, 5, 0.980559029574, 1.01982641518}, /* Student's: 0.98037, 1.01963 */
                 {{2, 2}, 2, 2, 2},
                 {{0, 0, 0}, 3, 0, 0}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const ab_summary summary = ab_summarise_processes(known[i].means, (const int[]){1, 1, 1, 1, 1}, known[i].n);
        assert_near(summary.ci95_lo, known[i].lo, 1e-9);
        assert_near(summary.ci95_hi, known[i].hi, 1e-7);
    }
    const ab_summary unknown = ab_summarise_processes((const double[]){1, NAN}, (const int[]){1, 1}, 2);
    assert_true(isnan(unknown.mean) && isnan(unknown.ci95_lo) && isnan(unknown.ci95_hi));
}

static void one_process_has_the_interval_of_its_samples(void **state)
{
    (void)state;
    const double samples[] = {4, 1, 3, 2, 5, 9};
    const ab_summary one = ab_summarise_processes(samples, (const int[]){6, 0}, 2);
    assert_int_equal(one.processes, 1);
    assert_near(one.ci95_lo, 1, 0);
    assert_near(one.ci95_hi, 9, 0);
    assert_int_equal(ab_summarise_processes(samples, (const int[]){0, 0}, 2).processes, 0);
}

static ab_shape shape_of(const double *samples, const double *whole, const int *counts, int processes)
{
    ab_shape shape;
    assert_int_equal(ab_find_shape(samples, whole, counts, processes, &shape).code, AB_OK);
    return shape;
}

static void a_time_slice_in_each_process_makes_samples_uneven(void **state)
{
    (void)state;
    const double samples[] = {1, 1, 13.2, 1, 1, 1, 1, 1, 1, 13.2, 13.2, 1, 1, 1, 1};
    const ab_shape shape = shape_of(samples, samples, (const int[]){5, 5, 0, 5}, 4);
    assert_int_equal(shape.far, 3);
    assert_near(shape.raised, 2.44, 1e-12);
    assert_near(shape.apart, 0, 1e-12);
    assert_true(ab_is_uneven(&shape));
    /* The interval does not show it. */
    const ab_summary summary = ab_summarise_processes(samples, (const int[]){5, 5, 0, 5}, 4);
    assert_near(ab_relative_error(&summary), 0, 1e-12);
}

static void what_is_far_is_told_by_the_lower_quartile(void **state)
{
    (void)state;
    const double mostly[] = {13, 13, 13, 1, 1}, other[] = {130, 130, 130, 10, 10, 1.1, 1, 1, 1, 1};
    const ab_shape most = shape_of(mostly, mostly, (const int[]){5}, 1),
                   two = shape_of(other, other, (const int[]){5, 5}, 2);
    assert_int_equal(most.far, 3);
    assert_near(most.raised, 7.2, 1e-12);
    assert_int_equal(two.far, 3); /* each process by its own */
    assert_true(ab_is_uneven(&most) && ab_is_uneven(&two));
}

static void samples_that_differ_by_themselves_are_even(void **state)
{
    (void)state;
    /* The first iteration takes twice as long; a clock has two steps; a series drifts; one in a thousand is far. */
    const double first[] = {1.73, 0.9, 0.91, 0.9}, steps[] = {1, 1.01, 1, 1.01, 1.01, 1};
    double drift[100], many[1000];
    for (int i = 0; i < 100; i++) drift[i] = 1 + 0.9 * exp(-i / 20.0);
    for (int i = 0; i < 1000; i++) many[i] = i == 500 ? 40 : 1;
    const struct {
        const double *samples;
        int n;
    } known[] = {{first, 4}, {first, 2}, {first, 1}, {steps, 6}, {drift, 100}, {many, 1000}, {many, 0}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const ab_shape shape = shape_of(known[i].samples, known[i].samples, &known[i].n, 1);
        assert_false(ab_is_uneven(&shape));
    }
}

static void mean_and_median_may_be_far_apart_without_far_samples(void **state)
{
    (void)state;
    const double samples[] = {1, 1, 1, 2.9, 2.9, 2.9, 1};
    const ab_shape shape = shape_of(samples, samples, (const int[]){7}, 1);
    assert_int_equal(shape.far, 0);
    assert_near(shape.raised, 0, 1e-15);
    assert_near(shape.apart, 12.7 / 7 - 1, 1e-12);
    assert_true(ab_is_uneven(&shape));
}

static void a_stage_is_far_where_its_iteration_is(void **state)
{
    (void)state;
    const double table[] = {0.02, 0.001, 0.001, 0.001}, iteration[] = {1.02, 1, 1, 1.001}; /* made in the first */
    const double update[] = {0.1, 0.1, 12.3, 0.1}, sliced[] = {1, 1, 13.2, 1};
    const ab_shape own = shape_of(table, iteration, (const int[]){4}, 1),
                   hit = shape_of(update, sliced, (const int[]){4}, 1);
    assert_int_equal(own.far, 0);
    assert_false(ab_is_uneven(&own));
    assert_int_equal(hit.far, 1);
    assert_near(hit.raised, 30.5, 1e-12);
    assert_true(ab_is_uneven(&hit));
}

/* With samples 1..n the interval's ends are their own ranks. */
static void assert_interval_ranks(int n, int rank)
{
    double *samples = malloc((size_t)n * sizeof *samples);
    assert_non_null(samples);
    for (int i = 0; i < n; i++) samples[i] = n - i;
    const ab_summary summary = ab_summarise(samples, n);
    assert_near(summary.ci95_lo, rank, 0);
    assert_near(summary.ci95_hi, n + 1 - rank, 0);
    free(samples);
}

/* P(Bin(n, 1/2) < k) in long double, term by term from the whole distribution's start. */
static long double binomial_below(int n, int k)
{
    long double probability = powl(0.5L, n), sum = 0;
    for (int i = 0; i < k; i++) {
        sum += probability;
        probability *= (long double)(n - i) / (i + 1);
    }
    return sum;
}

static void median_interval_is_the_narrowest_of_95_percent(void **state)
{
    (void)state;
    /* From printed tables of the sign test at 5 %, two-sided. */
    const int known[][2] = {{6, 1}, {8, 1}, {9, 2}, {10, 2}, {20, 6}, {25, 8}, {100, 40}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) assert_interval_ranks(known[i][0], known[i][1]);
    for (int n = 6; n <= 2000; n += n < 100 ? 1 : 173) {
        int rank = 0;
        while (binomial_below(n, rank + 1) <= 0.025L) rank++;
        assert_interval_ranks(n, rank);
    }
    /* Exact integer arithmetic; powl(0.5, n) would underflow here. */
    assert_interval_ranks(10000, 4902);
    assert_interval_ranks(100000, 49690);
}

static void spread_survives_a_large_mean(void **state)
{
    (void)state;
    const double samples[] = {1e9 + 1, 1e9 + 2, 1e9 + 3};
    assert_near(ab_summarise(samples, 3).stddev, 1, 1e-9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quantiles_interpolate),
        cmocka_unit_test(summary_of_unsorted_samples),
        cmocka_unit_test(few_samples_leave_fields_undetermined),
        cmocka_unit_test(nan_never_vanishes),
        cmocka_unit_test(student_is_that_of_printed_tables),
        cmocka_unit_test(the_interval_of_processes_is_of_their_means),
        cmocka_unit_test(the_interval_of_processes_is_above_0),
        cmocka_unit_test(one_process_has_the_interval_of_its_samples),
        cmocka_unit_test(a_time_slice_in_each_process_makes_samples_uneven),
        cmocka_unit_test(what_is_far_is_told_by_the_lower_quartile),
        cmocka_unit_test(samples_that_differ_by_themselves_are_even),
        cmocka_unit_test(mean_and_median_may_be_far_apart_without_far_samples),
        cmocka_unit_test(a_stage_is_far_where_its_iteration_is),
        cmocka_unit_test(median_interval_is_the_narrowest_of_95_percent),
        cmocka_unit_test(spread_survives_a_large_mean),
    };
    return cmocka_run_group_tests_name("stats", tests, NULL, NULL);
}
