/* Operation "log-edges": edges where the Laplacian of a smoothed image is above a threshold (KTH §1, §6).
 *
 *   seq  one core, whole numbers
 *            antbench kth-10 --implementations log-edges/seq
 *   gpu  the GPU: the two convolutions of convolution/registers, and a threshold
 *            antbench kth-10 --implementations log-edges/gpu
 *
 * Both compute the same, bit for bit. The grey image is convolved with the report's 5 x 5 Gaussian, and the result with
 * its 3 x 3 Laplacian, by the rules of kernels/convolution/convolution.h. A pixel is on an edge if the result is above,
 * not at, the threshold, 5 in the report. The weights of the Gaussian are left whole, 289 times as large, and so is the
 * threshold. So every number is whole and below 2^24, floats have no rounding, and maps cannot differ. The report does
 * not say whether the negative side of an edge counts. "Thresholding the result" is taken literally: it does not count,
 * and edges lie on their dark side.
 */
#ifndef ANTBENCH_LOG_EDGES_H
#define ANTBENCH_LOG_EDGES_H

#include "kernels/convolution/convolution.h"
#include "kernels/edges/detector.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The report's filters, both of whole numbers. */
conv_params log_gaussian(void);
conv_params log_laplacian(void);

/* What the Laplacian of whole numbers must exceed: the threshold times the sum of the Gaussian's weights. */
int log_limit(double threshold);

#ifdef __cplusplus
}
#endif
#endif
