/* Compares edge maps with known edges (images/edge_map.h). Distances are exact integers. They are computed first within
 * each column for all pixels, then across columns for edge pixels only. There are few edge pixels, and most are close
 * to an edge of the other map. So this is several times as fast as a distance transform of all pixels. */
#include <stdlib.h>
#include <string.h>

#include "images/edge_map.h"

/* The distance from each pixel to the nearest 1 of its column; `far`, more than any distance, in a column without
 * one. */
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

/* Returns the squared distance from pixel x of a row to the nearest 1 of the map, from the distances within each
 * column. Searches outwards until a column is too far away to hold a nearer pixel. */
static int nearest_square(const int32_t *row, int width, int x)
{
    int least = row[x] * row[x];
    for (int d = 1; d < width && d * d < least; d++) {
        const int left = x >= d ? row[x - d] : row[x], right = x + d < width ? row[x + d] : row[x];
        const int nearer = left < right ? left : right;
        if (d * d + nearer * nearer < least) least = d * d + nearer * nearer;
    }
    return least;
}

/* How near the 1 pixels of one map are to the 1 pixels of another. */
typedef struct nearness {
    int pixels;   /* number of pixels of the one map */
    int within;   /* number of these within the radius of a pixel of the other map */
    double pratt; /* sum over them of 1/(1 + d^2/9) */
} nearness;

/* `columns` are the distances to the other map, which has pixels, or is_empty. */
static nearness measure(int width, int height, const uint8_t *map, const int32_t *columns, bool is_empty, double radius)
{
    nearness near = {0};
    for (int y = 0; y < height; y++, map += width, columns += width)
        for (int x = 0; x < width; x++) {
            if (!map[x]) continue;
            near.pixels++;
            if (is_empty) continue;
            const int square = nearest_square(columns, width, x);
            near.within += square <= radius * radius;
            near.pratt += 1.0 / (1.0 + square / 9.0);
        }
    return near;
}

static double share(int part, int whole)
{
    return whole > 0 ? (double)part / whole : 1.0;
}

static edge_quality quality_of(nearness found, nearness truth)
{
    const int larger = found.pixels > truth.pixels ? found.pixels : truth.pixels;
    edge_quality quality = {.found = found.pixels, .truth = truth.pixels};
    quality.precision = share(found.within, found.pixels);
    quality.recall = share(truth.within, truth.pixels);
    const double sum = quality.precision + quality.recall;
    quality.f = sum > 0.0 ? 2.0 * quality.precision * quality.recall / sum : 0.0;
    quality.pratt = larger > 0 ? found.pratt / larger : 1.0;
    return quality;
}

ab_status edge_map_compare(int width, int height, const uint8_t *found, const uint8_t *truth, double radius,
                           edge_quality *quality)
{
    const size_t size = (size_t)width * (size_t)height;
    int32_t *columns = malloc(size * sizeof *columns);
    if (columns == NULL) return ab_failed("no memory to compare edge maps of %d x %d pixels", width, height);
    const bool none_found = memchr(found, 1, size) == NULL, none_true = memchr(truth, 1, size) == NULL;
    column_distances(width, height, truth, width + height, columns);
    const nearness of_found = measure(width, height, found, columns, none_true, radius);
    column_distances(width, height, found, width + height, columns);
    const nearness of_truth = measure(width, height, truth, columns, none_found, radius);
    free(columns);
    *quality = quality_of(of_found, of_truth);
    return ab_ok();
}

/* to[] has a 1 where from[] has one among the 8 neighbours or itself; rows is scratch. All [height][width]. */
static void widen(int width, int height, const uint8_t *from, uint8_t *rows, uint8_t *to)
{
    const size_t w = (size_t)width, size = w * (size_t)height;
    for (size_t y = 0; y < size; y += w) {
        const uint8_t *row = from + y;
        for (size_t x = 1; x + 1 < w; x++) rows[y + x] = row[x - 1] | row[x] | row[x + 1];
        rows[y] = row[0] | row[w > 1 ? 1 : 0];
        rows[y + w - 1] = row[w - 1] | row[w > 1 ? w - 2 : 0];
    }
    for (size_t y = 0; y < size; y += w) {
        const uint8_t *above = rows + (y > 0 ? y - w : y), *below = rows + (y + w < size ? y + w : y);
        for (size_t x = 0; x < w; x++) to[y + x] = above[x] | rows[y + x] | below[x];
    }
}

static nearness count_near(size_t size, const uint8_t *map, const uint8_t *widened)
{
    nearness near = {0};
    for (size_t i = 0; i < size; i++) {
        near.pixels += map[i];
        near.within += map[i] & widened[i];
    }
    return near;
}

double edge_map_near_f(int width, int height, const uint8_t *found, const uint8_t *truth, uint8_t *scratch)
{
    const size_t size = (size_t)width * (size_t)height;
    widen(width, height, truth, scratch, scratch + size);
    const nearness of_found = count_near(size, found, scratch + size);
    widen(width, height, found, scratch, scratch + size);
    return quality_of(of_found, count_near(size, truth, scratch + size)).f;
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
    memcpy(sorted, values, size * sizeof *sorted);
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
    const int count = map != NULL && levels != NULL ? quantiles(size, values, thresholds, levels) : 0;
    ab_status status = count > 0 ? ab_ok() : ab_failed("no memory for thresholds of %d x %d pixels", width, height);
    *best = (edge_quality){.f = -1.0};
    for (int k = 0; k < count && status.code == AB_OK; k++) {
        edge_quality quality;
        for (size_t i = 0; i < size; i++) map[i] = values[i] > levels[k];
        if (thin && edge_map_thin(width, height, 0, map) < 0) status = ab_failed("no memory to thin an edge map");
        if (status.code == AB_OK) status = edge_map_compare(width, height, map, truth, radius, &quality);
        if (status.code != AB_OK || !(quality.f > best->f)) continue;
        *best = quality;
        *threshold = (double)levels[k];
    }
    free(map);
    free(levels);
    return status;
}
