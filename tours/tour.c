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
    const bool whole = fclose(file) == 0 && !failed && text != NULL;
    const ab_status status = whole ? ab_replace_file(path, text) : ab_failed("out of memory");
    free(text);
    return status;
}
