/* Times works (measure.h). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "bench/clock/measure.h"

enum { QUEUE_AHEAD = 4 };
static const double LONG_MS = 10.0;
static const double LOOK_S = 0.25; /* seconds between two looks at a GPU during long work */
/* Delays before a GPU iteration: the least, the delay for work that waits for the GPU, the least after the CPU did
 * something else, the first one, and the most. */
static const double LEAST_DELAY_S = 30e-6, WAITING_DELAY_S = 50e-6, SLOW_DELAY_S = 0.5e-3, FIRST_DELAY_S = 2e-3,
                    MOST_DELAY_S = 16e-3;
static const double LONGER = 4.0; /* factor by which a delay grows that enqueuing outlasts */
/* Seconds by which enqueuing outlasts a delay only if the work waits: no CPU is slow for so long a moment. */
static const double SURELY_WAITS_S = 0.1;

/* Marks in the stream of work: CUDA events on a GPU, points in time on a CPU. */
typedef struct work_clock {
    gpu_clock *gpu;  /* NULL for the CPU */
    double *seconds; /* [marks], CPU only */
} work_clock;

static ab_status open_clock(ab_backend backend, int n_marks, work_clock *clock)
{
    if (backend == AB_CUDA) return gpu_clock_open(n_marks, &clock->gpu);
    clock->seconds = calloc((size_t)n_marks, sizeof *clock->seconds);
    return clock->seconds ? ab_ok() : ab_failed("out of memory for %d marks", n_marks);
}

static void close_clock(work_clock *clock)
{
    gpu_clock_close(clock->gpu);
    free(clock->seconds);
}

static ab_status set_mark(const work_clock *clock, int mark)
{
    if (clock->gpu) return gpu_clock_mark(clock->gpu, mark);
    clock->seconds[mark] = ab_now_s();
    return ab_ok();
}

static ab_status wait_for(const work_clock *clock, int mark)
{
    return clock->gpu ? gpu_clock_wait(clock->gpu, mark) : ab_ok();
}

static ab_status elapsed(const work_clock *clock, int mark, double *ms)
{
    if (clock->gpu) return gpu_clock_elapsed(clock->gpu, mark, mark + 1, ms);
    *ms = 1e3 * (clock->seconds[mark + 1] - clock->seconds[mark]);
    return ab_ok();
}

void ab_series_free(ab_series *series)
{
    free(series->ms);
    free(series->discarded);
    free(series->number);
    free(series->late);
    free(series->enqueue_s);
    *series = (ab_series){0};
}

static ab_status reserve(ab_series *series, const ab_work *work, int more)
{
    const int n_stages = work->methods->n_stages;
    series->n_stages = n_stages;
    memcpy(series->stage_names, work->methods->stage_names, sizeof series->stage_names);
    if (series->n + more <= series->capacity) return ab_ok();
    const size_t capacity = (size_t)(series->n + more) * 2;
    double *ms = realloc(series->ms, capacity * (size_t)n_stages * sizeof *ms);
    if (ms) series->ms = ms;
    const char **discarded = realloc(series->discarded, capacity * sizeof *discarded);
    if (discarded) series->discarded = discarded;
    int *number = realloc(series->number, capacity * sizeof *number);
    if (number) series->number = number;
    bool *late = realloc(series->late, capacity * sizeof *late);
    if (late) series->late = late;
    double *enqueue_s = realloc(series->enqueue_s, capacity * sizeof *enqueue_s);
    if (enqueue_s) series->enqueue_s = enqueue_s;
    if (!ms || !discarded || !number || !late || !enqueue_s)
        return ab_failed("out of memory for %zu samples", capacity);
    series->capacity = (int)capacity;
    return ab_ok();
}

/* Returns the number of marks from the start of one iteration to the start of the next. Between two iterations lies
 * work that is not timed. */
static int marks_per_iteration(const ab_work *work)
{
    return work->methods->n_stages + 1;
}

/* Runs an iteration. If `launches` is not NULL, it receives the launches of each stage. */
static ab_status run_iteration(ab_work *work, const work_clock *clock, const ab_timing *timing, double delay_s,
                               int first_mark, ab_launches launches[AB_MAX_STAGES])
{
    if (timing->l2_cold) AB_TRY(gpu_clock_flush(clock->gpu));
    if (clock->gpu) AB_TRY(gpu_clock_delay(clock->gpu, delay_s));
    AB_TRY(set_mark(clock, first_mark));
    for (int stage = 0; stage < work->methods->n_stages; ++stage) {
        ab_told_launches = launches ? &launches[stage] : NULL;
        const ab_status status = work->methods->run_stage(work, stage);
        ab_told_launches = NULL;
        AB_TRY(status);
        AB_TRY(set_mark(clock, first_mark + stage + 1));
    }
    return ab_ok();
}

/* The looks at a GPU during a group. */
typedef struct looking {
    const ab_timing *timing;
    int middle;    /* number of iterations after which there is a look at the latest */
    double last_s; /* time of the last look, or of the group's start */
    bool any;
} looking;

