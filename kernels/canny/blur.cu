/* Separable Gaussian blur: a block loads a tile with an apron as wide as the filter, blurs its rows, then its columns.
 *
 * Rows and columns in one kernel, where Podlozhnyuk's sample has two: the rows stay in shared memory, at the price of
 * blurring the rows of the apron twice. Sums are exact: 8 bits times weights of 8 fractional bits make 16, rounded once
 * at the end, which is what OpenCV's GaussianBlur computes for 8-bit images.
 * Limit: radius <= CANNY_MAX_RADIUS.
 * Source: thesis §6.4 step 1 and §6.3, after Luo & Duraiswami 2008.
 */
#include "kernels/canny/canny.h"
#include "kernels/canny/tile.h"

enum { TILE = 32, N_ROWS = 8, LOADED = TILE + 2 * CANNY_MAX_RADIUS };

static __global__ void __launch_bounds__(TILE *N_ROWS) gaussian_blur(canny_device device)
{
    SHARED(unsigned char, pixels, LOADED *LOADED);
    SHARED(unsigned short, rows, LOADED *TILE);
    const int radius = device.gaussian.radius, loaded = TILE + 2 * radius;
    const int left = (int)blockIdx.x * TILE, top = (int)blockIdx.y * TILE, x = (int)threadIdx.x, y = (int)threadIdx.y;

    for (int i = y; i < loaded; i += N_ROWS) {
        const size_t row = (size_t)reflected(top - radius + i, device.height) * (size_t)device.width;
        for (int j = x; j < loaded; j += TILE)
            pixels[i * LOADED + j] = device.grey[row + (size_t)reflected(left - radius + j, device.width)];
    }
    __syncthreads();

    for (int i = y; i < loaded; i += N_ROWS) {
        unsigned sum = 0;
        for (int k = 0; k <= 2 * radius; ++k) sum += device.gaussian.weights[k] * pixels[i * LOADED + x + k];
        rows[i * TILE + x] = (unsigned short)sum;
    }
    __syncthreads();

    for (int i = y; i < TILE; i += N_ROWS) {
        unsigned sum = 1u << 15; /* a half */
        for (int k = 0; k <= 2 * radius; ++k) sum += device.gaussian.weights[k] * rows[(i + k) * TILE + x];
        if (left + x < device.width && top + i < device.height)
            device.blurred[(size_t)(top + i) * (size_t)device.width + (size_t)(left + x)] = (unsigned char)(sum >> 16);
    }
}

extern "C" ab_status AB_GPU(canny_blur)(const canny_device *device)
{
    const dim3 grid((unsigned)ceil_div(device->width, TILE), (unsigned)ceil_div(device->height, TILE));
    LAUNCH(gaussian_blur, grid, dim3(TILE, N_ROWS), 0)(*device);
    return AB_LAUNCHED("gaussian_blur");
}
