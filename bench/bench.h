/* Measuring, whatever is measured: what every driver has open, and how samples become rows.
 *
 * An operation's own part (tsp_bench.h, edge_ants_bench.h, detector_bench.h) opens works, verifies and times them with
 * measure.h, and hands the samples here.
 */
#ifndef ANTBENCH_BENCH_H
#define ANTBENCH_BENCH_H

#include "bench/harness/gpu.h"
#include "bench/harness/measure.h"
#include "bench/harness/nvml.h"
#include "bench/harness/options.h"
#include "bench/harness/published.h"
#include "bench/harness/run.h"

/* How long and how often to measure. */
typedef struct ab_effort {
    int runs;          /* independent runs, seeds seed .. seed + runs - 1 */
    int iterations;    /* of each run */
    double budget_s;   /* for the timed part of a row; at least one sample is always taken */
    bool converge;     /* end a row when the interval is within 1 % of the median */
    double host_steps; /* elementary steps (the operation says of what) that a row on the host backend may cost */
} ab_effort;

/* What a program measures with. */
typedef struct ab_bench {
    const ab_options *options;
    ab_effort effort;
    bool have_gpu;
    gpu_info gpu;
    ab_nvml *nvml;
    char cpu_name[96];
    int cores;
    ab_run *run;
    bool any_wrong, any_error, any_done; /* of the rows so far: they decide the exit code */
} ab_bench;

/* Opens the GPU and NVML unless the options exclude them, reads the CPU's name, says in one line what will be used. */
ab_status ab_bench_open(const ab_options *options, ab_effort effort, ab_bench *bench);
void ab_bench_close(ab_bench *bench); /* accepts a zeroed one */

/* 0, or what the rows say: wrong output, then errors, then nothing that could run. */
int ab_bench_exit_code(const ab_bench *bench);

/* The registry entry that measures `id` here (CPU, else CUDA, else host), or NULL when the options exclude it. */
const ab_implementation *ab_bench_implementation(const ab_bench *bench, const char *id);

/* ---- A row before it is measured ---- */

/* Appends to the note, after a semicolon where it already says something. */
void ab_row_add_note(ab_row *row, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Sets the published time, where `table` (may be NULL) has one for (name, instance, metric). */
void ab_row_add_published(ab_row *row, const ab_published_table *table, const char *name, const char *instance,
                          const char *metric);

/* Sets what the implementation says: its id, backend, and the device it runs on. */
void ab_row_set_implementation(ab_row *row, const ab_bench *bench, const ab_implementation *implementation);

/* Status and note of a row that could not be measured. */
void ab_row_set_failure(ab_row *row, bool wrong, const ab_status *status);

/* ---- Samples ---- */

/* The stages whose times a sample adds up: bit i for stage i. */
enum { AB_ALL_STAGES = (1 << AB_MAX_STAGES) - 1 };

/* Clock and throttling of the GPU after samples first .. end of the series were taken, into the row; a throttled GPU's
 * samples are discarded. Does nothing for other backends. */
void ab_note_gpu_state(const ab_bench *bench, ab_backend backend, ab_series *series, int first, ab_row *row);

/* Whether the interval of the samples is within 1 % of their median. */
bool ab_has_converged(const ab_series *series, unsigned stages);

/* Warms the work up, then takes samples of it until there are `count`, the effort's budget is spent or, where it says so,
 * they have converged, which is looked at every `at_once` samples; sets the row's stop reason. */
ab_status ab_take_samples(const ab_bench *bench, ab_work *work, ab_backend backend, int count, int at_once,
                          unsigned stages, ab_series *series, ab_row *row);

/* ok, noisy or timeout: what the times alone say. */
ab_row_status ab_timed_status(const ab_summary *ms);

/* Fills the row's statistics and status from the series, where it has samples, and appends it with its samples to the
 * run, unless the run has it already (an interrupted run had written it). */
ab_status ab_bench_append(ab_bench *bench, ab_row *row, const ab_series *series, unsigned stages);

/* Notes how a row ended, for the exit code. */
void ab_bench_count(ab_bench *bench, ab_row_status status);

/* What became of a row, for people: "ok 1.234 ms (median of 30)", "verified, 60 valid tours", "f 0.91". */
void ab_format_outcome(const ab_row *row, char text[128]);

#endif
