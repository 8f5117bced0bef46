/* log-edges/seq: the Laplacian of the smoothed image against a threshold, on one thread, in whole numbers
 * (kernels/log_edges/log_edges.h). The Gaussian has rank 1: columns first, then rows. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "kernels/log_edges/log_edges.h"
#include "operations/log_edges.h"

log_edges_open log_edges_seq;

enum { K = 2 }; /* radius of the Gaussian */

typedef struct log_edges {
    ed_detector detector; /* first: what the caller sees */
    ed_image image;       /* the caller's */
    int limit;            /* threshold of the Laplacian */
    int across[2 * K + 1], down[2 * K + 1];
    int32_t *columns;  /* [K + width + K]: sums down the columns of a row, with an apron */
    int32_t *smoothed; /* [height][1 + width + 1], with an apron */
    uint8_t *edges;    /* [height][width] */
    ab_memory memory;
} log_edges;

static int clamp(int value, int most)
{
    return value < 0 ? 0 : value > most ? most : value;
}

/* Repeats the first and the last of `width` values, `apron` times each. */
static void extend(int32_t *row, int width, int apron)
{
    for (int i = 1; i <= apron; i++) {
        row[-i] = row[0];
        row[width - 1 + i] = row[width - 1];
    }
}

static int32_t *smoothed_row(const log_edges *self, int y)
{
    return self->smoothed + (size_t)clamp(y, self->image.height - 1) * (size_t)(self->image.width + 2) + 1;
}

static void smooth_row(log_edges *self, int y)
{
    const int width = self->image.width;
    int32_t *columns = self->columns + K, *smoothed = smoothed_row(self, y);
    memset(columns, 0, (size_t)width * sizeof *columns);
    for (int s = -K; s <= K; s++) {
        const uint8_t *row = self->image.grey + (size_t)clamp(y - s, self->image.height - 1) * (size_t)width;
        for (int x = 0; x < width; x++) columns[x] += self->down[s + K] * row[x];
    }
    extend(columns, width, K);
    memset(smoothed, 0, (size_t)width * sizeof *smoothed);
    for (int r = -K; r <= K; r++)
        for (int x = 0; x < width; x++) smoothed[x] += self->across[r + K] * columns[x - r];
    extend(smoothed, width, 1);
}

static void mark_row(log_edges *self, int y)
{
    const int32_t *above = smoothed_row(self, y - 1), *row = smoothed_row(self, y), *below = smoothed_row(self, y + 1);
    uint8_t *edges = self->edges + (size_t)y * (size_t)self->image.width;
    for (int x = 0; x < self->image.width; x++)
        edges[x] = above[x] + below[x] + row[x - 1] + row[x + 1] - 4 * row[x] > self->limit;
}

static ab_status run_stage(ab_work *work, int stage)
{
    log_edges *self = (log_edges *)work;
    if (stage != ED_DETECT) return ab_ok();
    for (int y = 0; y < self->image.height; y++) smooth_row(self, y);
    for (int y = 0; y < self->image.height; y++) mark_row(self, y);
    return ab_ok();
}

static void close_detector(ab_work *work)
{
    if (work == NULL) return;
    ab_memory_free(&((log_edges *)work)->memory);
    free(work);
}

static size_t pixels_of(const log_edges *self)
{
    return (size_t)self->image.width * (size_t)self->image.height;
}

static ab_status read_edges(ed_detector *detector, uint8_t *edges)
{
    memcpy(edges, ((const log_edges *)detector)->edges, pixels_of((const log_edges *)detector));
    return ab_ok();
}

static ab_status read_step(ed_detector *detector, int step, float *values)
{
    (void)detector, (void)values;
    return ab_unsupported("log-edges/seq keeps no step %d", step);
}

static ab_status poison(ed_detector *detector)
{
    memset(((log_edges *)detector)->edges, 0xff, pixels_of((const log_edges *)detector));
    return ab_ok();
}

ab_status log_edges_seq(const ed_image *image, const ed_params *params, ed_detector **detector)
{
    static const ab_work_methods work_methods = {
        ED_STAGES, {"upload", "detect", "download"}, run_stage, close_detector};
    static const ed_methods methods = {.read = read_edges, .read_step = read_step, .poison = poison};
    AB_TRY(ed_check(image, params));
    const conv_params gaussian = log_gaussian();
    const conv_filter filter = conv_make_filter(&gaussian);
    const size_t width = (size_t)image->width, height = (size_t)image->height;
    log_edges *self = calloc(1, sizeof *self);
    if (self == NULL) return ab_failed("no memory for a detector");
    self->detector = (ed_detector){.work = {&work_methods}, .methods = &methods};
    self->image = *image;
    self->limit = log_limit(params->threshold);
    for (int i = 0; i <= 2 * K; i++) {
        self->across[i] = (int)filter.across[i];
        self->down[i] = (int)filter.down[i];
    }
    self->columns = ab_allocate(&self->memory, width + 2 * K, sizeof *self->columns);
    self->smoothed = ab_allocate(&self->memory, height * (width + 2), sizeof *self->smoothed);
    self->edges = ab_allocate(&self->memory, height, width);
    const ab_status status = ab_memory_status(&self->memory);
    if (status.code == AB_OK)
        *detector = &self->detector;
    else
        close_detector(&self->detector.work);
    return status;
}
