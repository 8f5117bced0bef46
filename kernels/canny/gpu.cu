/* Canny as Luo & Duraiswami have it: blur, gradient with suppression, hysteresis, each a kernel of its own.
 *
 * Hysteresis grows inside blocks a fixed number of passes, as the thesis's H4 and H10 do (grow.cu), or, for 0 passes,
 * connects components and is done (connect.cu): the same map as OpenCV's.
 * Source: thesis §6.3, §6.6.5, after Luo & Duraiswami 2008.
 */
#include "kernels/canny/canny.h"

static ab_status detect(const canny_device *device)
{
    if (device->gaussian.radius > 0) AB_TRY(AB_GPU(canny_blur)(device));
    AB_TRY(AB_GPU(canny_suppress)(device));
    return device->hysteresis_passes > 0 ? AB_GPU(canny_grow)(device) : AB_GPU(canny_connect)(device);
}

AB_RUNG(canny_rung, canny_gpu) = {
    .detect = detect, .keeps_blurred = true, .keeps_classes = true, .scratch_bytes = canny_label_bytes};
