/* Canny's edge detector to the harness (kernels/operation.h): parameters, the grid it is tuned over. */
#include <stddef.h>

#include "kernels/canny/batch.h"
#include "kernels/canny/canny.h"
#include "kernels/edges/measures.h"

#define AT(member) offsetof(ed_params, member)

static const ab_parameter parameters[] = {
    {.name = "sigma",
     .help = "standard deviation of the Gaussian, pixels; 0: no blur",
     .kind = AB_REAL,
     .offset = AT(sigma),
     .most = 5,
     .fallback = 1,
     .shown = AB_SHOWN},
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
    {.name = "pictures",
     .help = "of batch and cpu-batch: made of the image, divided over the ranks",
     .offset = AT(pictures),
     .least = 1,
     .most = 4096,
     .fallback = 1,
     .measure = "batch",
     .shown = AB_SHOWN},
    {.name = "ranks",
     .help = "of batch and cpu-batch: processes of MPI that work together, a GPU each",
     .offset = AT(ranks),
     .least = 1,
     .most = 4096,
     .fallback = 1,
     .measure = "batch",
     .shown = AB_SHOWN_SET},
    EDGES_PARAMETERS,
};

static const double least_high = 10.0;
enum { HIGHS = 15, LOWS = 8 };

/* The axes: sigma, the threshold of strong edges, and by how many steps that of weak ones lies below it. */
static void set_point(const int point[EDGES_AXES], ed_params *params)
{
    params->sigma = edges_sigmas[point[0]];
    params->high = edges_threshold(least_high, point[1]);
    params->low = params->high / edges_threshold(1.0, point[2]);
    params->hysteresis_passes = 0;
}

/* The grey image is read and the map written, a byte a pixel each. */
static const edges_detector detector = {
    .grid = {.axes = {{EDGES_SIGMAS, .closed_below = true}, {HIGHS}, {LOWS, .closed_below = true}},
             .set = set_point,
             .start = {0, HIGHS / 2, 2}},
    .bytes_per_pixel = 2.0,
    .partial = canny_reference_growth,
};

/* ab_measure.least_on_host: of a picture a rank, or what is left of more (edges_fit). */
static double batch_steps(const ab_circumstances *c, const void *params)
{
    return (double)c->input->size * ((const ed_params *)params)->pictures;
}

/* A sample is the whole batch, from rank 0's order to when the last rank has its maps (batch.h). */
static const ab_measure measures[] = {
    EDGES_TIME_AND_QUALITY(detector),
    {.name = "batch",
     .scope = "batch",
     .timed = true,
     .samples = AB_SAMPLE_ITERATIONS,
     .at_once = 20,
     .verify = canny_batch_verify,
     .least_on_host = batch_steps,
     .own = &detector},
    EDGES_NOISE_AND_END(detector),
};

const ab_operation canny_operation = {
    .name = "canny",
    .parameters = parameters,
    .measures = measures,
    EDGES_OPERATION,
    .serve = canny_batch_serve,
};
