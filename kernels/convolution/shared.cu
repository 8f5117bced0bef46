/* convolution/shared: a block brings the pixels that it needs to shared memory, 1, 2 or 4 per thread. The filter
 * stays in global memory. Every pixel is read about once from global memory, so that reads of shared memory and of
 * the filter bound a warp, (2K + 1)^2 each. KTH's intensity: eq. 10. Source: KTH §3.2. */
#include "kernels/convolution/tile.h"

template <int K> static __global__ void convolve_shared(conv_plane from, conv_plane to, const float *weights)
{
    const int i = (int)threadIdx.x, j = (int)threadIdx.y, columns = (int)blockDim.x, rows = (int)blockDim.y;
    const int x = (int)blockIdx.x * columns + i, y = (int)blockIdx.y * rows + j, pitch = columns + 2 * K;
    SHARED_DYNAMIC(float, tile, 0, pitch *(rows + 2 * K));
    const shared_array<float> own = tile + ((j + K) * pitch + i + K);
    tile_load(from, own, pitch, x, y, tile_apron<K>(i, columns), tile_apron<K>(j, rows));
    __syncthreads();
    if (x < to.width && y < to.height) to.pixels[y * to.pitch + x] = tile_sum<K>(own, pitch, weights);
}

static ab_status convolve(const conv_device *device, const conv_params *params)
{
    const int apron = params->width - 1;
    const size_t bytes = (size_t)((params->block_x + apron) * (params->block_y + apron)) * sizeof(float);
    const dim3 grid = tile_grid(device->to, params, 1, 1);
    return conv_with_radius(device->filter.radius, [&](auto radius) {
        LAUNCH(convolve_shared<radius.k>, grid, tile_block(params), bytes)(device->from, device->to, device->weights);
        return AB_LAUNCHED("convolve_shared");
    });
}

AB_RUNG(convolution_rung, convolution_shared) = {.convolve = convolve, .check = tile_check};
