/* Edge maps against known edges (images/edge_map.h), by an exact Euclidean distance transform: Meijster, Roerdink &
 * Hesselink, "A general algorithm for computing distance transforms in linear time", 2000; all in integers. */
#include <math.h>
#include <stdlib.h>

#include "images/edge_map.h"

/* The distance from each pixel to the nearest 1 of its column; `far`, more than any distance, in a column without one. */
static void column_distances(int width, int height, const uint8_t *map, int far, int32_t *distance)
{
    const size_t w = (size_t)width;
    for (size_t y = 0; y < (size_t)height; y++)
        for (size_t x = 0; x < w; x++) {
            const int32_t above = y > 0 ? distance[(y - 1) * w + x] : far;
            distance[y * w + x] = map[y * w + x] ? 0 : above < far ? above + 1 : far;
        }
    for (size_t y = (size_t)height - 1; y-- > 0;)
        for (size_t x = 0; x < w; x++) {
            const int32_t below = distance[(y + 1) * w + x];
            if (below + 1 < distance[y * w + x]) distance[y * w + x] = below + 1;
        }
}

static int64_t square(int64_t x)
{
    return x * x;
}

/* Rounds towards minus infinity; divisor > 0. */
static int64_t floor_div(int64_t x, int64_t divisor)
{
    return x / divisor - (x % divisor < 0);
}

/* Turns a row of column distances g into squared Euclidean distances: the lower envelope of the parabolas
 * (x - i)^2 + g[i]^2. Scratch: vertex[k] is the i whose parabola is lowest from start[k] on, both [width]. */
static void lower_envelope(int width, int32_t *g, int32_t *squares, int *vertex, int *start)
{
    int last = 0;
    vertex[0] = start[0] = 0;
    for (int i = 0; i < width; i++) squares[i] = (int32_t)square(g[i]);
    for (int i = 1; i < width; i++) {
        while (last >= 0 &&
               square(start[last] - vertex[last]) + squares[vertex[last]] > square(start[last] - i) + squares[i])
            last--;
        int64_t from = 0;
        if (last >= 0) {
            const int v = vertex[last];
            from = 1 + floor_div(square(i) - square(v) + squares[i] - squares[v], 2 * (int64_t)(i - v));
        }
        if (from >= width) continue;
        last++;
        vertex[last] = i;
        start[last] = (int)from;
    }
    for (int x = width - 1; x >= 0; x--) {
        g[x] = (int32_t)(square(x - vertex[last]) + squares[vertex[last]]);
        if (x == start[last]) last--;
    }
}

/* The squared distance from each pixel to the nearest 1 of the map, into squares[height][width]; where there is no 1,
 * more than any distance. */
static bool squared_distances(int width, int height, const uint8_t *map, int32_t *squares)
{
    int32_t *scratch = malloc((size_t)width * 3 * sizeof *scratch);
    if (scratch == NULL) return false;
    column_distances(width, height, map, width + height, squares);
    for (int y = 0; y < height; y++)
        lower_envelope(width, squares + (size_t)y * (size_t)width, scratch, scratch + width, scratch + 2 * width);
    free(scratch);
    return true;
}

/* How many 1 pixels of the map lie within the radius; and how many there are. */
static int count_within(size_t size, const uint8_t *map, const int32_t *squares, double radius, int *pixels)
{
    int within = 0;
    *pixels = 0;
    for (size_t i = 0; i < size; i++) {
        *pixels += map[i];
        within += map[i] && squares[i] <= radius * radius;
    }
    return within;
}

static double share(int part, int whole)
{
    return whole > 0 ? (double)part / whole : 1.0;
}

static double pratt_sum(size_t size, const uint8_t *found, const int32_t *to_truth)
{
    double sum = 0.0;
    for (size_t i = 0; i < size; i++)
        if (found[i]) sum += 1.0 / (1.0 + to_truth[i] / 9.0);
    return sum;
}

