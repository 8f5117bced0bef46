/* Sobel's edge detector to the harness (kernels/operation.h): what the others' maps are compared with (thesis §6.6). */
#include <stddef.h>

#include "kernels/edges/measures.h"

static const ab_parameter parameters[] = {
    {.name = "threshold",
     .help = "of the gradient's magnitude; auto: twice its root mean square",
     .kind = AB_REAL,
     .offset = offsetof(ed_params, threshold),
     .most = 1e6,
     .word = "auto",
     .shown = AB_SHOWN},
    EDGES_PARAMETERS,
};

static const double thresholds[] = {0.0, 25.0, 50.0, 75.0, 100.0, 150.0, 200.0, 300.0, 400.0, 600.0, 800.0};

static void set_point(int point, ed_params *params)
{
    params->threshold = thresholds[point];
}

/* The grey image is read and the map written, a byte a pixel each. */
static const edges_detector detector = {
    .grid = {sizeof thresholds / sizeof *thresholds, set_point},
    .bytes_per_pixel = 2.0,
};

static const ab_measure measures[] = {EDGES_MEASURES(detector)};

const ab_operation sobel_operation = {
    .name = "sobel",
    .parameters = parameters,
    .measures = measures,
    EDGES_OPERATION,
};
