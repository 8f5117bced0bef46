/* The Gaussian of colour-edge (colour_edge.h). */
#ifndef ANTBENCH_COLOUR_EDGE_TAPS_H
#define ANTBENCH_COLOUR_EDGE_TAPS_H

#ifdef __cplusplus
extern "C" {
#endif

enum { CE_MAX_RADIUS = 15 }; /* pixels: ceil(3 sigma) for the largest sigma that ed_check lets pass */

/* One half of the Gaussian, which is symmetric. */
typedef struct ce_taps {
    int radius;                      /* pixels to each side, 0 .. CE_MAX_RADIUS */
    float weight[CE_MAX_RADIUS + 1]; /* weights of the pixels k away, k = 0 .. radius; weight[0] + 2 * all others = 1 */
} ce_taps;

/* The taps of the Gaussian of standard deviation sigma, 0 .. 5. */
ce_taps ce_gaussian(double sigma);

#ifdef __cplusplus
}
#endif
#endif
