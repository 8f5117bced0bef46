/* Convolution on the CPU: as the report has it, and as fast as a CPU does.
 *
 *   serial    one thread, the four loops of KTH eq. 3 on an image with an apron, which is made once
 *   cpu-registers
 *             bands of rows shared among threads; 64 columns at a time stay in registers while all weights pass by,
 *             and a filter of rank 1 is applied to columns, then to the row that they leave
 */
#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "baselines/cpu_colony.h"
#include "baselines/lanes.h"
#include "kernels/convolution/convolution.h"
#include "operations/convolution.h"

convolution_open convolution_serial, convolution_cpu_registers;

/* ---- What both share ---- */

typedef struct cpu_convolution {
    conv_state base;  /* first */
    conv_image image; /* the caller's */
    int threads;
    int k, width; /* radius of the filter, and 2 k + 1 */
    bool rank_one;
    float weights[CONV_MAX_WIDTH * CONV_MAX_WIDTH], across[CONV_MAX_WIDTH], down[CONV_MAX_WIDTH];
    size_t stride; /* floats of a row with its apron */
    float *rows;   /* serial: [height + 2 k][stride], with the apron; cpu-registers: [threads][width + 1][stride] */
    size_t result_stride;
    float *result; /* [height][result_stride] */
    ab_memory memory;
} cpu_convolution;

static float *result_row(const cpu_convolution *self, int y)
{
    return self->result + (size_t)y * self->result_stride;
}

/* Row y of the image, or the nearest one, with an apron on both sides. */
static void extend_row(const cpu_convolution *self, int y, float *row)
{
    const int last = self->image.height - 1, width = self->image.width;
    const float *from = self->image.pixels + (size_t)(y < 0 ? 0 : y > last ? last : y) * (size_t)width;
    for (int i = 0; i < self->k; i++) {
        row[i] = from[0];
        row[self->k + width + i] = from[width - 1];
    }
    memcpy(row + self->k, from, (size_t)width * sizeof *row);
}

/* ---- serial ---- */

static ab_status run_serial(ab_work *work, int stage)
{
    const cpu_convolution *self = (const cpu_convolution *)work;
    const int k = self->k, width = self->width;
    (void)stage;
    for (int y = 0; y < self->image.height; y++)
        for (int x = 0; x < self->image.width; x++) {
            const float *middle = self->rows + (size_t)(y + k) * self->stride + (size_t)(x + k);
            float sum = 0.0f;
            for (int s = -k; s <= k; s++)
                for (int r = -k; r <= k; r++)
                    sum += self->weights[(s + k) * width + r + k] * middle[-s * (ptrdiff_t)self->stride - r];
            result_row(self, y)[x] = sum;
        }
    return ab_ok();
}

/* ---- cpu-registers ---- */

enum { VECTORS = 4, BLOCK = VECTORS * LANES }; /* columns whose sums are in registers at a time */

/* Lanes of a row's pixels, which may begin at any address. */
typedef float unaligned_lanes __attribute__((vector_size(64), aligned(4), may_alias));

/* The sums of weights[0 .. per_row-1] times each row, of `count` columns, a block of them at a time: up to BLOCK - 1
 * columns more are read and written. */
CPU_MULTIVERSION static void sum_blocks(const float *const rows[], int n_rows, int per_row, const float *weights,
                                        size_t count, float *sums)
{
    for (size_t x = 0; x < count; x += BLOCK) {
        lanes sum[VECTORS] = {{0}};
        for (int s = 0; s < n_rows; s++)
            for (int r = 0; r < per_row; r++)
                for (int v = 0; v < VECTORS; v++)
                    sum[v] += weights[s * per_row + r] * *(const unaligned_lanes *)(rows[s] + x + r + v * LANES);
        for (int v = 0; v < VECTORS; v++) *(unaligned_lanes *)(sums + x + v * LANES) = sum[v];
    }
}

/* One row of the result from the 2 k + 1 rows around it, the last one first; `line` has room for one more. */
static void convolve_row(const cpu_convolution *self, const float *const rows[], float *line, float *result)
{
    const size_t columns = (size_t)self->image.width;
    if (!self->rank_one) {
        sum_blocks(rows, self->width, self->width, self->weights, columns, result);
        return;
    }
    const float *const lines[] = {line};
    sum_blocks(rows, self->width, 1, self->down, columns + 2 * (size_t)self->k, line);
    sum_blocks(lines, 1, self->width, self->across, columns, result);
}