static looking begin_looking(const ab_timing *timing, int iterations)
{
    return (looking){.timing = timing, .middle = (iterations + 1) / 2, .last_s = timing->look ? ab_now_s() : 0.0};
}

/* Looks at the GPU if it is time to do so after this many iterations. */
static bool look(looking *l, int completed)
{
    if (!l->timing->look || (completed != l->middle && ab_now_s() - l->last_s < LOOK_S)) return false;
    l->timing->look(l->timing->context);
    l->last_s = ab_now_s();
    return l->any = true;
}

/* Runs iterations until all are done or the budget is spent. */
static ab_status run_iterations(ab_work *work, const work_clock *clock, const ab_timing *timing, int iterations,
                                double budget_s, ab_series *series, int *completed)
{
    const int n_stages = work->methods->n_stages, stride = marks_per_iteration(work);
    const double deadline = ab_now_s() + budget_s;
    looking l = begin_looking(timing, iterations);
    bool slow = true; /* true if the CPU did something else before this iteration */
    for (*completed = 0; *completed < iterations;) {
        const bool profiled = timing->profiled && *completed == 0;
        if (profiled) gpu_profiler_begin();
        const double begin = ab_now_s();
        const double least_s = *completed > 0 || timing->begun ? SLOW_DELAY_S : FIRST_DELAY_S;
        const double delay_s = slow && !timing->waits ? fmax(least_s, timing->delay_s) : timing->delay_s;
        const ab_status status =
            run_iteration(work, clock, timing, delay_s, *completed * stride, profiled ? series->launches : NULL);
        const double enqueue_s = ab_now_s() - begin;
        series->enqueue_s[series->n + *completed] = enqueue_s;
        series->late[series->n + *completed] = clock->gpu && !timing->waits && enqueue_s > delay_s;
        if (profiled) gpu_profiler_end();
        AB_TRY(status);
        ++*completed;
        slow = look(&l, *completed);
        if (*completed > timing->ahead) AB_TRY(wait_for(clock, (*completed - timing->ahead - 1) * stride + n_stages));
        if (ab_now_s() >= deadline) break;
    }
    if (!l.any) (void)look(&l, l.middle); /* a budget has ended the group early */
    return wait_for(clock, (*completed - 1) * stride + n_stages);
}

static ab_status collect(const work_clock *clock, int stride, int completed, ab_series *series)
{
    for (int i = 0; i < completed; ++i) {
        double *ms = &series->ms[(series->n + i) * series->n_stages];
        for (int stage = 0; stage < series->n_stages; ++stage) AB_TRY(elapsed(clock, i * stride + stage, &ms[stage]));
        series->discarded[series->n + i] = NULL;
    }
    series->n += completed;
    return ab_ok();
}

ab_timing ab_timing_new(ab_backend backend, bool l2_cold)
{
    return (ab_timing){.backend = backend, .l2_cold = l2_cold, .delay_s = FIRST_DELAY_S};
}

/* Returns twice the time of enqueuing, which enqueuing rarely exceeds. */
static double delay_for(double enqueue_s)
{
    return fmin(LEAST_DELAY_S + 2.0 * enqueue_s, MOST_DELAY_S);
}

/* Work that waits for the GPU outlasts any delay, since it waits for the delay too. A CPU that is slow for a moment
 * outlasts a short one only. Of a long work one iteration is enough to tell. */
bool ab_timing_adapt(ab_timing *timing, const ab_series *series)
{
    double ms = 0.0, enqueue_s = INFINITY;
    for (int stage = 0; stage < series->n_stages; ++stage) ms += series->ms[(series->n - 1) * series->n_stages + stage];
    for (int i = 0; i < series->n; ++i) enqueue_s = fmin(enqueue_s, series->enqueue_s[i]);
    timing->ahead = ms < LONG_MS ? QUEUE_AHEAD : 0;
    if (timing->waits) return true;
    const bool outlasted = enqueue_s >= timing->delay_s;
    timing->waits = outlasted && (timing->delay_s >= MOST_DELAY_S || enqueue_s >= timing->delay_s + SURELY_WAITS_S);
    timing->delay_s = timing->waits ? WAITING_DELAY_S
                      : outlasted   ? fmin(LONGER * timing->delay_s, MOST_DELAY_S)
                                    : delay_for(enqueue_s);
    return timing->waits || !outlasted;
}

void ab_timing_lengthen(ab_timing *timing, const ab_series *series, int first)
{
    if (timing->waits) return;
    for (int i = first; i < series->n; ++i) timing->delay_s = fmax(timing->delay_s, delay_for(series->enqueue_s[i]));
}

ab_status ab_time_work(ab_work *work, const ab_timing *timing, int iterations, double budget_s, ab_series *series,
                       int *completed)
{
    const int stride = marks_per_iteration(work);
    work_clock clock = {0};
    ab_status status = reserve(series, work, iterations);
    if (status.code == AB_OK) status = open_clock(timing->backend, iterations * stride, &clock);
    if (status.code == AB_OK) status = run_iterations(work, &clock, timing, iterations, budget_s, series, completed);
    if (status.code == AB_OK) status = collect(&clock, stride, *completed, series);
    close_clock(&clock);
    return status;
}
