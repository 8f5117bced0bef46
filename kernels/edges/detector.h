/* Edge detectors: the operations "colour-edge", "canny", "sobel" and "log-edges". An image goes in, a map of edges
 * comes out.
 *
 * The work has three stages. UPLOAD brings the image to the device, DETECT finds the edges there, and DOWNLOAD brings
 * the map back. With scope=kernel it is DETECT alone, as in the sources; with scope=end-to-end it is all three. On a
 * CPU, UPLOAD and DOWNLOAD do nothing.
 */
#ifndef ANTBENCH_DETECTOR_H
#define ANTBENCH_DETECTOR_H

#include <stdint.h>

#include "base/parameter.h"
#include "kernels/implementation.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The image, in both forms, which the caller keeps while the detector is open. */
typedef struct ed_image {
    int width, height;   /* pixels, >= 1 each */
    const uint8_t *rgba; /* [height][width][4]: what colour-edge sees; the fourth byte is ignored */
    const uint8_t *grey; /* [height][width]: what canny and sobel see */
} ed_image;

/* What a user can turn. An operation ignores what is not its own. */
typedef struct ed_params {
    double sigma;              /* colour-edge, canny: standard deviation of the Gaussian in pixels, 0 .. 5; 0: none */
    double volume_coefficient; /* colour-edge: threshold of the volume's gradient, in multiples of its mean */
    double intensity_coefficient; /* colour-edge: the same for the intensity */
    int thinning_passes;   /* colour-edge: Guo & Hall passes (both sub-iterations); 0 leaves the edges as they are */
    double low, high;      /* canny: thresholds of the gradient |gx| + |gy| (3x3 Sobel, grey 0 .. 255) */
    int hysteresis_passes; /* canny: block-local growth so many times (H4, H10); 0: until nothing changes */
    double threshold;      /* sobel: of sqrt(gx^2 + gy^2); 0: twice its root mean square */
    int threads;           /* CPU implementations with threads: how many, 0 for all cores; others ignore it */
    int step;              /* colour-edge: ce_sample, what a DETECT is after the first; others: 0, all */
    int noise, level, tuning,
        seeds; /* what quality under noise is measured for (kernels/edges/noise.c); ignored here */
} ed_params;

/* The thesis's where it has them: sigma 1, coefficients 2 and 2, 1 thinning pass; canny 50 and 150 to convergence;
 * sobel's automatic threshold; threads 1. */
ed_params ed_default_params(void);

/* AB_OK, or AB_BAD_INPUT naming the parameter that is out of range, or AB_UNSUPPORTED for a size. */
ab_status ed_check(const ed_image *image, const ed_params *params);

typedef struct ed_detector ed_detector;

typedef struct ed_methods {
    /* The map of the last DETECT into edges[height][width], 0 and 1; waits for the GPU. */
    ab_status (*read)(ed_detector *detector, uint8_t *edges);
    /* For tests: what a step inside left, by its number in the operation's header, as floats [height][width];
     * AB_UNSUPPORTED where the implementation does not keep it. */
    ab_status (*read_step)(ed_detector *detector, int step, float *values);
    /* Fills the output with values that no check accepts. */
    ab_status (*poison)(ed_detector *detector);
    /* Returns when every stage that was run is done; NULL where stages return then. */
    ab_status (*wait)(ed_detector *detector);
} ed_methods;

enum { ED_UPLOAD, ED_DETECT, ED_DOWNLOAD, ED_STAGES };

struct ed_detector {
    ab_work work; /* first: a detector is work that the harness can time */
    const ed_methods *methods;
};

#ifdef __cplusplus
}
#endif
#endif
