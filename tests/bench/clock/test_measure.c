/* The clock and the loop that takes samples: what a series keeps of a work, samples that a slow host made late, time
 * that others took (bench/clock/measure.h, sample.h, scheduler.h). The GPU is a queue that runs nothing
 * (tests/fake_gpu); clock and scheduler are the system's, or those of tests/fake_system. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/threads.h"
#include "bench/clock/sample.h"
#include "bench/clock/scheduler.h"
#include "bench/plan/share.h"
#include "bench/row/judge.h"
#include "tests/fake_gpu/fake_gpu.h"
#include "tests/fake_system/fake_system.h"
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

/* As LAUNCH and AB_LAUNCHED do in a .cu file. */
static void launch(const char *name, uintptr_t kernel, int threads, size_t shared_bytes)
{
    if (ab_told_launches) ab_tell_launch((const void *)kernel, threads, shared_bytes);
    if (ab_told_launches) ab_name_launches(name);
}

static ab_status launch_stage(ab_work *work, int stage)
{
    (void)work;
    if (stage == 0)
        for (int i = 0; i < 3; ++i) launch("evaporate", 16, 256, 0);
    launch(stage == 0 ? "deposit" : "walk", stage == 0 ? 32 : 40, 128, stage == 0 ? 0 : 1000);
    return ab_ok();
}

