/* colour-edge/acos: colour-edge/gpu with the hue by the compiler's arc cosine, as eq. 6.5 has it.
 *
 * In single precision the arc cosine has half of the digits near red, so that some pixels at a threshold fall on the
 * other side. Their number is a quality of its rows. Bound by memory, as gpu's blur: 16 bytes in and 8 out per pixel.
 * Source: thesis §6.5.2, step 1, eq. 6.5.
 */
#include "kernels/colour_edge/pipeline.h"

static ab_status detect(const ce_device *device, int thinning_passes, unsigned)
{
    return AB_GPU(ce_detect)(device, thinning_passes, AB_GPU(ce_blur_acos), AB_GPU(ce_gradient));
}

AB_RUNG(colour_edge_rung, colour_edge_acos) = {.detect = detect, .keeps_all = true, .has_steps = true};
