/* convolution to the harness: parameters, verification and how much work it is (kernels/operation.h). The problem is
 * the grey image as floats; a sample is one convolution of it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/random.h"
#include "kernels/convolution/convolution.h"
#include "kernels/edges/edges.h"
#include "kernels/host/host_backend.h"

enum { VERIFIED_ORDER = 2 }; /* order of threads on the host backend: it lets a warp run ahead of the others */

static void fit(const ab_circumstances *c, void *fitted)
{
    conv_params *params = fitted;
    if (params->threads == 0) params->threads = c->cores;
}

static ab_status check(const ab_circumstances *c, const void *params)
{
    const conv_image image = {.width = c->input->width, .height = c->input->height};
    return conv_check(&image, params);
}

/* Nothing is drawn. */
static void set_seed(void *params, uint64_t seed)
{
    (void)params, (void)seed;
}

static ab_status give_floats(edges_image *image)
{
    const size_t pixels = edges_pixels(image);
    if (image->floats) return ab_ok();
    image->floats = malloc(pixels * sizeof *image->floats);
    if (!image->floats) return ab_failed("out of memory: %zu MiB for the image", pixels * sizeof(float) >> 20);
#pragma omp parallel for
    for (size_t i = 0; i < pixels; i++) image->floats[i] = image->grey[i];
    return ab_ok();
}

static ab_status problem(const ab_task *task, const void **given)
{
    edges_image *image = task->loaded;
    AB_TRY(give_floats(image));
    conv_image *view = realloc(image->problem, sizeof *view);
    if (!view) return ab_failed("out of memory");
    image->problem = view;
    *view = (conv_image){image->image.width, image->image.height, image->floats};
    *given = view;
    return ab_ok();
}

/* ---- Verification ---- */

static ab_status verify_on(const ab_implementation *implementation, const conv_image *image, const conv_params *params,
                           double *largest, bool *wrong)
{
    const conv_filter filter = conv_make_filter(params);
    ab_work *work = NULL;
    AB_TRY(implementation->open(image, params, &work));
    const ab_status status = conv_verify((conv_state *)work, image, &filter, largest, wrong);
    work->methods->close(work);
    return status;
}

/* Images with odd sides, smaller than a filter, or narrower than a warp. Their pixels are whole numbers and must be
 * met exactly. The largest has a NaN and an infinity in the middle, where these can spread. It is wide enough for a
 * warp of 128 columns that reads nothing outside. */
static const int sides[][2] = {{397, 67}, {1, 1}, {3, 2}, {7, 40}, {33, 5}};
enum { PROBES = sizeof sides / sizeof *sides, PROBE_PIXELS = 397 * 67 };

static conv_image probe(int number, bool spreading, float *pixels)
{
    const int width = sides[number][0], height = sides[number][1];
    uint64_t random = (uint64_t)number;
    for (int i = 0; i < width * height; i++) pixels[i] = (float)random_below(&random, 256);
    if (number == 0 && spreading) {
        pixels[30 * width + 40] = NAN;
        pixels[30 * width + 100] = INFINITY;
    }
    return (conv_image){width, height, pixels};
}

/* Uses a filter of the same width with different weights everywhere, so that flipping or cutting it shows. */
static ab_status verify_probes(const ab_task *task, bool *wrong)
{
    conv_params params = *(const conv_params *)task->params;
    const bool copied = params.filter == CONV_IDENTITY;
    if (!copied) params.filter = CONV_SKEW;
    params.whole = true;
    for (int i = 0; i < PROBES; i++) {
        float pixels[PROBE_PIXELS];
        double largest;
        const conv_image image = probe(i, !copied, pixels);
        const ab_status status = verify_on(task->c->implementation, &image, &params, &largest, wrong);
        if (status.code == AB_UNSUPPORTED) continue;
        if (status.code != AB_OK)
            return ab_failed("on probe %d of %d x %d pixels: %.400s", i, image.width, image.height, status.reason);
    }
    return ab_ok();
}

static ab_status verify(const ab_task *task, ab_verdict *verdict)
{
    snprintf(verdict->metric, sizeof verdict->metric, "largest-relative-error");
    host_backend_set_order(VERIFIED_ORDER);
    ab_status status =
        verify_on(task->c->implementation, task->problem, task->params, &verdict->value, &verdict->wrong);
    if (status.code == AB_OK) status = verify_probes(task, &verdict->wrong);
    host_backend_set_order(0);
    if (status.code == AB_OK && task->c->implementation->backend == AB_HOST)
        task->sink->note(task->sink, "verified on the host backend, not timed");
    return status;
}

/* What the clock enqueues before the GPU begins (bench/clock/measure.c): a kernel of 3 us is over before the CPU has
 * launched the next. */
enum { AT_ONCE = 5 };

static const ab_measure measures[] = {
    {.name = "time",
     .scope = "kernel",
     .timed = true,
     .samples = AB_SAMPLE_ITERATIONS,
     .at_once = AT_ONCE,
     .verify = verify,
     .least_on_host = edges_steps},
    {.name = NULL},
};

/* A pixel is read and written, a float each; a multiplication and an addition a weight (KTH §4.2), whatever an
 * implementation needs of them. */
static ab_work_size size(const ab_circumstances *c, const void *fitted)
{
    const conv_params *params = fitted;
    const double pixels = c->input->size, area = params->width * params->width;
    return (ab_work_size){.bytes = 8.0 * pixels, .flops = 2.0 * area * pixels};
}

/* Seconds. A sample on CPU cores takes 1 ns per product; on a GPU it takes 10 us and 10 ps per pixel. Verifying
 * takes 2 ns per product. The host backend's fibers add 0.3 us per pixel and 20 ns per product. */
static void estimate(const ab_circumstances *c, const void *fitted, double *sample_s, double *once_s)
{
    const conv_params *params = fitted;
    const ab_backend backend = c->implementation->backend;
    const double pixels = c->input->size, products = pixels * params->width * params->width;
    *sample_s = backend == AB_CUDA  ? 1e-5 + 1e-11 * pixels
                : backend == AB_CPU ? 1e-9 * products / params->threads
                                    : 0.0;
    *once_s = 2e-9 * products + (backend == AB_HOST ? 3e-7 * pixels + 2e-8 * products : 2.0 * *sample_s);
}

const ab_operation convolution_operation = {
    .name = "convolution",
    .inputs = &edges_inputs,
    .parameters = conv_parameters,
    .params_size = sizeof(conv_params),
    .measures = measures,
    .fit = fit,
    .check = check,
    .set_seed = set_seed,
    .problem = problem,
    .size = size,
    .estimate = estimate,
};
