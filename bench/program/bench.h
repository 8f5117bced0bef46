/* What a program measures with: the machine, the GPU, the run that rows go to. */
#ifndef ANTBENCH_BENCH_H
#define ANTBENCH_BENCH_H

#include "bench/clock/clocks.h"
#include "bench/plan/driver.h"
#include "bench/clock/gpu.h"
#include "bench/clock/nvml.h"
#include "bench/record/run.h"

typedef struct ab_bench {
    const ab_options *options;
    ab_effort effort;   /* of one process; budget_s and host_steps are infinite where there is no limit */
    int processes;      /* that measure each timed row: the runs, samples and time of a row are shared by so many */
    int most_processes; /* that do so with --until-precise, each with as large a share; else the same */
    int process;        /* which of them this one is, from 1; 1 also in the one that starts them */
    int shares;         /* of processes that are to be joined, in the one that starts them */
    bool have_gpu;
    char no_gpu[sizeof((ab_status *)0)->reason]; /* why none was found that was looked for; or empty */
    gpu_info gpu;
    double gpu_ran_s; /* when samples were last taken on it (ab_now_s); 0: never */
    ab_nvml *nvml;
    ab_clocks clocks;
    const char *clock_note; /* NULL: the GPU's clock was not to be locked; "": it is; else why not */
    char no_lock[sizeof((ab_status *)0)->reason];
    char cpu_name[96];
    int cores;
    ab_run *run;
    bool limits_measured;                /* of the GPU (bench/clock/limits.h) */
    bool any_wrong, any_error, any_done; /* of the rows so far: they decide the exit code */
} ab_bench;

/* Opens the GPU and NVML unless the options exclude them, reads the CPU's name. `effort` is that of all processes. */
ab_status ab_bench_open(const ab_options *options, ab_effort effort, ab_bench *bench);

/* What speaks against times on the GPU: each a line for people; meta.json has the same. Returns how many there are. */
enum { AB_WARNINGS = 2, AB_WARNING_TEXT = 128 };
int ab_bench_warnings(const ab_bench *bench, char warnings[AB_WARNINGS][AB_WARNING_TEXT]);

/* Leaves the GPU to other processes. */
void ab_bench_release(ab_bench *bench);
void ab_bench_close(ab_bench *bench); /* accepts a zeroed one */

/* The registry entry that measures `id` here (CPU, else CUDA, else host), or NULL when the options exclude it. */
const ab_implementation *ab_bench_implementation(const ab_bench *bench, const char *id);

/* Notes how a row ended, for the exit code: 0, or wrong output, then errors, then nothing that could run. */
void ab_bench_count(ab_bench *bench, ab_row_status status);
int ab_bench_exit_code(const ab_bench *bench);

#endif
