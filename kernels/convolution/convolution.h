/* Operation "convolution": I'(x, y) = sum over r, s of F(r, s) I(x - r, y - s) for every pixel of a float image. The
 * filter has odd width 2K + 1, and its middle is F(0, 0) (KTH eq. 3).
 *
 * Orientation: it is a convolution and no correlation: F(1, 0) weighs the pixel to the left. Border: a pixel outside of
 * the image is the nearest one inside, as in the detectors here; the report leaves that open. No weight is left out, so
 * that NaN and infinity spread by the rules of arithmetic, 0 * NaN included. This holds for every implementation, with
 * two exceptions: a copy spreads nothing, and OpenCV leaves out weights of 0.
 *
 * The ladder, what each rung adds, and how to run it (ids without "convolution/"; `antbench` is build/bin/antbench):
 *   serial             one core: the sum as it stands, on an image with an apron
 *                          antbench kth-8 --implementations convolution/serial
 *   cpu-registers      by SIMD on all cores, in two passes where the filter has rank 1
 *                          antbench kth-8 --implementations convolution/cpu-registers
 *   naive              the GPU: a thread per pixel, image and filter in global memory
 *                          antbench kth-8 --implementations convolution/naive
 *   shared             a block brings its pixels to shared memory; a thread brings 1, 2 or 4
 *                          antbench kth-8 --implementations convolution/shared
 *   shared-apron       a thread per pixel of the apron too, which only loads
 *                          antbench kth-8 --implementations convolution/shared-apron
 *   shared-constant    and the filter is in constant memory
 *                          antbench kth-8 --implementations convolution/shared-constant
 *   separable          filters of rank 1: rows, then columns
 *                          antbench kth-8 --implementations convolution/separable
 *   tiling             a block computes T tiles side by side, without aprons between them
 *                          antbench kth-8 --implementations convolution/tiling
 *   adaptive-tiling    T is what fits the shared memory of the device (eqs. 6 to 8)
 *                          antbench kth-8 --implementations convolution/adaptive-tiling
 *   tiling-separable   rows by 1 x T tiles, columns by T x 1 tiles, transposed in shared memory
 *                          antbench kth-8 --implementations convolution/tiling-separable
 *   tiling-straight    the same with columns that lie in shared memory as in the image
 *                          antbench kth-8 --implementations convolution/tiling-straight
 *   registers          ours: a thread computes 4 columns of several rows from registers, four pixels per load
 *                          antbench kth-8 --implementations convolution/registers
 *   registers-separable  the same for filters of rank 1: 2(2K + 1) products per pixel
 *                          antbench kth-8 --implementations convolution/registers-separable
 *   memcpy             the least possible time: the image copied, which is a convolution with the identity
 *                          antbench kth-8 --implementations convolution/memcpy
 *
 * Floor for all rungs: each pixel is read and written once, 8 bytes, at the speed of a copy. 4096 x 4096 pixels take
 * 0.048 ms at an H100's 2.8 TB/s. The (2K + 1)^2 products and sums per pixel take less than that up to 9 x 9.
 *
 * Sources: Persson Proos and Rodriguez Galvez, GPU Accelerated Edge Detection, KTH 2018 ("KTH").
 */
#ifndef ANTBENCH_CONVOLUTION_H
#define ANTBENCH_CONVOLUTION_H

#include <stdbool.h>

#include "base/parameter.h"
#include "kernels/implementation.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { CONV_MAX_RADIUS = 8, CONV_MAX_WIDTH = 2 * CONV_MAX_RADIUS + 1, CONV_MAX_SIDE = 32768 };

typedef struct conv_image {
    int width, height;   /* pixels, 1 .. CONV_MAX_SIDE each */
    const float *pixels; /* [height][width] */
} conv_image;

/* Which filter, of the width that the parameters say. Its weights are whole numbers, divided by their sum where they
 * are scaled and the sum is not 0. */
typedef enum conv_kind {
    CONV_LAPLACIAN, /* 1 on the cross through the middle, the sum being 0: of width 3 the report's, rank 2 */
    CONV_GAUSSIAN,  /* 5 exp(-(d / 0.7 K)^2 / 2), rounded, in both directions: of width 5 the report's, of sigma 1.4 */
    CONV_SKEW,      /* (r + K + 1)(2 (s + K) + 1): no two places alike, to see what is flipped; rank 1 */
    CONV_IDENTITY   /* 1 in the middle */
} conv_kind;

typedef struct conv_params {
    int filter;           /* a conv_kind */
    int width;            /* width of the filter: odd, 3 .. CONV_MAX_WIDTH */
    bool whole;           /* weights are not divided by their sum */
    int block_x, block_y; /* threads of a block of the report's rungs */
    int tiles;            /* T of tiling and tiling-separable */
    int rows, warps;      /* ours: rows that a thread computes, 0: 2, or 4 of wide filters; warps of a block, one above
                             another */
    int threads;          /* threads of a CPU; 0: all cores */
} conv_params;

extern const ab_parameter conv_parameters[];

/* The report's: the Laplacian, 3 x 3, blocks of 32 x 32, 21 tiles; 1 thread. */
conv_params conv_default_params(void);

/* AB_OK, or AB_BAD_INPUT naming the parameter that is out of range, or AB_UNSUPPORTED for a size. */
ab_status conv_check(const conv_image *image, const conv_params *params);

/* A filter in double precision; implementations round each weight to a float. */
typedef struct conv_filter {
    int radius;                                      /* K */
    bool whole;                                      /* all weights are whole numbers */
    double weights[CONV_MAX_WIDTH * CONV_MAX_WIDTH]; /* [2K + 1][2K + 1]: F(r, s) at [s + K][r + K] */
    bool rank_one;                                   /* F(r, s) = down[s + K] across[r + K] */
    double across[CONV_MAX_WIDTH], down[CONV_MAX_WIDTH];
} conv_filter;

conv_filter conv_make_filter(const conv_params *params);

/* AB_OK for a filter of rank 1, else AB_UNSUPPORTED. */
ab_status conv_check_rank(const conv_params *params);

typedef struct conv_state conv_state;

typedef struct conv_methods {
    ab_status (*read)(conv_state *state, float *pixels); /* [height][width]; waits for the GPU */
    ab_status (*poison)(conv_state *state);              /* overwrites the result with NaN */
} conv_methods;

/* The state: one stage, "convolve", on an image that is there. */
struct conv_state {
    ab_work work; /* first */
    const conv_methods *methods;
};

/* Runs a freshly opened state once on a poisoned result and compares every pixel with the sum in double precision.
 * If image and weights are whole numbers both must be equal; otherwise an error may be conv_bound() times the sum of
 * the absolute terms. NaN and infinities must be where they are expected. *largest is the largest error, as a share
 * of that sum. A wrong pixel is AB_FAILED with *wrong true. Any other status with *wrong false means that it could
 * not be run. */
ab_status conv_verify(conv_state *state, const conv_image *image, const conv_filter *filter, double *largest,
                      bool *wrong);

/* The bound on the relative error, with u = 2^-24. Each of the (2K + 1)^2 terms has at most that many additions, two
 * roundings of weights and two of products. In two passes it is 2(2K + 1) additions and as many roundings. So (2K +
 * 1)^2 + 4 roundings suffice, in any order (Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., §4.2). */
double conv_bound(int radius);

#ifdef __cplusplus
}
#endif
#endif
