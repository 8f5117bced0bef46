/* The clock (measure.h). */
#include <stdlib.h>
#include <time.h>

#include "bench/harness/measure.h"

enum { QUEUE_AHEAD = 4 };
#define LONG_MS 10.0 /* a launch that waits for the one before costs less than a thousandth of it */

/* Marks in the stream of work: CUDA events for a GPU, times of day for a CPU. */
typedef struct work_clock {
    gpu_clock *gpu;  /* NULL for the CPU */
    double *seconds; /* [marks], CPU only */
} work_clock;

double ab_now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

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
    *series = (ab_series){0};
}

static ab_status reserve(ab_series *series, const ab_work *work, int more)
{
    const int n_stages = work->methods->n_stages;
    series->n_stages = n_stages;
    series->stage_names = work->methods->stage_names;
    if (series->n + more <= series->capacity) return ab_ok();
    const size_t capacity = (size_t)(series->n + more) * 2;
    double *ms = realloc(series->ms, capacity * (size_t)n_stages * sizeof *ms);
    if (ms) series->ms = ms;
    const char **discarded = realloc(series->discarded, capacity * sizeof *discarded);
    if (discarded) series->discarded = discarded;
    if (!ms || !discarded) return ab_failed("out of memory for %zu samples", capacity);
    series->capacity = (int)capacity;
    return ab_ok();
}

/* Whether an iteration begins with a mark of its own: what comes before it, the flush or the wait, is not its time. Else
 * the end of an iteration is the beginning of the next. */
static bool has_own_begin(const ab_timing *timing)
{
    return timing->l2_cold || timing->ahead == 0;
}

/* Marks from the beginning of one iteration to that of the next. */
static int marks_per_iteration(const ab_work *work, const ab_timing *timing)
{
    return work->methods->n_stages + (has_own_begin(timing) ? 1 : 0);
}

/* The GPU is kept busy until its work is in the queue: it never waits for a launch. */
static ab_status begin_iteration(const work_clock *clock, const ab_timing *timing, int mark)
{
    if (timing->l2_cold) AB_TRY(gpu_clock_flush(clock->gpu));
    else if (clock->gpu) AB_TRY(gpu_clock_delay(clock->gpu));
    return set_mark(clock, mark);
}

static ab_status run_iteration(ab_work *work, const work_clock *clock, int first_mark)
{
    for (int stage = 0; stage < work->methods->n_stages; ++stage) {
        AB_TRY(work->methods->run_stage(work, stage));
        AB_TRY(set_mark(clock, first_mark + stage + 1));
    }
    return ab_ok();
}

/* Runs iterations until all are done or the budget is spent. */
static ab_status run_iterations(ab_work *work, const work_clock *clock, const ab_timing *timing, int iterations,
                                double budget_s, int *completed)
{
    const int n_stages = work->methods->n_stages, stride = marks_per_iteration(work, timing);
    const double deadline = ab_now_s() + budget_s;
    for (*completed = 0; *completed < iterations;) {
        const int first_mark = *completed * stride;
        if (*completed == 0 || has_own_begin(timing)) AB_TRY(begin_iteration(clock, timing, first_mark));
        AB_TRY(run_iteration(work, clock, first_mark));
        ++*completed;
        if (*completed > timing->ahead) AB_TRY(wait_for(clock, (*completed - timing->ahead - 1) * stride + n_stages));
        if (ab_now_s() >= deadline) break;
    }
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

int ab_iterations_ahead(double ms)
{
    return ms < LONG_MS ? QUEUE_AHEAD : 0;
}

ab_status ab_time_work(ab_work *work, const ab_timing *timing, int iterations, double budget_s, ab_series *series,
                       int *completed)
{
    const int stride = marks_per_iteration(work, timing);
    work_clock clock = {0};
    ab_status status = reserve(series, work, iterations);
    if (status.code == AB_OK) status = open_clock(timing->backend, iterations * stride + 1, &clock);
    if (status.code == AB_OK) status = run_iterations(work, &clock, timing, iterations, budget_s, completed);
    if (status.code == AB_OK) status = collect(&clock, stride, *completed, series);
    close_clock(&clock);
    return status;
}
