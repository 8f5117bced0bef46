/* Cities as CSV: a line "x,y" each (instances/describe.h). */
#include <math.h>
#include <stdlib.h>

#include "base/csv.h"
#include "base/lookup.h"
#include "instances/describe.h"

typedef struct table {
    tsp_point *points;
    int n, most, capacity;
    bool begun; /* a record has been seen, which may have been the header */
} table;

static ab_status read_number(const ab_csv_record *record, int column, double *number)
{
    AB_TRY(ab_csv_number(record, column, number));
    if (!isnan(*number)) return ab_ok();
    return ab_bad_input("%s:%d: column %d is empty", ab_short_path(record->path), record->line, column + 1);
}

static ab_status make_room(table *cities)
{
    if (cities->n < cities->capacity) return ab_ok();
    const int capacity = cities->capacity ? 2 * cities->capacity : 1024;
    tsp_point *grown = realloc(cities->points, (size_t)capacity * sizeof *grown);
    if (grown == NULL) return ab_failed("no memory for %d cities", capacity);
    cities->points = grown;
    cities->capacity = capacity;
    return ab_ok();
}

/* A header is a first line of which neither cell is a number. */
static bool is_header(const ab_csv_record *record)
{
    double number;
    return ab_csv_number(record, 0, &number).code != AB_OK && ab_csv_number(record, 1, &number).code != AB_OK;
}

static ab_status visit(void *context, const ab_csv_record *record)
{
    table *cities = context;
    const char *path = ab_short_path(record->path);
    const bool first = !cities->begun;
    cities->begun = true;
    if (record->n_cells != 2)
        return ab_bad_input("%s:%d: expected \"x,y\", got %d cell%s", path, record->line, record->n_cells,
                            record->n_cells == 1 ? "" : "s");
    if (first && is_header(record)) return ab_ok();
    if (cities->n == cities->most) return ab_bad_input("%s:%d: more than %d cities", path, record->line, cities->most);
    AB_TRY(make_room(cities));
    tsp_point *point = &cities->points[cities->n++];
    AB_TRY(read_number(record, 0, &point->x));
    return read_number(record, 1, &point->y);
}

ab_status tsp_read_coordinates(const char *path, int most, tsp_point **points, int *n)
{
    table cities = {.most = most};
    ab_status status = ab_csv_read(path, visit, &cities);
    if (status.code == AB_OK && cities.n == 0) status = ab_bad_input("%s: no cities", ab_short_path(path));
    if (status.code != AB_OK) {
        free(cities.points);
        cities = (table){0};
    }
    *points = cities.points;
    *n = cities.n;
    return status;
}
