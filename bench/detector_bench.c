/* Measuring edge detectors (detector_bench.h). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/detector_bench.h"
#include "bench/quality.h"

enum { SAMPLES_AT_ONCE = 100, COPY_BYTES = 1 << 28, COPY_SAMPLES = 20 };

/* ---- What all kinds need ---- */

static bool is_operation(const char *implementation, const char *operation)
{
    const size_t length = strlen(operation);
    return strncmp(implementation, operation, length) == 0 && implementation[length] == '/';
}

void detector_format_params(const char *implementation, const ed_params *p, char text[96])
{
    if (is_operation(implementation, "colour-edge")) {
        snprintf(text, 96, "sigma=%g;volume=%g;intensity=%g;thinning=%d", p->sigma, p->volume_coefficient,
                 p->intensity_coefficient, p->thinning_passes);
    } else if (is_operation(implementation, "canny")) {
        char passes[16] = "all";
        if (p->hysteresis_passes) snprintf(passes, sizeof passes, "%d", p->hysteresis_passes);
        snprintf(text, 96, "sigma=%g;low=%g;high=%g;hysteresis=%s", p->sigma, p->low, p->high, passes);
    } else if (p->threshold > 0.0) {
        snprintf(text, 96, "threshold=%g", p->threshold);
    } else {
        snprintf(text, 96, "threshold=auto");
    }
}

static void format_params(const image_table *t, const image_cell *cell, ab_backend backend, char text[128])
{
    detector_format_params(cell->implementation, &cell->detector, text);
    const size_t at = strlen(text);
    if (backend == AB_CPU) snprintf(text + at, 128 - at, ";threads=%d", image_cell_threads(t, cell->detector.threads));
}

double detector_pixels(const image_table *t, const image_cell *cell)
{
    const ab_image *image = &t->inputs[cell->input].image;
    return (double)image->width * image->height;
}

/* Seconds for one image: on one 2.5 GHz core, on a GPU, on fibers. */
double detector_seconds(const image_table *t, const image_cell *cell, ab_backend backend)
{
    if (backend == AB_CUDA) return 3e-5 + 1e-10 * detector_pixels(t, cell);
    if (backend == AB_HOST) return 2e-6 * detector_pixels(t, cell);
    return 2e-8 * detector_pixels(t, cell) / image_cell_threads(t, cell->detector.threads);
}

ed_image detector_image(const image_input *input)
{
    return (ed_image){input->image.width, input->image.height, input->rgba, input->grey};
}

ed_params detector_params(const image_table *t, const image_cell *cell)
{
    ed_params params = cell->detector;
    params.threads = image_cell_threads(t, params.threads);
    return params;
}

/* Opens a detector on an image, finds the edges once and copies the map out. */
ab_status detector_map(const ab_implementation *implementation, const ed_image *image, const ed_params *params,
                       uint8_t *map)
{
    ab_work *work = NULL;
    AB_TRY(implementation->open(image, params, &work));
    ed_detector *detector = (ed_detector *)work;
    ab_status status = detector->methods->poison(detector);
    if (status.code == AB_OK) status = ab_iterate(&detector->work);
    if (status.code == AB_OK) status = detector->methods->read(detector, map);
    detector->work.methods->close(&detector->work);
    return status;
}

static const char *published_row(const image_cell *cell)
{
    return cell->published_row ? cell->published_row : cell->row;
}

static ab_status save_edges(const image_table *t, const image_cell *cell, const uint8_t *map)
{
    char name[64];
    snprintf(name, sizeof name, "%s-edges", cell->row);
    return image_save_map(t, &t->inputs[cell->input], name, map);
}

/* A row that could not be measured is written all the same. */
ab_status detector_append_failure(image_table *t, ab_row *row, const ab_status *failure)
{
    ab_row_set_failure(row, false, failure);
    return ab_run_append(t->base.bench.run, row, NULL, 0);
}

/* ---- Time ---- */

static double estimate_time(const image_table *t, const image_cell *cell, ab_backend backend)
{
    const ab_effort *effort = &t->base.bench.effort;
    const double one = detector_seconds(t, cell, backend);
    if (backend == AB_HOST) return detector_pixels(t, cell) > effort->host_steps ? 0.0 : one;
    return 1e-7 * detector_pixels(t, cell) + fmin(one * effort->iterations, effort->budget_s);
}

static bool is_partial(const image_cell *cell)
{
    return is_operation(cell->implementation, "canny") && cell->detector.hysteresis_passes > 0;
}

static bool is_npp(const image_cell *cell)
{
    return strcmp(cell->implementation, "canny/npp") == 0;
}

