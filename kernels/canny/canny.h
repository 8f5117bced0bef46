/* Operation "canny": Canny's edge detector on the GPU, and what its rungs share.
 *
 * The ladder, what each rung adds, and how to run it (ids without "canny/"; `antbench` is build/bin/antbench):
 *   opencv   OpenCV's on one core or all: the reference
 *                antbench 6.1 --implementations canny/opencv
 *   gpu      the GPU: a kernel per step; hysteresis in a fixed number of passes inside blocks, as published, or to
 *            convergence by union-find, which is OpenCV's map
 *                antbench 6.1 --implementations canny/gpu
 *   runs     the GPU: to convergence in three launches, two pixels at once, union-find of runs instead of pixels
 *                antbench 6.1 --implementations canny/runs
 *   flood    the GPU: images of up to 2 million pixels, in two launches: words grow in their tiles, then in one cluster
 *                antbench 6.1 --implementations canny/flood
 *   seams    the GPU: large images, in three launches: words grow in their tiles, then union-find of what is left at
 *            the tiles' borders; flat pixels are skipped
 *                antbench 6.1 --implementations canny/seams
 *   npp      NVIDIA's, one call; by rules of its own, told as a quality and not judged
 *                antbench 6.1 --implementations canny/npp
 *
 * The rules are OpenCV's, in integers, so that the map at convergence equals cv::Canny's pixel for pixel. With a sigma
 * it equals the map of cv::GaussianBlur followed by cv::Canny:
 *
 *   blur      separable, weights of 8 fractional bits (canny_gaussian), reflected at the border without repeating the
 *             border pixel; the sum is rounded once, to 8 bits.
 *   gradient  3x3 Sobel, border pixels repeated; magnitude |gx| + |gy|, 0 outside of the image.
 *   suppress  keep a pixel whose magnitude is above low and a maximum along the gradient, whose direction is one of
 *             four, split at 22.5 and 67.5 degrees by integer comparison. Of two equal neighbours the right or lower
 *             one gives way; on the diagonals both do.
 *   classes   strong when the magnitude is above high, else weak.
 *   edges     the strong pixels, and the weak ones that are 8-connected to a strong one through weak ones.
 *
 * With a number of passes (H4, H10) the edges are the strong pixels after so many passes of growth. A pass works on
 * blocks of CANNY_GROW_TILE x CANNY_GROW_TILE pixels. It makes every weak pixel strong that is 8-connected to a strong
 * one through weak ones of its own block. A pixel of another block counts as it was before the pass.
 */
#ifndef ANTBENCH_CANNY_H
#define ANTBENCH_CANNY_H

#include <stdbool.h>

#include "kernels/edges/detector.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { CANNY_MAX_RADIUS = 15 };       /* most pixels on either side of the Gaussian: 3 sigma, sigma <= 5 */
enum { CANNY_GROW_TILE = 16 };        /* pixels on a side of a block that growth stays inside of */
enum { CANNY_MAX_SIDE = 65535 * 16 }; /* pixels: a grid has so many rows of blocks, a block at least 16 of pixels */

enum canny_class { CANNY_NONE, CANNY_WEAK, CANNY_STRONG };

/* For ed_methods.read_step. */
enum canny_step {
    CANNY_BLURRED, /* 0 .. 255: what the gradient is taken of */
    CANNY_CLASSES  /* canny_class of every pixel, before hysteresis */
};

typedef struct canny_gaussian {
    int radius;                                 /* 0: no blur */
    unsigned weights[2 * CANNY_MAX_RADIUS + 1]; /* [2 radius + 1], in 1/256; their sum is 256 */
} canny_gaussian;

/* The Gaussian as OpenCV has it for 8-bit images: 6 sigma + 1 weights, made an odd number. Each is rounded to 1/256.
 * The error is carried towards the middle weight, which makes up what is missing from 1. */
canny_gaussian canny_make_gaussian(double sigma);

/* By the rules above, in plain C (reference.c): canny_class of every pixel into classes[height][width], and the edges after
 * params->hysteresis_passes passes into map[height][width], 0 and 1. */
ab_status canny_reference_classes(const ed_image *image, const ed_params *params, uint8_t *classes);
ab_status canny_reference_growth(const ed_image *image, const ed_params *params, uint8_t *map);

typedef struct canny_device {
    int width, height;       /* pixels */
    canny_gaussian gaussian; /* what to blur with */
    int low, high;           /* thresholds of the magnitude, which must be above */
    int hysteresis_passes;   /* 0: to convergence */
    unsigned char *grey;     /* [height][width] the image */
    unsigned char *blurred;  /* [height][width]; grey itself when the radius is 0 */
    unsigned char *classes;  /* [height][width] canny_class */
    unsigned char *spare;    /* [height][width] classes of every other hysteresis pass, whose next ones go to edges */
    unsigned char *edges;    /* [height][width] the result, 0 and 1 (0 and 255 by NPP) */
    void *scratch;           /* the rung's own, as many bytes as it asked for, uninitialised; else NULL */
} canny_device;

#ifdef __cplusplus
}

#include "kernels/cuda/cuda_port.h"

/* A way of finding edges, as registry.def names it. */
typedef struct canny_rung {
    /* Enqueues the kernels from grey to edges. */
    ab_status (*detect)(const canny_device *device);
    /* Whether detect leaves these steps in device memory. */
    bool keeps_blurred = false, keeps_classes = false;
    /* What must hold beyond ed_check, AB_UNSUPPORTED else; asks for shared memory (device_allow_shared). NULL: nothing.
     */
    ab_status (*check)(const ed_image *image, const ed_params *params) = NULL;
    /* Bytes of canny_device.scratch. NULL: none. */
    size_t (*scratch_bytes)(const ed_image *image, const ed_params *params) = NULL;
} canny_rung;

/* The scratch that canny_connect needs: a label per pixel, and one for "strong". */
static inline size_t canny_label_bytes(const ed_image *image, const ed_params *)
{
    return ((size_t)image->width * (size_t)image->height + 1) * sizeof(unsigned);
}

extern "C" {

/* Opens a detector around a rung. AB_UNSUPPORTED when the image does not fit. */
ab_status AB_GPU(canny_open)(const canny_rung *rung, const ed_image *image, const ed_params *params,
                             ed_detector **detector);

/* The stages. */
ab_status AB_GPU(canny_blur)(const canny_device *device);     /* grey -> blurred */
ab_status AB_GPU(canny_suppress)(const canny_device *device); /* blurred -> classes */
ab_status AB_GPU(canny_grow)(const canny_device *device);     /* classes -> edges, in hysteresis_passes passes */
ab_status AB_GPU(canny_connect)(const canny_device *device);  /* classes -> edges, to convergence */
}
#endif
#endif
