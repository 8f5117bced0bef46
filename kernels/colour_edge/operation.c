/* Colour edge detection to the harness (kernels/operation.h): parameters, the grid it is tuned over. */
#include <stddef.h>

#include "kernels/colour_edge/colour_edge.h"
#include "kernels/edges/measures.h"

#define AT(member) offsetof(ed_params, member)

static const char *const step_names[] = {
    [CE_ALL] = "all", [CE_ONLY_BLUR] = "blur", [CE_ONLY_GRADIENT] = "gradient", NULL};

static const ab_parameter parameters[] = {
    EDGES_SIGMA,
    {.name = "volume",
     .help = "threshold of the volume's gradient, in multiples of its mean",
     .kind = AB_REAL,
     .offset = AT(volume_coefficient),
     .most = 1e6,
     .fallback = 2,
     .shown = AB_SHOWN},
    {.name = "intensity",
     .help = "the same for the intensity",
     .kind = AB_REAL,
     .offset = AT(intensity_coefficient),
     .most = 1e6,
     .fallback = 2,
     .shown = AB_SHOWN},
    {.name = "thinning",
     .help = "passes of Guo & Hall's thinning",
     .offset = AT(thinning_passes),
     .most = 10000,
     .fallback = 1,
     .shown = AB_SHOWN},
    {.name = "step",
     .help = "what a sample is, of rungs with kernels a step: all, the blur, or the gradient",
     .kind = AB_CHOICE,
     .offset = AT(step),
     .choices = step_names,
     .measure = "step",
     .shown = AB_SHOWN},
    EDGES_PARAMETERS,
};

static const double OFF = 1e6; /* a coefficient that lets nothing pass */
static const double least_coefficient = 0.5;
enum { COEFFICIENTS = 16, THINNING_PASSES = 3 }; /* the last one is OFF */

static double coefficient(int i)
{
    return i < COEFFICIENTS - 1 ? edges_threshold(least_coefficient, i) : OFF;
}

static void set_point(const int point[EDGES_AXES], ed_params *params)
{
    params->sigma = edges_sigmas[point[0]];
    params->volume_coefficient = coefficient(point[1]);
    params->intensity_coefficient = coefficient(point[2]);
    params->thinning_passes = THINNING_PASSES;
}

/* Four bytes are read per pixel of the image, and one is written per pixel of the map. */
static const edges_detector detector = {
    .grid = {.axes = {{EDGES_SIGMAS, .closed_below = true},
                      {COEFFICIENTS, .closed_above = true},
                      {COEFFICIENTS, .closed_above = true}},
             .set = set_point,
             .start = {0, 4, 4},
             .planes = true},
    .bytes_per_pixel = 5.0,
};

static const ab_measure measures[] = {
    EDGES_TIME_AND_QUALITY(detector),
    {.name = "step",
     .scope = "kernel",
     .timed = true,
     .samples = AB_SAMPLE_ITERATIONS,
     .at_once = 100,
     .stage = "detect",
     .alone = true,
     .verify = edges_verify,
     .least_on_host = edges_steps,
     .own = &detector},
    EDGES_NOISE_AND_END(detector),
};

const ab_operation colour_edge_operation = {
    .name = "colour-edge",
    .parameters = parameters,
    .measures = measures,
    EDGES_OPERATION,
};