/* Each kernel once, in the order in which it came, of the stages that the row is of; no kernel where nobody asked. */
static void test_the_kernels_of_a_stage_are_listed(void **state)
{
    (void)state;
    brief_work *brief = open_work();
    brief->methods.run_stage = launch_stage;
    ab_timing timing = ab_timing_new(AB_CUDA, false);
    ab_series series = {0};
    ab_row row = ab_row_new(), of_second = ab_row_new(), of_nothing = ab_row_new();
    int completed = 0;
    assert_int_equal(ab_time_work(&brief->work, &timing, 2, INFINITY, &series, &completed).code, AB_OK);
    assert_int_equal(ab_list_launches(&series, AB_ALL_STAGES, &of_nothing).code, AB_OK);
    assert_string_equal(of_nothing.kernels, "");
    timing.profiled = true;
    assert_int_equal(ab_time_work(&brief->work, &timing, 2, INFINITY, &series, &completed).code, AB_OK);
    assert_null(ab_told_launches);
    assert_int_equal(ab_list_launches(&series, AB_ALL_STAGES, &row).code, AB_OK);
    assert_string_equal(row.kernels, "evaporate deposit walk");
    assert_string_equal(row.block_threads, "256 128 128");
    assert_string_equal(row.registers, "16 32 40"); /* as tests/fake_gpu has them */
    assert_string_equal(row.shared_bytes, "8 8 1008");
    assert_string_equal(row.blocks_per_sm, "8 16 16");
    assert_string_equal(row.occupancy, "0.5 0.5 0.5");
    assert_int_equal(ab_list_launches(&series, 1u << 1, &of_second).code, AB_OK);
    assert_string_equal(of_second.kernels, "walk");
    close_work(&brief->work);
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

/* A work for a GPU that takes no time there; the CPU takes slow_s to enqueue iterations from .. to - 1, counted from the
 * first group on or from the first iteration of all. It may wait for the GPU too. */
typedef struct slow_work {
    ab_work work;
    int runs, from, to;
    double slow_s;
    bool waits, from_warm_up;
} slow_work;

static ab_status run_slowly(ab_work *work, int stage)
{
    slow_work *slow = (slow_work *)work;
    const int run = slow->runs++;
    const double end = ab_now_s() + (run >= slow->from && run < slow->to ? slow->slow_s : 0.0);
    while (ab_now_s() < end || (slow->waits && ab_now_s() < fake_gpu_done_s)) continue;
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
    if (group < 0 && !slow->from_warm_up) slow->runs = -1000000;
    if (group == 0 && slow->runs < 0) slow->runs = 0;
    *work = &slow->work;
    return ab_ok();
}

enum { GROUP = 40 };

/* Samples of alike iterations follow a group in which nothing is slow. */
static ab_status count_anew(void *context, ab_work *work, int completed)
{
    slow_work *slow = context;
    (void)work;
    (void)completed;
    if (slow->runs < 0) slow->runs = 0;
    return ab_ok();
}

static ab_series samples_of_slow(slow_work slow, bool fresh, double budget_s, ab_row *row)
{
    slow.work.methods = &slow_methods;
    ab_machine_state machine = {0};
    const ab_sampling sampling = {.pace = {.budget_s = budget_s},
                                  .backend = AB_CUDA,
                                  .samples = fresh ? GROUP : 2 * GROUP,
                                  .at_once = GROUP,
                                  .fresh = fresh,
                                  .open = open_slow,
                                  .judge = fresh ? NULL : count_anew,
                                  .context = &slow};
    ab_series series = {0};
    *row = ab_row_new();
    the_system = (fake_system){.on = true, .tells = true, .now_s = 100.0, .step_s = 1e-6};
    assert_int_equal(ab_take_samples(&machine, &sampling, &series, row).code, AB_OK);
    the_system.on = false;
    return series;
}

static ab_series samples_of(bool fresh, int from, int to, double slow_s, double budget_s, ab_row *row)
{
    return samples_of_slow((slow_work){.from = from, .to = to, .slow_s = slow_s}, fresh, budget_s, row);
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

static void test_a_late_sample_of_alike_iterations_does_not_count(void **state)
{
    (void)state;
    ab_row row;
    ab_series series = samples_of(false, 7, 8, SLOW_S, 10.0, &row);
    assert_int_equal(series.n, 2 * GROUP);
    assert_string_equal(series.discarded[GROUP + 7], "late");
    assert_true(series.ms[GROUP + 7] > 0.5);
    assert_int_equal(late_ones(&series), 1);
    assert_int_equal(row.discarded, 1);
    ab_series_free(&series);
}

/* Iterations of a fresh work are not alike: without one of them the mean would be of others. */
static void test_a_late_sample_of_a_fresh_work_has_all_of_it_taken_again(void **state)
{
    (void)state;
    ab_row row;
    ab_series series = samples_of(true, 7, 8, SLOW_S, 10.0, &row);
    assert_int_equal(series.n, 2 * GROUP);
    for (int i = 0; i < 2 * GROUP; ++i) {
        assert_int_equal(series.number[i], i % GROUP);
        assert_int_equal(series.discarded[i] != NULL, i < GROUP);
    }
    assert_int_equal(row.discarded, GROUP);
    assert_string_equal(row.note, "");
    ab_series_free(&series);
}

/* The first iteration of a work is enqueued slowest. */
static void test_a_slow_first_iteration_is_not_late(void **state)
{
    (void)state;
    ab_row row;
    ab_series series = samples_of(true, 0, 1, SLOW_S, 10.0, &row);
    assert_int_equal(series.n, GROUP);
    assert_int_equal(late_ones(&series), 0);
    assert_true(series.ms[0] < 0.5); /* the GPU had not to wait */
    ab_series_free(&series);
}

static void test_a_late_group_is_taken_again_behind_a_longer_delay(void **state)
{
    (void)state;
    for (int fresh = 0; fresh < 2; ++fresh) {
        ab_row row;
        ab_series series = samples_of(fresh, 0, 2 * GROUP, SLOW_S, 10.0, &row);
        const int first = fresh ? 0 : GROUP;
        assert_int_equal(series.n, first + 2 * GROUP);
        for (int i = first; i < series.n; ++i) {
            assert_int_equal(series.discarded[i] != NULL, i < first + GROUP);
            assert_true(i < first + GROUP || series.ms[i] < 0.5);
        }
        assert_int_equal(row.discarded, GROUP);
        ab_series_free(&series);
    }
}

static void test_late_samples_count_where_no_time_is_left(void **state)
{
    (void)state;
    ab_row row;
    ab_series series = samples_of(true, 0, 2 * GROUP, 60e-3, 4e-3, &row);
    assert_true(series.n >= 1 && series.n < GROUP);
    assert_int_equal(late_ones(&series), 0);
    assert_non_null(strstr(row.note, "may have waited for the CPU"));
    assert_int_equal(row.discarded, 0);
    ab_series_free(&series);
}

/* So that a short budget does not keep what a CPU disturbed: seven processes have a seventh of a row's each. */
static void test_a_short_late_group_is_taken_again_whatever_the_budget(void **state)
{
    (void)state;
    ab_row row;
    ab_series series = samples_of(true, 0, 2 * GROUP, SLOW_S, 4e-3, &row);
    const int late = late_ones(&series);
    assert_true(late >= 1 && series.n > late);
    assert_null(strstr(row.note, "may have waited for the CPU"));
    assert_int_equal(row.discarded, late);
    ab_series_free(&series);
}

/* The first group costs 41 ms, the longer delays of the second 82 ms, and the whole budget is 100 ms. */
static void test_a_group_that_is_taken_again_costs_nothing_of_the_budget(void **state)
{
    (void)state;
    ab_row row;
    ab_series series = samples_of(true, 0, 2 * GROUP, SLOW_S, 0.1, &row);
    assert_int_equal(series.n, 2 * GROUP);
    assert_int_equal(late_ones(&series), GROUP);
    assert_string_equal(row.stop_reason, "count");
    ab_series_free(&series);
}

/* Its time includes the wait for the CPU, 3 ms of an iteration, but no delay. */
static void test_what_waits_for_the_gpu_is_never_late(void **state)
{
    (void)state;
    ab_row row;
    const slow_work waiting = {.from = -10000000, .to = 10000000, .slow_s = 3e-3, .waits = true};
    ab_series series = samples_of_slow(waiting, true, 10.0, &row);
    assert_int_equal(series.n, GROUP);
    assert_int_equal(late_ones(&series), 0);
    for (int i = 0; i < series.n; ++i) assert_true(series.ms[i] > 2.5 && series.ms[i] < 3.1);
    assert_true(row.waited == 0.0); /* by the CPU, which has a part in it */
    ab_series_free(&series);
}

/* Enqueuing varies, so the GPU waits for twice as long as it took. */
static void test_the_delay_has_room_for_slower_enqueuing(void **state)
{
    (void)state;
    double ms = 1.0, enqueue_s = 1e-4;
    ab_timing timing = ab_timing_new(AB_CUDA, false);
    const ab_series series = {.n = 1, .n_stages = 1, .ms = &ms, .enqueue_s = &enqueue_s};
    timing.delay_s = 1e-3;
    assert_true(ab_timing_adapt(&timing, &series));
    assert_true(timing.delay_s >= 2 * enqueue_s && timing.delay_s < 3 * enqueue_s);
}

/* A CPU that is slow while the work warms up, or always, does not make it one that waits. */
static void test_a_cpu_that_enqueues_slowly_is_not_part_of_the_time(void **state)
{
    (void)state;
    for (int always = 0; always < 2; ++always) {
        ab_row row;
        const slow_work slow = {.to = always ? 10000000 : 2, .slow_s = 3e-3, .from_warm_up = true};
        ab_series series = samples_of_slow(slow, true, 10.0, &row);
        assert_int_equal(series.n, GROUP);
        assert_int_equal(late_ones(&series), 0);
        for (int i = 0; i < series.n; ++i) assert_true(series.ms[i] < 0.1);
        assert_true(isnan(row.waited)); /* by the CPU, which has no part in it */
        ab_series_free(&series);
    }
}

/* What precedes the first sample. */
typedef struct warmed_work {
    slow_work slow;
    int before;          /* iterations before the first group */
    double first_opened; /* time at which that group was opened */
} warmed_work;

static ab_status open_warmed(void *context, int group, ab_work **work)
{
    warmed_work *warmed = context;
    *work = &warmed->slow.work;
    if (group != 0 || warmed->first_opened > 0.0) return ab_ok();
    warmed->before = warmed->slow.runs;
    warmed->first_opened = ab_now_s();
    return ab_ok();
}

static ab_status open_first(void *context, int group, ab_work **work)
{
    warmed_work *warmed = context;
    (void)group;
    *work = &warmed->slow.work;
    return ab_ok();
}

/* A work that waits costs as many iterations as the delays that it outlasts, but a long one does not. */
static int iterations_until_it_is_seen_to_wait(double slow_s)
{
    warmed_work warmed = {.slow = {.to = 1000, .slow_s = slow_s, .waits = true, .work.methods = &slow_methods}};
    ab_machine_state machine = {0};
    const ab_sampling sampling = {.pace = {.budget_s = 10.0},
                                  .backend = AB_CUDA,
                                  .samples = 1,
                                  .at_once = 1,
                                  .open = open_first,
                                  .context = &warmed};
    ab_series series = {0};
    ab_row row = ab_row_new();
    the_system = (fake_system){.on = true, .tells = true, .now_s = 100.0, .step_s = 1e-6};
    assert_int_equal(ab_take_samples(&machine, &sampling, &series, &row).code, AB_OK);
    the_system.on = false;
    assert_int_equal(late_ones(&series), 0);
    assert_string_equal(row.note, "");
    ab_series_free(&series);
    return warmed.slow.runs - 1;
}

static void test_a_long_work_is_soon_seen_to_wait(void **state)
{
    (void)state;
    assert_int_equal(iterations_until_it_is_seen_to_wait(0.06), 3); /* delays of 2, 8 and 16 ms */
    assert_int_equal(iterations_until_it_is_seen_to_wait(0.2), 1);
}

/* The iterations before the first of fresh groups, and the milliseconds until it is opened, where the GPU has rested for so
 * many seconds. */
static int warm_up_of(ab_backend backend, bool long_samples, double rested_s, double *took_ms)
{
    enum { BEGIN_S = 100 };
    warmed_work warmed = {.slow = {.work.methods = &slow_methods}};
    ab_machine_state machine = {.gpu_ran_s = BEGIN_S - rested_s};
    const ab_sampling sampling = {.pace = {.budget_s = 10.0},
                                  .backend = backend,
                                  .samples = 1,
                                  .at_once = 1,
                                  .fresh = true,
                                  .long_samples = long_samples,
                                  .open = open_warmed,
                                  .context = &warmed};
    ab_series series = {0};
    ab_row row = ab_row_new();
    the_system = (fake_system){.on = true, .tells = true, .now_s = BEGIN_S, .step_s = 1e-6};
    assert_int_equal(ab_take_samples(&machine, &sampling, &series, &row).code, AB_OK);
    the_system.on = false;
    assert_int_equal(series.n, 1);
    ab_series_free(&series);
    *took_ms = 1e3 * (warmed.first_opened - BEGIN_S);
    return warmed.before;
}

/* A warm-up may exceed its time by an iteration and its delay. */
static void test_a_gpu_is_warmed_up_for_as_long_as_it_rested(void **state)
{
    static const double rested_and_least_ms[][2] = {{1e-3, 5}, {8e-3, 8}, {0.1, 10}, {0.6, 30}, {2.0, 50}, {1000, 50}};
    (void)state;
    for (size_t i = 0; i < sizeof rested_and_least_ms / sizeof *rested_and_least_ms; ++i) {
        const double *expected = rested_and_least_ms[i];
        double took_ms;
        assert_true(warm_up_of(AB_CUDA, false, expected[0], &took_ms) > 0);
        assert_true(took_ms >= expected[1] && took_ms < expected[1] + 2.5);
    }
}

static void test_long_samples_of_fresh_works_are_not_preceded_by_one(void **state)
{
    (void)state;
    double took_ms;
    assert_int_equal(warm_up_of(AB_CPU, false, 1.0, &took_ms), 1);
    assert_int_equal(warm_up_of(AB_CPU, true, 1.0, &took_ms), 0);
    assert_int_equal(warm_up_of(AB_CUDA, true, 1.0, &took_ms), 0);
    assert_true(took_ms >= 50.0 && took_ms < 51.0); /* the GPU is busy */
}

/* A work of a millisecond by the fake clock. From run `from` to run `to` every `period`-th takes 12.2 ms longer, while
 * its thread waits, or its core is stolen. */
typedef struct sliced_work {
    ab_work work;
    int runs, from, to, period;
    bool is_steal;
} sliced_work;

static const double SLICE_S = 12.2e-3;

static ab_status run_sliced(ab_work *work, int stage)
{
    sliced_work *sliced = (sliced_work *)work;
    const int run = sliced->runs++;
    (void)stage;
    the_system.now_s += 1e-3;
    if (run < sliced->from || run >= sliced->to || run % sliced->period != 0) return ab_ok();
    the_system.now_s += SLICE_S;
    *(sliced->is_steal ? &the_system.stolen_s : &the_system.waited_s) += SLICE_S;
    return ab_ok();
}

static const ab_work_methods sliced_methods = {1, {"all"}, run_sliced, leave_open};

static ab_status open_sliced(void *context, int group, ab_work **work)
{
    sliced_work *sliced = context;
    if (group < 0) sliced->runs = -1000000;
    if (group == 0 && sliced->runs < 0) sliced->runs = 0;
    *work = &sliced->work;
    return ab_ok();
}

/* `samples` of the work, so many at once; tells: whether the system does. */
static ab_series sliced_samples(sliced_work sliced, int samples, int at_once, bool tells, ab_row *row)
{
    ab_machine_state machine = {0};
    const ab_sampling sampling = {.pace = {.budget_s = 10.0, .precise = 0.05},
                                  .backend = AB_CPU,
                                  .samples = samples,
                                  .at_once = at_once,
                                  .fresh = true,
                                  .open = open_sliced,
                                  .context = &sliced};
    ab_series series = {0};
    sliced.work.methods = &sliced_methods;
    *row = ab_row_new();
    the_system = (fake_system){.on = true, .tells = tells, .now_s = 100.0, .waited_s = 3.0, .stolen_s = 5.0};
    assert_int_equal(ab_take_samples(&machine, &sampling, &series, row).code, AB_OK);
    the_system.on = false;
    return series;
}

static int kept_of(const ab_series *series)
{
    int kept = 0;
    for (int i = 0; i < series->n; ++i) {
        kept += !series->discarded[i];
        if (series->discarded[i]) assert_string_equal(series->discarded[i], "preempted");
    }
    return kept;
}

static void test_a_group_that_waited_for_a_core_is_taken_again(void **state)
{
    (void)state;
    ab_row row;
    ab_series series = sliced_samples((sliced_work){.from = 0, .to = 5, .period = 5}, 5, 5, true, &row);
    assert_int_equal(series.n, 10);
    assert_int_equal(kept_of(&series), 5);
    for (int i = 0; i < 5; ++i) assert_non_null(series.discarded[i]);
    assert_true(fabs(series.ms[0] - 13.2) < 1e-6 && fabs(series.ms[5] - 1.0) < 1e-6);
    assert_int_equal(row.discarded, 5);
    assert_true(row.waited == 0.0);
    ab_series_free(&series);
}

static void test_so_is_one_whose_core_the_host_took(void **state)
{
    (void)state;
    ab_row row;
    ab_series series =
        sliced_samples((sliced_work){.from = 0, .to = 10, .period = 2, .is_steal = true}, 10, 10, true, &row);
    assert_int_equal(series.n, 20);
    assert_int_equal(kept_of(&series), 10);
    assert_true(series.discarded[0] && row.waited == 0.0);
    ab_series_free(&series);
}

static void test_on_a_busy_machine_the_last_group_counts_and_says_so(void **state)
{
    (void)state;
    ab_row row;
    ab_series series = sliced_samples((sliced_work){.from = 0, .to = 1000, .period = 5}, 5, 5, true, &row);
    assert_int_equal(series.n, 6 * 5);
    assert_int_equal(kept_of(&series), 5);
    assert_true(fabs(row.waited - SLICE_S / (5e-3 + SLICE_S)) < 1e-6);
    ab_series_free(&series);
}

static void test_a_system_may_not_tell(void **state)
{
    (void)state;
    ab_row row;
    ab_series series = sliced_samples((sliced_work){.from = 0, .to = 1000, .period = 5}, 5, 5, false, &row);
    assert_int_equal(series.n, 5);
    assert_int_equal(kept_of(&series), 5);
    assert_true(isnan(row.waited));
    the_system.on = true;
    const ab_scheduler none = ab_scheduler_query();
    the_system.tells = true;
    const ab_scheduler both = ab_scheduler_query();
    the_system.on = false;
    assert_true(!none.run_queue && !none.steal && both.run_queue && both.steal);
    ab_series_free(&series);
}

/* By the median alone they have: nine of ten are alike. */
static void test_samples_with_slices_have_not_converged(void **state)
{
    (void)state;
    ab_row row;
    ab_series sliced = sliced_samples((sliced_work){.from = 0, .to = 1000, .period = 10}, 40, 10, false, &row);
    assert_int_equal(kept_of(&sliced), 40);
    assert_string_equal(row.stop_reason, "count");
    ab_series even = sliced_samples((sliced_work){.period = 1}, 40, 10, false, &row);
    assert_int_equal(kept_of(&even), 10);
    assert_string_equal(row.stop_reason, "converged");
    ab_series_free(&sliced);
    ab_series_free(&even);
}

static void test_what_speaks_against_times(void **state)
{
    (void)state;
    const double even[] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1}, sliced[] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 13.2};
    const struct {
        const double *ms;
        int n;
        double waited;
        ab_row_status status;
        const char *note;
    } known[] = {
        {even, 10, NAN, AB_ROW_OK, ""},
        {even, 10, 0.04, AB_ROW_OK, ""},
        {even, 10, 0.23, AB_ROW_NOISY, "the CPU's threads waited 23 % of the time for a core"},
        {sliced, 10, 0.0, AB_ROW_NOISY,
         "1 of 10 samples take over 3 times as long as most: they raise the mean by 122 %"},
        {sliced + 5, 5, NAN, AB_ROW_FEW,
         "1 of 5 samples take over 3 times as long as most: they raise the mean by 244 %"},
        {even, 0, NAN, AB_ROW_TIMEOUT, ""},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; ++i) {
        ab_row row = ab_row_new();
        row.ms = ab_summarise(known[i].ms, known[i].n);
        row.waited = known[i].waited;
        assert_int_equal(ab_find_shape(known[i].ms, known[i].ms, &known[i].n, 1, &row.shape).code, AB_OK);
        ab_judge_times(&row, true);
        assert_int_equal(row.status, known[i].status);
        assert_string_equal(row.note, known[i].note);
        assert_int_equal(ab_times_are_precise(&row, 0.05), known[i].status == AB_ROW_OK);
    }
}

