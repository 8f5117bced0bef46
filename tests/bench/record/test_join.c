/* What several processes measured of a row, in one. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bench/record/join.h"

enum { SAMPLES = 4 };

/* A process that took these samples; what else it says goes into its row afterwards. */
static ab_recorded_row process_of(ab_sample samples[SAMPLES], double first_ms)
{
    double ms[SAMPLES];
    ab_recorded_row part = {.row = ab_row_new(), .samples = samples, .n_samples = SAMPLES};
    for (int i = 0; i < SAMPLES; i++) {
        ms[i] = first_ms + 0.001 * i;
        samples[i] = (ab_sample){.ms = ms[i], .process = 1};
    }
    strcpy(part.row.row, "ds-roulette");
    strcpy(part.row.stop_reason, "count");
    part.row.ms = ab_summarise(ms, SAMPLES);
    part.row.status = AB_ROW_FEW;
    return part;
}

static ab_recorded_row join(const ab_recorded_row *const *parts, int n)
{
    ab_recorded_row joined;
    const ab_status status = ab_join_rows(parts, n, &joined);
    if (status.code != AB_OK) fail_msg("%s", status.reason);
    return joined;
}

static void samples_carry_their_process(void **state)
{
    (void)state;
    ab_sample a[SAMPLES], b[SAMPLES];
    ab_recorded_row first = process_of(a, 10), third = process_of(b, 10.1);
    const ab_recorded_row *const parts[] = {&first, NULL, &third};
    ab_recorded_row joined = join(parts, 3);
    assert_int_equal(joined.n_samples, 2 * SAMPLES);
    assert_int_equal(joined.samples[SAMPLES - 1].process, 1);
    assert_int_equal(joined.samples[SAMPLES].process, 3);
    assert_int_equal(joined.row.ms.processes, 2);
    assert_int_equal(joined.row.ms.samples, 2 * SAMPLES);
    assert_true(fabs(joined.row.ms.mean - 10.0515) < 1e-12);
    assert_int_equal(joined.row.status, AB_ROW_NOISY); /* 0.1 apart, and t is 12.7 */
    free(joined.samples);
}

static void discarded_samples_are_kept_and_do_not_count(void **state)
{
    (void)state;
    ab_sample a[SAMPLES], b[SAMPLES];
    ab_recorded_row first = process_of(a, 10), second = process_of(b, 10);
    strcpy(a[0].discard_reason, "throttled");
    a[0].ms = 99;
    first.row.ms.samples = SAMPLES - 1;
    first.row.discarded = 1;
    const ab_recorded_row *const parts[] = {&first, &second};
    ab_recorded_row joined = join(parts, 2);
    assert_int_equal(joined.n_samples, 2 * SAMPLES);
    assert_int_equal(joined.row.ms.samples, 2 * SAMPLES - 1);
    assert_int_equal(joined.row.discarded, 1);
    assert_true(joined.row.ms.max < 11);
    free(joined.samples);
}

static void a_failure_of_one_process_is_the_rows(void **state)
{
    (void)state;
    ab_sample a[SAMPLES], b[SAMPLES];
    ab_recorded_row first = process_of(a, 10), second = process_of(b, 10), third = {.row = ab_row_new()};
    ab_recorded_row fourth = third;
    third.row.status = AB_ROW_ERROR;
    fourth.row.status = AB_ROW_WRONG;
    strcpy(fourth.row.note, "tour 3 leaves out city 7");
    const ab_recorded_row *const parts[] = {&first, &second, &third, &fourth};
    const ab_recorded_row wrong = join(parts, 4), error = join(parts, 3);
    assert_int_equal(wrong.row.status, AB_ROW_WRONG);
    assert_string_equal(wrong.row.note, "tour 3 leaves out city 7");
    assert_int_equal(wrong.n_samples, 0);
    assert_int_equal(wrong.row.ms.samples, 0);
    assert_int_equal(error.row.status, AB_ROW_ERROR);
}

static void a_process_without_samples_leaves_the_rest(void **state)
{
    (void)state;
    ab_sample a[SAMPLES];
    ab_recorded_row late = {.row = ab_row_new()}, second = process_of(a, 10);
    late.row.status = AB_ROW_TIMEOUT;
    const ab_recorded_row *const parts[] = {&late, &second}, *const none[] = {&late, &late};
    ab_recorded_row joined = join(parts, 2);
    assert_int_equal(joined.row.ms.processes, 1);
    assert_int_equal(joined.row.status, AB_ROW_FEW);
    free(joined.samples);
    joined = join(none, 2);
    assert_int_equal(joined.row.status, AB_ROW_TIMEOUT);
    free(joined.samples);
}

/* The row says how many were discarded, and samples.csv has them. */
static void samples_of_a_row_that_keeps_none_are_kept_with_their_reasons(void **state)
{
    (void)state;
    ab_sample a[SAMPLES];
    ab_recorded_row late = process_of(a, 10), without = {.row = ab_row_new()};
    for (int i = 0; i < SAMPLES; i++) strcpy(a[i].discard_reason, "throttled");
    late.row.ms.samples = 0;
    late.row.discarded = SAMPLES;
    late.row.status = without.row.status = AB_ROW_TIMEOUT;
    const ab_recorded_row *const parts[] = {&without, &late};
    ab_recorded_row joined = join(parts, 2);
    assert_int_equal(joined.row.status, AB_ROW_TIMEOUT);
    assert_int_equal(joined.row.discarded, SAMPLES);
    assert_int_equal(joined.n_samples, SAMPLES);
    assert_int_equal(joined.samples[0].process, 2);
    free(joined.samples);
}

