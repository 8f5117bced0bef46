/* Edges by the Laplacian of a Gaussian to the harness (kernels/operation.h), and its constants. */
#include <math.h>
#include <stddef.h>

#include "kernels/edges/measures.h"
#include "kernels/log_edges/log_edges.h"

conv_params log_gaussian(void)
{
    conv_params params = conv_default_params();
    params.filter = CONV_GAUSSIAN;
    params.width = 5;
    params.whole = true;
    return params;
}

conv_params log_laplacian(void)
{
    return conv_default_params();
}

/* No Laplacian is larger than 4 * 289 * 255. */
int log_limit(double threshold)
{
    return (int)fmin(floor(289.0 * threshold), 1e6);
}

static const ab_parameter parameters[] = {
    {.name = "threshold",
     .help = "what the Laplacian of the smoothed image must exceed",
     .kind = AB_REAL,
     .offset = offsetof(ed_params, threshold),
     .most = 1e6,
     .fallback = 5,
     .shown = AB_SHOWN_SET},
    EDGES_THREADS,
    {.name = NULL},
};

/* The grey image is read and the map written, a byte per pixel each. */
static const edges_detector detector = {.bytes_per_pixel = 2.0};

static const ab_measure measures[] = {EDGES_TIME_AND_QUALITY(detector), {.name = NULL}};

const ab_operation log_edges_operation = {
    .name = "log-edges",
    .parameters = parameters,
    .measures = measures,
    EDGES_OPERATION,
};
