/* The loop that takes samples (sample.h). */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/threads.h"
#include "bench/clock/meter.h"
#include "bench/clock/sample.h"
#include "bench/clock/scheduler.h"
#include "bench/row/judge.h"

/* Seconds of a GPU's warm-up: the least, the most after a short rest, and the most; it is a share of a long rest. */
static const double LEAST_WARM_UP_S = 0.005, SHORT_WARM_UP_S = 0.01, MOST_WARM_UP_S = 0.05, WARM_UP_SHARE = 0.05;
static const double COOL_DOWN_S = 10.0, COOL_DOWN_STEP_S = 0.25;
/* Longest group that is taken again without a budget, in seconds, and with any budget. */
static const double LONGEST_RETAKEN_S = 20.0, ALWAYS_RETAKEN_S = 0.05;
static const double MOST_LOST = 0.02; /* share of a group's time in which the process waited for a core */
/* An idle machine has a few per second; a shared core has 40 to 250. */
static const double PREEMPTIONS_PER_S = 25.0;
/* Seconds of waiting for threads in a series after which it is in vain. */
static const double MOST_SETTLING_S = 0.15;
static const double QUEUED_MS = 5.0; /* duration of the iterations that are queued at once for the energy */
enum {
    WARM_UP_ITERATIONS = 4096 /* most iterations at once */,
    MAX_RETAKEN = 5 /* most repetitions of a row's groups */
};

/* ---- One stage as a work of its own ---- */

typedef struct stage_work {
    ab_work work;
    ab_work *whole;
    int stage;
} stage_work;

static ab_status run_alone(ab_work *work, int stage)
{
    (void)stage;
    const stage_work *alone = (const stage_work *)work;
    return alone->whole->methods->run_stage(alone->whole, alone->stage);
}

static const ab_work_methods alone_methods = {.n_stages = 1, .stage_names = {"alone"}, .run_stage = run_alone};

/* ---- Statistics of a series ---- */

unsigned ab_sampling_stages(const ab_sampling *sampling, const ab_series *series)
{
    if (!sampling->stage || sampling->alone) return AB_ALL_STAGES;
    for (int i = 0; i < series->n_stages; ++i)
        if (strcmp(series->stage_names[i], sampling->stage) == 0) return 1u << i;
    return AB_ALL_STAGES;
}

double ab_sample_ms(const ab_series *series, int i, unsigned stages)
{
    double ms = 0.0;
    for (int s = 0; s < series->n_stages; ++s)
        if (stages >> s & 1u) ms += series->ms[i * series->n_stages + s];
    return ms;
}

ab_status ab_summarise_series(const ab_series *series, unsigned stages, unsigned whole, ab_row *row)
{
    int kept = 0;
    double *ms = malloc(((size_t)series->n + 1) * 2 * sizeof *ms);
    if (!ms) return ab_failed("out of memory for %d samples", series->n);
    double *const whole_ms = &ms[series->n];
    for (int i = 0; i < series->n; ++i)
        if (!series->discarded[i]) {
            ms[kept] = ab_sample_ms(series, i, stages);
            whole_ms[kept++] = ab_sample_ms(series, i, whole);
        }
    row->ms = ab_summarise(ms, kept);
    const ab_status status = ab_find_shape(ms, whole_ms, &kept, 1, &row->shape);
    free(ms);
    return status;
}

/* ---- The state of the GPU ---- */

static void discard(ab_series *series, int from, int to, const char *reason, ab_row *row)
{
    for (int i = from; i < to; ++i) series->discarded[i] = reason;
    row->discarded += to - from;
}

/* State of the GPU at work: sums over all looks, and all reasons for a lower clock. */
typedef struct conditions {
    int looks;
    double sm_clock_mhz, temperature_c, power_w;
    unsigned long long throttle;
    bool throttled;
} conditions;

static void add_conditions(conditions *to, const conditions *more)
{
    to->looks += more->looks;
    to->sm_clock_mhz += more->sm_clock_mhz;
    to->temperature_c += more->temperature_c;
    to->power_w += more->power_w;
    to->throttle |= more->throttle;
    to->throttled |= more->throttled;
}