/* ---- Threads that share a processor at first ---- */

/* How often the clock is looked at, twice per parallel region. Regions take slice_s, but after look `last` nothing. */
static long looks_until_settled(int threads, double slice_s, long last)
{
    the_system = (fake_system){.on = true, .slice_s = slice_s, .every = 2, .last = last};
    ab_threads_settle(threads);
    the_system.on = false;
    return the_system.looks;
}

static void test_threads_settle(void **state)
{
    (void)state;
    assert_int_equal(looks_until_settled(0, 8e-3, 0), 0);
    assert_int_equal(looks_until_settled(1, 8e-3, 0), 0);
    assert_int_equal(looks_until_settled(2, 0.0, 0), 2 * 16);
    assert_int_equal(looks_until_settled(3, 0.4e-3, 0), 2 * 16);
    assert_int_equal(looks_until_settled(2, 8e-3, 2 * 5), 2 * (5 + 16));
    assert_int_equal(looks_until_settled(2, 8e-3, 0), 2 * 13); /* no region begins after 0.1 s */
}

/* Takes samples of 1 ms where looks at the clock come 8 ms late, up to look `last`, unless this is 0. */
static ab_series samples_of_threads(int threads, double budget_s, int at_once, long last)
{
    ab_machine_state machine = {0};
    sliced_work even = {.work = {&sliced_methods, threads}};
    const ab_sampling sampling = {.pace = {.budget_s = budget_s},
                                  .backend = AB_CPU,
                                  .samples = 1000,
                                  .at_once = at_once,
                                  .long_samples = true,
                                  .open = open_sliced,
                                  .context = &even};
    ab_series series = {0};
    ab_row row = ab_row_new();
    the_system = (fake_system){.on = true, .now_s = 100.0, .step_s = 1e-7, .slice_s = 8e-3, .every = 1, .last = last};
    assert_int_equal(ab_take_samples(&machine, &sampling, &series, &row).code, AB_OK);
    the_system.on = false;
    return series;
}

