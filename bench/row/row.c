/* Reads and writes a row of a table file (bench/row/row.h). */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "bench/row/row.h"

static const char schema[] = "5"; /* version of the table files; it rises when a column changes its meaning */

enum {
    ROW_DIGITS = 12, /* digits for nanoseconds up to 10^6 ms, and integers up to 10^12 */
    /* Digits for nanoseconds up to 10 ms, parts per million above; few, because there are many samples. */
    SAMPLE_DIGITS = 7,
};

typedef enum cell_kind {
    CELL_SCHEMA,
    CELL_RUN_ID,
    CELL_STATUS,
    CELL_SEED,
    CELL_TEXT,
    CELL_COUNT,
    CELL_NUMBER
} cell_kind;

typedef struct column {
    const char *name;
    cell_kind kind;
    size_t offset, size; /* offset and size of the member of ab_row, in bytes */
} column;

#define FIELD(name, kind, member)                                                                                      \
    {                                                                                                                  \
        name, kind, offsetof(ab_row, member), sizeof((ab_row *)NULL)->member                                           \
    }
#define TEXT(member) FIELD(#member, CELL_TEXT, member)
#define NUMBER(member) FIELD(#member, CELL_NUMBER, member)
#define TIME(member) FIELD(#member "_ms", CELL_NUMBER, ms.member)

/* The columns of a table file, in order. */
static const column columns[] = {
    {"schema", CELL_SCHEMA, 0, 0},
    {"run_id", CELL_RUN_ID, 0, 0},
    TEXT(table),
    TEXT(row),
    TEXT(instance),
    FIELD("size", CELL_COUNT, size),
    TEXT(implementation),
    TEXT(backend),
    TEXT(device),
    TEXT(params),
    TEXT(scope),
    FIELD("seed", CELL_SEED, seed),
    FIELD("status", CELL_STATUS, status),
    TEXT(stop_reason),
    FIELD("samples", CELL_COUNT, ms.samples),
    FIELD("processes", CELL_COUNT, ms.processes),
    NUMBER(iterations),
    FIELD("discarded", CELL_COUNT, discarded),
    NUMBER(waited),
    TIME(median),
    TIME(mean),
    TIME(stddev),
    TIME(min),
    TIME(q1),
    TIME(q3),
    TIME(max),
    TIME(ci95_lo),
    TIME(ci95_hi),
    NUMBER(bytes),
    NUMBER(flops),
    NUMBER(energy_j),
    TEXT(quality_metric),
    NUMBER(quality_best),
    NUMBER(quality_mean),
    TEXT(quality_runs),
    NUMBER(quality_reference),
    TEXT(verify_metric),
    NUMBER(verify_value),
    TEXT(kernels),
    TEXT(block_threads),
    TEXT(registers),
    TEXT(shared_bytes),
    TEXT(blocks_per_sm),
    TEXT(occupancy),
    NUMBER(sm_clock_mhz),
    NUMBER(temperature_c),
    NUMBER(power_w),
    TEXT(throttle),
    TEXT(published_id),
    NUMBER(published_ms),
    TEXT(note),
};

enum { N_COLUMNS = sizeof columns / sizeof *columns };

/* The columns of the key. */
static const column key_columns[] = {TEXT(table),   TEXT(row),    TEXT(instance), TEXT(implementation),
                                     TEXT(backend), TEXT(params), TEXT(scope)};

enum { N_KEY_COLUMNS = sizeof key_columns / sizeof *key_columns };

const char ab_samples_header[] = "table,row,line,process,turn,i,number,ms,discard_reason";

/* The columns of samples.csv, in order. */
enum {
    SAMPLE_TABLE,
    SAMPLE_ROW,
    SAMPLE_LINE,
    SAMPLE_PROCESS,
    SAMPLE_TURN,
    SAMPLE_I,
    SAMPLE_NUMBER,
    SAMPLE_MS,
    SAMPLE_DISCARD_REASON,
    N_SAMPLE_COLUMNS
};

static const char *const status_names[] = {"ok", "noisy", "few", "timeout", "skipped", "unsupported", "wrong", "error"};

enum { N_STATUSES = sizeof status_names / sizeof *status_names };

const char *ab_row_status_name(ab_row_status status)
{
    return status_names[status];
}

/* Returns the member of a column. */
static const void *field_of(const ab_row *row, const column *c)
{
    return (const char *)row + c->offset;
}

ab_row ab_row_new(void)
{
    ab_row row;
    memset(&row, 0, sizeof row);
    for (int i = 0; i < N_COLUMNS; i++)
        if (columns[i].kind == CELL_NUMBER) memcpy((char *)&row + columns[i].offset, &(double){NAN}, sizeof(double));
    return row;
}