/* The map that the cell's must equal. */
static ab_status reference_map(const image_table *t, const image_cell *cell, uint8_t *map)
{
    const bool colour = is_operation(cell->implementation, "colour-edge");
    const ab_implementation *reference = ab_find_implementation(colour ? "colour-edge/seq" : "canny/opencv", AB_CPU);
    const ed_image image = detector_image(&t->inputs[cell->input]);
    ed_params params = cell->detector;
    params.hysteresis_passes = 0;
    params.threads = 1;
    return detector_map(reference, &image, &params, map);
}

/* Compares the maps; what differs goes into the row. */
static ab_status compare_maps(const image_cell *cell, const uint8_t *map, const uint8_t *reference, double pixels,
                              ab_row *row, bool *wrong)
{
    double missing = 0.0, surplus = 0.0;
    for (size_t i = 0; i < (size_t)pixels; ++i) {
        *wrong |= map[i] > 1;
        missing += map[i] == 0 && reference[i] == 1;
        surplus += map[i] == 1 && reference[i] == 0;
    }
    snprintf(row->verify_metric, sizeof row->verify_metric, "mismatched-pixels");
    row->verify_value = missing + surplus;
    if (*wrong) return ab_failed("the map has values other than 0 and 1");
    if (is_npp(cell) || is_partial(cell)) quality_set(row, "mismatch-share", (missing + surplus) / pixels);
    if (is_npp(cell) || is_partial(cell)) ab_row_add_note(row, "%g pixels missing, %g too many", missing, surplus);
    const double mistakes = is_npp(cell) ? missing : is_partial(cell) ? surplus : missing + surplus;
    *wrong = mistakes > (is_npp(cell) ? NPP_TOLERANCE * pixels + 1.0 : DETECTOR_TOLERANCE * pixels);
    return *wrong ? ab_failed("%g pixels are missing and %g are too many, of %g", missing, surplus, pixels) : ab_ok();
}

static ab_status verify(const image_table *t, const image_cell *cell, const ab_implementation *implementation,
                        ab_row *row, bool *wrong)
{
    const size_t pixels = (size_t)detector_pixels(t, cell);
    const ed_image image = detector_image(&t->inputs[cell->input]);
    const ed_params params = detector_params(t, cell);
    uint8_t *map = malloc(pixels), *reference = malloc(pixels);
    ab_status status = map && reference ? ab_ok() : ab_failed("out of memory");
    if (status.code == AB_OK) status = reference_map(t, cell, reference);
    if (status.code == AB_OK) status = detector_map(implementation, &image, &params, map);
    if (status.code == AB_OK) status = compare_maps(cell, map, reference, (double)pixels, row, wrong);
    if (status.code == AB_OK) status = save_edges(t, cell, map);
    free(map);
    free(reference);
    return status;
}

/* The stage DETECT of a detector as a work of its own: an image that is on the device already, again and again, as in the
 * thesis. Between two transfers a kernel would wait for the copy engine. */
typedef struct detect_work {
    ab_work work;
    ed_detector *detector;
} detect_work;

static ab_status run_detect(ab_work *work, int stage)
{
    (void)stage;
    ed_detector *detector = ((detect_work *)work)->detector;
    return detector->work.methods->run_stage(&detector->work, ED_DETECT);
}

static const ab_work_methods detect_methods = {.n_stages = 1, .stage_names = {"detect"}, .run_stage = run_detect};

static ab_status take_samples(const image_table *t, ab_work *work, ab_backend backend, ab_series *series, ab_row *row)
{
    return ab_take_samples(&t->base.bench, work, backend, t->base.bench.effort.iterations, SAMPLES_AT_ONCE,
                           AB_ALL_STAGES, series, row);
}

/* The row with the transfers. */
static ab_status append_end_to_end(image_table *t, ed_detector *detector, const ab_row *row)
{
    ab_series series = {0};
    ab_row whole = *row;
    snprintf(whole.scope, sizeof whole.scope, "end-to-end");
    ab_status status = take_samples(t, &detector->work, AB_CUDA, &series, &whole);
    if (status.code == AB_OK) status = ab_bench_append(&t->base.bench, &whole, &series, AB_ALL_STAGES);
    ab_series_free(&series);
    return status;
}

/* The samples of DETECT into the series; the row with the transfers is written here, before that of the key. */
static ab_status time_detector(image_table *t, const image_cell *cell, const ab_implementation *implementation,
                               ab_series *series, ab_row *row)
{
    const ed_image image = detector_image(&t->inputs[cell->input]);
    const ed_params params = detector_params(t, cell);
    ab_work *work = NULL;
    AB_TRY(implementation->open(&image, &params, &work));
    ed_detector *detector = (ed_detector *)work;
    detect_work alone = {{&detect_methods}, detector};
    ab_status status = ab_iterate(&detector->work); /* brings the image to the device */
    if (status.code == AB_OK) status = take_samples(t, &alone.work, implementation->backend, series, row);
    if (status.code == AB_OK && implementation->backend == AB_CUDA) status = append_end_to_end(t, detector, row);
    detector->work.methods->close(&detector->work);
    return status;
}

