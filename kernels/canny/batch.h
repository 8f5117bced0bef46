/* Canny's edges of a batch of pictures on several GPUs or machines: each rank of MPI (kernels/ranks.h) has a share.
 *
 * Rank 0 has the ed_detector that the harness runs, verifies and reads. Its only stage, "batch", finds the edges of all
 * pictures; read and poison are of params->pictures maps, [pictures][height][width]. Each is an order to the other
 * ranks, which are called to canny_batch_serve() (kernels/workers.h).
 */
#ifndef ANTBENCH_CANNY_BATCH_H
#define ANTBENCH_CANNY_BATCH_H

#include "kernels/detector.h"
#include "kernels/operation.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Picture k of `pictures`, 0 the image itself, into grey[height][width]. */
void canny_batch_picture(const ed_image *image, int pictures, int k, uint8_t *grey);

/* Opens a batch whose pictures have a detector `part` ("canny/word-runs") each on that backend. AB_UNSUPPORTED where
 * there are not params->ranks ranks, or fewer pictures than ranks. One work of several ranks can be open at a time. */
ab_status canny_batch_open(const char *part, ab_backend backend, const ed_image *image, const ed_params *params,
                           ed_detector **detector);

/* ab_operation.serve */
void canny_batch_serve(ab_status gpu);

/* ab_measure.verify (batch_verify.c): each picture's map is that of the operation's AB_REFERENCE, which finds them one
 * after another on rank 0, pixel for pixel; verify_value is how many pixels differ. The first map is saved. */
ab_status canny_batch_verify(const ab_task *task, ab_verdict *verdict);

#ifdef __cplusplus
}
#endif
#endif