static void test_samples_begin_when_threads_have_settled(void **state)
{
    (void)state;
    ab_series one = samples_of_threads(1, 0.1, 5, 12), two = samples_of_threads(2, 0.1, 5, 12);
    assert_true(one.ms[0] > 8.0);
    /* The loop itself looks twice before. Settling costs nothing of the budget. */
    assert_int_equal(two.n, 100 - 2 * 8);
    for (int i = 0; i < two.n; ++i) assert_true(two.ms[i] < 1.1);
    ab_series_free(&one);
    ab_series_free(&two);
}

static void test_threads_that_do_not_settle_are_not_waited_for_again_and_again(void **state)
{
    (void)state;
    ab_series series = samples_of_threads(2, 1.0, 1, 0);
    assert_true(series.n > 10); /* groups */
    assert_true(the_system.now_s - 100.0 < 1.0 + 0.3);
    ab_series_free(&series);
}

/* A GPU whose look takes the CPU 5 ms, in the midst of a group: it is at work then, and no sample is late by it. */
typedef struct looked_at {
    slow_work slow;
    int looks, at[GROUP];
} looked_at;

static void look_slowly(void *context)
{
    looked_at *of = context;
    if (of->looks < GROUP) of->at[of->looks] = of->slow.runs;
    ++of->looks;
    the_system.now_s += 5e-3;
}

