/* Cities as CSV (instances/table.h). */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/csv.h"
#include "base/lookup.h"
#include "instances/describe.h"

/* Far from where sums of squares of coordinates would be infinite. */
static const double largest = 1e150;

typedef struct reader {
    const char *text;  /* what is read */
    tsp_metric metric; /* metric that the user chose */
    int most;          /* cities there may be */
    tsp_table *table;  /* being filled */
    int n, capacity;   /* its cities, and those there is room for */
    int n_cells;       /* number of cells in each record; 0 until the first is read */
    int column[2];     /* columns of the coordinates */
    bool named;        /* the header says which those are */
    long end;          /* end of the last record, from the beginning of the text */
} reader;

/* ---- Columns ---- */

static int find_column(const ab_csv_record *header, const char *const *names)
{
    for (int i = 0; i < header->n_cells; i++)
        for (const char *const *name = names; *name; name++)
            if (strcasecmp(header->cells[i], *name) == 0) return i;
    return -1;
}

static ab_status choose_columns(reader *r, const ab_csv_record *first)
{
    static const char *const latitudes[] = {"lat", "latitude", NULL}, *const xs[] = {"x", NULL};
    static const char *const longitudes[] = {"lon", "long", "lng", "longitude", NULL}, *const ys[] = {"y", NULL};
    const int latitude = find_column(first, latitudes), longitude = find_column(first, longitudes);
    const int x = find_column(first, xs), y = find_column(first, ys);
    const bool has_degrees = latitude >= 0 && longitude >= 0, has_xy = x >= 0 && y >= 0;
    r->named = has_degrees || has_xy;
    r->table->geo = r->metric == TSP_GEO || (r->metric == TSP_BY_HEADER && has_degrees);
    const bool by_degrees = has_degrees && (r->table->geo || !has_xy), turned = r->table->geo && !by_degrees;
    r->column[0] = by_degrees ? latitude : !has_xy ? 0 : turned ? y : x;
    r->column[1] = by_degrees ? longitude : !has_xy ? 1 : turned ? x : y;
    if (r->named || (latitude < 0 && longitude < 0)) return ab_ok();
    return ab_bad_input("%s:%d: a column %s, but none of %s", first->path, first->line,
                        first->cells[latitude < 0 ? longitude : latitude],
                        latitude < 0 ? "latitudes (lat, latitude)" : "longitudes (lon, long, lng, longitude)");
}

/* A header names the coordinates, or is a first line of which neither cell is a number. */
static bool is_header(const reader *r, const ab_csv_record *record)
{
    double number;
    return r->named ||
           (ab_csv_number(record, 0, &number).code != AB_OK && ab_csv_number(record, 1, &number).code != AB_OK);
}

/* ---- Rows ---- */

static ab_status make_room(reader *r)
{
    if (r->n < r->capacity) return ab_ok();
    const int capacity = r->capacity ? 2 * r->capacity : 1024;
    tsp_table *table = r->table;
    tsp_point *points = realloc(table->points, (size_t)capacity * sizeof *points);
    if (points) table->points = points;
    const char **rows = realloc(table->row, ((size_t)capacity + 1) * sizeof *rows);
    if (rows) table->row = rows;
    if (!points || !rows) return ab_failed("no memory for %d cities", capacity);
    r->capacity = capacity;
    return ab_ok();
}

static ab_status read_number(const reader *r, const ab_csv_record *record, int column, double *number)
{
    const ab_status status = ab_csv_number(record, column, number);
    if (status.code != AB_OK && !r->named && r->n_cells > 2)
        return ab_bad_input("%s (a header says which columns are the coordinates: x,y or lat,lon)", status.reason);
    AB_TRY(status);
    if (isnan(*number)) return ab_bad_input("%s:%d: column %d is empty", record->path, record->line, column + 1);
    return ab_ok();
}

