/* A row of a table file: what was measured, and how it is written as CSV. */
#ifndef ANTBENCH_ROW_H
#define ANTBENCH_ROW_H

#include <stdbool.h>
#include <stdint.h>

#include "base/csv.h"
#include "base/parameter.h"
#include "bench/row/stats.h"

typedef enum ab_row_status {
    AB_ROW_OK,
    AB_ROW_NOISY,       /* measured, but the interval is wide or unreliable (judge.h) */
    AB_ROW_FEW,         /* measured, but with too few samples for an interval */
    AB_ROW_TIMEOUT,     /* the budget ended before the first sample */
    AB_ROW_SKIPPED,     /* not run on purpose; the note says why */
    AB_ROW_UNSUPPORTED, /* not run because a precondition is missing; the note says which */
    AB_ROW_WRONG,       /* verification failed, so there are no times */
    AB_ROW_ERROR        /* error of CUDA, of I/O or inside the program; the note says which */
} ab_row_status;

const char *ab_row_status_name(ab_row_status status);

/* Scope of rows that are stages of a row of another scope. Their samples are parts of its samples. In a run they stand
 * directly before that row, and have no meaning without it. */
#define AB_SCOPE_STAGE "stage"
#define AB_SCOPE_FUNCTIONAL "functional" /* verified, not timed */

/* A line of a table file. Text members must not be NULL. "" and NAN are empty cells. */
typedef struct ab_row {
    /* The key. Each row of a run has a different one. */
    char table[16];              /* "3.3" */
    char row[48];                /* name of the published row or column, "ds-roulette" */
    char instance[64];           /* "d198" */
    char implementation[64];     /* "tsp/ds-roulette" */
    char backend[8];             /* "cuda" */
    char params[AB_PARAMS_TEXT]; /* "protocol=as-best;threads=1" (base/parameter.h) */
    char scope[16];              /* kernel | stage | iteration | end-to-end | batch | functional */

    int size;        /* number of cities, or of pixels */
    char device[96]; /* name of the GPU, "NVIDIA H100 80GB HBM3", or of the CPU */
    uint64_t seed;
    ab_row_status status;
    char stop_reason[16]; /* count | converged | budget; empty if there are no samples */
    /* Number of samples that do not count: the GPU was throttled or late, or the CPU's threads were preempted. */
    int discarded;
    /* Number of iterations of a run that starts anew; sample `number` belongs to iteration `number` mod iterations;
     * NAN if all samples are alike. */
    double iterations;
    double waited;  /* share of the time in which the CPU's threads waited for a core; NAN if not known */
    ab_summary ms;  /* statistics of the times; without times, samples is 0 and all else NAN */
    ab_shape shape; /* shape of the samples; not a column, because it follows from them */
    /* Least number of bytes that a sample moves to and from the GPU's memory, and number of its operations. */
    double bytes, flops;
    double energy_j; /* joules that the GPU's whole board used per sample */
    char quality_metric[48];
    double quality_best, quality_mean;
    char quality_runs[1024]; /* quality of each complete run, separated by spaces */
    double quality_reference;
    char verify_metric[48];
    double verify_value;
    /* The kernels that a sample launches (launches.h): lists, separated by spaces. Empty if there are no kernels. */
    char kernels[320];
    char block_threads[64]; /* threads per block */
    char registers[64];     /* registers per thread */
    char shared_bytes[96];  /* static and dynamic shared memory per block */
    char blocks_per_sm[48]; /* resident blocks per multiprocessor */
    char occupancy[96];     /* share of a multiprocessor's warps that can be resident */
    /* State of the GPU at work, as means of all looks at it (sample.h). */
    double sm_clock_mhz, temperature_c, power_w;
    char throttle[96]; /* throttle reasons seen then, separated by |, or "none"; empty if not known */
    char published_id[64];
    double published_ms;
    char note[256];
} ab_row;

ab_row ab_row_new(void); /* all text is empty, all numbers are NAN, the status is AB_ROW_OK */

/* Appends to the note, after a semicolon if the note is not empty. */
void ab_row_add_note(ab_row *row, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Lists the qualities of runs with this many digits. If the list is too long, or a quality is not defined, the list is
 * empty and the note says why. */
void ab_row_list_qualities(ab_row *row, const double *values, int n_values, int digits);
enum { AB_LENGTH_DIGITS = 10 /* digits that show a tour's length in full */ };

/* Sets the status and the note of a row that could not be measured. */
void ab_row_set_failure(ab_row *row, bool wrong, const ab_status *status);

bool ab_row_same_key(const ab_row *a, const ab_row *b);

/* Write the header line of a table file, and the line of a row. */
void ab_row_write_header(FILE *file);
void ab_row_write(FILE *file, const ab_row *row, const char *run_id);

/* Read such a line. Numbers are as exact as written, to 12 digits. Return AB_BAD_INPUT with "file:line: ...", also if
 * the row belongs to another run. */
ab_status ab_row_check_header(const ab_csv_record *record);
ab_status ab_row_read(const ab_csv_record *record, const char *run_id, ab_row *row);

/* A sample of a row, and a line of samples.csv. The first columns are table and row, as in the row, and `line`, the
 * row's line in the table file. Then come the number of the process that took the sample (from 1, never falling within
 * a row) and the row's turn in this process (from 1). The last columns are i (from 0), the sample's number, ms to 7
 * digits and discard_reason. */
typedef struct ab_sample {
    double ms;
    char discard_reason[32]; /* reason why it does not count; empty if it counts */
    int process;             /* number of the process that took it; 0: the process that writes it */
    /* Number of the sample within its process, from 0; a repeated sample has the number of the sample that it replaces.
     */
    int number;
    int turn; /* turn of the row in that process, from 1; 0: the turn in the process that writes it */
} ab_sample;

extern const char ab_samples_header[];
void ab_samples_write(FILE *file, const ab_row *row, int line, int process, int turn, const ab_sample *samples,
                      int n_samples);

/* Reads the number of the row's line in the table file. Returns AB_BAD_INPUT with "file:line: ...". */
ab_status ab_samples_read_line(const ab_csv_record *record, int *line);

/* Reads the number of the process that took the sample. Returns AB_BAD_INPUT with "file:line: ...". */
ab_status ab_samples_read_process(const ab_csv_record *record, int *process);

/* Reads the whole sample. Returns AB_BAD_INPUT with "file:line: ...". */
ab_status ab_samples_read(const ab_csv_record *record, ab_sample *sample);

/* Returns AB_BAD_INPUT unless the sample names this row. */
ab_status ab_samples_check_row(const ab_csv_record *record, const ab_row *row);

#endif