/* An interval of nothing, since each process has as many. */
static void a_time_slice_in_each_process_is_seen(void **state)
{
    (void)state;
    ab_sample samples[3][SAMPLES], wholes[3][SAMPLES];
    ab_recorded_row of[3];
    const ab_recorded_row *parts[3];
    for (int i = 0; i < 3; i++) {
        of[i] = process_of(samples[i], 1);
        samples[i][i].ms = 13;
        of[i].row.waited = 0.01 * i;
        parts[i] = &of[i];
    }
    ab_recorded_row joined = join(parts, 3);
    assert_int_equal(joined.row.status, AB_ROW_NOISY);
    assert_non_null(strstr(joined.row.note, "3 of 12 samples take over 3 times as long as most"));
    assert_true(fabs(joined.row.waited - 0.01) < 1e-12);
    free(joined.samples);
    /* Parts of samples that are all alike: a stage that is so by itself. */
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < SAMPLES; k++) wholes[i][k] = (ab_sample){.ms = 100};
        of[i].wholes = wholes[i];
    }
    joined = join(parts, 3);
    assert_int_equal(joined.row.status, AB_ROW_OK);
    assert_string_equal(joined.row.note, "");
    free(joined.samples);
    for (int i = 0; i < 3; i++) of[i].row.waited = 0.3;
    joined = join(parts, 3);
    assert_int_equal(joined.row.status, AB_ROW_NOISY);
    assert_string_equal(joined.row.note, "the CPU's threads waited 30 % of the time for a core");
    free(joined.samples);
}

/* Seeds go round the processes: 1 and 4 are the first's, 2 and 5 the second's, 3 the third's. */
static void qualities_stand_in_the_order_of_their_seeds(void **state)
{
    (void)state;
    ab_sample samples[3][SAMPLES];
    const char *const runs[] = {"101 104", "102 95", "103"};
    ab_recorded_row of[3];
    const ab_recorded_row *parts[3];
    for (int i = 0; i < 3; i++) {
        of[i] = process_of(samples[i], 10);
        strcpy(of[i].row.quality_metric, "best-tour-after-100-iterations");
        strcpy(of[i].row.quality_runs, runs[i]);
        parts[i] = &of[i];
    }
    ab_recorded_row joined = join(parts, 3);
    assert_string_equal(joined.row.quality_runs, "101 102 103 104 95");
    assert_true(joined.row.quality_best == 95 && joined.row.quality_mean == 101);
    free(joined.samples);
}

static void what_processes_say_of_the_gpu_is_joined(void **state)
{
    (void)state;
    ab_sample a[SAMPLES], b[SAMPLES];
    ab_recorded_row first = process_of(a, 10), second = process_of(b, 10);
    strcpy(first.row.throttle, "none");
    strcpy(second.row.throttle, "sw-power-cap");
    strcpy(second.row.stop_reason, "budget");
    strcpy(first.row.note, "generated");
    strcpy(second.row.note, "generated");
    first.row.energy_j = 1;
    first.row.iterations = 35; /* its time was up */
    second.row.iterations = 36;
    first.row.sm_clock_mhz = 1980;
    first.row.temperature_c = 40;
    first.row.power_w = 300;
    second.row.sm_clock_mhz = 1900;
    second.row.temperature_c = 60;
    second.row.power_w = 500;
    const ab_recorded_row *const parts[] = {&first, &second};
    ab_recorded_row joined = join(parts, 2);
    assert_string_equal(joined.row.throttle, "sw-power-cap");
    assert_string_equal(joined.row.stop_reason, "budget");
    assert_string_equal(joined.row.note, "generated");
    assert_true(joined.row.temperature_c == 50 && joined.row.power_w == 400);
    assert_true(joined.row.sm_clock_mhz == 1940 && joined.row.energy_j == 1 && joined.row.iterations == 36);
    free(joined.samples);
}

/* A map without edges has no thickness. */
static void a_quality_that_is_not_defined_is_said_and_not_written(void **state)
{
    (void)state;
    ab_row row = ab_row_new();
    ab_row_list_qualities(&row, (const double[]){1.5, 2.5}, 2, 6);
    assert_string_equal(row.quality_runs, "1.5 2.5");
    assert_string_equal(row.note, "");
    ab_row_list_qualities(&row, (const double[]){1.5, -NAN, NAN}, 3, 6);
    assert_string_equal(row.quality_runs, "");
    assert_string_equal(row.note, "2 of 3 runs have no defined quality");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_carry_their_process),
        cmocka_unit_test(discarded_samples_are_kept_and_do_not_count),
        cmocka_unit_test(a_failure_of_one_process_is_the_rows),
        cmocka_unit_test(a_process_without_samples_leaves_the_rest),
        cmocka_unit_test(samples_of_a_row_that_keeps_none_are_kept_with_their_reasons),
        cmocka_unit_test(a_time_slice_in_each_process_is_seen),
        cmocka_unit_test(qualities_stand_in_the_order_of_their_seeds),
        cmocka_unit_test(a_quality_that_is_not_defined_is_said_and_not_written),
        cmocka_unit_test(what_processes_say_of_the_gpu_is_joined),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
