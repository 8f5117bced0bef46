/* convolution/separable: for filters of rank 1, first sums along rows, then sums of these along columns. That is 2
 * (2K + 1) products per pixel in place of (2K + 1)^2, but each pixel is read and written twice. A thread brings 1 or
 * 2 pixels to shared memory. KTH's intensity: eq. 12. Source: KTH §3.4. */
#include "kernels/convolution/tile.h"

template <int K> static __global__ void convolve_rows(conv_plane from, conv_plane to, conv_weights<2 * K + 1> weights)
{
    const int i = (int)threadIdx.x, j = (int)threadIdx.y, columns = (int)blockDim.x, rows = (int)blockDim.y;
    const int x = (int)blockIdx.x * columns + i, y = (int)blockIdx.y * rows + j, pitch = columns + 2 * K;
    SHARED_DYNAMIC(float, tile, 0, pitch *rows);
    const shared_array<float> own = tile + (j * pitch + i + K);
    tile_load(from, own, pitch, x, y, tile_apron<K>(i, columns), 0);
    __syncthreads();
    if (x < to.width && y < to.height) to.pixels[y * to.pitch + x] = line_sum<K>(own, 1, weights);
}

template <int K>
static __global__ void convolve_columns(conv_plane from, conv_plane to, conv_weights<2 * K + 1> weights)
{
    const int i = (int)threadIdx.x, j = (int)threadIdx.y, columns = (int)blockDim.x, rows = (int)blockDim.y;
    const int x = (int)blockIdx.x * columns + i, y = (int)blockIdx.y * rows + j;
    SHARED_DYNAMIC(float, tile, 0, columns *(rows + 2 * K));
    const shared_array<float> own = tile + ((j + K) * columns + i);
    tile_load(from, own, columns, x, y, 0, tile_apron<K>(j, rows));
    __syncthreads();
    if (x < to.width && y < to.height) to.pixels[y * to.pitch + x] = line_sum<K>(own, columns, weights);
}

static ab_status convolve(const conv_device *device, const conv_params *params)
{
    const int columns = params->block_x, rows = params->block_y, apron = params->width - 1;
    const dim3 grid = tile_grid(device->to, params, 1, 1), block = tile_block(params);
    const conv_filter &filter = device->filter;
    return conv_with_radius(filter.radius, [&](auto radius) {
        LAUNCH(convolve_rows<radius.k>, grid, block, (size_t)((columns + apron) * rows) * sizeof(float))
        (device->from, device->between, conv_constant<radius.width>(filter.across));
        AB_TRY(AB_LAUNCHED("convolve_rows"));
        LAUNCH(convolve_columns<radius.k>, grid, block, (size_t)(columns * (rows + apron)) * sizeof(float))
        (device->between, device->to, conv_constant<radius.width>(filter.down));
        return AB_LAUNCHED("convolve_columns");
    });
}

AB_RUNG(convolution_rung, convolution_separable) = {.convolve = convolve, .check = tile_check, .two_passes = true};
