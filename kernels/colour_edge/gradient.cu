/* Prewitt gradients of volume and intensity in four directions.
 *
 * The diagonal kernels are not separable. So each block loads a tile with an apron of one pixel into shared memory,
 * both planes as one float2, and every thread takes its eight neighbours from there. Nine reads of global memory become
 * 1.13. A thread has four pixels of a column, so that the apron is small against the tile and a warp reads whole
 * 256-byte rows. Bound by memory: 8 bytes in, 16 out per pixel. Source: thesis §6.5.2, step 2, Fig. 6.1-6.3; Stam,
 * Convolution Soup (2009).
 */
#include "kernels/colour_edge/pipeline.h"

enum { TILE = 32, THREADS_Y = 8, STRIDE = TILE + 2 };

/* The four magnitudes at place `at` of the tile. */
static __device__ __forceinline__ float4 magnitudes(shared_array<float2> tile, int at)
{
    const float2 nw = tile[at - STRIDE - 1], n = tile[at - STRIDE], ne = tile[at - STRIDE + 1];
    const float2 w = tile[at - 1], e = tile[at + 1];
    const float2 sw = tile[at + STRIDE - 1], s = tile[at + STRIDE], se = tile[at + STRIDE + 1];
    const ce_gradients volume = ce_prewitt(nw.x, n.x, ne.x, w.x, e.x, sw.x, s.x, se.x);
    const ce_gradients intensity = ce_prewitt(nw.y, n.y, ne.y, w.y, e.y, sw.y, s.y, se.y);
    return make_float4(sqrtf(volume.m1), sqrtf(volume.m2), sqrtf(intensity.m1), sqrtf(intensity.m2));
}

static __global__ void __launch_bounds__(TILE *THREADS_Y) prewitt(ce_device device)
{
    SHARED(float2, tile, STRIDE * STRIDE);
    const int left = (int)blockIdx.x * TILE, top = (int)blockIdx.y * TILE;
    for (int row = (int)threadIdx.y; row < STRIDE; row += THREADS_Y)
        for (int column = (int)threadIdx.x; column < STRIDE; column += TILE)
            tile[row * STRIDE + column] = device.colour[ce_at(device, ce_clamp(left + column - 1, device.width),
                                                              ce_clamp(top + row - 1, device.height))];
    __syncthreads();
    const int x = left + (int)threadIdx.x;
    if (x >= device.width) return;
    for (int row = (int)threadIdx.y; row < TILE && top + row < device.height; row += THREADS_Y)
        device.gradients[ce_at(device, x, top + row)] = magnitudes(tile, (row + 1) * STRIDE + (int)threadIdx.x + 1);
}

extern "C" ab_status AB_GPU(ce_gradient)(const ce_device *device)
{
    const dim3 grid((unsigned)ceil_div(device->width, TILE), (unsigned)ceil_div(device->height, TILE));
    LAUNCH(prewitt, grid, dim3(TILE, THREADS_Y), 0)(*device);
    return AB_LAUNCHED("prewitt");
}