static void note_conditions(const ab_nvml *nvml, const conditions *seen, ab_row *row)
{
    row->sm_clock_mhz = seen->sm_clock_mhz / seen->looks;
    row->temperature_c = seen->temperature_c / seen->looks;
    row->power_w = seen->power_w / seen->looks;
    ab_nvml_throttle_text(nvml, seen->throttle, row->throttle);
}

static void cool_down(const ab_machine_state *state)
{
    const struct timespec step = {.tv_nsec = (long)(COOL_DOWN_STEP_S * 1e9)};
    for (double waited = 0.0; waited < COOL_DOWN_S && ab_nvml_read(state->nvml).throttled; waited += COOL_DOWN_STEP_S)
        nanosleep(&step, NULL);
}

/* ---- The loop ---- */

/* A series while it is taken. */
typedef struct sampler {
    ab_machine_state *state;
    const ab_sampling *sampling;
    ab_series *series;
    ab_row *row;
    ab_work *work;    /* work that is open, or NULL */
    stage_work alone; /* its stage as a work of its own */
    ab_timing timing;
    conditions in_group, in_kept; /* state of the GPU: in the current group, and in the kept groups */
    double end_s;                 /* end of the budget, on the clock of ab_now_s() */
    double settling_s;            /* seconds that were spent on waiting for threads to settle */
    int kept;                     /* number of kept samples */
    int group, retaken;
    ab_watch watch;      /* counters since the group began */
    bool late_kept;      /* true if late samples count, because their group could not be taken again */
    bool throttled_kept; /* the same of samples during which the GPU throttled */
    /* Seconds that the process waited, and total seconds, of the kept groups; 0 if not known. */
    double lost_s, took_s;
} sampler;

static void close_work(sampler *s)
{
    if (s->work) s->work->methods->close(s->work);
    s->work = NULL;
}

static ab_status open_work(sampler *s, int group)
{
    if (s->work) return ab_ok();
    AB_TRY(s->sampling->open(s->sampling->context, group, &s->work));
    if (!s->sampling->alone) return ab_ok();
    s->alone = (stage_work){{.methods = &alone_methods}, s->work, ab_stage_named(s->work, s->sampling->stage)};
    if (s->alone.stage < 0) return ab_failed("the work has no stage %s", s->sampling->stage);
    return ab_iterate(s->work); /* runs the stages before it once */
}

/* Returns the work that is timed. */
static ab_work *timed_work(sampler *s)
{
    return s->sampling->alone ? &s->alone.work : s->work;
}

/* Seconds for which a GPU is warmed up that has rested for so long. */
static double warm_up_after(double rested_s)
{
    const double enough_s = fmin(fmax(SHORT_WARM_UP_S, WARM_UP_SHARE * rested_s), MOST_WARM_UP_S);
    return fmin(fmax(rested_s, LEAST_WARM_UP_S), enough_s);
}

/* Warms up: runs at least once. A GPU's work runs until the warm-up is long enough and the delay is known. The number of
 * iterations doubles each time, so that a slow work does not run for long. */
static ab_status warm_up_work(sampler *s, ab_work *work)
{
    if (s->sampling->backend != AB_CUDA) return ab_iterate(work);
    const double begin = ab_now_s(), end = begin + warm_up_after(begin - s->state->gpu_ran_s);
    bool adapted = false;
    for (int iterations = 2; !adapted || ab_now_s() < end;) {
        ab_series unused = {0};
        int completed;
        const ab_status status = ab_time_work(work, &s->timing, iterations, end - ab_now_s(), &unused, &completed);
        if (status.code == AB_OK) adapted = ab_timing_adapt(&s->timing, &unused);
        ab_series_free(&unused);
        AB_TRY(status);
        if (adapted && iterations < WARM_UP_ITERATIONS) iterations *= 2;
    }
    return ab_ok();
}

/* Keeps the GPU busy with nothing, so that its clock is up. */
static ab_status spin_gpu(double seconds)
{
    gpu_clock *clock = NULL;
    ab_status status = gpu_clock_open(1, &clock);
    if (status.code == AB_OK) status = gpu_clock_delay(clock, seconds);
    if (status.code == AB_OK) status = gpu_clock_mark(clock, 0);
    if (status.code == AB_OK) status = gpu_clock_wait(clock, 0);
    gpu_clock_close(clock);
    return status;
}

