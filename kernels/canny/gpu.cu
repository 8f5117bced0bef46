/* Canny by Luo & Duraiswami: blur, gradient with suppression, and hysteresis, each in a kernel of its own.
 *
 * Hysteresis grows inside blocks for a fixed number of passes, as the thesis's H4 and H10 do (grow.cu). With 0 passes
 * it connects components to the end (connect.cu), which gives OpenCV's map. Source: thesis §6.3, §6.6.5, after Luo &
 * Duraiswami 2008.
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