static ab_status check_range(const reader *r, const ab_csv_record *record, const double values[2])
{
    static const double most[] = {90.0, 180.0};
    static const char *const what[] = {"latitude", "longitude"};
    for (int i = 0; i < 2; i++) {
        if (!r->table->geo && fabs(values[i]) > largest)
            return ab_bad_input("%s:%d: column %d: coordinates are at most %g, not %s", record->path, record->line,
                                r->column[i] + 1, largest, record->cells[r->column[i]]);
        if (r->table->geo && fabs(values[i]) > most[i])
            return ab_bad_input("%s:%d: column %d: a %s is from %g to %g, not %s", record->path, record->line,
                                r->column[i] + 1, what[i], -most[i], most[i], record->cells[r->column[i]]);
    }
    return ab_ok();
}

static ab_status add_city(reader *r, const ab_csv_record *record)
{
    double values[2];
    if (r->n == r->most) return ab_bad_input("%s:%d: more than %d cities", record->path, record->line, r->most);
    for (int i = 0; i < 2; i++) AB_TRY(read_number(r, record, r->column[i], &values[i]));
    AB_TRY(check_range(r, record, values));
    AB_TRY(make_room(r));
    r->table->points[r->n] = (tsp_point){values[0], values[1]};
    r->table->row[r->n++] = r->text + r->end;
    return ab_ok();
}

static ab_status check_cells(const reader *r, const ab_csv_record *record)
{
    if (record->end == r->end)
        return ab_bad_input("%s:%d: a carriage return within the line", record->path, record->line);
    if (record->n_cells < 2)
        return ab_bad_input("%s:%d: expected \"x,y\", got %d cell%s", record->path, record->line, record->n_cells,
                            record->n_cells == 1 ? "" : "s");
    if (r->n_cells == 0 || record->n_cells == r->n_cells) return ab_ok();
    return ab_bad_input("%s:%d: expected %d cells, as above, got %d", record->path, record->line, r->n_cells,
                        record->n_cells);
}

static ab_status visit(void *context, const ab_csv_record *record)
{
    reader *r = context;
    const bool first = r->n_cells == 0;
    AB_TRY(check_cells(r, record));
    r->n_cells = record->n_cells;
    if (first) AB_TRY(choose_columns(r, record));
    if (!first || !is_header(r, record)) AB_TRY(add_city(r, record));
    r->end = record->end;
    return ab_ok();
}

/* ---- The table ---- */

ab_status tsp_table_read(const char *path, const char *text, size_t size, tsp_metric metric, int most,
                         tsp_table **table, int *n)
{
    reader r = {.text = text, .metric = metric, .most = most, .table = calloc(1, sizeof *r.table)};
    if (r.table == NULL) return ab_failed("out of memory");
    r.table->begin = text;
    ab_status status = ab_csv_parse(ab_short_path(path), text, size, visit, &r);
    if (status.code == AB_OK && r.n == 0) status = ab_bad_input("%s: no cities", ab_short_path(path));
    if (status.code == AB_OK) {
        r.table->row[r.n] = text + r.end;
    } else {
        tsp_table_free(r.table);
        r.table = NULL;
    }
    *table = r.table;
    *n = r.n;
    return status;
}

tsp_row tsp_table_row(const tsp_table *table, int city)
{
    const char *start = city < 0 ? table->begin : table->row[city];
    const char *end = city < 0 ? table->row[0] : table->row[city + 1];
    while (start < end && (*start == '\n' || *start == '\r')) start++;
    while (start < end && (end[-1] == '\n' || end[-1] == '\r')) end--;
    return (tsp_row){start, (size_t)(end - start)};
}

/* The haversine of an angle is the square of the sine of its half. */
static double great_circle_km(tsp_point a, tsp_point b)
{
    const double radian = 3.14159265358979323846 / 180.0;
    const double up = sin((a.x - b.x) * radian / 2.0), along = sin((a.y - b.y) * radian / 2.0);
    const double haversine = up * up + cos(a.x * radian) * cos(b.x * radian) * along * along;
    return 2.0 * TSP_EARTH_KM * atan2(sqrt(haversine), sqrt(fmax(1.0 - haversine, 0.0)));
}

double tsp_table_distance(const tsp_table *table, int a, int b)
{
    const tsp_point first = table->points[a], second = table->points[b];
    return table->geo ? great_circle_km(first, second) : hypot(first.x - second.x, first.y - second.y);
}

void tsp_table_free(tsp_table *table)
{
    if (table == NULL) return;
    free(table->points);
    free(table->row);
    free(table->bytes);
    free(table);
}
