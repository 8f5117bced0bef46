/* The Gaussian in fixed point (canny.h). */
#include <math.h>

#include "kernels/canny/canny.h"

enum { ONE = 256 }; /* weights have 8 fractional bits */

/* The Gaussian at distances radius, radius - 1, .. 0, so that the sum over both sides is 1. */
static void sample(double sigma, int radius, double *values)
{
    double sum = 0.0;
    for (int i = 0; i <= radius; ++i) {
        const double distance = radius - i;
        values[i] = exp(-0.5 * distance * distance / (sigma * sigma));
        sum += i < radius ? 2.0 * values[i] : values[i];
    }
    for (int i = 0; i <= radius; ++i) values[i] /= sum;
}

canny_gaussian canny_make_gaussian(double sigma)
{
    canny_gaussian gaussian = {.radius = ((int)lrint(6.0 * sigma + 1.0) | 1) / 2};
    if (!(sigma > 0.0)) gaussian.radius = 0;
    const int radius = gaussian.radius;
    double values[CANNY_MAX_RADIUS + 1] = {0.0}, carried = 0.0;
    if (radius > 0) sample(sigma, radius, values);
    unsigned outside = 0;
    for (int i = 0; i < radius; ++i) {
        const double exact = values[i] * ONE + carried, rounded = rint(exact);
        carried = exact - rounded;
        gaussian.weights[i] = gaussian.weights[2 * radius - i] = (unsigned)rounded;
        outside += 2 * (unsigned)rounded;
    }
    gaussian.weights[radius] = ONE - outside;
    return gaussian;
}
