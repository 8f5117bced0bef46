/* What a GPU implementation of log-edges works on. */
#ifndef ANTBENCH_LOG_EDGES_DETECTOR_H
#define ANTBENCH_LOG_EDGES_DETECTOR_H

#include "kernels/convolution/convolver.h"
#include "kernels/log_edges/log_edges.h"

typedef struct log_device {
    const unsigned char *grey;   /* [height][width] */
    unsigned char *edges;        /* [height][width] */
    conv_device smooth, laplace; /* convolutions from a plane for the image to another, and back */
    float limit;                 /* threshold of the Laplacian */
} log_device;

/* A way of finding edges, as registry.def names it: enqueues it on the default stream. */
typedef struct log_edges_rung {
    ab_status (*detect)(const log_device *device);
} log_edges_rung;

extern "C" ab_status AB_GPU(log_edges_open)(const log_edges_rung *rung, const ed_image *image, const ed_params *params,
                                            ed_detector **opened);

#endif
