/* Colour edge detection to the harness (kernels/operation.h): parameters, the grid it is tuned over. */
#include <math.h>
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

static const edges_grid grid = {COUNT(sigmas) * COUNT(coefficients) * COUNT(coefficients), set_point};

static ab_status judge_noise(const ab_task *task, double *f)
{
    return edges_judge_noise(task, &grid, f);
}

static ab_status verify(const ab_task *task, ab_verdict *verdict)
{
    return edges_verify(task, &(edges_rules){0}, verdict);
}

static const ab_measure measures[] = {EDGES_MEASURES(verify, judge_noise)};

/* The image is read, four bytes a pixel, and the map written, one. */
static ab_work_size size(const ab_circumstances *c, const void *params)
{
    (void)params;
    return (ab_work_size){.bytes = 5.0 * c->input->size, .flops = NAN};
}

const ab_operation colour_edge_operation = {
    .name = "colour-edge",
    .inputs = &edges_inputs,
    .parameters = parameters,
    .params_size = sizeof(ed_params),
    .measures = measures,
    .fit = edges_fit,
    .check = edges_check,
    .set_seed = edges_set_seed,
    .problem = edges_problem,
    .size = size,
    .estimate = edges_estimate,
};
