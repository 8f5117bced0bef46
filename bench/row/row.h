/* One row of a table file: what was measured, and its line of CSV. */
#ifndef ANTBENCH_ROW_H
#define ANTBENCH_ROW_H

#include <stdbool.h>
#include <stdint.h>

#include "base/csv.h"
#include "base/parameter.h"
#include "bench/row/stats.h"

typedef enum ab_row_status {
    AB_ROW_OK,
    AB_ROW_NOISY,       /* measured, but the interval is wide or not to be relied on (judge.h) */
    AB_ROW_FEW,         /* measured, but too few samples for an interval */
    AB_ROW_TIMEOUT,     /* the budget ended before the first sample */
    AB_ROW_SKIPPED,     /* not run on purpose: the note says why */
    AB_ROW_UNSUPPORTED, /* a precondition is not met: the note says which */
    AB_ROW_WRONG,       /* verification failed: no times */
    AB_ROW_ERROR        /* a CUDA, I/O or internal error: the note says which */
} ab_row_status;

const char *ab_row_status_name(ab_row_status status);

/* The scope of rows that are stages of the next row of another scope: parts of the same samples. In a run they stand
 * before it, and without it they are nothing. */
#define AB_SCOPE_STAGE "stage"

/* One line of a table file. Text fields must not be NULL; "" and NAN are empty cells. */
typedef struct ab_row {
    /* The key: no two rows of a run share it. */
    char table[16];              /* "3.3" */
    char row[48];                /* the published row or column: "ds-roulette" */
    char instance[64];           /* "d198" */
    char implementation[64];     /* "tsp/ds-roulette" */
    char backend[8];             /* "cuda" */
    char params[AB_PARAMS_TEXT]; /* "protocol=as-best;threads=1" (base/parameter.h) */
    char scope[16];              /* kernel | stage | iteration | end-to-end | batch | functional */

    int size;        /* cities, or pixels */
    char device[96]; /* "NVIDIA H100 80GB HBM3", or the CPU's name */
    uint64_t seed;
    ab_row_status status;
    char stop_reason[16]; /* count | converged | budget; empty without samples */
    int discarded;        /* samples that do not count: the GPU throttled or late, the CPU's threads preempted */
    double iterations;    /* of runs that each begin anew: the samples are of so many first ones at most, and sample
                           * `number` is of iteration `number` mod iterations; NAN: samples are alike */
    double waited;        /* share of the time in which the CPU's threads waited for a core; NAN: not known */
    ab_summary ms;        /* samples 0 and all NAN when not timed */
    ab_shape shape;       /* of the samples; no column, since it follows from them */
    double bytes, flops;  /* of a sample: the fewest bytes it must move to and from the GPU's memory, its operations */
    double energy_j;      /* that the GPU used for a sample, all of the board */
    char quality_metric[48];
    double quality_best, quality_mean;
    char quality_runs[256]; /* of each complete run, separated by spaces */
    double quality_reference;
    char verify_metric[48];
    double verify_value;
    /* Of the kernels that a sample launches (launches.h), each a list with spaces between; empty where none are. */
    char kernels[320];
    char block_threads[64];                      /* of a block */
    char registers[64];                          /* of a thread */
    char shared_bytes[96];                       /* of a block, static and dynamic */
    char blocks_per_sm[48];                      /* that a multiprocessor holds at once */
    char occupancy[96];                          /* share of the warps that it can hold */
    double sm_clock_mhz, temperature_c, power_w; /* of the GPU at work: the means of the looks at it (sample.h) */
    char throttle[96]; /* reasons seen then, separated by |, or "none"; empty when not known */
    char published_id[64];
    double published_ms;
    char note[256];
} ab_row;

ab_row ab_row_new(void); /* all text empty, all numbers NAN, status AB_ROW_OK */

/* Appends to the note, after a semicolon where it already says something. */
void ab_row_add_note(ab_row *row, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Lists the qualities of runs to so many digits. Where they are too many, or one is not defined, the list is empty and
 * the note says why. */
void ab_row_list_qualities(ab_row *row, const double *values, int n_values, int digits);
enum { AB_LENGTH_DIGITS = 10 /* of a tour's length: all */ };

/* Status and note of a row that could not be measured. */
void ab_row_set_failure(ab_row *row, bool wrong, const ab_status *status);

bool ab_row_same_key(const ab_row *a, const ab_row *b);

/* Writes the header line of a table file, or the line of a row. */
void ab_row_write_header(FILE *file);
void ab_row_write(FILE *file, const ab_row *row, const char *run_id);

/* Reads such a line back. Numbers come back as written, to 12 digits. AB_BAD_INPUT "file:line: ...", also when the row
 * belongs to another run. */
ab_status ab_row_check_header(const ab_csv_record *record);
ab_status ab_row_read(const ab_csv_record *record, const char *run_id, ab_row *row);

/* A sample of a row, and a line of samples.csv: table and row as in the row, `line` of the table file that the row
 * stands on, the number of the process that took it (from 1; those of one row never fall), the row's turn among those
 * that the process measured (from 1), i (from 0), the sample's number, ms to 7 digits and discard_reason. */
typedef struct ab_sample {
    double ms;
    char discard_reason[32]; /* empty: kept */
    int process;             /* number of the process that took it; 0: the one that writes it */
    int number;              /* number of the sample among those that its process was to take, from 0: a sample that is
                              * taken again has the number of the one that it replaces */
    int turn;                /* of the row, as that process measured them, from 1; 0: of the one that writes it */
} ab_sample;

extern const char ab_samples_header[];
void ab_samples_write(FILE *file, const ab_row *row, int line, int process, int turn, const ab_sample *samples,
                      int n_samples);

/* Reads on which line of the table file the row of a sample stands. AB_BAD_INPUT "file:line: ...". */
ab_status ab_samples_read_line(const ab_csv_record *record, int *line);

/* Likewise the number of the process that took it. */
ab_status ab_samples_read_process(const ab_csv_record *record, int *process);

/* Likewise all of the sample. */
ab_status ab_samples_read(const ab_csv_record *record, ab_sample *sample);

/* AB_BAD_INPUT unless the sample names this row. */
ab_status ab_samples_check_row(const ab_csv_record *record, const ab_row *row);

#endif
