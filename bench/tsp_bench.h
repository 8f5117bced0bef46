/* Measuring Ant System: what the drivers of the TSP tables share.
 *
 * A driver lists cells, one per (implementation, parameters, instance); this verifies each, times it over independent
 * runs and writes its rows: the time of an iteration (table "3.3", say) with the quality of the tours of the same runs,
 * and the time of the stages. On the host backend a cell is verified with a few ants and not timed. Candidate sets are
 * built before, outside of every timed region, and their time is a row of its own.
 */
#ifndef ANTBENCH_TSP_BENCH_H
#define ANTBENCH_TSP_BENCH_H

#include "bench/harness/gpu.h"
#include "bench/harness/nvml.h"
#include "bench/harness/options.h"
#include "bench/harness/published.h"
#include "bench/harness/run.h"
#include "bench/tsp_candidates.h"
#include "instances/tsplib.h"
#include "kernels/tsp/tsp.h"

/* How long and how often to measure. */
typedef struct tsp_effort {
    int runs;          /* independent runs, seeds seed .. seed + runs - 1 */
    int iterations;    /* of each run */
    double budget_s;   /* for the timed part of a row; at least one iteration is always measured */
    bool converge;     /* end a row after a run when the interval is within 1 % of the median */
    double host_steps; /* ants x cities^2 that a row on the host backend may cost */
} tsp_effort;

/* One measurement. */
typedef struct tsp_cell {
    const char *table;          /* "3.3" */
    const char *row;            /* "ds-roulette" */
    const char *stages_table;   /* "3.4" for rows of the stages' times as well, or NULL */
    const char *implementation; /* "tsp/ds-roulette" */
    const tsp_instance *instance;
    const char *asked;                   /* the name asked for: "d198", also where `instance` is its stand-in u198 */
    const ab_published_table *published; /* where the sources' times of an iteration are; NULL for none */
    const ab_published_table *published_stages; /* and of its stages, with stages_table */
    as_protocol protocol;
    int nn;            /* size of the candidate sets, at most n - 1 of which is used; 0 for none */
    int threads;       /* of a CPU implementation, 0 for all cores */
    int max_runs;      /* at most so many runs, 0 for the effort's */
    int carveout;      /* GPU, -1 for the driver's choice */
    double estimate_s; /* of one iteration, roughly: for the ETA alone */
} tsp_cell;

/* What a program measures with. */
typedef struct tsp_bench {
    const ab_options *options;
    tsp_effort effort;
    bool have_gpu;
    gpu_info gpu;
    ab_nvml *nvml;
    char cpu_name[96];
    int cores;
    tsp_candidates candidates; /* those of the cells so far */
    ab_run *run;
    bool any_wrong, any_error, any_done; /* of the rows so far: they decide the exit code */
} tsp_bench;

/* The registry entry that measures `cell` here (CPU, else CUDA, else host), or NULL when the options exclude it. */
const ab_implementation *tsp_cell_implementation(const tsp_bench *bench, const tsp_cell *cell);

/* Measures every selected cell in order, with progress, skipping rows that a resumed run has. Fails only when results
 * cannot be written any more; a row that fails is written as such. */
ab_status tsp_bench_run(tsp_bench *bench, const tsp_cell *cells, int n_cells);

/* --dry-run: the rows and what they will take, on stdout. */
void tsp_bench_dry_run(const tsp_bench *bench, const tsp_cell *cells, int n_cells);

/* Opens the GPU and NVML unless the options exclude them, reads the CPU's name, says in one line what will be used. */
ab_status tsp_bench_open(const ab_options *options, tsp_effort effort, tsp_bench *bench);
void tsp_bench_close(tsp_bench *bench);

/* 0, or what the rows say: wrong output, then errors, then nothing that could run. */
int tsp_bench_exit_code(const tsp_bench *bench);

/* Fills the key of the row that `cell` writes for `implementation` (scope iteration or functional). */
void tsp_cell_key(const tsp_bench *bench, const tsp_cell *cell, const ab_implementation *implementation, ab_row *row);

#endif