/* Long samples need no iteration to warm up. But a work on a GPU that all groups share has one: it tells whether the work
 * waits for the GPU in its middle (ab_timing_adapt). */
static ab_status warm_up(sampler *s)
{
    const ab_sampling *sampling = s->sampling;
    if (sampling->long_samples && sampling->backend != AB_CUDA) return ab_ok();
    if (sampling->long_samples && sampling->fresh && s->timing.backend == AB_CUDA) return spin_gpu(MOST_WARM_UP_S);
    AB_TRY(open_work(s, -1));
    const ab_status status = warm_up_work(s, timed_work(s));
    if (s->sampling->fresh) close_work(s);
    return status;
}

/* Waits for the work's threads to settle, which takes nothing of the budget. */
static void settle(sampler *s)
{
    if (s->sampling->backend != AB_CPU || s->work->threads < 2 || s->settling_s > MOST_SETTLING_S) return;
    const double begin = ab_now_s();
    ab_threads_settle(s->work->threads);
    const double took_s = ab_now_s() - begin;
    s->settling_s += took_s;
    s->end_s += took_s;
}

/* Times up to `size` samples within the budget, but no fewer than the row needs. */
static ab_status time_group(sampler *s, int size, double budget_s, int *completed)
{
    const ab_sampling *sampling = s->sampling;
    int more = 0;
    s->timing.profiled = sampling->profiled && s->series->n == 0;
    s->timing.begun = !sampling->fresh && s->series->n > 0;
    AB_TRY(ab_time_work(timed_work(s), &s->timing, size, budget_s, s->series, completed));
    s->timing.profiled = false;
    const int missing = sampling->least - s->kept - *completed;
    if (missing > 0 && *completed < size)
        AB_TRY(ab_time_work(timed_work(s), &s->timing, missing < size - *completed ? missing : size - *completed,
                            INFINITY, s->series, &more));
    *completed += more;
    return ab_ok();
}

/* True if a group that took `took_s` may be taken again. */
static bool may_retake(const sampler *s, double took_s, double budget_s)
{
    return s->retaken < MAX_RETAKEN && took_s <= fmax(fmin(budget_s / 2, LONGEST_RETAKEN_S), ALWAYS_RETAKEN_S);
}

/* True if the times include CPU time, which threads of other processes may disturb. */
static bool has_cpu_time(const sampler *s)
{
    return s->timing.backend != AB_CUDA || s->timing.waits;
}

/* True if the group from sample `first` on was disturbed by threads of other processes and must be taken again. Else
 * records how long the process waited. */
static bool was_disturbed(sampler *s, int first, double took_s, double budget_s)
{
    if (!has_cpu_time(s)) return false;
    const ab_delays delays = ab_watch_end(&s->watch);
    const bool disturbed =
        delays.lost_s > MOST_LOST * took_s || delays.preemptions > fmax(1.0, PREEMPTIONS_PER_S * took_s);
    if (disturbed && may_retake(s, took_s, budget_s)) {
        discard(s->series, first, s->series->n, "preempted", s->row);
        return true;
    }
    if (isnan(delays.lost_s)) return false;
    s->lost_s += delays.lost_s;
    s->took_s += took_s;
    return false;
}

/* True if the GPU waited for the CPU in the group from sample `first` on, so that the group must be taken again.
 * Iterations of a fresh work differ, so its group counts as a whole or not at all. Of equal iterations, a few late ones
 * are discarded. If the group cannot be taken again, because the CPU is always this slow, all of it counts. */
static bool was_late(sampler *s, int first, double took_s, double budget_s)
{
    ab_series *series = s->series;
    int late = 0;
    for (int i = first; i < series->n; ++i) late += series->late[i];
    if (late == 0) return false;
    const bool again = s->sampling->fresh || late > (series->n - first) / 4;
    ab_timing_lengthen(&s->timing, series, first);
    if (again && !may_retake(s, took_s, budget_s)) {
        s->late_kept = true;
        return false;
    }
    for (int i = first; i < series->n; ++i)
        if (again || series->late[i]) discard(series, i, i + 1, "late", s->row);
    return again;
}

/* Looks at the GPU while it works. */
static void look_at_gpu(void *context)
{
    sampler *s = context;
    const ab_gpu_state state = ab_nvml_read(s->state->nvml);
    add_conditions(&s->in_group, &(conditions){1, state.sm_clock_mhz, state.temperature_c, state.power_w,
                                               state.throttle, state.throttled});
}

