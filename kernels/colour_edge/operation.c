/* Colour edge detection to the harness (kernels/operation.h): parameters, the grid it is tuned over. */
#include <stddef.h>

#include "kernels/edges/measures.h"

#define AT(member) offsetof(ed_params, member)
#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

static const ab_parameter parameters[] = {
    {.name = "sigma", .help = "standard deviation of the Gaussian, pixels; 0: no blur", .kind = AB_REAL,
     .offset = AT(sigma), .most = 5, .fallback = 1, .shown = AB_SHOWN},
    {.name = "volume", .help = "threshold of the volume's gradient, in multiples of its mean", .kind = AB_REAL,
     .offset = AT(volume_coefficient), .most = 1e6, .fallback = 2, .shown = AB_SHOWN},
    {.name = "intensity", .help = "the same for the intensity", .kind = AB_REAL, .offset = AT(intensity_coefficient),
     .most = 1e6, .fallback = 2, .shown = AB_SHOWN},
    {.name = "thinning", .help = "passes of Guo & Hall's thinning", .offset = AT(thinning_passes), .most = 10000,
     .fallback = 1, .shown = AB_SHOWN},
    EDGES_PARAMETERS,
};

static const double OFF = 1e6; /* a coefficient that lets nothing pass */
static const double sigmas[] = {0.0, 1.0, 1.5, 2.0, 3.0};
static const double coefficients[] = {1.0, 1.5, 2.0, 3.0, 4.0, 6.0, OFF};
enum { THINNING_PASSES = 3 };

static void set_point(int point, ed_params *params)
{
    params->volume_coefficient = coefficients[point % COUNT(coefficients)];
    point /= COUNT(coefficients);
    params->intensity_coefficient = coefficients[point % COUNT(coefficients)];
    params->sigma = sigmas[point / COUNT(coefficients)];
    params->thinning_passes = THINNING_PASSES;
}

/* The image is read, four bytes a pixel, and the map written, one. */
static const edges_detector detector = {
    .grid = {COUNT(sigmas) * COUNT(coefficients) * COUNT(coefficients), set_point},
    .bytes_per_pixel = 5.0,
};

static const ab_measure measures[] = {EDGES_MEASURES(detector)};

const ab_operation colour_edge_operation = {
    .name = "colour-edge",
    .parameters = parameters,
    .measures = measures,
    EDGES_OPERATION,
};
