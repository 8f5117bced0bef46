/* A run: the directory of CSV files and metadata that a driver leaves behind, safe against being killed at any moment.
 *
 *   table-<name>.csv  one line per row, written and synced when the row is finished
 *   samples.csv       every sample of every row, synced before the row's own line
 *   meta.json         what was run on what; written at the start ("complete": false) and again at the end
 *
 * A row that stands in the table file is finished and its samples are complete. Resuming drops whatever a kill left
 * half-written and skips finished rows; it is refused when binary, device or parameters differ from meta.json.
 */
#ifndef ANTBENCH_RUN_H
#define ANTBENCH_RUN_H

#include "bench/harness/options.h"
#include "bench/harness/stats.h"

typedef enum ab_row_status {
    AB_ROW_OK,
    AB_ROW_NOISY,       /* measured, but the interval is wider than 5 % of the median on either side */
    AB_ROW_TIMEOUT,     /* the budget ended before the first sample */
    AB_ROW_SKIPPED,     /* not run on purpose: the note says why */
    AB_ROW_UNSUPPORTED, /* a precondition is not met: the note says which */
    AB_ROW_WRONG,       /* verification failed: no times */
    AB_ROW_ERROR        /* a CUDA, I/O or internal error: the note says which */
} ab_row_status;

const char *ab_row_status_name(ab_row_status status);

/* One line of a table file. Text fields must not be NULL; "" and NAN are empty cells. */
typedef struct ab_row {
    /* The key: no two rows of a run share it. */
    char table[16];          /* "3.3" */
    char row[48];            /* the published row or column: "ds-roulette" */
    char instance[64];       /* "d198" */
    char implementation[64]; /* "tsp/ds-roulette" */
    char backend[8];         /* "cuda" */
    char params[128];        /* "protocol=as-best;threads=1" */
    char scope[16];          /* kernel | stage | iteration | end-to-end | functional */

    int size;        /* cities, or pixels */
    char device[96]; /* "NVIDIA H100 80GB HBM3", or the CPU's name */
    uint64_t seed;
    ab_row_status status;
    char stop_reason[16]; /* count | converged | budget; empty without samples */
    int discarded;        /* samples thrown away because the clock was throttled */
    ab_summary ms;        /* samples 0 and all NAN when not timed */
    char quality_metric[48];
    double quality_best, quality_mean, quality_reference;
    char verify_metric[48];
    double verify_value;
    double sm_clock_mhz;
    char throttle[96]; /* reasons, separated by |, or "none"; empty when not known */
    char published_id[64];
    double published_ms;
    char note[256];
} ab_row;

ab_row ab_row_new(void); /* all text empty, all numbers NAN, status AB_ROW_OK */

typedef struct ab_sample {
    double ms;
    char discard_reason[32]; /* empty: kept */
} ab_sample;

/* What the driver knows and meta.json must hold beside what the harness finds out by itself. */
typedef struct ab_run_info {
    const char *table_file; /* "table-3.3.csv" */
    const char *machine;    /* GPU name, or the CPU's name where no GPU takes part: names the default directory */
    char **inputs;          /* "name sha256 path", NULL-terminated */
    const char *device_json; /* JSON object describing the GPU (bench/harness/gpu.h), or NULL */
} ab_run_info;

typedef struct ab_run ab_run;

/* Creates (or, with options->resume, continues) the run's directory. AB_BAD_INPUT when DIR already holds a run and
 * --resume was not given, or when it cannot be resumed; AB_FAILED when it cannot be written. */
ab_status ab_run_open(const ab_options *options, const ab_run_info *info, ab_run **run);

const char *ab_run_directory(const ab_run *run);

/* The finished row with the same key as `row`, or NULL. Valid until the next append. */
const ab_row *ab_run_find(const ab_run *run, const ab_row *row);

/* Appends a finished row and its samples and syncs both to disk. AB_FAILED names the file and the reason (disk full). */
ab_status ab_run_append(ab_run *run, const ab_row *row, const ab_sample *samples, int n_samples);

/* All rows so far, resumed ones included, in the order of the file; *count is set. */
const ab_row *ab_run_rows(const ab_run *run, int *count);

/* Writes the final meta.json ("complete" says whether) and frees. */
ab_status ab_run_close(ab_run *run, bool complete, int exit_code);

#endif
