/* In place of NPP's Canny in build/bin/tests/antbench_planted: edges by rules of its own, as NPP's are. It has no
 * hysteresis, keeps all weak pixels, and misses a fifth of all. The driver must tell how much it differs and end well
 * (tests/bench/tables/test_image_commands.py). */
#include "kernels/canny/canny.h"

static __global__ void by_other_rules(canny_device device)
{
    const size_t pixels = (size_t)device.width * (size_t)device.height;
    if (threadIdx.x != 0) return;
    for (size_t i = 0; i < pixels; ++i) device.edges[i] = device.classes[i] != CANNY_NONE && i % 5 != 0 ? 255 : 0;
}

static ab_status detect(const canny_device *device)
{
    if (device->gaussian.radius > 0) AB_TRY(AB_GPU(canny_blur)(device));
    AB_TRY(AB_GPU(canny_suppress)(device));
    LAUNCH(by_other_rules, 1, 32, 0)(*device);
    return AB_LAUNCHED("by_other_rules");
}

AB_RUNG(canny_rung, canny_npp) = {.detect = detect};
