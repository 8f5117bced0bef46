/* The clock and the loop that takes samples: what a series keeps of a work, and samples that a slow host made late
 * (bench/harness/measure.h, sample.h). The GPU is a queue that runs nothing (tests/fake_gpu). */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bench/harness/sample.h"
#include "tests/support/fake_nvml.h"

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

/* A work for a GPU that takes no time there; the CPU takes slow_s to enqueue iterations from .. to - 1. */
typedef struct slow_work {
    ab_work work;
    int runs, from, to;
    double slow_s;
} slow_work;

static ab_status run_slowly(ab_work *work, int stage)
{
    slow_work *slow = (slow_work *)work;
    const int run = slow->runs++;
    const double end = ab_now_s() + (run >= slow->from && run < slow->to ? slow->slow_s : 0.0);
    while (ab_now_s() < end) continue;
    (void)stage;
    return ab_ok();
}

static void leave_open(ab_work *work)
{
    (void)work;
}

static const ab_work_methods slow_methods = {1, {"all"}, run_slowly, leave_open};

/* Runs are counted from the first group on: one to warm up with comes before. */
static ab_status open_slow(void *context, int group, ab_work **work)
{
    slow_work *slow = context;
    if (group < 0) slow->runs = -1000000;
    if (group == 0 && slow->runs < 0) slow->runs = 0;
    *work = &slow->work;
    return ab_ok();
}

enum { GROUP = 40 };

static ab_series samples_of(int from, int to, double slow_s, double budget_s, ab_row *row)
{
    slow_work slow = {{&slow_methods}, 0, from, to, slow_s};
    ab_bench bench = {.effort = {.budget_s = budget_s}};
    const ab_sampling sampling = {
        .backend = AB_CUDA, .samples = GROUP, .at_once = GROUP, .fresh = true, .open = open_slow, .context = &slow};
    ab_series series = {0};
    *row = ab_row_new();
    assert_int_equal(ab_take_samples(&bench, &sampling, &series, row).code, AB_OK);
    return series;
}

static int late_ones(const ab_series *series)
{
    int late = 0;
    for (int i = 0; i < series->n; ++i)
        if (series->discarded[i]) {
            assert_string_equal(series->discarded[i], "late");
            ++late;
        }
    return late;
}

static const double SLOW_S = 1e-3; /* more than the delay before what a fast CPU enqueues, less than the longest */

static void test_a_late_sample_does_not_count(void **state)
{
    (void)state;
    ab_row row;
    ab_series series = samples_of(7, 8, SLOW_S, 10.0, &row);
    assert_int_equal(series.n, GROUP);
    assert_non_null(series.discarded[7]);
    assert_true(series.ms[7] > 0.5);
    assert_in_range(late_ones(&series), 1, GROUP / 4);
    assert_int_equal(row.discarded, late_ones(&series));
    ab_series_free(&series);
}

static void test_a_late_group_is_taken_again_behind_a_longer_delay(void **state)
{
    (void)state;
    ab_row row;
    ab_series series = samples_of(0, 2 * GROUP, SLOW_S, 10.0, &row);
    assert_int_equal(series.n, 2 * GROUP);
    for (int i = 0; i < GROUP; ++i) assert_non_null(series.discarded[i]);
    int kept = 0;
    for (int i = GROUP; i < 2 * GROUP; ++i) {
        if (series.discarded[i]) continue;
        assert_true(series.ms[i] < 0.5); /* the GPU had not to wait */
        ++kept;
    }
    assert_true(kept >= GROUP * 3 / 4);
    assert_int_equal(row.discarded, late_ones(&series));
    ab_series_free(&series);
}

static void test_late_samples_count_where_no_time_is_left(void **state)
{
    (void)state;
    ab_row row;
    ab_series series = samples_of(0, 2 * GROUP, SLOW_S, 1e-3, &row);
    assert_true(series.n >= 1 && series.n < GROUP);
    assert_int_equal(late_ones(&series), 0);
    assert_int_equal(row.discarded, 0);
    ab_series_free(&series);
}