/* True if the GPU throttled in the group from sample `first` on, so that the group must be taken again. If it cannot be,
 * because the GPU is always this hot, the group counts. */
static bool was_throttled(sampler *s, int first)
{
    if (!s->in_group.throttled) return false;
    if (s->retaken == MAX_RETAKEN) {
        s->throttled_kept = true;
        return false;
    }
    discard(s->series, first, s->series->n, "throttled", s->row);
    cool_down(s->state);
    return true;
}

static void keep_conditions(sampler *s)
{
    add_conditions(&s->in_kept, &s->in_group);
    if (s->in_kept.looks > 0) note_conditions(s->state->nvml, &s->in_kept, s->row);
}

/* Takes a group, and takes it again if something disturbed it. */
static ab_status take_group(sampler *s, double budget_s)
{
    const ab_sampling *sampling = s->sampling;
    const int first = s->series->n, left = sampling->samples - s->kept;
    const int size = left < sampling->at_once ? left : sampling->at_once;
    int completed = 0;
    AB_TRY(open_work(s, s->group));
    settle(s);
    s->in_group = (conditions){0};
    if (has_cpu_time(s)) ab_watch_begin(&s->watch);
    const double begin = ab_now_s();
    AB_TRY(time_group(s, size, budget_s, &completed));
    const double took_s = ab_now_s() - begin;
    for (int i = first; i < s->series->n; ++i) s->series->number[i] = s->kept + i - first;
    if (was_throttled(s, first) || was_late(s, first, took_s, budget_s) || was_disturbed(s, first, took_s, budget_s)) {
        ++s->retaken;
        if (sampling->fresh) close_work(s);
        return ab_ok();
    }
    keep_conditions(s);
    s->kept += completed;
    ++s->group;
    if (sampling->judge) AB_TRY(sampling->judge(sampling->context, s->work, completed));
    if (sampling->fresh) close_work(s);
    return ab_ok();
}

/* Sets *converged if the samples are as precise as the effort asks for. */
static ab_status have_converged(const sampler *s, bool *converged)
{
    ab_row row = *s->row;
    const unsigned stages = ab_sampling_stages(s->sampling, s->series);
    *converged = false;
    if (!(s->sampling->pace.precise > 0.0)) return ab_ok();
    AB_TRY(ab_summarise_series(s->series, stages, stages, &row));
    *converged = ab_times_are_precise(&row, s->sampling->pace.precise);
    return ab_ok();
}

static ab_status take_groups(sampler *s)
{
    const char *reason = "count";
    bool converged;
    AB_TRY(warm_up(s));
    if (s->sampling->backend == AB_CUDA && s->state->nvml) {
        s->timing.look = look_at_gpu;
        s->timing.context = s;
    }
    s->end_s = ab_now_s() + s->sampling->pace.budget_s;
    while (s->kept < s->sampling->samples) {
        const double begin = ab_now_s(), end = s->end_s;
        const int kept = s->kept;
        AB_TRY(take_group(s, end - begin));
        s->row->waited = s->took_s > 0.0 ? s->lost_s / s->took_s : (double)NAN;
        if (s->kept >= s->sampling->samples) break;
        /* A group that is taken again costs nothing of the budget. */
        if (s->kept == kept) s->end_s = end + ab_now_s() - begin;
        if (ab_now_s() >= s->end_s) {
            reason = "budget";
            break;
        }
        AB_TRY(have_converged(s, &converged));
        if (converged) {
            reason = "converged";
            break;
        }
    }
    snprintf(s->row->stop_reason, sizeof s->row->stop_reason, "%s", reason);
    if (s->throttled_kept) ab_row_add_note(s->row, "in some samples the GPU had lowered its clock");
    if (s->late_kept) ab_row_add_note(s->row, "in some samples the GPU may have waited for the CPU");
    return ab_ok();
}

/* ---- Energy ---- */

/* Runs iterations one after another for this many seconds, at least one; *n is their number. The GPU's queue always
 * holds at least one more iteration. */
