/* Canny's edge detector to the harness (kernels/operation.h): parameters, the grid it is tuned over. */
#include <stddef.h>

#include "kernels/canny/canny.h"
#include "kernels/edges/measures.h"

#define AT(member) offsetof(ed_params, member)
#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

static const ab_parameter parameters[] = {
    {.name = "sigma", .help = "standard deviation of the Gaussian, pixels; 0: no blur", .kind = AB_REAL,
     .offset = AT(sigma), .most = 5, .fallback = 1, .shown = AB_SHOWN},
    {.name = "low", .help = "threshold of weak edges, |gx| + |gy|", .kind = AB_REAL, .offset = AT(low), .most = 2040,
     .fallback = 50, .shown = AB_SHOWN},
    {.name = "high", .help = "threshold of strong edges", .kind = AB_REAL, .offset = AT(high), .most = 2040,
     .fallback = 150, .shown = AB_SHOWN},
    {.name = "hysteresis", .help = "passes inside blocks; all: until nothing changes", .offset = AT(hysteresis_passes),
     .least = 1, .most = 10000, .word = "all", .shown = AB_SHOWN},
    EDGES_PARAMETERS,
};

static const double sigmas[] = {0.0, 1.0, 1.5, 2.0, 3.0};
static const double highs[] = {20.0, 40.0, 60.0, 80.0, 100.0, 150.0, 200.0, 300.0, 500.0};
static const double low_per_high = 0.4; /* as MATLAB has it */

static void set_point(int point, ed_params *params)
{
    params->high = highs[point % COUNT(highs)];
    params->low = low_per_high * params->high;
    params->sigma = sigmas[point / COUNT(highs)];
    params->hysteresis_passes = 0;
}

/* The grey image is read and the map written, a byte a pixel each. */
static const edges_detector detector = {
    .grid = {COUNT(sigmas) * COUNT(highs), set_point},
    .bytes_per_pixel = 2.0,
    .partial = canny_reference_growth,
    .candidates = canny_reference_classes,
};

static const ab_measure measures[] = {EDGES_MEASURES(detector)};

const ab_operation canny_operation = {
    .name = "canny",
    .parameters = parameters,
    .measures = measures,
    EDGES_OPERATION,
};
