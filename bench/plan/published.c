/* Reads the published numbers (bench/plan/published.h). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/csv.h"
#include "base/root.h"
#include "bench/plan/published.h"

enum { ID, SOURCE, TABLE, SECTION, ROW, INSTANCE, METRIC, UNIT, VALUE, DIGITS, N_COLUMNS };

static ab_status read_texts(const ab_csv_record *record, ab_published *row)
{
    AB_TRY(ab_csv_text(record, ID, row->id, sizeof row->id));
    AB_TRY(ab_csv_text(record, SOURCE, row->source, sizeof row->source));
    AB_TRY(ab_csv_text(record, TABLE, row->table, sizeof row->table));
    AB_TRY(ab_csv_text(record, SECTION, row->section, sizeof row->section));
    AB_TRY(ab_csv_text(record, ROW, row->row, sizeof row->row));
    AB_TRY(ab_csv_text(record, INSTANCE, row->instance, sizeof row->instance));
    AB_TRY(ab_csv_text(record, METRIC, row->metric, sizeof row->metric));
    return ab_csv_text(record, UNIT, row->unit, sizeof row->unit);
}

static ab_status read_row(const ab_csv_record *record, ab_published *row)
{
    if (record->n_cells != N_COLUMNS)
        return ab_bad_input("%s:%d: expected %d cells, got %d", record->path, record->line, N_COLUMNS, record->n_cells);
    for (int i = 0; i < N_COLUMNS; i++)
        if (!*record->cells[i]) return ab_bad_input("%s:%d: column %d is empty", record->path, record->line, i + 1);
    AB_TRY(read_texts(record, row));
    double digits;
    AB_TRY(ab_csv_number(record, VALUE, &row->value));
    AB_TRY(ab_csv_number(record, DIGITS, &digits));
    if (digits < 0 || digits > 9 || digits != floor(digits))
        return ab_bad_input("%s:%d: digits: expected 0 to 9, got %s", record->path, record->line,
                            record->cells[DIGITS]);
    row->digits = (int)digits;
    return ab_ok();
}

static ab_status add_record(void *context, const ab_csv_record *record)
{
    ab_published_table *table = context;
    if (record->line == 1)
        return ab_csv_expect_header(record, "id,source,table,section,row,instance,metric,unit,value,digits");
    ab_published row;
    AB_TRY(read_row(record, &row));
    for (int i = 0; i < table->count; i++)
        if (strcmp(table->rows[i].id, row.id) == 0)
            return ab_bad_input("%s:%d: duplicate id %s", record->path, record->line, row.id);
    ab_published *grown = realloc(table->rows, ((size_t)table->count + 1) * sizeof *grown);
    if (!grown) return ab_failed("out of memory");
    table->rows = grown;
    table->rows[table->count++] = row;
    return ab_ok();
}

ab_status ab_published_read_file(const char *path, ab_published_table *table)
{
    *table = (ab_published_table){NULL, 0};
    return ab_csv_read(path, add_record, table);
}

ab_status ab_published_read(const char *name, ab_published_table *table)
{
    char below[96], path[1200];
    *table = (ab_published_table){NULL, 0};
    snprintf(below, sizeof below, "results/published/%s.csv", name);
    AB_TRY(ab_root_path(path, sizeof path, below));
    return ab_published_read_file(path, table);
}

void ab_published_free(ab_published_table *table)
{
    free(table->rows);
    *table = (ab_published_table){NULL, 0};
}

bool ab_published_has_row(const ab_published_table *table, const char *name)
{
    const size_t before = strcspn(name, "{");
    for (int i = 0; i < table->count; i++) {
        const char *row = table->rows[i].row;
        if (name[before] ? strncmp(row, name, before) == 0 : strcmp(row, name) == 0) return true;
    }
    return false;
}

const ab_published *ab_published_find(const ab_published_table *table, const char *row, const char *instance,
                                      const char *metric)
{
    for (int i = 0; i < table->count; i++) {
        const ab_published *candidate = &table->rows[i];
        if (strcmp(candidate->row, row) == 0 && strcmp(candidate->instance, instance) == 0 &&
            strcmp(candidate->metric, metric) == 0)
            return candidate;
    }
    return NULL;
}