static ab_status keep_busy(ab_work *work, int at_once, double seconds, gpu_clock *clock, long *n)
{
    const double begin = ab_now_s();
    int turn = 0;
    do {
        for (int i = 0; i < at_once; ++i) AB_TRY(ab_iterate(work));
        AB_TRY(gpu_clock_mark(clock, turn % 2));
        if (turn > 0) AB_TRY(gpu_clock_wait(clock, (turn - 1) % 2));
        ++turn;
    } while (ab_now_s() - begin < seconds);
    *n = (long)turn * at_once;
    return gpu_clock_wait(clock, (turn - 1) % 2);
}

/* Measures the joules per iteration: the power drawn over some more seconds of iterations, multiplied by the time per
 * iteration, launches included. */
static ab_status meter_work(sampler *s, ab_work *work, double seconds)
{
    const int last = s->series->n - 1;
    const double ms = fmax(ab_sample_ms(s->series, last, AB_ALL_STAGES), 1e3 * s->series->enqueue_s[last]);
    const int at_once = (int)fmax(1.0, fmin(QUEUED_MS / ms, WARM_UP_ITERATIONS));
    gpu_clock *clock = NULL;
    ab_meter *meter = NULL;
    long n = 1;
    AB_TRY(ab_meter_open(s->state->nvml, &meter));
    ab_status status = gpu_clock_open(2, &clock);
    const double begin = ab_now_s();
    if (status.code == AB_OK) status = keep_busy(work, at_once, seconds, clock, &n);
    const double took_s = ab_now_s() - begin, watts = ab_meter_close(meter);
    gpu_clock_close(clock);
    if (status.code == AB_OK) s->row->energy_j = watts * took_s / (double)n;
    return status;
}

/* Measures the energy on a single GPU. It leaves out a stage between others, which cannot run by itself, and an empty
 * cache. */
static ab_status take_energy(sampler *s)
{
    const ab_sampling *sampling = s->sampling;
    const double seconds = sampling->pace.energy_s;
    if (!(seconds > 0.0) || s->timing.backend != AB_CUDA || s->kept == 0) return ab_ok();
    if ((sampling->stage && !sampling->alone) || sampling->l2_cold) return ab_ok();
    AB_TRY(open_work(s, -1));
    const ab_status status = meter_work(s, timed_work(s), seconds);
    return status.code == AB_UNSUPPORTED ? ab_ok() : status;
}

ab_status ab_take_samples(ab_machine_state *state, const ab_sampling *sampling, ab_series *series, ab_row *row)
{
    sampler s = {.state = state, .sampling = sampling, .series = series, .row = row};
    s.timing = ab_timing_new(sampling->waits ? AB_CPU : sampling->backend, sampling->l2_cold);
    if (sampling->l2_cold && s.timing.backend != AB_CUDA)
        return ab_unsupported("l2=cold is only possible for rows on a GPU");
    ab_status status = take_groups(&s);
    if (status.code == AB_OK) status = take_energy(&s);
    if (sampling->backend == AB_CUDA) state->gpu_ran_s = ab_now_s();
    close_work(&s);
    return status;
}

/* ---- Launches ---- */

/* Appends to a list, after a space, if there is room. */
static void list(char *text, size_t size, const char *format, ...)
{
    const size_t at = strlen(text);
    va_list arguments;
    va_start(arguments, format);
    if (at + 1 < size) vsnprintf(text + at + (at > 0), size - at - (at > 0), format, arguments);
    if (at > 0 && at + 1 < size) text[at] = ' ';
    va_end(arguments);
}

#define LIST(member, ...) list(row->member, sizeof row->member, __VA_ARGS__)

ab_status ab_list_launches(const ab_series *series, unsigned stages, ab_row *row)
{
    for (int stage = 0; stage < series->n_stages; ++stage)
        for (int i = 0; stages >> stage & 1 && i < series->launches[stage].n; ++i) {
            const ab_launch *launch = &series->launches[stage].of[i];
            gpu_residence residence;
            AB_TRY(gpu_residence_of(launch, &residence));
            LIST(kernels, "%s", launch->name ? launch->name : "-");
            LIST(block_threads, "%d", launch->threads);
            LIST(registers, "%d", residence.registers);
            LIST(shared_bytes, "%d", residence.shared_bytes);
            LIST(blocks_per_sm, "%d", residence.blocks);
            LIST(occupancy, "%.4g", residence.occupancy);
        }
    return ab_ok();
}