static ab_series looked_samples(looked_at *of, int iterations, double budget_s)
{
    const ab_timing timing = {.backend = AB_CUDA, .ahead = 4, .delay_s = 50e-6, .look = look_slowly, .context = of};
    ab_series series = {0};
    int completed;
    of->slow.work.methods = &slow_methods;
    the_system = (fake_system){.on = true, .tells = true, .now_s = 100.0, .step_s = 1e-6};
    assert_int_equal(ab_time_work(&of->slow.work, &timing, iterations, budget_s, &series, &completed).code, AB_OK);
    the_system.on = false;
    return series;
}

static void test_a_gpu_is_looked_at_in_the_midst_of_a_group(void **state)
{
    (void)state;
    looked_at of = {0};
    ab_series series = looked_samples(&of, GROUP, 10.0);
    assert_int_equal(series.n, GROUP);
    assert_int_equal(of.looks, 1);
    assert_int_equal(of.at[0], GROUP / 2);
    for (int i = 0; i < series.n; ++i) assert_true(!series.late[i] && series.ms[i] < 0.1);
    ab_series_free(&series);
}

/* Such a work is enqueued as fast as ever, so the GPU need not wait for it for long. */
static void test_the_gpu_waits_less_for_a_work_that_has_run_before(void **state)
{
    (void)state;
    for (int begun = 0; begun < 2; ++begun) {
        slow_work work = {.work = {.methods = &slow_methods}, .to = 1, .slow_s = SLOW_S};
        const ab_timing timing = {.backend = AB_CUDA, .ahead = 4, .delay_s = 50e-6, .begun = begun};
        ab_series series = {0};
        int completed;
        the_system = (fake_system){.on = true, .tells = true, .now_s = 100.0, .step_s = 1e-6};
        assert_int_equal(ab_time_work(&work.work, &timing, 2, 10.0, &series, &completed).code, AB_OK);
        the_system.on = false;
        assert_int_equal(series.late[0], begun);
        assert_false(series.late[1]);
        ab_series_free(&series);
    }
}

