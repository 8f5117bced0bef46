/* The clock and the sampling loop (measure.h). */
#include <stdlib.h>
#include <time.h>

#include "bench/harness/measure.h"

enum { QUEUE_AHEAD = 4 /* iterations the CPU may be ahead of the GPU */ };

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

static ab_status reserve(ab_series *series, int n_stages, int more)
{
    series->n_stages = n_stages;
    if (series->n + more <= series->capacity) return ab_ok();
    const size_t capacity = (size_t)(series->n + more) * 2;
    double *ms = realloc(series->ms, capacity * (size_t)n_stages * sizeof *ms);
    if (ms) series->ms = ms;
    bool *discarded = realloc(series->discarded, capacity * sizeof *discarded);
    if (discarded) series->discarded = discarded;
    if (!ms || !discarded) return ab_failed("out of memory for %zu samples", capacity);
    series->capacity = (int)capacity;
    return ab_ok();
}

/* Runs iterations until all are done or the budget is spent; mark k * n_stages is the beginning of iteration k. */
static ab_status run_iterations(ab_work *work, const work_clock *clock, int iterations, double budget_s, int *completed)
{
    const int n_stages = work->methods->n_stages;
    const double deadline = ab_now_s() + budget_s;
    AB_TRY(set_mark(clock, 0));
    for (*completed = 0; *completed < iterations;) {
        for (int stage = 0; stage < n_stages; ++stage) {
            AB_TRY(work->methods->run_stage(work, stage));
            AB_TRY(set_mark(clock, *completed * n_stages + stage + 1));
        }
        ++*completed;
        if (*completed > QUEUE_AHEAD) AB_TRY(wait_for(clock, (*completed - QUEUE_AHEAD) * n_stages));
        if (ab_now_s() >= deadline) break;
    }
    return wait_for(clock, *completed * n_stages);
}

static ab_status collect(const work_clock *clock, int completed, ab_series *series)
{
    for (int mark = 0; mark < completed * series->n_stages; ++mark)
        AB_TRY(elapsed(clock, mark, &series->ms[series->n * series->n_stages + mark]));
    for (int i = 0; i < completed; ++i) series->discarded[series->n + i] = false;
    series->n += completed;
    return ab_ok();
}

ab_status ab_measure(ab_work *work, ab_backend backend, int iterations, double budget_s, ab_series *series,
                     int *completed)
{
    const int n_stages = work->methods->n_stages;
    work_clock clock = {0};
    ab_status status = reserve(series, n_stages, iterations);
    if (status.code == AB_OK) status = open_clock(backend, iterations * n_stages + 1, &clock);
    if (status.code == AB_OK) status = run_iterations(work, &clock, iterations, budget_s, completed);
    if (status.code == AB_OK) status = collect(&clock, *completed, series);
    close_clock(&clock);
    return status;
}

ab_status ab_iterate(ab_work *work)
{
    for (int stage = 0; stage < work->methods->n_stages; ++stage) AB_TRY(work->methods->run_stage(work, stage));
    return ab_ok();
}
