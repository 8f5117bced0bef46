/* Marks the pixels of which a gradient magnitude is above its threshold.
 *
 * A pixel needs no other, so there is no apron. The first thread of a block fetches all four thresholds with one
 * 128-bit load and the others read them from shared memory as a broadcast. Bound by memory: 16 bytes in, 1 out a pixel.
 * Source: thesis §6.5.2, step 3.
 */
#include "kernels/colour_edge/pipeline.h"

enum { N_THREADS = 256 };

static __global__ void __launch_bounds__(N_THREADS) mark(ce_device device, unsigned char *edges)
{
    SHARED(float4, threshold, 1);
    if (threadIdx.x == 0) threshold[0] = *(const float4 *)device.thresholds;
    __syncthreads();
    const size_t i = (size_t)blockIdx.x * N_THREADS + threadIdx.x;
    if (i >= (size_t)device.width * (size_t)device.height) return;
    const float4 m = device.gradients[i], above = threshold[0];
    edges[i] = m.x > above.x || m.y > above.y || m.z > above.z || m.w > above.w;
}

extern "C" ab_status AB_GPU(ce_mark)(const ce_device *device, unsigned char *edges)
{
    const size_t n = (size_t)device->width * (size_t)device->height;
    LAUNCH(mark, (unsigned)((n + N_THREADS - 1) / N_THREADS), N_THREADS, 0)(*device, edges);
    return AB_LAUNCHED("mark");
}
