/* Grids of parameters (detector_grid.h). */
#include <string.h>

#include "bench/detector_grid.h"

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

static const double OFF = 1e6; /* a coefficient that lets nothing pass */
static const double sigmas[] = {0.0, 1.0, 1.5, 2.0, 3.0};
static const double coefficients[] = {1.0, 1.5, 2.0, 3.0, 4.0, 6.0, OFF};
static const double highs[] = {20.0, 40.0, 60.0, 80.0, 100.0, 150.0, 200.0, 300.0, 500.0};
static const double thresholds[] = {0.0, 25.0, 50.0, 75.0, 100.0, 150.0, 200.0, 300.0, 400.0, 600.0, 800.0};
enum { THINNING_PASSES = 3 };

/* Canny's lower threshold is 0.4 of the upper, as MATLAB has it. */
static const double low_per_high = 0.4;

static void set_colour_edge(int point, ed_params *params)
{
    params->volume_coefficient = coefficients[point % COUNT(coefficients)];
    point /= COUNT(coefficients);
    params->intensity_coefficient = coefficients[point % COUNT(coefficients)];
    params->sigma = sigmas[point / COUNT(coefficients)];
    params->thinning_passes = THINNING_PASSES;
}

static void set_canny(int point, ed_params *params)
{
    params->high = highs[point % COUNT(highs)];
    params->low = low_per_high * params->high;
    params->sigma = sigmas[point / COUNT(highs)];
    params->hysteresis_passes = 0;
}

static void set_sobel(int point, ed_params *params)
{
    params->threshold = thresholds[point];
}

detector_parameter_grid detector_grid(const char *implementation)
{
    if (strncmp(implementation, "colour-edge/", 12) == 0)
        return (detector_parameter_grid){COUNT(sigmas) * COUNT(coefficients) * COUNT(coefficients), set_colour_edge};
    if (strncmp(implementation, "canny/", 6) == 0)
        return (detector_parameter_grid){COUNT(sigmas) * COUNT(highs), set_canny};
    return (detector_parameter_grid){COUNT(thresholds), set_sobel};
}
