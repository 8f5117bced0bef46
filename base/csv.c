/* Reading and writing CSV (base/csv.h). */
#include <csv.h>
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/csv.h"
#include "base/text.h"

typedef struct reader {
    struct csv_parser parser;
    ab_csv_record record; /* being filled */
    ab_csv_visit *visit;
    void *context;
    ab_status status; /* the first that was not AB_OK */
} reader;

static void end_cell(void *cell, size_t length, void *context)
{
    reader *r = context;
    if (r->status.code != AB_OK) return;
    if (r->record.n_cells == AB_CSV_MAX_CELLS) {
        r->status = ab_bad_input("%s:%d: more than %d cells", r->record.path, r->record.line, AB_CSV_MAX_CELLS);
        return;
    }
    char *copy = strndup(length ? cell : "", length);
    if (copy)
        r->record.cells[r->record.n_cells++] = copy;
    else
        r->status = ab_failed("%s: out of memory", r->record.path);
}

static void free_cells(reader *r)
{
    while (r->record.n_cells > 0) free((void *)(uintptr_t)r->record.cells[--r->record.n_cells]);
}

static void end_record(int terminator, void *context)
{
    (void)terminator;
    reader *r = context;
    if (r->status.code == AB_OK) r->status = r->visit(r->context, &r->record);
    free_cells(r);
}

static void parse_line(reader *r, const char *text, size_t length)
{
    r->record.line++;
    r->record.end += (long)length;
    if (memchr(text, '\0', length)) {
        r->status =
            ab_bad_input("%s:%d: a NUL, which no text has (UTF-16? save it as UTF-8)", r->record.path, r->record.line);
        return;
    }
    const bool parsed = csv_parse(&r->parser, text, length, end_cell, end_record, r) == length;
    if (parsed || r->status.code != AB_OK) return;
    r->status = csv_error(&r->parser) == CSV_ENOMEM
                    ? ab_failed("%s: out of memory", r->record.path)
                    : ab_bad_input("%s:%d: %s", r->record.path, r->record.line, csv_strerror(csv_error(&r->parser)));
}

static void parse_lines(reader *r, FILE *file)
{
    char *text = NULL;
    size_t capacity = 0;
    ssize_t length;
    /* Line by line, because libcsv does not count lines for its messages. */
    while (r->status.code == AB_OK && (length = getline(&text, &capacity, file)) >= 0)
        parse_line(r, text, (size_t)length);
    /* Not ferror(): getline() also ends where it has no memory. */
    if (r->status.code == AB_OK && !feof(file)) r->status = ab_failed("%s: %s", r->record.path, strerror(errno));
    free(text);
}

static void begin(reader *r, const char *path, ab_csv_visit *visit, void *context)
{
    *r = (reader){.record = {.path = path}, .visit = visit, .context = context, .status = ab_ok()};
    csv_init(&r->parser, CSV_STRICT | CSV_STRICT_FINI);
}

static ab_status finish(reader *r)
{
    const bool finished = r->status.code != AB_OK || csv_fini(&r->parser, end_cell, end_record, r) == 0;
    if (!finished && r->status.code == AB_OK)
        r->status = ab_bad_input("%s:%d: a quotation mark is never closed", r->record.path, r->record.line);
    free_cells(r);
    csv_free(&r->parser);
    return r->status;
}

ab_status ab_csv_read(const char *path, ab_csv_visit *visit, void *context)
{
    FILE *file = fopen(path, "r");
    if (!file) return ab_failed("%s: %s", path, strerror(errno));
    reader r;
    begin(&r, path, visit, context);
    parse_lines(&r, file);
    fclose(file);
    return finish(&r);
}

ab_status ab_csv_parse(const char *path, const char *text, size_t size, ab_csv_visit *visit, void *context)
{
    reader r;
    begin(&r, path, visit, context);
    for (const char *end = text + size; text < end && r.status.code == AB_OK;) {
        const char *newline = memchr(text, '\n', (size_t)(end - text)), *next = newline ? newline + 1 : end;
        parse_line(&r, text, (size_t)(next - text));
        text = next;
    }
    return finish(&r);
}

ab_status ab_csv_expect_header(const ab_csv_record *record, const char *header)
{
    const char *name = header;
    for (int i = 0; i < record->n_cells; i++) {
        const size_t length = strcspn(name, ",");
        if (strlen(record->cells[i]) != length || strncmp(record->cells[i], name, length) != 0) break;
        name += length;
        if (!*name && i == record->n_cells - 1) return ab_ok();
        name += *name == ',';
    }
    return ab_bad_input("%s:%d: expected the header %s", record->path, record->line, header);
}

ab_status ab_csv_number(const ab_csv_record *record, int column, double *value)
{
    const char *cell = record->cells[column];
    *value = NAN;
    if (*cell && !ab_read_number(cell, value))
        return ab_bad_input("%s:%d: column %d: expected a number, got \"%s\"", record->path, record->line, column + 1,
                            cell);
    return ab_ok();
}

ab_status ab_csv_text(const ab_csv_record *record, int column, char *text, size_t size)
{
    const size_t length = strlen(record->cells[column]);
    if (length >= size)
        return ab_bad_input("%s:%d: column %d: more than %zu characters", record->path, record->line, column + 1,
                            size - 1);
    memcpy(text, record->cells[column], length + 1);
    return ab_ok();
}

void ab_csv_write_text(FILE *file, const char *text)
{
    const size_t length = strlen(text);
    /* A space at either end is quoted because some readers, libcsv among them, trim cells. */
    const bool quoted = text[strcspn(text, ",\"\r\n")] || (length && (text[0] == ' ' || text[length - 1] == ' '));
    if (quoted) fputc('"', file);
    for (; *text; text++) {
        if (*text == '"') fputc('"', file);
        fputc(*text == '\n' || *text == '\r' ? ' ' : *text, file);
    }
    if (quoted) fputc('"', file);
}

void ab_csv_write_number(FILE *file, double value, int digits)
{
    if (isfinite(value)) fprintf(file, "%.*g", digits, value);
}
