/* The Gaussian's taps (taps.h). */
#include <math.h>

#include "kernels/colour_edge/taps.h"

ce_taps ce_gaussian(double sigma)
{
    ce_taps taps = {.radius = (int)ceil(3.0 * sigma)};
    double weight[CE_MAX_RADIUS + 1] = {1.0}, sum = 1.0;
    for (int k = 1; k <= taps.radius; k++) {
        weight[k] = exp(-k * k / (2.0 * sigma * sigma));
        sum += 2.0 * weight[k];
    }
    for (int k = 0; k <= taps.radius; k++) taps.weight[k] = (float)(weight[k] / sum);
    return taps;
}