static void test_a_group_of_one_and_one_that_a_budget_ends_are_looked_at_too(void **state)
{
    (void)state;
    looked_at one = {0}, ended = {.slow = {.to = GROUP, .slow_s = 1e-3}};
    ab_series of_one = looked_samples(&one, 1, 10.0), of_ended = looked_samples(&ended, GROUP, 4e-3);
    assert_true(of_one.n == 1 && one.looks == 1 && one.at[0] == 1);
    assert_true(of_ended.n < GROUP / 2 && ended.looks == 1);
    ab_series_free(&of_one);
    ab_series_free(&of_ended);
}

static void test_a_long_group_is_looked_at_again_and_again(void **state)
{
    (void)state;
    looked_at of = {.slow = {.to = GROUP, .slow_s = 0.1}};
    ab_series series = looked_samples(&of, GROUP, 100.0); /* four seconds */
    assert_true(of.looks >= 10 && of.looks <= 16);
    ab_series_free(&series);
}

/* A GPU that throttles in runs `from` to `to` - 1, and is cool again when the group ends. */
typedef struct hot_work {
    slow_work slow;
    int from, to;
    const char *celsius;
} hot_work;

static ab_status run_hot(ab_work *work, int stage)
{
    hot_work *hot = (hot_work *)work;
    const int run = hot->slow.runs;
    setenv("FAKE_THROTTLE", run >= hot->from && run < hot->to ? "0x44" : "0x4", 1);
    setenv("FAKE_CELSIUS", run < GROUP ? "80" : "60", 1);
    return run_slowly(work, stage);
}

