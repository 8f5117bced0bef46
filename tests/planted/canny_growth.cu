/* canny/gpu with a number of passes, right as it stands and wrong in one way for each planted bug: the comparison with
 * the reference must find every one (tests/kernels/edges/test_edges_verify.c). */
#include "kernels/canny/canny.h"
#include "kernels/edges/gpu_detector.h"
#include "tests/planted/canny_growth.h"

static int detections; /* of the detector that was opened last */

static __global__ void fill(canny_device device, int first_x, int first_y, int end_y, unsigned char value)
{
    for (int y = first_y; y < end_y; ++y)
        for (int x = first_x; x < device.width; ++x) device.edges[(size_t)y * (size_t)device.width + (size_t)x] = value;
}

static ab_status fill_from(const canny_device *device, int first_x, int first_y, int end_y, unsigned char value = 0)
{
    LAUNCH(fill, 1, 1, 0)(*device, first_x, first_y, end_y, value);
    return AB_LAUNCHED("fill");
}

static __global__ void by_other_rules(canny_device device)
{
    const size_t pixels = (size_t)device.width * (size_t)device.height;
    for (size_t i = 0; i < pixels; ++i)
        device.edges[i] = (device.classes[i] != CANNY_NONE && i % 5 != 0) || i % 211 == 0;
}

static __global__ void turn_round(canny_device device)
{
    for (size_t i = 0, k = (size_t)device.width * (size_t)device.height; i < k--; ++i) {
        const unsigned char first = device.edges[i];
        device.edges[i] = device.edges[k];
        device.edges[k] = first;
    }
}

static __global__ void strew(canny_device device)
{
    const size_t pixels = (size_t)device.width * (size_t)device.height;
    for (size_t i = 0; i < pixels; ++i) device.edges[i] = (unsigned)i * 2654435769u >> 30 == 0;
}

template <int bug> static ab_status detect(const canny_device *device)
{
    canny_device changed = *device;
    const int width = device->width, height = device->height;
    if (device->gaussian.radius > 0) AB_TRY(AB_GPU(canny_blur)(device));
    AB_TRY(AB_GPU(canny_suppress)(device));
    if (bug == CANNY_BUG_OTHER_RULES) {
        LAUNCH(by_other_rules, 1, 1, 0)(*device);
        return AB_LAUNCHED("by_other_rules");
    }
    if (bug == CANNY_BUG_ONE_LESS) --changed.hysteresis_passes;
    AB_TRY(bug == CANNY_BUG_JUMPS_BLOCKS ? AB_GPU(canny_connect)(device) : AB_GPU(canny_grow)(&changed));
    if (bug == CANNY_BUG_LAST_COLUMN) return fill_from(device, width - 1, 0, height);
    if (bug == CANNY_BUG_LAST_ROW) return fill_from(device, 0, height - 1, height);
    if (bug == CANNY_BUG_NO_EDGES) return fill_from(device, 0, 0, height);
    if (bug == CANNY_BUG_ALL_EDGES) return fill_from(device, 0, 0, height, 1);
    if (bug == CANNY_BUG_UNWRITTEN) return fill_from(device, 0, height - 1, height, ED_POISON);
    if (bug == CANNY_BUG_ELSEWHERE) {
        LAUNCH(turn_round, 1, 1, 0)(*device);
        return AB_LAUNCHED("turn_round");
    }
    if (bug == CANNY_BUG_STREWN) {
        LAUNCH(strew, 1, 1, 0)(*device);
        return AB_LAUNCHED("strew");
    }
    return bug == CANNY_BUG_OTHER_AGAIN && detections++ ? fill_from(device, 0, 0, height / 2) : ab_ok();
}

extern "C" ab_status planted_canny_open(const ed_image *image, const ed_params *params, int bug, ed_detector **detector)
{
    static const canny_rung rungs[CANNY_BUGS] = {
        {.detect = detect<0>}, {.detect = detect<1>},  {.detect = detect<2>},
        {.detect = detect<3>}, {.detect = detect<4>},  {.detect = detect<5>, .scratch_bytes = canny_label_bytes},
        {.detect = detect<6>}, {.detect = detect<7>},  {.detect = detect<8>},
        {.detect = detect<9>}, {.detect = detect<10>}, {.detect = detect<11>},
    };
    detections = 0;
    return AB_GPU(canny_open)(&rungs[bug], image, params, detector);
}