static void test_what_waits_for_the_cpu_is_never_late(void **state)
{
    (void)state;
    ab_row row;
    ab_series series = samples_of(-10000000, 10000000, 3e-3, 10.0, &row);
    assert_int_equal(series.n, GROUP);
    assert_int_equal(late_ones(&series), 0);
    ab_series_free(&series);
}

/* A work of a millisecond that knows since when it has run, for a GPU that draws 250 W. */
typedef struct timed_work {
    ab_work work;
    double first_s, last_s;
    int runs;
} timed_work;

static ab_status run_timed(ab_work *work, int stage)
{
    timed_work *timed = (timed_work *)work;
    const double end = ab_now_s() + 1e-3;
    (void)stage;
    if (timed->runs++ == 0) timed->first_s = ab_now_s();
    while (ab_now_s() < end) continue;
    timed->last_s = ab_now_s();
    return ab_ok();
}

static const ab_work_methods timed_methods = {1, {"all"}, run_timed, leave_open};

static ab_status open_timed(void *context, int group, ab_work **work)
{
    timed_work *timed = context;
    (void)group;
    *timed = (timed_work){.work = {&timed_methods}};
    *work = &timed->work;
    return ab_ok();
}

/* The row's, and of the iterations that it is of. */
static double energy_of(double seconds, const char *stage, bool alone, bool l2_cold, int process, timed_work *timed)
{
    const ab_options options = {.energy_s = seconds};
    ab_bench bench = {.effort = {.budget_s = 0.05}, .options = &options, .process = process};
    const ab_sampling sampling = {.backend = AB_CUDA, .samples = 3, .at_once = 3, .stage = stage, .alone = alone,
                                  .l2_cold = l2_cold, .fresh = true, .open = open_timed, .context = timed};
    ab_series series = {0};
    ab_row row = ab_row_new();
    bench.nvml = ab_nvml_open("0000:65:00.0");
    assert_non_null(bench.nvml);
    assert_int_equal(ab_take_samples(&bench, &sampling, &series, &row).code, AB_OK);
    ab_series_free(&series);
    ab_nvml_close(bench.nvml);
    return row.energy_j;
}

static void test_energy_is_read_from_step_to_step(void **state)
{
    (void)state;
    timed_work timed;
    setenv("FAKE_WATT", "250", 1); /* the counter moves by 25 J */
    for (int alone = 0; alone < 2; ++alone) {
        const double joules = energy_of(1.0, alone ? "all" : NULL, alone, false, 1, &timed);
        const double expected = 250.0 * (timed.last_s - timed.first_s) / timed.runs;
        if (!(fabs(joules / expected - 1.0) < 0.2)) fail_msg("%g J, not %g J", joules, expected);
    }
}

static void test_energy_is_empty_where_it_is_not_known(void **state)
{
    (void)state;
    timed_work timed;
    setenv("FAKE_WATT", "250", 1);
    assert_true(isnan(energy_of(0.0, NULL, false, false, 1, &timed)));   /* not asked for */
    assert_true(isnan(energy_of(0.05, NULL, false, false, 1, &timed)));  /* not from one step to another */
    assert_true(isnan(energy_of(0.5, "all", false, false, 1, &timed)));  /* a stage between others */
    assert_true(isnan(energy_of(0.5, NULL, false, true, 1, &timed)));    /* of a cold cache */
    assert_true(isnan(energy_of(0.5, NULL, false, false, 2, &timed)));   /* another process's */
    unsetenv("FAKE_WATT");
    assert_true(isnan(energy_of(0.5, NULL, false, false, 1, &timed)));   /* no such counter */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_series_outlives_its_work),
        cmocka_unit_test(test_a_spent_budget_leaves_one_iteration),
        cmocka_unit_test(test_a_late_sample_does_not_count),
        cmocka_unit_test(test_a_late_group_is_taken_again_behind_a_longer_delay),
        cmocka_unit_test(test_late_samples_count_where_no_time_is_left),
        cmocka_unit_test(test_what_waits_for_the_cpu_is_never_late),
        cmocka_unit_test_setup(test_energy_is_read_from_step_to_step, load_fake_nvml),
        cmocka_unit_test(test_energy_is_empty_where_it_is_not_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
