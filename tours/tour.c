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

static int64_t distance(const tsp_instance *cities, int a, int b)
{
    if (cities->dist) return cities->dist[(size_t)a * (size_t)cities->n + (size_t)b];
    return (int64_t)cities->rule->distance(cities->points[a], cities->points[b]);
}

static bool visits_each_once(const int32_t *tour, int n)
{
    bool *visited = calloc((size_t)n, sizeof *visited);
    int i = 0;
    for (; visited && i < n && tour[i] >= 0 && tour[i] < n && !visited[tour[i]]; i++) visited[tour[i]] = true;
    free(visited);
    return i == n;
}

int64_t tour_measure(const tsp_instance *cities, const int32_t *tour)
{
    const int n = cities->n;
    if (!visits_each_once(tour, n)) return -1;
    int64_t length = 0;
    for (int i = 0; n > 1 && i < n; i++) length += distance(cities, tour[i], tour[i + 1 == n ? 0 : i + 1]);
    return length;
}

ab_status tour_check_path(const char *path)
{
    struct stat there;
    const bool exists = stat(path, &there) == 0;
    if (exists && !S_ISREG(there.st_mode)) return ab_failed("%s: not a regular file", path);
    const char *slash = strrchr(path, '/');
    char *folder = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
    if (folder == NULL) return ab_failed("out of memory");
    const ab_status status = access(folder, W_OK | X_OK) == 0 ? ab_ok() : ab_failed("%s: %s", path, strerror(errno));
    free(folder);
    return status;
}

static void print(FILE *file, const char *name, const char *comment, const int32_t *tour, int n)
{
    fprintf(file, "NAME : %s\nCOMMENT : %s\nTYPE : TOUR\nDIMENSION : %d\nTOUR_SECTION\n", name, comment, n);
    for (int i = 0; i < n; i++) fprintf(file, "%d\n", tour[i] + 1);
    fprintf(file, "-1\nEOF\n");
}

ab_status tour_write(const char *path, const char *name, const char *comment, const int32_t *tour, int n)
{
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    if (file == NULL) return ab_failed("out of memory");
    print(file, name, comment, tour, n);
    const bool failed = ferror(file);
    const ab_status status = fclose(file) != 0 || failed ? ab_failed("out of memory") : ab_replace_file(path, text);
    free(text);
    return status;
}
