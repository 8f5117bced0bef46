/* convolution/tiling-straight: convolution/tiling-separable whose T x 1 tiles lie in shared memory as in the image. A
 * thread's sum goes down a column there, in steps of a row; the threads of a warp, 32 columns side by side, read 32
 * banks at each step. The sums need no way back through shared memory and no barrier but one. It shows what transposing
 * gains ("This trick [...] can save us some time and avoid memory bank conflicts").
 * Source: KTH §3.5.2, Fig. 4, upper half. */
#include "kernels/convolution/row_tiles.h"

template <int K>
static __global__ void convolve_straight_tiles(conv_plane from, conv_plane to, int tiles,
                                               conv_weights<2 * K + 1> weights)
{
    const int i = (int)threadIdx.x, j = (int)threadIdx.y, columns = (int)blockDim.x, rows = (int)blockDim.y;
    const int x = (int)blockIdx.x * columns + i, y0 = (int)blockIdx.y * tiles * rows + j;
    const int used = min(tiles, ceil_div(to.height - y0 + j, rows));
    SHARED_DYNAMIC(float, strip, 0, columns *(tiles * rows + 2 * K));
    const shared_array<float> own = strip + ((K + j) * columns + i);
    const int above = tile_apron<K>(j, rows);
    for (int t = 0; t < used; ++t) {
        const bool at_end = above < 0 ? t == 0 : t == used - 1;
        tile_load(from, own + t * rows * columns, columns, x, y0 + t * rows, 0, at_end ? above : 0);
    }
    __syncthreads();
    for (int t = 0; t < used; ++t) {
        const int y = y0 + t * rows;
        if (x < to.width && y < to.height)
            to.pixels[y * to.pitch + x] = line_sum<K>(own + t * rows * columns, columns, weights);
    }
}

static ab_status convolve(const conv_device *device, const conv_params *params)
{
    const int tiles = params->tiles, apron = params->width - 1;
    const size_t bytes = (size_t)(params->block_x * (tiles * params->block_y + apron)) * sizeof(float);
    return conv_with_radius(device->filter.radius, [&](auto radius) {
        AB_TRY(convolve_rows_by_tiles<radius.k>(device, params));
        AB_TRY(device_allow_shared((const void *)convolve_straight_tiles<radius.k>, bytes, -1));
        LAUNCH(convolve_straight_tiles<radius.k>, tile_grid(device->to, params, 1, tiles), tile_block(params), bytes)
        (device->between, device->to, tiles, conv_constant<radius.width>(device->filter.down));
        return AB_LAUNCHED("convolve_straight_tiles");
    });
}

AB_RUNG(convolution_rung,
        convolution_tiling_straight) = {.convolve = convolve, .check = tile_check, .two_passes = true};
