/* colour-edge/gradient-global: colour-edge/gpu with the gradients of "naive global lookups" (thesis §6.5.2).
 *
 * One thread per pixel reads its eight neighbours from global memory. gradient.cu reads each pixel about once and takes
 * the neighbours from shared memory. Everything else is colour-edge/gpu's. Bound by loads: 64 bytes per pixel, most of
 * them from the L1 cache, which the Compute 2.0 cards of the thesis have too. Source: thesis §6.5.2, step 2.
 */
#include "kernels/colour_edge/pipeline.h"

enum { BLOCK_X = 32, BLOCK_Y = 8 };

static __device__ __forceinline__ float2 at(const ce_device &device, int x, int y)
{
    return device.colour[ce_at(device, ce_clamp(x, device.width), ce_clamp(y, device.height))];
}

static __global__ void __launch_bounds__(BLOCK_X *BLOCK_Y) prewitt_global(ce_device device)
{
    const int x = (int)(blockIdx.x * BLOCK_X + threadIdx.x), y = (int)(blockIdx.y * BLOCK_Y + threadIdx.y);
    if (x >= device.width || y >= device.height) return;
    const float2 nw = at(device, x - 1, y - 1), n = at(device, x, y - 1), ne = at(device, x + 1, y - 1);
    const float2 w = at(device, x - 1, y), e = at(device, x + 1, y);
    const float2 sw = at(device, x - 1, y + 1), s = at(device, x, y + 1), se = at(device, x + 1, y + 1);
    const ce_gradients volume = ce_prewitt(nw.x, n.x, ne.x, w.x, e.x, sw.x, s.x, se.x);
    const ce_gradients intensity = ce_prewitt(nw.y, n.y, ne.y, w.y, e.y, sw.y, s.y, se.y);
    device.gradients[ce_at(device, x, y)] =
        make_float4(sqrtf(volume.m1), sqrtf(volume.m2), sqrtf(intensity.m1), sqrtf(intensity.m2));
}

static ab_status gradient(const ce_device *device)
{
    const dim3 grid((unsigned)ceil_div(device->width, BLOCK_X), (unsigned)ceil_div(device->height, BLOCK_Y));
    LAUNCH(prewitt_global, grid, dim3(BLOCK_X, BLOCK_Y), 0)(*device);
    return AB_LAUNCHED("prewitt_global");
}

static ab_status detect(const ce_device *device, int thinning_passes, unsigned)
{
    return AB_GPU(ce_detect)(device, thinning_passes, AB_GPU(ce_blur), gradient);
}

AB_RUNG(colour_edge_rung, colour_edge_gradient_global) = {.detect = detect, .keeps_all = true, .has_steps = true};
