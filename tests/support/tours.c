/* Tours in TSPLIB's files (tests/support/tours.h). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/tours.h"

static void skip_header(FILE *file)
{
    char line[256] = "";
    while (strncmp(line, "TOUR_SECTION", 12) != 0) assert_non_null(fgets(line, sizeof line, file));
}

void read_tour(const char *path, int n, int32_t *tour)
{
    FILE *file = fopen(path, "r");
    bool *visited = calloc((size_t)n, sizeof *visited);
    assert_non_null(file);
    assert_non_null(visited);
    skip_header(file);
    for (int i = 0; i < n; i++) {
        int city;
        assert_int_equal(fscanf(file, "%d", &city), 1);
        assert_in_range(city, 1, n);
        assert_false(visited[city - 1]);
        visited[city - 1] = true;
        tour[i] = city - 1;
    }
    free(visited);
    fclose(file);
}

int64_t tour_length(const tsp_instance *instance, const int32_t *tour)
{
    const size_t n = (size_t)instance->n;
    int64_t length = 0;
    for (size_t i = 0; i < n; i++) length += instance->dist[(size_t)tour[i] * n + (size_t)tour[i + 1 < n ? i + 1 : 0]];
    return length;
}
