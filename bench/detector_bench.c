/* Measuring edge detectors (detector_bench.h). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/detector_bench.h"
#include "bench/quality.h"

/* The registry says by operation which member of the union it is. */
static ed_open *detector_open(const ab_implementation *implementation)
{
    if (strcmp(implementation->operation, "colour-edge") == 0) return implementation->open.colour_edge;
    return strcmp(implementation->operation, "canny") == 0 ? implementation->open.canny : implementation->open.sobel;
}

ab_status detector_map(const ab_implementation *implementation, const ed_image *image, const ed_params *params,
                       uint8_t *map)
{
    ed_detector *detector = NULL;
    AB_TRY(detector_open(implementation)(image, params, &detector));
    ab_status status = detector->methods->poison(detector);
    if (status.code == AB_OK) status = ab_iterate(&detector->work);
    if (status.code == AB_OK) status = detector->methods->read(detector, map);
    detector->work.methods->close(&detector->work);
    return status;
}

static void format_params(const image_table *t, const image_cell *cell, ab_backend backend, char text[128])
{
    (void)t;
    (void)backend;
    (void)cell;
    snprintf(text, 128, "threshold=auto");
}

static double estimate_quality(const image_table *t, const image_cell *cell, ab_backend backend)
{
    const ab_image *image = &t->inputs[cell->input].image;
    return 1e-7 * (backend == AB_HOST ? 20.0 : 5.0) * image->width * image->height;
}

static ab_status measure_quality(image_table *t, const image_cell *cell, const ab_implementation *implementation,
                                 ab_row *row)
{
    const image_input *input = &t->inputs[cell->input];
    const ed_image image = {input->image.width, input->image.height, input->rgba, input->grey};
    ed_params params = cell->detector;
    params.threads = image_cell_threads(t, params.threads);
    uint8_t *map = malloc((size_t)image.width * (size_t)image.height);
    if (!map) return ab_failed("out of memory");
    char name[80];
    snprintf(name, sizeof name, "%s-edges", cell->row);
    ab_status status = detector_map(implementation, &image, &params, map);
    if (status.code == AB_OK) status = image_save_map(t, input, name, map);
    if (status.code == AB_OK) {
        status = quality_append(t, input, map, row);
    } else {
        ab_row_set_failure(row, false, &status);
        status = ab_run_append(t->base.bench.run, row, NULL, 0);
    }
    free(map);
    return status;
}

const image_cell_kind detector_quality = {
    .scope = "quality",
    .metric = "f",
    .format_params = format_params,
    .estimate = estimate_quality,
    .measure = measure_quality,
};
