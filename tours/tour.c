/* Tours (tours/tour.h). */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files.h"
#include "tours/tour.h"

static bool is_stdout(const char *path)
{
    return strcmp(path, "-") == 0;
}

static int64_t length_of(const tsp_instance *cities, const int32_t *tour, bool *visited)
{
    const int n = cities->n;
    int64_t length = 0;
    for (int i = 0; i < n; i++) {
        if (tour[i] < 0 || tour[i] >= n || visited[tour[i]]) return TOUR_INVALID;
        visited[tour[i]] = true;
        if (i > 0) length += tour_distance(cities, tour[i - 1], tour[i]);
    }
    return n > 1 ? length + tour_distance(cities, tour[n - 1], tour[0]) : 0;
}

int64_t tour_measure(const tsp_instance *cities, const int32_t *tour)
{
    bool *visited = calloc((size_t)cities->n, sizeof *visited);
    const int64_t length = visited ? length_of(cities, tour, visited) : TOUR_NO_MEMORY;
    free(visited);
    return length;
}

double tour_measure_real(const tsp_table *table, const int32_t *tour, int n)
{
    double length = 0.0;
    for (int i = 0; i < n && n > 1; i++) length += tsp_table_distance(table, tour[i], tour[i + 1 < n ? i + 1 : 0]);
    return length;
}

ab_status tour_check_path(const char *path)
{
    struct stat there;
    if (is_stdout(path)) return ab_ok();
    const bool exists = stat(path, &there) == 0;
    if (exists && !S_ISREG(there.st_mode)) return ab_failed("%s: not a regular file", path);
    const char *slash = strrchr(path, '/');
    char *folder = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
    if (folder == NULL) return ab_failed("out of memory");
    const ab_status status = access(folder, W_OK | X_OK) == 0 ? ab_ok() : ab_failed("%s: %s", path, strerror(errno));
    free(folder);
    return status;
}

/* A text in memory. */
typedef struct document {
    FILE *file; /* NULL where there is no memory */
    char *text; /* what has been written to it, once that is closed */
    size_t size;
} document;

static ab_status open_document(document *d)
{
    *d = (document){.text = NULL};
    d->file = open_memstream(&d->text, &d->size);
    return d->file ? ab_ok() : ab_failed("out of memory");
}

/* Writes it as a whole. */
static ab_status close_document(document *d, const char *path)
{
    const bool failed = ferror(d->file);
    const bool whole = fclose(d->file) == 0 && !failed && d->text != NULL;
    ab_status status = whole ? ab_ok() : ab_failed("out of memory");
    if (whole && is_stdout(path))
        fwrite(d->text, 1, d->size, stdout);
    else if (whole)
        status = ab_replace_file(path, d->text);
    free(d->text);
    return status;
}

ab_status tour_write(const char *path, const char *name, const char *comment, const int32_t *tour, int n)
{
    document d;
    AB_TRY(open_document(&d));
    fprintf(d.file, "NAME : %s\nCOMMENT : %s\nTYPE : TOUR\nDIMENSION : %d\nTOUR_SECTION\n", name, comment, n);
    for (int i = 0; i < n; i++) fprintf(d.file, "%d\n", tour[i] + 1);
    fprintf(d.file, "-1\nEOF\n");
    return close_document(&d, path);
}

static void print_row(FILE *file, tsp_row row)
{
    fwrite(row.start, 1, row.length, file);
    if (row.length > 0) fputc('\n', file);
}

ab_status tour_write_rows(const char *path, const tsp_table *table, const int32_t *tour, int n)
{
    document d;
    AB_TRY(open_document(&d));
    int first = 0;
    while (tour[first] != 0) first++;
    print_row(d.file, tsp_table_row(table, -1));
    for (int i = 0; i < n; i++) print_row(d.file, tsp_table_row(table, tour[(first + i) % n]));
    return close_document(&d, path);
}
