/* colour-edge/gpu, right as it stands and wrong in one way for each planted bug: the comparison with the CPU must find
 * every one (tests/kernels/edges/test_colour_edge.c). */
#include "kernels/colour_edge/pipeline.h"
#include "tests/planted/colour_edge.h"

static __global__ void mark_without_barrier(ce_device device, unsigned char *edges)
{
    SHARED(float4, threshold, 1);
    if (threadIdx.x == 0) threshold[0] = *(const float4 *)device.thresholds;
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= (size_t)device.width * (size_t)device.height) return;
    const float4 m = device.gradients[i], above = threshold[0];
    edges[i] = m.x > above.x || m.y > above.y || m.z > above.z || m.w > above.w;
}

/* One block a row, tiles of 32 columns without shared memory. */
static __global__ void gradient_off_by_one(ce_device device)
{
    const int y = (int)blockIdx.x, above = ce_clamp(y - 1, device.height), below = ce_clamp(y + 1, device.height);
    for (int x = (int)threadIdx.x; x < device.width; x += (int)blockDim.x) {
        const int west = ce_clamp(x - 1, device.width), east = x % 32 == 31 ? x : ce_clamp(x + 1, device.width);
        const float2 nw = device.colour[ce_at(device, west, above)], n = device.colour[ce_at(device, x, above)];
        const float2 ne = device.colour[ce_at(device, east, above)], w = device.colour[ce_at(device, west, y)];
        const float2 e = device.colour[ce_at(device, east, y)], sw = device.colour[ce_at(device, west, below)];
        const float2 s = device.colour[ce_at(device, x, below)], se = device.colour[ce_at(device, east, below)];
        const ce_gradients v = ce_prewitt(nw.x, n.x, ne.x, w.x, e.x, sw.x, s.x, se.x);
        const ce_gradients i = ce_prewitt(nw.y, n.y, ne.y, w.y, e.y, sw.y, s.y, se.y);
        device.gradients[ce_at(device, x, y)] = make_float4(sqrtf(v.m1), sqrtf(v.m2), sqrtf(i.m1), sqrtf(i.m2));
    }
}

static ab_status find_gradients(const ce_device *device, int bug)
{
    if (bug != CE_BUG_APRON_OFF_BY_ONE) return AB_GPU(ce_gradient)(device);
    LAUNCH(gradient_off_by_one, device->height, 64, 0)(*device);
    return AB_LAUNCHED("gradient_off_by_one");
}

static ab_status mark(const ce_device *device, int bug)
{
    if (bug != CE_BUG_MISSING_BARRIER) return AB_GPU(ce_mark)(device, device->edges);
    LAUNCH(mark_without_barrier, ceil_div(device->width * device->height, 128), 128, 0)(*device, device->edges);
    return AB_LAUNCHED("mark_without_barrier");
}

static ab_status thin(const ce_device *device, int bug)
{
    const int first = bug == CE_BUG_SUB_ITERATIONS ? 1 : 0;
    unsigned char *const between = bug == CE_BUG_THINS_IN_PLACE ? device->edges : device->half_thinned;
    AB_TRY(AB_GPU(ce_thin)(device, device->edges, between, first));
    ce_device shorter = *device;
    if (bug == CE_BUG_WRITES_NO_LAST_ROW) --shorter.height;
    return AB_GPU(ce_thin)(&shorter, between, device->map, 1 - first);
}

template <int bug> static ab_status detect(const ce_device *device, int, unsigned run)
{
    AB_TRY(AB_GPU(ce_blur)(device));
    AB_TRY(find_gradients(device, bug));
    ce_device shorter = *device;
    if (bug == CE_BUG_FORGETS_LAST_ROW || (bug == CE_BUG_KEEPS_SUMS && run >= 2)) --shorter.height;
    if (bug == CE_BUG_FORGETS_LAST_PIXEL) {
        shorter.width = device->width * device->height - 1;
        shorter.height = 1;
    }
    AB_TRY(AB_GPU(ce_reduce)(&shorter));
    AB_TRY(mark(device, bug));
    return thin(device, bug);
}

extern "C" ab_status planted_colour_edge_open(const ed_image *image, const ed_params *params, int bug,
                                              ed_detector **detector)
{
    static const colour_edge_rung rungs[CE_BUGS] = {
        {.detect = detect<0>, .keeps_all = true}, {.detect = detect<1>, .keeps_all = true},
        {.detect = detect<2>, .keeps_all = true}, {.detect = detect<3>, .keeps_all = true},
        {.detect = detect<4>, .keeps_all = true}, {.detect = detect<5>, .keeps_all = true},
        {.detect = detect<6>, .keeps_all = true}, {.detect = detect<7>, .keeps_all = true},
        {.detect = detect<8>, .keeps_all = true},
    };
    return AB_GPU(colour_edge_open)(&rungs[bug], image, params, detector);
}
