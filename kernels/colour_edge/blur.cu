/* Gaussian blur in two passes, the second of which ends in volume and intensity.
 *
 * A separable filter costs 2 (2r + 1) taps a pixel instead of (2r + 1)^2. Each block loads its tile and an apron of r
 * pixels to both sides into shared memory, so that neighbouring threads share what they read; all three channels go
 * together. The first pass, down the columns, reads bytes; it goes first because bytes make the tile with the costly
 * apron, above and below, small. The second, along the rows, has the blurred colour in registers and converts it there.
 * Bound by memory: 4 bytes in, 16 out, 16 in, 8 out a pixel. The arc cosine of the thesis, fast-math there, is a
 * polynomial here, so that the CPU gives the same bits (pixel.h).
 * Source: thesis §6.5.2, step 1; Podlozhnyuk, Image Convolution with CUDA (2007).
 */
#include "kernels/colour_edge/pipeline.h"

enum {
    COLUMN_TILE = 32, /* columns and rows of a block of the first pass */
    COLUMN_THREADS_Y = 8,
    ROW_TILE_X = 128, /* columns of a block of the second pass */
    ROW_TILE_Y = 2    /* rows */
};

static __global__ void __launch_bounds__(COLUMN_TILE *COLUMN_THREADS_Y) blur_columns(ce_device device)
{
    SHARED(uchar4, tile, (COLUMN_TILE + 2 * CE_MAX_RADIUS) * COLUMN_TILE);
    const int radius = device.taps.radius, column = (int)threadIdx.x;
    const int x = (int)blockIdx.x * COLUMN_TILE + column, top = (int)blockIdx.y * COLUMN_TILE;
    for (int row = (int)threadIdx.y; row < COLUMN_TILE + 2 * radius; row += COLUMN_THREADS_Y)
        tile[row * COLUMN_TILE + column] =
            device.image[ce_at(device, ce_clamp(x, device.width), ce_clamp(top + row - radius, device.height))];
    __syncthreads();
    if (x >= device.width) return;
    for (int row = (int)threadIdx.y; row < COLUMN_TILE && top + row < device.height; row += COLUMN_THREADS_Y) {
        const int centre = (row + radius) * COLUMN_TILE + column;
        const uchar4 c = tile[centre];
        float r = ce_blur_begin(&device.taps, c.x), g = ce_blur_begin(&device.taps, c.y),
              b = ce_blur_begin(&device.taps, c.z);
        for (int k = 1; k <= radius; ++k) {
            const uchar4 above = tile[centre - k * COLUMN_TILE], below = tile[centre + k * COLUMN_TILE];
            r = ce_blur_add(&device.taps, k, (float)(above.x + below.x), r);
            g = ce_blur_add(&device.taps, k, (float)(above.y + below.y), g);
            b = ce_blur_add(&device.taps, k, (float)(above.z + below.z), b);
        }
        device.columns[ce_at(device, x, top + row)] = make_float4(r, g, b, 0.0f);
    }
}

/* ce_hue as eq. 6.5 has it, by the compiler's arc cosine, which near red has half of the digits. */
static __device__ __forceinline__ float hue_by_acos(float x, float green_blue)
{
    const float y = 1.7320508f * green_blue, radius = sqrtf(fmaf(x, x, y * y));
    const float angle = acosf(fminf(fmaxf(x / fmaxf(radius, 1e-30f), -1.0f), 1.0f)) * (1.0f / 6.0f);
    return green_blue < 0.0f ? 1.04719755f - angle : angle;
}

template <bool ACOS> static __global__ void __launch_bounds__(ROW_TILE_X *ROW_TILE_Y) blur_rows(ce_device device)
{
    enum { STRIDE = ROW_TILE_X + 2 * CE_MAX_RADIUS };
    SHARED(float4, tile, ROW_TILE_Y * STRIDE);
    const int radius = device.taps.radius, row = (int)threadIdx.y;
    const int left = (int)blockIdx.x * ROW_TILE_X, y = (int)blockIdx.y * ROW_TILE_Y + row;
    for (int i = (int)threadIdx.x; i < ROW_TILE_X + 2 * radius; i += ROW_TILE_X)
        tile[row * STRIDE + i] =
            device.columns[ce_at(device, ce_clamp(left + i - radius, device.width), ce_clamp(y, device.height))];
    __syncthreads();
    const int x = left + (int)threadIdx.x, centre = row * STRIDE + radius + (int)threadIdx.x;
    if (x >= device.width || y >= device.height) return;
    const float4 c = tile[centre];
    float r = ce_blur_begin(&device.taps, c.x), g = ce_blur_begin(&device.taps, c.y),
          b = ce_blur_begin(&device.taps, c.z);
    for (int k = 1; k <= radius; ++k) {
        const float4 left_one = tile[centre - k], right_one = tile[centre + k];
        r = ce_blur_add(&device.taps, k, left_one.x + right_one.x, r);
        g = ce_blur_add(&device.taps, k, left_one.y + right_one.y, g);
        b = ce_blur_add(&device.taps, k, left_one.z + right_one.z, b);
    }
    const float volume = ACOS ? ce_area(r, g, b) * hue_by_acos((r - g) + (r - b), g - b) : ce_volume(r, g, b);
    device.colour[ce_at(device, x, y)] = make_float2(volume, ce_intensity(r, g, b));
}

template <bool ACOS> static ab_status blur(const ce_device *device)
{
    const dim3 column_grid((unsigned)ceil_div(device->width, COLUMN_TILE),
                           (unsigned)ceil_div(device->height, COLUMN_TILE));
    LAUNCH(blur_columns, column_grid, dim3(COLUMN_TILE, COLUMN_THREADS_Y), 0)(*device);
    AB_TRY(AB_LAUNCHED("blur_columns"));
    const dim3 row_grid((unsigned)ceil_div(device->width, ROW_TILE_X), (unsigned)ceil_div(device->height, ROW_TILE_Y));
    LAUNCH(blur_rows<ACOS>, row_grid, dim3(ROW_TILE_X, ROW_TILE_Y), 0)(*device);
    return AB_LAUNCHED("blur_rows");
}

extern "C" ab_status AB_GPU(ce_blur)(const ce_device *device)
{
    return blur<false>(device);
}

extern "C" ab_status AB_GPU(ce_blur_acos)(const ce_device *device)
{
    return blur<true>(device);
}
