/* The rows of a filter of rank 1 by 1 x T tiling (KTH §3.5.2): the first pass of the rungs that tile in two. */
#ifndef ANTBENCH_CONVOLUTION_ROW_TILES_H
#define ANTBENCH_CONVOLUTION_ROW_TILES_H

#include "kernels/convolution/tile.h"

template <int K>
static __global__ void convolve_row_tiles(conv_plane from, conv_plane to, int tiles, conv_weights<2 * K + 1> weights)
{
    const int i = (int)threadIdx.x, j = (int)threadIdx.y, columns = (int)blockDim.x, rows = (int)blockDim.y;
    const int x0 = (int)blockIdx.x * tiles * columns + i, y = (int)blockIdx.y * rows + j;
    const int used = min(tiles, ceil_div(to.width - x0 + i, columns)), pitch = tiles * columns + 2 * K;
    SHARED_DYNAMIC(float, strip, 0, pitch *rows);
    const shared_array<float> own = strip + (j * pitch + i + K);
    const int beside = tile_apron<K>(i, columns);
    for (int t = 0; t < used; ++t) {
        const bool at_end = beside < 0 ? t == 0 : t == used - 1;
        tile_load(from, own + t * columns, pitch, x0 + t * columns, y, at_end ? beside : 0, 0);
    }
    __syncthreads();
    for (int t = 0; t < used; ++t) {
        const int x = x0 + t * columns;
        if (x < to.width && y < to.height) to.pixels[y * to.pitch + x] = line_sum<K>(own + t * columns, 1, weights);
    }
}

/* Enqueues the rows of device->from into device->between. */
template <int K> static inline ab_status convolve_rows_by_tiles(const conv_device *device, const conv_params *params)
{
    const int columns = params->block_x, rows = params->block_y, tiles = params->tiles;
    const size_t bytes = (size_t)((tiles * columns + 2 * K) * rows) * sizeof(float);
    AB_TRY(device_allow_shared((const void *)convolve_row_tiles<K>, bytes, -1));
    LAUNCH(convolve_row_tiles<K>, tile_grid(device->to, params, tiles, 1), tile_block(params), bytes)
    (device->from, device->between, tiles, conv_constant<2 * K + 1>(device->filter.across));
    return AB_LAUNCHED("convolve_row_tiles");
}

#endif
