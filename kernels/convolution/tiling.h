/* 1 x T tiling: a block of threads brings T tiles that lie side by side to shared memory, with an apron around all
 * of them. Then it computes one tile after another (KTH §3.5, Fig. 3). With one tile it is the rung shared-constant. */
#ifndef ANTBENCH_CONVOLUTION_TILING_H
#define ANTBENCH_CONVOLUTION_TILING_H

#include "kernels/convolution/tile.h"

template <int K>
static __global__ void convolve_tiles(conv_plane from, conv_plane to, int tiles,
                                      conv_weights<(2 * K + 1) * (2 * K + 1)> weights)
{
    const int i = (int)threadIdx.x, j = (int)threadIdx.y, columns = (int)blockDim.x, rows = (int)blockDim.y;
    const int x0 = (int)blockIdx.x * tiles * columns + i, y = (int)blockIdx.y * rows + j;
    const int used = min(tiles, ceil_div(to.width - x0 + i, columns)), pitch = tiles * columns + 2 * K;
    SHARED_DYNAMIC(float, strip, 0, pitch *(rows + 2 * K));
    const shared_array<float> own = strip + ((j + K) * pitch + i + K);
    const int beside = tile_apron<K>(i, columns), above = tile_apron<K>(j, rows);
    for (int t = 0; t < used; ++t) {
        const bool at_end = beside < 0 ? t == 0 : t == used - 1;
        tile_load(from, own + t * columns, pitch, x0 + t * columns, y, at_end ? beside : 0, above);
    }
    __syncthreads();
    for (int t = 0; t < used; ++t) {
        const int x = x0 + t * columns;
        if (x < to.width && y < to.height)
            to.pixels[y * to.pitch + x] = tile_sum<K>(own + t * columns, pitch, weights.at);
    }
}

static inline ab_status tiling_convolve(const conv_device *device, const conv_params *params, int tiles)
{
    const int apron = params->width - 1;
    const size_t bytes = (size_t)((tiles * params->block_x + apron) * (params->block_y + apron)) * sizeof(float);
    const dim3 grid = tile_grid(device->to, params, tiles, 1);
    return conv_with_radius(device->filter.radius, [&](auto radius) {
        AB_TRY(device_allow_shared((const void *)convolve_tiles<radius.k>, bytes, -1));
        LAUNCH(convolve_tiles<radius.k>, grid, tile_block(params), bytes)
        (device->from, device->to, tiles, conv_constant<radius.area>(device->filter.weights));
        return AB_LAUNCHED("convolve_tiles");
    });
}

#endif
