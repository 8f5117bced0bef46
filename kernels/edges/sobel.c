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

static const double least_threshold = 10.0;
enum { THRESHOLDS = 15 };

static void set_point(const int point[EDGES_AXES], ed_params *params)
{
    params->threshold = edges_threshold(least_threshold, point[1]);
}

/* The grey image is read and the map written, a byte per pixel each. */
static const edges_detector detector = {
    .grid = {.axes = {{1}, {THRESHOLDS}, {1}}, .set = set_point},
    .bytes_per_pixel = 2.0,
};

static const ab_measure measures[] = {EDGES_MEASURES(detector)};

const ab_operation sobel_operation = {
    .name = "sobel",
    .parameters = parameters,
    .measures = measures,
    EDGES_OPERATION,
};
