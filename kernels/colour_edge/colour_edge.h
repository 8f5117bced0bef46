/* Operation "colour-edge": edges where the volume of colour or the intensity changes (thesis ch. 6).
 *
 * The ladder, what each rung adds, and how to run it (ids without "colour-edge/"; `antbench` is build/bin/antbench):
 *   seq      one core, row by row by SIMD
 *                antbench 6.1 --implementations colour-edge/seq
 *   omp      all cores: OpenMP over rows
 *                antbench 6.1 --implementations colour-edge/omp
 *   gpu      the GPU as the thesis has it: a kernel or two a step, each from global memory to global memory
 *                antbench 6.1 --implementations colour-edge/gpu
 *   gradient-global  that with gradients of naive lookups in global memory
 *                antbench 6.1 --implementations colour-edge/gradient-global
 *   acos     gpu with the hue by an arc cosine, which gives a few other pixels
 *                antbench 6.1 --implementations colour-edge/acos
 *   fused    one launch or two for all steps: few planes go to memory, flat tiles are skipped, whole words are thinned
 *                antbench 6.1 --implementations colour-edge/fused
 *
 * Blur by a Gaussian, turn RGB into volume and intensity, take the Prewitt gradients of both planes in four directions,
 * mark what exceeds a multiple of their mean, thin. What every implementation computes, bit for bit (pixel.h), where
 * the thesis is silent or misprinted:
 *
 * Blur. Normalised taps out to ceil(3 sigma), first down the columns, then along the rows; pixels outside are the
 * nearest
 *   ones inside, here and for the gradients. sigma 0 leaves the image as it is.
 * Volume. V = pi S^2 I (H/360) with H in degrees 0 .. 360 and I of 0 .. 255. Eq. 6.3 means the smallest channel,
 *   S = 1 - min(R, G, B)/I. Eq. 6.5 is 0/0 at grey pixels, where S = 0, so V = 0. H jumps from 360 to 0 at red, and V
 *   with it: that is the method's own, and draws edges where G - B changes sign in a reddish region.
 * Gradients. M1 = sqrt(Gx^2 + Gy^2) and M2 = sqrt(G45^2 + G135^2), of volume and of intensity, by the kernels
 *   -1 0 1    -1 -1 -1     0  1  1     1  1  0
 *   -1 0 1     0  0  0    -1  0  1     1  0 -1
 *   -1 0 1     1  1  1    -1 -1  0     0 -1 -1
 * Thresholds. §6.4 compares M1 and M2 each with "a corresponding threshold", and §6.5.2 fetches the thresholds with one
 *   128-bit load: so there are four, each the mean of its own magnitude over the image times the coefficient of its
 *   plane. A pixel is on an edge if any of the four magnitudes is above, not at, its threshold. A large coefficient,
 *   1e6, switches a plane off.
 * Thinning. images/edge_map.h; pixels outside are no edges.
 */
#ifndef ANTBENCH_COLOUR_EDGE_H
#define ANTBENCH_COLOUR_EDGE_H

#include "kernels/edges/detector.h"

/* The steps that read_step knows. CPU implementations have all of them, a GPU those that it keeps in memory. */
enum ce_step {
    CE_BLURRED_R, /* after the Gaussian, 0 .. 255 */
    CE_BLURRED_G,
    CE_BLURRED_B,
    CE_VOLUME,    /* 0 .. 534 */
    CE_INTENSITY, /* 0 .. 255 */
    CE_VOLUME_M1, /* the gradient magnitudes, in the order of ce_magnitude */
    CE_VOLUME_M2,
    CE_INTENSITY_M1,
    CE_INTENSITY_M2,
    CE_VOLUME_M1_THRESHOLD, /* their thresholds in the same order: one number at every pixel */
    CE_VOLUME_M2_THRESHOLD,
    CE_INTENSITY_M1_THRESHOLD,
    CE_INTENSITY_M2_THRESHOLD,
    CE_EDGES, /* before thinning, 0 and 1 */
    CE_STEPS
};

/* What a DETECT is (ed_params.step), after the first one on an image: all steps, or one of them on what the first has
 * left. The blur is with the turn into volume and intensity. */
enum ce_sample { CE_ALL, CE_ONLY_BLUR, CE_ONLY_GRADIENT };

#endif