/* Rows first .. end-1, with `ring`, [width + 1][stride], which holds the rows around and a line. */
static void convolve_band(const cpu_convolution *self, int first, int end, float *ring)
{
    const int k = self->k, width = self->width;
    for (int y = first - k; y < first + k; y++) extend_row(self, y, ring + (size_t)((y + k) % width) * self->stride);
    for (int y = first; y < end; y++) {
        const float *rows[CONV_MAX_WIDTH];
        extend_row(self, y + k, ring + (size_t)((y + 2 * k) % width) * self->stride);
        for (int s = 0; s < width; s++) rows[s] = ring + (size_t)((y + 2 * k - s) % width) * self->stride;
        convolve_row(self, rows, ring + (size_t)width * self->stride, result_row(self, y));
    }
}

static ab_status run_registers(ab_work *work, int stage)
{
    const cpu_convolution *self = (const cpu_convolution *)work;
    const size_t ring = (size_t)(self->width + 1) * self->stride;
    (void)stage;
#pragma omp parallel num_threads(self->threads)
    {
        const int64_t thread = omp_get_thread_num(), threads = omp_get_num_threads(), height = self->image.height;
        convolve_band(self, (int)(height * thread / threads), (int)(height * (thread + 1) / threads),
                      self->rows + (size_t)thread * ring);
    }
    return ab_ok();
}

/* ---- Opening, reading ---- */

static void close_convolution(ab_work *work)
{
    if (work == NULL) return;
    ab_memory_free(&((cpu_convolution *)work)->memory);
    free(work);
}

static ab_status read_result(conv_state *base, float *pixels)
{
    const cpu_convolution *self = (const cpu_convolution *)base;
    const size_t width = (size_t)self->image.width;
    for (int y = 0; y < self->image.height; y++)
        memcpy(pixels + (size_t)y * width, result_row(self, y), width * sizeof *pixels);
    return ab_ok();
}

static ab_status poison(conv_state *base)
{
    const cpu_convolution *self = (const cpu_convolution *)base;
    memset(self->result, 0xff, (size_t)self->image.height * self->result_stride * sizeof *self->result);
    return ab_ok();
}

static const conv_methods methods = {read_result, poison};

/* Rounds the filter to floats; those across turned round, as the pixels come from left to right. */
static void set_filter(cpu_convolution *self, const conv_params *params, bool turned)
{
    const conv_filter filter = conv_make_filter(params);
    const int width = params->width;
    self->k = filter.radius;
    self->width = width;
    self->rank_one = filter.rank_one;
    for (int s = 0; s < width; s++) {
        self->across[s] = (float)filter.across[turned ? width - 1 - s : s];
        self->down[s] = (float)filter.down[s];
        for (int r = 0; r < width; r++)
            self->weights[s * width + r] = (float)filter.weights[s * width + (turned ? width - 1 - r : r)];
    }
}

/* Opens with room for `n_rows` rows; the rows of cpu-registers are turned. */
static ab_status open_convolution(const conv_image *image, const conv_params *params,
                                  const ab_work_methods *work_methods, bool in_registers, cpu_convolution **opened)
{
    AB_TRY(conv_check(image, params));
    cpu_convolution *self = calloc(1, sizeof *self);
    if (!self) return ab_failed("out of memory");
    self->base = (conv_state){{.methods = work_methods}, &methods};
    self->image = *image;
    self->threads = params->threads > 0 ? params->threads : omp_get_num_procs();
    self->base.work.threads = in_registers ? self->threads : 0;
    set_filter(self, params, in_registers);
    /* A block may reach beyond the last column. */
    self->stride = (size_t)image->width + 2 * (size_t)self->k + BLOCK;
    const size_t rows =
        in_registers ? (size_t)self->threads * (size_t)(self->width + 1) : (size_t)(image->height + 2 * self->k);
    self->rows = ab_allocate(&self->memory, rows * self->stride, sizeof *self->rows);
    self->result_stride = ((size_t)image->width + BLOCK - 1) / BLOCK * BLOCK;
    self->result = ab_allocate(&self->memory, (size_t)image->height * self->result_stride, sizeof *self->result);
    const ab_status status = ab_memory_status(&self->memory);
    if (status.code == AB_OK)
        *opened = self;
    else
        close_convolution(&self->base.work);
    return status;
}

ab_status convolution_serial(const conv_image *image, const conv_params *params, conv_state **opened)
{
    static const ab_work_methods work_methods = {1, {"convolve"}, run_serial, close_convolution};
    cpu_convolution *self;
    AB_TRY(open_convolution(image, params, &work_methods, false, &self));
    for (int y = -self->k; y < image->height + self->k; y++)
        extend_row(self, y, self->rows + (size_t)(y + self->k) * self->stride);
    *opened = &self->base;
    return ab_ok();
}

ab_status convolution_cpu_registers(const conv_image *image, const conv_params *params, conv_state **opened)
{
    static const ab_work_methods work_methods = {1, {"convolve"}, run_registers, close_convolution};
    cpu_convolution *self;
    AB_TRY(open_convolution(image, params, &work_methods, true, &self));
    *opened = &self->base;
    return ab_ok();
}
