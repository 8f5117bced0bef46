/* The clock: runs a work's stages and keeps the time of every stage of every iteration.
 *
 * CPU works are timed with CLOCK_MONOTONIC. GPU works are timed with CUDA events on the default stream. Each iteration
 * begins behind a kernel that only waits, until the CPU has put all of the iteration into the queue: what is timed is
 * the GPU at work, not how fast this host happens to launch, which between processes varies by a third. (What waits for
 * the CPU in its midst is timed with that.) Where the CPU took longer than the GPU was told to wait, the sample is
 * late: it may be the host's time. The first of some iterations is enqueued slowest and waits longest. The CPU stays a
 * few short iterations ahead and no further, so that a time budget can end a run; long ones begin one at a time.
 *
 * The CPU looks at the GPU (ab_timing) in the midst of the iterations: when it has enqueued one and not begun the next,
 * and so between no two launches of one sample. The iteration after a look waits as long as the first.
 */
#ifndef ANTBENCH_MEASURE_H
#define ANTBENCH_MEASURE_H

#include <stdbool.h>

#include "bench/clock/gpu.h"
#include "kernels/implementation.h"

/* Samples of one row. */
typedef struct ab_series {
    int n_stages;
    const char *stage_names[AB_MAX_STAGES]; /* the work's, which may be closed when they are read */
    int n;                                  /* iterations measured */
    int capacity;                           /* iterations there is room for */
    double *ms;                             /* [n][n_stages]: milliseconds of each stage */
    const char **discarded;                 /* [n]: why the sample does not count, NULL where it does */
    int *number;                            /* [n]: number of the sample, which one that is taken again has too */
    double *enqueue_s;                      /* [n]: seconds that the CPU took to enqueue the iteration */
    bool *late;                             /* [n]: the GPU may have waited for the CPU */
    ab_launches launches[AB_MAX_STAGES];    /* of each stage of the iteration that was profiled */
} ab_series;

void ab_series_free(ab_series *series); /* accepts a zeroed one */

/* Seconds since some moment in the past; never goes back. */
double ab_now_s(void);

/* How work is timed. */
typedef struct ab_timing {
    ab_backend backend;
    bool l2_cold;   /* the GPU's L2 cache is flushed before each iteration, outside of its time */
    int ahead;      /* iterations by which the CPU may be ahead of the GPU; 0: it waits for each */
    double delay_s; /* by which the GPU waits before each iteration */
    bool waits;     /* the work waits for the CPU in its midst, which no delay helps */
    /* Whether the first iteration is what a profiler is to look at (gpu_profiler_begin), and its launches are told. */
    bool profiled;
    void (*look)(void *context); /* what the CPU looks at while the GPU works; NULL: nothing */
    void *context;               /* of that */
} ab_timing;

/* For a work of which nothing is known. */
ab_timing ab_timing_new(ab_backend backend, bool l2_cold);

/* For a work whose iterations are like the last one of the series. */
void ab_timing_adapt(ab_timing *timing, const ab_series *series);

/* For a CPU that takes as long as for the slowest sample from `first` on: the delay never shrinks. */
void ab_timing_lengthen(ab_timing *timing, const ab_series *series, int first);

/* Runs up to `iterations` iterations of `work` and appends their times to `series`, fewer if more than `budget_s`
 * seconds pass (but at least one); *completed says how many. Returns when the GPU is done. */
ab_status ab_time_work(ab_work *work, const ab_timing *timing, int iterations, double budget_s, ab_series *series,
                       int *completed);

#endif
