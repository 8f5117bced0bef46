/* Reading back the rows and samples that a run holds. */
#ifndef ANTBENCH_RECORDED_H
#define ANTBENCH_RECORDED_H

#include "bench/row/row.h"

typedef struct ab_recorded_row {
    ab_row row;
    ab_sample *samples;      /* [n_samples], discarded ones too */
    const ab_sample *wholes; /* [n_samples]: which they are parts of, of a stage; NULL: they are whole */
    int n_samples, capacity;
} ab_recorded_row;

typedef struct ab_recorded {
    ab_recorded_row *rows; /* [n_rows], in the order of the file */
    int n_rows;
} ab_recorded;

/* Reads the run in a directory, whose id is known. AB_BAD_INPUT "file:line: ..."; free with ab_recorded_free, after an
 * error too. */
ab_status ab_recorded_read(const char *directory, const char *table_file, const char *run_id, ab_recorded *recorded);
void ab_recorded_free(ab_recorded *recorded); /* accepts a zeroed one */

/* The row with the same key, or NULL. */
const ab_recorded_row *ab_recorded_find(const ab_recorded *recorded, const ab_row *row);

#endif
