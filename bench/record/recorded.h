/* Reads the rows and samples that a run holds. */
#ifndef ANTBENCH_RECORDED_H
#define ANTBENCH_RECORDED_H

#include "bench/row/row.h"

typedef struct ab_recorded_row {
    ab_row row;
    ab_sample *samples; /* [n_samples], including discarded ones */
    /* [n_samples]: whole sample that each is a part of, for a stage; NULL if the samples are whole. */
    const ab_sample *wholes;
    int n_samples, capacity;
} ab_recorded_row;

typedef struct ab_recorded {
    ab_recorded_row *rows; /* [n_rows], in the order of the file */
    int n_rows;
} ab_recorded;

/* Reads the run with this id from a directory. Returns AB_BAD_INPUT with "file:line: ...". Free with ab_recorded_free,
 * also after an error. */
ab_status ab_recorded_read(const char *directory, const char *table_file, const char *run_id, ab_recorded *recorded);
void ab_recorded_free(ab_recorded *recorded); /* accepts a zeroed one */

/* Returns the row with the same key, or NULL. */
const ab_recorded_row *ab_recorded_find(const ab_recorded *recorded, const ab_row *row);

#endif