/* One that throttles in each group. */
static ab_status run_always_hot(ab_work *work, int stage)
{
    hot_work *hot = (hot_work *)work;
    setenv("FAKE_THROTTLE", hot->slow.runs % GROUP < GROUP - 2 ? "0x44" : "0x4", 1);
    return run_slowly(work, stage);
}

static const ab_work_methods hot_methods = {1, {"all"}, run_hot, leave_open};
static const ab_work_methods always_hot_methods = {1, {"all"}, run_always_hot, leave_open};

static ab_series samples_of_hot(const ab_work_methods *methods, int from, int to, ab_row *row)
{
    hot_work hot = {.slow = {.work = {methods}}, .from = from, .to = to};
    ab_machine_state machine = {.nvml = ab_nvml_open("0000:65:00.0")};
    const ab_sampling sampling = {.pace = {.budget_s = 10.0},
                                  .backend = AB_CUDA,
                                  .samples = 2 * GROUP,
                                  .at_once = GROUP,
                                  .fresh = true,
                                  .open = open_slow,
                                  .context = &hot};
    ab_series series = {0};
    *row = ab_row_new();
    assert_non_null(machine.nvml);
    setenv("FAKE_SM_MHZ", "1500", 1);
    setenv("FAKE_MILLIWATT", "350000", 1);
    the_system = (fake_system){.on = true, .tells = true, .now_s = 100.0, .step_s = 1e-6};
    assert_int_equal(ab_take_samples(&machine, &sampling, &series, row).code, AB_OK);
    the_system.on = false;
    ab_nvml_close(machine.nvml);
    return series;
}

static ab_series hot_samples(int from, int to, ab_row *row)
{
    return samples_of_hot(&hot_methods, from, to, row);
}

static void test_conditions_are_the_means_of_the_looks_at_work(void **state)
{
    (void)state;
    ab_row row;
    ab_series series = hot_samples(0, 0, &row);
    assert_int_equal(series.n, 2 * GROUP);
    assert_true(row.sm_clock_mhz == 1500 && row.power_w == 350);
    assert_true(row.temperature_c == 70); /* 80 in the first group, 60 in the second */
    assert_string_equal(row.throttle, "power-cap");
    assert_int_equal(row.discarded, 0);
    ab_series_free(&series);
}

/* What a look after the group would not see. */
static void test_a_gpu_that_throttled_at_work_has_its_group_taken_again(void **state)
{
    (void)state;
    ab_row row;
    ab_series series = hot_samples(3, GROUP - 2, &row);
    assert_int_equal(row.discarded, GROUP);
    for (int i = 0; i < GROUP; ++i) assert_string_equal(series.discarded[i], "throttled");
    for (int i = GROUP; i < series.n; ++i) assert_null(series.discarded[i]);
    assert_string_equal(row.throttle, "power-cap"); /* of those that count */
    ab_series_free(&series);
}

