/* sobel/seq: the edge detector that the thesis shows beside Canny (§6.6, Fig. 6.5), on one thread.
 *
 * The gradient by Sobel's 3x3 masks, where a pixel outside equals the nearest one at the border, and a threshold on its
 * magnitude. The thesis tunes the threshold per image and does not say by which rule. The automatic one here is the
 * rule of MATLAB's edge(image, 'sobel'): twice the root mean square of the magnitude. There is no thinning. The square
 * root is never taken: squares are compared, in integers.
 */
#include <stdlib.h>
#include <string.h>

#include "kernels/edges/detector.h"
#include "operations/sobel.h"

sobel_open sobel_seq;

typedef struct sobel {
    ed_detector detector; /* first: what the caller sees */
    ed_image image;       /* the caller's */
    double threshold;     /* threshold of the magnitude; 0: automatic */
    int32_t *squares;     /* [height][width]: gx^2 + gy^2, at most 2 * 1020^2 */
    uint8_t *edges;       /* [height][width] */
} sobel;

/* gx^2 + gy^2 of the pixel whose neighbours are these rows' left, middle and right. */
static inline int32_t square_of_gradient(const uint8_t *above, const uint8_t *row, const uint8_t *below, int left,
                                         int middle, int right)
{
    const int gx = above[right] + 2 * row[right] + below[right] - above[left] - 2 * row[left] - below[left];
    const int gy = below[left] + 2 * below[middle] + below[right] - above[left] - 2 * above[middle] - above[right];
    return gx * gx + gy * gy;
}

static void row_of_squares(int width, const uint8_t *above, const uint8_t *row, const uint8_t *below, int32_t *squares)
{
    const int last = width - 1;
    squares[0] = square_of_gradient(above, row, below, 0, 0, last > 0 ? 1 : 0);
    for (int x = 1; x < last; x++) squares[x] = square_of_gradient(above, row, below, x - 1, x, x + 1);
    if (last > 0) squares[last] = square_of_gradient(above, row, below, last - 1, last, last);
}

/* The mean of the squares. Whole numbers: the sum of 2^30 pixels is below 2^51. */
static double gradients(const ed_image *image, int32_t *squares)
{
    const size_t width = (size_t)image->width, height = (size_t)image->height;
    int64_t sum = 0;
    for (size_t y = 0; y < height; y++) {
        const uint8_t *row = image->grey + y * width;
        const uint8_t *above = y > 0 ? row - width : row, *below = y + 1 < height ? row + width : row;
        row_of_squares(image->width, above, row, below, squares + y * width);
        for (size_t x = 0; x < width; x++) sum += squares[y * width + x];
    }
    return (double)sum / (double)(width * height);
}

static void detect(sobel *self)
{
    const size_t n = (size_t)self->image.width * (size_t)self->image.height;
    const double mean = gradients(&self->image, self->squares);
    const double cutoff = self->threshold > 0.0 ? self->threshold * self->threshold : 4.0 * mean;
    /* A whole number is above the cutoff if it is above the cutoff's whole part; no square exceeds INT32_MAX. */
    const int32_t limit = cutoff < INT32_MAX ? (int32_t)cutoff : INT32_MAX;
    for (size_t i = 0; i < n; i++) self->edges[i] = self->squares[i] > limit;
}

static ab_status run_stage(ab_work *work, int stage)
{
    if (stage == ED_DETECT) detect((sobel *)work);
    return ab_ok();
}

static void close_sobel(ab_work *work)
{
    if (work == NULL) return;
    free(((sobel *)work)->squares);
    free(((sobel *)work)->edges);
    free(work);
}

static ab_status read_edges(ed_detector *detector, uint8_t *edges)
{
    const sobel *self = (const sobel *)detector;
    memcpy(edges, self->edges, (size_t)self->image.width * (size_t)self->image.height);
    return ab_ok();
}

static ab_status read_step(ed_detector *detector, int step, float *values)
{
    (void)detector;
    (void)values;
    return ab_unsupported("sobel/seq keeps no step %d", step);
}

static ab_status poison(ed_detector *detector)
{
    sobel *self = (sobel *)detector;
    memset(self->edges, 0xff, (size_t)self->image.width * (size_t)self->image.height);
    return ab_ok();
}

ab_status sobel_seq(const ed_image *image, const ed_params *params, ed_detector **detector)
{
    static const ab_work_methods work_methods = {ED_STAGES, {"upload", "detect", "download"}, run_stage, close_sobel};
    static const ed_methods methods = {.read = read_edges, .read_step = read_step, .poison = poison};
    AB_TRY(ed_check(image, params));
    const size_t n = (size_t)image->width * (size_t)image->height;
    sobel *self = calloc(1, sizeof *self);
    if (self == NULL) return ab_failed("no memory for a detector");
    self->detector = (ed_detector){.work = {&work_methods}, .methods = &methods};
    self->image = *image;
    self->threshold = params->threshold;
    self->squares = malloc(n * sizeof *self->squares);
    self->edges = calloc(n, 1);
    if (self->squares == NULL || self->edges == NULL) {
        close_sobel(&self->detector.work);
        return ab_unsupported("needs %zu MiB of memory", n * (sizeof *self->squares + 1) >> 20);
    }
    *detector = &self->detector;
    return ab_ok();
}
