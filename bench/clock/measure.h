/* The clock: runs the stages of a work and records the time of every stage in every iteration.
 *
 * CPU works are timed with CLOCK_MONOTONIC, and GPU works with CUDA events on the default stream. Each GPU iteration
 * begins behind a kernel that only waits until the CPU has queued the whole iteration. So the time is the GPU's work.
 * It does not include the host's launch overhead, which varies by a third between processes. If a work waits for the
 * GPU in its middle, the GPU then waits for the CPU, and this wait is part of its time. If the CPU took longer than the
 * GPU's delay, the sample is late: it may include host time. The first iteration is queued slowest and has a long
 * delay. The CPU stays a few short iterations ahead, so that a time budget can end a run. Long iterations start one at
 * a time.
 *
 * The CPU looks at the GPU (ab_timing) after it has queued one iteration and before it queues the next. So a look never
 * separates two launches of one sample. The iteration after a look has a long delay too, and so has the first one of
 * every group.
 */
#ifndef ANTBENCH_MEASURE_H
#define ANTBENCH_MEASURE_H

#include <stdbool.h>

#include "bench/clock/gpu.h"
#include "kernels/implementation.h"

/* The samples of one row. */
typedef struct ab_series {
    int n_stages;
    /* Names of the work's stages, valid also after the work is closed. */
    const char *stage_names[AB_MAX_STAGES];
    int n;                               /* number of measured iterations */
    int capacity;                        /* number of iterations that the arrays can hold */
    double *ms;                          /* [n][n_stages]: milliseconds of each stage */
    const char **discarded;              /* [n]: reason why the sample does not count; NULL if it counts */
    int *number;                         /* [n]: number of the sample; a repeated sample keeps its number */
    double *enqueue_s;                   /* [n]: seconds that the CPU took to enqueue the iteration */
    bool *late;                          /* [n]: true if the GPU may have waited for the CPU */
    ab_launches launches[AB_MAX_STAGES]; /* launches of each stage in the profiled iteration */
} ab_series;

void ab_series_free(ab_series *series); /* accepts a zeroed series */

/* How a work is timed. */
typedef struct ab_timing {
    ab_backend backend;
    /* True if the GPU's L2 cache is flushed before each iteration, outside of the timed part. */
    bool l2_cold;
    /* Number of iterations by which the CPU may be ahead of the GPU; 0: it waits for each one. */
    int ahead;
    double delay_s; /* seconds by which the GPU waits before each iteration */
    bool begun;     /* true if an earlier group has run the same work */
    bool waits;     /* true if the work waits for the GPU in its middle, so that a delay does not help */
    /* True if a profiler records the first iteration (gpu_profiler_begin), and its launches are listed. */
    bool profiled;
    void (*look)(void *context); /* function that the CPU calls while the GPU works; NULL: none */
    void *context;               /* argument of `look` */
} ab_timing;

/* Returns the timing for a work about which nothing is known yet. */
ab_timing ab_timing_new(ab_backend backend, bool l2_cold);

/* Adapts the timing to a work whose iterations are like the last one of the series. Returns false if it must be adapted
 * again, because even the fastest enqueuing outlasted the delay: the delay is longer now. If the longest delay is
 * outlasted too, the work waits for the GPU. */
bool ab_timing_adapt(ab_timing *timing, const ab_series *series);

/* Lengthens the delay for the slowest sample from `first` on. The delay never shrinks. */
void ab_timing_lengthen(ab_timing *timing, const ab_series *series, int first);

/* Runs up to `iterations` iterations of `work` and appends their times to `series`. Stops early after `budget_s`
 * seconds, but runs at least one iteration. *completed is the number of iterations. Returns when the GPU is done. */
ab_status ab_time_work(ab_work *work, const ab_timing *timing, int iterations, double budget_s, ab_series *series,
                       int *completed);

#endif