static void test_a_gpu_that_always_throttles_has_samples_that_count(void **state)
{
    (void)state;
    ab_row row;
    ab_series series = samples_of_hot(&always_hot_methods, 0, 0, &row);
    int discarded = 0;
    for (int i = 0; i < series.n; ++i) discarded += series.discarded[i] != NULL;
    assert_int_equal(series.n - discarded, 2 * GROUP);
    assert_true(discarded > 0 && row.discarded == discarded);
    assert_non_null(strstr(row.note, "the GPU had lowered its clock"));
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
    const ab_options options = {.energy_s = seconds, .processes = 2, .process = process};
    const ab_driver driver = {.name = "review"};
    ab_machine_state machine = {0};
    ab_share share;
    assert_int_equal(ab_share_make(&driver, &options, &share).code, AB_OK);
    const ab_sampling sampling = {.pace = {.budget_s = 0.05, .energy_s = share.energy_s},
                                  .backend = AB_CUDA,
                                  .samples = 3,
                                  .at_once = 3,
                                  .stage = stage,
                                  .alone = alone,
                                  .l2_cold = l2_cold,
                                  .fresh = true,
                                  .open = open_timed,
                                  .context = timed};
    ab_series series = {0};
    ab_row row = ab_row_new();
    machine.nvml = ab_nvml_open("0000:65:00.0");
    assert_non_null(machine.nvml);
    assert_int_equal(ab_take_samples(&machine, &sampling, &series, &row).code, AB_OK);
    ab_series_free(&series);
    ab_nvml_close(machine.nvml);
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
    assert_true(isnan(energy_of(0.0, NULL, false, false, 1, &timed)));  /* not asked for */
    assert_true(isnan(energy_of(0.05, NULL, false, false, 1, &timed))); /* not from one step to another */
    assert_true(isnan(energy_of(0.5, "all", false, false, 1, &timed))); /* a stage between others */
    assert_true(isnan(energy_of(0.5, NULL, false, true, 1, &timed)));   /* of a cold cache */
    assert_true(isnan(energy_of(0.5, NULL, false, false, 2, &timed)));  /* another process's */
    unsetenv("FAKE_WATT");
    assert_true(isnan(energy_of(0.5, NULL, false, false, 1, &timed))); /* no such counter */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_series_outlives_its_work),
        cmocka_unit_test(test_the_kernels_of_a_stage_are_listed),
        cmocka_unit_test(test_a_spent_budget_leaves_one_iteration),
        cmocka_unit_test(test_a_late_sample_of_alike_iterations_does_not_count),
        cmocka_unit_test(test_a_late_sample_of_a_fresh_work_has_all_of_it_taken_again),
        cmocka_unit_test(test_a_slow_first_iteration_is_not_late),
        cmocka_unit_test(test_a_late_group_is_taken_again_behind_a_longer_delay),
        cmocka_unit_test(test_late_samples_count_where_no_time_is_left),
        cmocka_unit_test(test_a_short_late_group_is_taken_again_whatever_the_budget),
        cmocka_unit_test(test_a_group_that_is_taken_again_costs_nothing_of_the_budget),
        cmocka_unit_test(test_what_waits_for_the_gpu_is_never_late),
        cmocka_unit_test(test_the_delay_has_room_for_slower_enqueuing),
        cmocka_unit_test(test_a_cpu_that_enqueues_slowly_is_not_part_of_the_time),
        cmocka_unit_test(test_a_gpu_is_warmed_up_for_as_long_as_it_rested),
        cmocka_unit_test(test_long_samples_of_fresh_works_are_not_preceded_by_one),
        cmocka_unit_test(test_a_long_work_is_soon_seen_to_wait),
        cmocka_unit_test(test_a_group_that_waited_for_a_core_is_taken_again),
        cmocka_unit_test(test_so_is_one_whose_core_the_host_took),
        cmocka_unit_test(test_on_a_busy_machine_the_last_group_counts_and_says_so),
        cmocka_unit_test(test_a_system_may_not_tell),
        cmocka_unit_test(test_samples_with_slices_have_not_converged),
        cmocka_unit_test(test_what_speaks_against_times),
        cmocka_unit_test(test_threads_settle),
        cmocka_unit_test(test_samples_begin_when_threads_have_settled),
        cmocka_unit_test(test_threads_that_do_not_settle_are_not_waited_for_again_and_again),
        cmocka_unit_test(test_a_gpu_is_looked_at_in_the_midst_of_a_group),
        cmocka_unit_test(test_the_gpu_waits_less_for_a_work_that_has_run_before),
        cmocka_unit_test(test_a_group_of_one_and_one_that_a_budget_ends_are_looked_at_too),
        cmocka_unit_test(test_a_long_group_is_looked_at_again_and_again),
        cmocka_unit_test_setup(test_conditions_are_the_means_of_the_looks_at_work, load_fake_nvml),
        cmocka_unit_test(test_a_gpu_that_throttled_at_work_has_its_group_taken_again),
        cmocka_unit_test(test_a_gpu_that_always_throttles_has_samples_that_count),
        cmocka_unit_test(test_energy_is_read_from_step_to_step),
        cmocka_unit_test(test_energy_is_empty_where_it_is_not_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
