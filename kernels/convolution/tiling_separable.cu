/* convolution/tiling-separable: for filters of rank 1, rows by 1 x T tiling, then columns by T x 1 tiling. The
 * column tiles lie transposed in shared memory, so that both passes run along the rows there (KTH Fig. 4). The rows
 * there are of odd length, and each tile's sums go back through shared memory, so that transposing and writing are
 * fast. KTH's intensity: eq. 14. Source: KTH §3.5.2. */
#include "kernels/convolution/row_tiles.h"

/* Pixel (i, t * rows + j) of the block's T tiles lies at strip[i][K + t * rows + j]. Thread (i, j) brings pixels and
 * writes sums at (i, j) of each tile. It computes the sums of column `across` and row `down`; the threads of a warp
 * follow a row of the strip. */
template <int K>
static __global__ void convolve_column_tiles(conv_plane from, conv_plane to, int tiles, conv_weights<2 * K + 1> weights)
{
    const int i = (int)threadIdx.x, j = (int)threadIdx.y, columns = (int)blockDim.x, rows = (int)blockDim.y;
    const int x = (int)blockIdx.x * columns + i, y0 = (int)blockIdx.y * tiles * rows + j;
    const int used = min(tiles, ceil_div(to.height - y0 + j, rows));
    const int pitch = (tiles * rows + 2 * K) | 1, sum_pitch = rows | 1;
    SHARED_DYNAMIC(float, strip, 0, columns *pitch);
    SHARED_DYNAMIC(float, sums, columns *pitch *(int)sizeof(float), columns *sum_pitch);
    const shared_array<float> own = strip + (i * pitch + K + j);
    const int above = tile_apron<K>(j, rows);
    for (int t = 0; t < used; ++t) {
        const bool at_end = above < 0 ? t == 0 : t == used - 1;
        tile_load(from, own + t * rows, 1, x, y0 + t * rows, 0, at_end ? above : 0);
    }
    __syncthreads();
    const int thread = j * columns + i, across = thread / rows, down = thread % rows;
    for (int t = 0; t < used; ++t) {
        sums[across * sum_pitch + down] = line_sum<K>(strip + (across * pitch + K + t * rows + down), 1, weights);
        __syncthreads();
        const int y = y0 + t * rows;
        if (x < to.width && y < to.height) to.pixels[y * to.pitch + x] = sums[i * sum_pitch + j];
        __syncthreads();
    }
}

static ab_status convolve(const conv_device *device, const conv_params *params)
{
    const int columns = params->block_x, rows = params->block_y, tiles = params->tiles, apron = params->width - 1;
    const size_t down = (size_t)(columns * (((tiles * rows + apron) | 1) + (rows | 1))) * sizeof(float);
    const dim3 block = tile_block(params);
    const conv_filter &filter = device->filter;
    return conv_with_radius(filter.radius, [&](auto radius) {
        AB_TRY(device_allow_shared((const void *)convolve_column_tiles<radius.k>, down, -1));
        AB_TRY(convolve_rows_by_tiles<radius.k>(device, params));
        LAUNCH(convolve_column_tiles<radius.k>, tile_grid(device->to, params, 1, tiles), block, down)
        (device->between, device->to, tiles, conv_constant<radius.width>(filter.down));
        return AB_LAUNCHED("convolve_column_tiles");
    });
}

AB_RUNG(convolution_rung,
        convolution_tiling_separable) = {.convolve = convolve, .check = tile_check, .two_passes = true};
