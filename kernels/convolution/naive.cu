/* convolution/naive: a thread per pixel. Image and filter are read from global memory for every product, which
 * caches make bearable on recent GPUs. Loads: 2 (2K + 1)^2 per pixel; KTH's intensity 0.25 (eq. 9). Source: KTH
 * §3.1. */
#include "kernels/convolution/convolver.h"

template <int K> static __global__ void convolve_naive(conv_plane from, conv_plane to, const float *weights)
{
    const int x = (int)(blockIdx.x * blockDim.x + threadIdx.x), y = (int)(blockIdx.y * blockDim.y + threadIdx.y);
    if (x >= to.width || y >= to.height) return;
    float sum = 0.0f;
#pragma unroll
    for (int s = -K; s <= K; ++s)
#pragma unroll
        for (int r = -K; r <= K; ++r) sum += *weights++ * conv_pixel(from, x - r, y - s);
    to.pixels[y * to.pitch + x] = sum;
}

static ab_status convolve(const conv_device *device, const conv_params *params)
{
    const conv_plane &to = device->to;
    const dim3 block((unsigned)params->block_x, (unsigned)params->block_y);
    const dim3 grid((unsigned)ceil_div(to.width, params->block_x), (unsigned)ceil_div(to.height, params->block_y));
    return conv_with_radius(device->filter.radius, [&](auto radius) {
        LAUNCH(convolve_naive<radius.k>, grid, block, 0)(device->from, to, device->weights);
        return AB_LAUNCHED("convolve_naive");
    });
}

AB_RUNG(convolution_rung, convolution_naive) = {.convolve = convolve};
