/* Canny's edge detector to the harness (kernels/operation.h): parameters, the grid it is tuned over. */
#include <stddef.h>

#include "kernels/canny/canny.h"
#include "kernels/edges/measures.h"

#define AT(member) offsetof(ed_params, member)

static const ab_parameter parameters[] = {
    EDGES_SIGMA,
    {.name = "low",
     .help = "threshold of weak edges, |gx| + |gy|",
     .kind = AB_REAL,
     .offset = AT(low),
     .most = 2040,
     .fallback = 50,
     .shown = AB_SHOWN},
    {.name = "high",
     .help = "threshold of strong edges",
     .kind = AB_REAL,
     .offset = AT(high),
     .most = 2040,
     .fallback = 150,
     .shown = AB_SHOWN},
    {.name = "hysteresis",
     .help = "passes inside blocks; all: until nothing changes",
     .offset = AT(hysteresis_passes),
     .least = 1,
     .most = 10000,
     .word = "all",
     .shown = AB_SHOWN},
    EDGES_PARAMETERS,
};

static const double least_high = 10.0;
enum { HIGHS = 15, LOWS = 8 };

/* The axes: sigma, the threshold of strong edges, and the number of steps by which the threshold of weak edges is
 * lower. */
static void set_point(const int point[EDGES_AXES], ed_params *params)
{
    params->sigma = edges_sigmas[point[0]];
    params->high = edges_threshold(least_high, point[1]);
    params->low = params->high / edges_threshold(1.0, point[2]);
    params->hysteresis_passes = 0;
}

/* The grey image is read and the map written, a byte per pixel each. */
static const edges_detector detector = {
    .grid = {.axes = {{EDGES_SIGMAS, .closed_below = true}, {HIGHS}, {LOWS, .closed_below = true}},
             .set = set_point,
             .start = {0, HIGHS / 2, 2}},
    .bytes_per_pixel = 2.0,
    .partial = canny_reference_growth,
};

static const ab_measure measures[] = {EDGES_MEASURES(detector)};

const ab_operation canny_operation = {
    .name = "canny",
    .parameters = parameters,
    .measures = measures,
    EDGES_OPERATION,
};