/* The bandwidth of the GPU's memory by a copy in it, bytes read and written, measured once. */
static ab_status copy_bandwidth(image_table *t)
{
    if (t->copy_bytes_per_s > 0.0) return ab_ok();
    ab_work *work = NULL;
    ab_series series = {0};
    int completed;
    AB_TRY(gpu_copy_open(COPY_BYTES, &work));
    ab_status status = ab_iterate(work);
    if (status.code == AB_OK) status = ab_measure(work, AB_CUDA, COPY_SAMPLES, INFINITY, &series, &completed);
    if (status.code == AB_OK)
        t->copy_bytes_per_s = 2.0 * COPY_BYTES / (1e-3 * ab_summarise(series.ms, series.n).median);
    ab_series_free(&series);
    work->methods->close(work);
    return status;
}

/* What a perfect implementation would take, as a share of what this one did: it reads the image and writes the map once. */
static ab_status add_bandwidth(image_table *t, const image_cell *cell, const ab_series *series, ab_row *row)
{
    if (row->quality_metric[0]) return ab_ok(); /* what differs from all of Canny says more */
    const double bytes = detector_pixels(t, cell) * (is_operation(cell->implementation, "colour-edge") ? 5.0 : 2.0);
    double ms = 0.0;
    AB_TRY(copy_bandwidth(t));
    for (int i = 0; i < series->n; ++i) ms += series->ms[i] / series->n;
    quality_set(row, "bandwidth-share", bytes / t->copy_bytes_per_s / (1e-3 * ms));
    ab_row_add_note(row, "copy in the GPU's memory: %.0f GB/s", 1e-9 * t->copy_bytes_per_s);
    return ab_ok();
}

static ab_status measure_time(image_table *t, const image_cell *cell, const ab_implementation *implementation,
                              ab_row *row)
{
    const bool on_host = implementation->backend == AB_HOST;
    if (on_host && detector_pixels(t, cell) > t->base.bench.effort.host_steps) {
        row->status = AB_ROW_SKIPPED;
        ab_row_add_note(row, "more than %g pixels: too large for the host backend", t->base.bench.effort.host_steps);
        return ab_run_append(t->base.bench.run, row, NULL, 0);
    }
    ab_series series = {0};
    bool wrong = false;
    ab_status status = verify(t, cell, implementation, row, &wrong);
    if (status.code == AB_OK && !on_host) status = time_detector(t, cell, implementation, &series, row);
    if (status.code == AB_OK && implementation->backend == AB_CUDA) status = add_bandwidth(t, cell, &series, row);
    if (!on_host)
        ab_row_add_published(row, ab_table_published(&t->base, "6.1"), published_row(cell),
                             t->inputs[cell->input].asked, "kernel");
    if (status.code == AB_OK && on_host) ab_row_add_note(row, "verified on the host backend, not timed");
    if (status.code != AB_OK) {
        ab_row_set_failure(row, wrong, &status);
        ab_series_free(&series);
    }
    status = ab_bench_append(&t->base.bench, row, &series, AB_ALL_STAGES);
    ab_series_free(&series);
    return status;
}

const image_cell_kind detector_time = {
    .scope = "kernel",
    .timed = true,
    .format_params = format_params,
    .estimate = estimate_time,
    .measure = measure_time,
};

/* ---- Quality ---- */

static double estimate_quality(const image_table *t, const image_cell *cell, ab_backend backend)
{
    return 5e-7 * detector_pixels(t, cell) + detector_seconds(t, cell, backend);
}

static ab_status judge_map(image_table *t, const image_cell *cell, const ab_implementation *implementation,
                           uint8_t *map, ab_row *row)
{
    const image_input *input = &t->inputs[cell->input];
    const ed_image image = detector_image(input);
    const ed_params params = detector_params(t, cell);
    AB_TRY(detector_map(implementation, &image, &params, map));
    AB_TRY(save_edges(t, cell, map));
    return quality_append(t, input, map, row);
}

static ab_status measure_quality(image_table *t, const image_cell *cell, const ab_implementation *implementation,
                                 ab_row *row)
{
    uint8_t *map = malloc((size_t)detector_pixels(t, cell));
    ab_status status = map ? judge_map(t, cell, implementation, map, row) : ab_failed("out of memory");
    free(map);
    return status.code == AB_OK || ab_run_find(t->base.bench.run, row) ? status
                                                                       : detector_append_failure(t, row, &status);
}

const image_cell_kind detector_quality = {
    .scope = "quality",
    .metric = "f",
    .format_params = format_params,
    .estimate = estimate_quality,
    .measure = measure_quality,
};
