/* Reads what a run holds (recorded.h). */
#include <stdlib.h>
#include <string.h>

#include "bench/record/recorded.h"

enum { FIRST_LINE = 2 /* line of the first row in the table file, after the header */ };

typedef struct reader {
    ab_recorded *recorded;
    const char *run_id;
} reader;

static ab_status read_row(void *context, const ab_csv_record *record)
{
    const reader *r = context;
    if (record->line == 1) return ab_row_check_header(record);
    ab_recorded *recorded = r->recorded;
    ab_recorded_row *grown = realloc(recorded->rows, ((size_t)recorded->n_rows + 1) * sizeof *grown);
    if (!grown) return ab_failed("out of memory");
    recorded->rows = grown;
    grown[recorded->n_rows] = (ab_recorded_row){0};
    AB_TRY(ab_row_read(record, r->run_id, &grown[recorded->n_rows].row));
    ++recorded->n_rows;
    return ab_ok();
}

static ab_status append(ab_recorded_row *row, const ab_sample *sample)
{
    if (row->n_samples == row->capacity) {
        const int capacity = row->capacity ? 2 * row->capacity : 64;
        ab_sample *grown = realloc(row->samples, (size_t)capacity * sizeof *grown);
        if (!grown) return ab_failed("out of memory");
        row->samples = grown;
        row->capacity = capacity;
    }
    row->samples[row->n_samples++] = *sample;
    return ab_ok();
}

static ab_status read_sample(void *context, const ab_csv_record *record)
{
    const ab_recorded *recorded = ((const reader *)context)->recorded;
    int line;
    ab_sample sample;
    if (record->line == 1) return ab_csv_expect_header(record, ab_samples_header);
    AB_TRY(ab_samples_read_line(record, &line));
    if (line < FIRST_LINE || line >= FIRST_LINE + recorded->n_rows)
        return ab_bad_input("%s:%d: there is no row on line %d of the table", record->path, record->line, line);
    ab_recorded_row *row = &recorded->rows[line - FIRST_LINE];
    AB_TRY(ab_samples_check_row(record, &row->row));
    AB_TRY(ab_samples_read(record, &sample));
    return append(row, &sample);
}

/* Finds the whole samples of stages: the samples of the next row that is not a stage. */
static void find_wholes(ab_recorded *recorded)
{
    const ab_recorded_row *whole = NULL;
    for (int i = recorded->n_rows - 1; i >= 0; --i) {
        ab_recorded_row *row = &recorded->rows[i];
        if (strcmp(row->row.scope, AB_SCOPE_STAGE) != 0)
            whole = row;
        else if (whole && whole->n_samples == row->n_samples)
            row->wholes = whole->samples;
    }
}

ab_status ab_recorded_read(const char *directory, const char *table_file, const char *run_id, ab_recorded *recorded)
{
    char path[4096];
    reader r = {recorded, run_id};
    *recorded = (ab_recorded){0};
    snprintf(path, sizeof path, "%s/%s", directory, table_file);
    AB_TRY(ab_csv_read(path, read_row, &r));
    snprintf(path, sizeof path, "%s/samples.csv", directory);
    AB_TRY(ab_csv_read(path, read_sample, &r));
    find_wholes(recorded);
    return ab_ok();
}

void ab_recorded_free(ab_recorded *recorded)
{
    for (int i = 0; i < recorded->n_rows; ++i) free(recorded->rows[i].samples);
    free(recorded->rows);
    *recorded = (ab_recorded){0};
}

const ab_recorded_row *ab_recorded_find(const ab_recorded *recorded, const ab_row *row)
{
    for (int i = 0; i < recorded->n_rows; ++i)
        if (ab_row_same_key(&recorded->rows[i].row, row)) return &recorded->rows[i];
    return NULL;
}
