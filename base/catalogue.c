/* Reading catalogues (base/catalogue.h). */
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/catalogue.h"
#include "base/csv.h"
#include "base/root.h"

enum { MAX_FIELDS = 16 };

typedef struct reader {
    const ab_catalogue *catalogue;
    int n_columns;          /* number of columns in the header */
    int column[MAX_FIELDS]; /* [n_fields] the column of each field */
    char *entries;          /* [count] of entry_size bytes */
    int count;
} reader;

/* ---- The header ---- */

static int find_column(const ab_csv_record *header, const char *name)
{
    for (int i = 0; i < header->n_cells; i++)
        if (strcmp(header->cells[i], name) == 0) return i;
    return -1;
}

static ab_status read_header(reader *r, const ab_csv_record *record)
{
    r->n_columns = record->n_cells;
    for (int i = 0; i < r->catalogue->n_fields; i++) {
        r->column[i] = find_column(record, r->catalogue->fields[i].column);
        if (r->column[i] < 0)
            return ab_bad_input("%s:%d: there is no column %s", record->path, record->line,
                                r->catalogue->fields[i].column);
    }
    return ab_ok();
}

/* ---- Entries ---- */

static ab_status read_sha256(const ab_csv_record *record, int column, char *digest)
{
    const char *cell = record->cells[column];
    if (strlen(cell) != 64 || strspn(cell, "0123456789abcdef") != 64)
        return ab_bad_input("%s:%d: column %d: expected 64 hexadecimal digits", record->path, record->line, column + 1);
    memcpy(digest, cell, 65);
    return ab_ok();
}

static ab_status read_number(const ab_csv_record *record, int column, const ab_field *field, void *member)
{
    double value;
    AB_TRY(ab_csv_number(record, column, &value));
    if (!(value >= (double)field->lo && value <= (double)field->hi && value == floor(value)))
        return ab_bad_input("%s:%d: column %d: expected a whole number from %lld to %lld, got %.40s", record->path,
                            record->line, column + 1, (long long)field->lo, (long long)field->hi,
                            record->cells[column]);
    if (field->size == sizeof(int))
        *(int *)member = (int)value;
    else
        *(int64_t *)member = (int64_t)value;
    return ab_ok();
}

static ab_status read_field(const ab_csv_record *record, int column, const ab_field *field, char *entry)
{
    if (!*record->cells[column])
        return ab_bad_input("%s:%d: column %d (%s) is empty", record->path, record->line, column + 1, field->column);
    if (field->kind == AB_FIELD_TEXT) return ab_csv_text(record, column, entry + field->offset, field->size);
    if (field->kind == AB_FIELD_SHA256) return read_sha256(record, column, entry + field->offset);
    return read_number(record, column, field, entry + field->offset);
}

const char *ab_catalogue_name(const ab_catalogue *catalogue, const void *entries, int i)
{
    return (const char *)entries + (size_t)i * catalogue->entry_size + catalogue->fields[0].offset;
}

static const char *find_entry(const reader *r, const char *name)
{
    for (int i = 0; i < r->count; i++)
        if (strcmp(ab_catalogue_name(r->catalogue, r->entries, i), name) == 0)
            return r->entries + (size_t)i * r->catalogue->entry_size;
    return NULL;
}

static ab_status read_entry(const reader *r, const ab_csv_record *record, char *entry)
{
    if (record->n_cells != r->n_columns)
        return ab_bad_input("%s:%d: expected %d cells, got %d", record->path, record->line, r->n_columns,
                            record->n_cells);
    for (int i = 0; i < r->catalogue->n_fields; i++)
        AB_TRY(read_field(record, r->column[i], &r->catalogue->fields[i], entry));
    const char *name = ab_catalogue_name(r->catalogue, entry, 0);
    if (find_entry(r, name) != NULL) return ab_bad_input("%s:%d: %s stands twice", record->path, record->line, name);
    const char *fault = r->catalogue->fault != NULL ? r->catalogue->fault(entry) : NULL;
    return fault == NULL ? ab_ok() : ab_bad_input("%s:%d: %s", record->path, record->line, fault);
}

static ab_status add_record(void *context, const ab_csv_record *record)
{
    reader *r = context;
    if (record->line == 1) return read_header(r, record);
    const size_t size = r->catalogue->entry_size;
    char *grown = realloc(r->entries, ((size_t)r->count + 1) * size);
    if (grown == NULL) return ab_failed("%s: no memory for %d entries", record->path, r->count + 1);
    r->entries = grown;
    char *entry = memset(grown + (size_t)r->count * size, 0, size);
    AB_TRY(read_entry(r, record, entry));
    r->count++;
    return ab_ok();
}

/* ---- The file ---- */

static ab_status read_all(reader *r)
{
    char path[PATH_MAX];
    AB_TRY(ab_root_path(path, sizeof path, r->catalogue->below));
    const ab_status status = ab_csv_read(path, add_record, r);
    if (status.code == AB_FAILED)
        return ab_failed("%s ($ANTBENCH_ROOT may name the folder of antbench)", status.reason);
    if (status.code == AB_OK && r->n_columns == 0) return ab_bad_input("%s:1: the file is empty", path);
    return status;
}

ab_status ab_catalogue_read(const ab_catalogue *catalogue, void **entries, int *count)
{
    *entries = NULL;
    *count = 0;
    reader r = {.catalogue = catalogue};
    if (catalogue->n_fields > MAX_FIELDS) return ab_failed("%s: too many fields", catalogue->below);
    const ab_status status = read_all(&r);
    if (status.code != AB_OK) {
        free(r.entries);
        return status;
    }
    *entries = r.entries;
    *count = r.count;
    return status;
}

ab_status ab_catalogue_find(const ab_catalogue *catalogue, const char *name, void *entry)
{
    reader r = {.catalogue = catalogue};
    void *entries;
    memset(entry, 0, catalogue->entry_size);
    AB_TRY(ab_catalogue_read(catalogue, &entries, &r.count));
    r.entries = entries;
    const char *found = find_entry(&r, name);
    if (found != NULL) memcpy(entry, found, catalogue->entry_size);
    free(entries);
    return ab_ok();
}