/* edge_map_compare with the distances to `truth` given. */
static ab_status compare(int width, int height, const uint8_t *found, const uint8_t *truth, const int32_t *to_truth,
                         double radius, edge_quality *quality)
{
    const size_t size = (size_t)width * (size_t)height;
    int32_t *to_found = malloc(size * sizeof *to_found);
    if (to_found == NULL || !squared_distances(width, height, found, to_found)) {
        free(to_found);
        return ab_failed("no memory to compare edge maps of %d x %d pixels", width, height);
    }
    edge_quality result = {0};
    int right = count_within(size, found, to_truth, radius, &result.found);
    int recalled = count_within(size, truth, to_found, radius, &result.truth);
    free(to_found);
    if (result.found == 0 || result.truth == 0)
        right = recalled = 0; /* nothing to be near to, however large the radius */
    result.precision = share(right, result.found);
    result.recall = share(recalled, result.truth);
    const double sum = result.precision + result.recall;
    result.f = sum > 0.0 ? 2.0 * result.precision * result.recall / sum : 0.0;
    const int larger = result.found > result.truth ? result.found : result.truth;
    if (larger == 0)
        result.pratt = 1.0;
    else if (result.truth > 0)
        result.pratt = pratt_sum(size, found, to_truth) / larger;
    *quality = result;
    return ab_ok();
}

static ab_status distances_to_truth(int width, int height, const uint8_t *truth, int32_t **to_truth)
{
    *to_truth = malloc((size_t)width * (size_t)height * sizeof **to_truth);
    if (*to_truth != NULL && squared_distances(width, height, truth, *to_truth)) return ab_ok();
    free(*to_truth);
    *to_truth = NULL;
    return ab_failed("no memory to compare edge maps of %d x %d pixels", width, height);
}

ab_status edge_map_compare(int width, int height, const uint8_t *found, const uint8_t *truth, double radius,
                           edge_quality *quality)
{
    int32_t *to_truth;
    AB_TRY(distances_to_truth(width, height, truth, &to_truth));
    const ab_status status = compare(width, height, found, truth, to_truth, radius, quality);
    free(to_truth);
    return status;
}

/* ---- The best F ---- */

static int by_value(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

/* Distinct levels, ascending, into levels[count]: the least value, and those that a share 1/count, 2/count .. of the
 * values does not exceed. Returns how many; 0 when out of memory. */
static int quantiles(size_t size, const float *values, int count, float *levels)
{
    float *sorted = malloc(size * sizeof *sorted);
    if (sorted == NULL) return 0;
    for (size_t i = 0; i < size; i++) sorted[i] = values[i];
    qsort(sorted, size, sizeof *sorted, by_value);
    int distinct = 0;
    for (int k = 0; k < count; k++) {
        const size_t rank = size * (size_t)k / (size_t)count;
        const float level = sorted[rank > 0 ? rank - 1 : 0];
        if (distinct == 0 || level > levels[distinct - 1]) levels[distinct++] = level;
    }
    free(sorted);
    return distinct;
}

ab_status edge_map_best_f(int width, int height, const float *values, const uint8_t *truth, double radius,
                          int thresholds, bool thin, edge_quality *best, double *threshold)
{
    const size_t size = (size_t)width * (size_t)height;
    uint8_t *map = malloc(size);
    float *levels = malloc((size_t)thresholds * sizeof *levels);
    int32_t *to_truth = NULL;
    ab_status status = distances_to_truth(width, height, truth, &to_truth);
    const int count = map != NULL && levels != NULL ? quantiles(size, values, thresholds, levels) : 0;
    if (count == 0) status = ab_failed("no memory for thresholds of %d x %d pixels", width, height);
    *best = (edge_quality){.f = -1.0};
    for (int k = 0; k < count && status.code == AB_OK; k++) {
        edge_quality quality;
        for (size_t i = 0; i < size; i++) map[i] = values[i] > levels[k];
        if (thin && edge_map_thin(width, height, 0, map) < 0) status = ab_failed("no memory to thin an edge map");
        if (status.code == AB_OK) status = compare(width, height, map, truth, to_truth, radius, &quality);
        if (status.code != AB_OK || !(quality.f > best->f)) continue;
        *best = quality;
        *threshold = (double)levels[k];
    }
    free(to_truth);
    free(map);
    free(levels);
    return status;
}