bool ab_row_same_key(const ab_row *a, const ab_row *b)
{
    for (int i = 0; i < N_KEY_COLUMNS; i++)
        if (strcmp(field_of(a, &key_columns[i]), field_of(b, &key_columns[i])) != 0) return false;
    return true;
}

void ab_row_add_note(ab_row *row, const char *format, ...)
{
    const size_t at = strlen(row->note);
    const int skip = at ? snprintf(row->note + at, sizeof row->note - at, "; ") : 0;
    if (at + (size_t)skip >= sizeof row->note) return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(row->note + at + skip, sizeof row->note - at - (size_t)skip, format, arguments);
    va_end(arguments);
}

void ab_row_list_qualities(ab_row *row, const double *values, int n_values, int digits)
{
    size_t at = 0;
    int undefined = 0;
    row->quality_runs[0] = '\0';
    for (int i = 0; i < n_values; ++i) undefined += !isfinite(values[i]);
    for (int i = 0; i < n_values && !undefined && at < sizeof row->quality_runs; ++i)
        at += (size_t)snprintf(row->quality_runs + at, sizeof row->quality_runs - at, "%s%.*g", i ? " " : "", digits,
                               values[i]);
    if (undefined) ab_row_add_note(row, "%d of %d runs have no defined quality", undefined, n_values);
    if (at < sizeof row->quality_runs) return;
    row->quality_runs[0] = '\0';
    ab_row_add_note(row, "the qualities of %d runs are too many to list", n_values);
}

void ab_row_set_failure(ab_row *row, bool wrong, const ab_status *status)
{
    row->status = wrong ? AB_ROW_WRONG : status->code == AB_UNSUPPORTED ? AB_ROW_UNSUPPORTED : AB_ROW_ERROR;
    row->ms = ab_row_new().ms;
    row->iterations = row->waited = row->bytes = row->flops = row->energy_j = NAN;
    row->stop_reason[0] = '\0';
    ab_row_add_note(row, "%s", status->reason);
}

/* ---- Writing ---- */

void ab_row_write_header(FILE *file)
{
    for (int i = 0; i < N_COLUMNS; i++) fprintf(file, "%s%s", i ? "," : "", columns[i].name);
    fputc('\n', file);
}

static void write_cell(FILE *file, const ab_row *row, const column *c, const char *run_id)
{
    const void *field = field_of(row, c);
    switch (c->kind) {
    case CELL_SCHEMA:
        fputs(schema, file);
        break;
    case CELL_RUN_ID:
        ab_csv_write_text(file, run_id);
        break;
    case CELL_STATUS:
        fputs(status_names[row->status], file);
        break;
    case CELL_SEED:
        fprintf(file, "%" PRIu64, row->seed);
        break;
    case CELL_TEXT:
        ab_csv_write_text(file, field);
        break;
    case CELL_COUNT:
        /* A row that was not timed has no counts. */
        if (*(const int *)field || row->ms.samples > 0) fprintf(file, "%d", *(const int *)field);
        break;
    case CELL_NUMBER:
        ab_csv_write_number(file, *(const double *)field, ROW_DIGITS);
        break;
    }
}

void ab_row_write(FILE *file, const ab_row *row, const char *run_id)
{
    for (int i = 0; i < N_COLUMNS; i++) {
        if (i) fputc(',', file);
        write_cell(file, row, &columns[i], run_id);
    }
    fputc('\n', file);
}

void ab_samples_write(FILE *file, const ab_row *row, int line, int process, int turn, const ab_sample *samples,
                      int n_samples)
{
    for (int i = 0; i < n_samples; i++) {
        ab_csv_write_text(file, row->table);
        fputc(',', file);
        ab_csv_write_text(file, row->row);
        fprintf(file, ",%d,%d,%d,%d,%d,", line, samples[i].process ? samples[i].process : process,
                samples[i].turn ? samples[i].turn : turn, i, samples[i].number);
        ab_csv_write_number(file, samples[i].ms, SAMPLE_DIGITS);
        fputc(',', file);
        ab_csv_write_text(file, samples[i].discard_reason);
        fputc('\n', file);
    }
}

/* ---- Reading ---- */

ab_status ab_row_check_header(const ab_csv_record *record)
{
    bool same = record->n_cells == N_COLUMNS;
    for (int i = 0; same && i < N_COLUMNS; i++) same = strcmp(record->cells[i], columns[i].name) == 0;
    if (same) return ab_ok();
    return ab_bad_input("%s:%d: this is not the header of a table of this version of antbench", record->path,
                        record->line);
}

