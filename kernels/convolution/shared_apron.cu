/* convolution/shared-apron: a block has a thread for each pixel that it needs, also for the apron. Each thread
 * brings one pixel to shared memory. The threads of the apron then idle: 2K(B_x + B_y + 2K) in a block that computes
 * B_x x B_y pixels. The parameter `block` is the block with its apron, so that 32 x 32 threads are whole warps and
 * compute 28 x 28 pixels of a 5 x 5 filter. KTH followed its second approach instead, convolution/shared. Everything
 * else is as there. Source: KTH §3.2, approach (i). */
#include "kernels/convolution/tile.h"

template <int K> static __global__ void convolve_shared_apron(conv_plane from, conv_plane to, const float *weights)
{
    const int i = (int)threadIdx.x, j = (int)threadIdx.y, columns = (int)blockDim.x, rows = (int)blockDim.y;
    const int x = (int)blockIdx.x * (columns - 2 * K) + i - K, y = (int)blockIdx.y * (rows - 2 * K) + j - K;
    SHARED_DYNAMIC(float, tile, 0, columns *rows);
    const shared_array<float> own = tile + (j * columns + i);
    own[0] = conv_pixel(from, x, y);
    __syncthreads();
    const bool computes = i >= K && i < columns - K && j >= K && j < rows - K;
    if (computes && x < to.width && y < to.height) to.pixels[y * to.pitch + x] = tile_sum<K>(own, columns, weights);
}

static ab_status check(const conv_image *, const conv_params *params)
{
    if (params->block_x >= params->width && params->block_y >= params->width) return ab_ok();
    return ab_unsupported("needs blocks of at least %d x %d threads, the apron's included, for a filter of width %d",
                          params->width, params->width, params->width);
}

static ab_status convolve(const conv_device *device, const conv_params *params)
{
    const int apron = params->width - 1;
    const size_t bytes = (size_t)(params->block_x * params->block_y) * sizeof(float);
    const dim3 grid((unsigned)ceil_div(device->to.width, params->block_x - apron),
                    (unsigned)ceil_div(device->to.height, params->block_y - apron));
    return conv_with_radius(device->filter.radius, [&](auto radius) {
        LAUNCH(convolve_shared_apron<radius.k>, grid, tile_block(params), bytes)
        (device->from, device->to, device->weights);
        return AB_LAUNCHED("convolve_shared_apron");
    });
}

AB_RUNG(convolution_rung, convolution_shared_apron) = {.convolve = convolve, .check = check};