static ab_status expect_text(const ab_csv_record *record, int i, const char *expected)
{
    if (strcmp(record->cells[i], expected) == 0) return ab_ok();
    return ab_bad_input("%s:%d: %s: expected %s, got \"%s\"", record->path, record->line, columns[i].name, expected,
                        record->cells[i]);
}

static ab_status read_status(const ab_csv_record *record, int i, ab_row_status *status)
{
    for (int s = 0; s < N_STATUSES; s++)
        if (strcmp(record->cells[i], status_names[s]) == 0) {
            *status = (ab_row_status)s;
            return ab_ok();
        }
    return ab_bad_input("%s:%d: unknown status \"%s\"", record->path, record->line, record->cells[i]);
}

static ab_status read_count(const ab_csv_record *record, int i, const char *name, int *count)
{
    double value;
    AB_TRY(ab_csv_number(record, i, &value));
    if (isnan(value)) value = 0;
    if (value < 0 || value > INT32_MAX || value != floor(value))
        return ab_bad_input("%s:%d: %s: expected a count, got \"%s\"", record->path, record->line, name,
                            record->cells[i]);
    *count = (int)value;
    return ab_ok();
}

static ab_status read_seed(const ab_csv_record *record, int i, uint64_t *seed)
{
    char *end;
    *seed = strtoull(record->cells[i], &end, 10);
    if (end != record->cells[i] && !*end) return ab_ok();
    return ab_bad_input("%s:%d: expected a seed, got \"%s\"", record->path, record->line, record->cells[i]);
}

static ab_status read_cell(const ab_csv_record *record, int i, const char *run_id, ab_row *row)
{
    void *field = (char *)row + columns[i].offset;
    switch (columns[i].kind) {
    case CELL_SCHEMA:
        return expect_text(record, i, schema);
    case CELL_RUN_ID:
        return expect_text(record, i, run_id);
    case CELL_STATUS:
        return read_status(record, i, field);
    case CELL_SEED:
        return read_seed(record, i, field);
    case CELL_TEXT:
        return ab_csv_text(record, i, field, columns[i].size);
    case CELL_COUNT:
        return read_count(record, i, columns[i].name, field);
    case CELL_NUMBER:
        return ab_csv_number(record, i, field);
    }
    return ab_ok();
}

static ab_status expect_cells(const ab_csv_record *record, int n_cells)
{
    if (record->n_cells == n_cells) return ab_ok();
    return ab_bad_input("%s:%d: expected %d cells, got %d", record->path, record->line, n_cells, record->n_cells);
}

ab_status ab_row_read(const ab_csv_record *record, const char *run_id, ab_row *row)
{
    *row = ab_row_new();
    AB_TRY(expect_cells(record, N_COLUMNS));
    for (int i = 0; i < N_COLUMNS; i++) AB_TRY(read_cell(record, i, run_id, row));
    return ab_ok();
}

ab_status ab_samples_read_line(const ab_csv_record *record, int *line)
{
    AB_TRY(expect_cells(record, N_SAMPLE_COLUMNS));
    return read_count(record, SAMPLE_LINE, "line", line);
}

ab_status ab_samples_read_process(const ab_csv_record *record, int *process)
{
    AB_TRY(expect_cells(record, N_SAMPLE_COLUMNS));
    return read_count(record, SAMPLE_PROCESS, "process", process);
}

ab_status ab_samples_read(const ab_csv_record *record, ab_sample *sample)
{
    *sample = (ab_sample){0};
    AB_TRY(ab_samples_read_process(record, &sample->process));
    AB_TRY(read_count(record, SAMPLE_TURN, "turn", &sample->turn));
    AB_TRY(read_count(record, SAMPLE_NUMBER, "number", &sample->number));
    AB_TRY(ab_csv_number(record, SAMPLE_MS, &sample->ms));
    return ab_csv_text(record, SAMPLE_DISCARD_REASON, sample->discard_reason, sizeof sample->discard_reason);
}

ab_status ab_samples_check_row(const ab_csv_record *record, const ab_row *row)
{
    const char *table = record->cells[SAMPLE_TABLE], *name = record->cells[SAMPLE_ROW];
    if (strcmp(table, row->table) == 0 && strcmp(name, row->row) == 0) return ab_ok();
    return ab_bad_input("%s:%d: a sample of %s %s, but line %s of the table is a row of %s %s", record->path,
                        record->line, table, name, record->cells[SAMPLE_LINE], row->table, row->row);
}
