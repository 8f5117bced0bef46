/* Gradient, non-maximum suppression and both thresholds: one thread per pixel.
 *
 * A block loads its tile with an apron of two pixels, computes the magnitude on the tile and an apron of one in shared
 * memory, and then compares. Luo & Duraiswami have a kernel for the gradient and one for the suppression; here the
 * gradient never goes to device memory, and a sixth of it is computed twice. Rules: canny.h.
 * Source: thesis §6.3, after Luo & Duraiswami 2008; directions and ties as in OpenCV 4.6.
 */
#include "kernels/canny/canny.h"
#include "kernels/canny/tile.h"

enum { TILE = 32, TILE_ROWS = 16, N_THREADS = TILE * TILE_ROWS };
enum { PIXELS = TILE + 4, N_PIXELS = PIXELS * (TILE_ROWS + 4) };             /* apron of two */
enum { MAGNITUDES = TILE + 2, N_MAGNITUDES = MAGNITUDES * (TILE_ROWS + 2) }; /* apron of one */

static __global__ void __launch_bounds__(N_THREADS) suppress_non_maxima(canny_device device)
{
    SHARED(unsigned char, pixels, N_PIXELS);
    SHARED(short, magnitudes, N_MAGNITUDES);
    const int width = device.width, height = device.height;
    const int left = (int)blockIdx.x * TILE, top = (int)blockIdx.y * TILE_ROWS, thread = (int)threadIdx.x;

    for (int i = thread; i < N_PIXELS; i += N_THREADS) {
        const int x = repeated(left - 2 + i % PIXELS, width), y = repeated(top - 2 + i / PIXELS, height);
        pixels[i] = device.blurred[(size_t)y * (size_t)width + (size_t)x];
    }
    __syncthreads();

    for (int i = thread; i < N_MAGNITUDES; i += N_THREADS) {
        const int column = i % MAGNITUDES, row = i / MAGNITUDES, x = left - 1 + column, y = top - 1 + row;
        const bool inside = x >= 0 && x < width && y >= 0 && y < height;
        magnitudes[i] = inside ? magnitude(sobel(pixels, (row + 1) * PIXELS + column + 1, PIXELS)) : (short)0;
    }
    __syncthreads();

    const int column = thread % TILE, row = thread / TILE, x = left + column, y = top + row;
    if (x >= width || y >= height) return;
    const int middle = (row + 1) * MAGNITUDES + column + 1;
    const int2 gradient = sobel(pixels, (row + 2) * PIXELS + column + 2, PIXELS);
    const bool maximum = is_maximum(magnitudes, middle, MAGNITUDES, gradient);
    device.classes[(size_t)y * (size_t)width + (size_t)x] =
        classify(magnitudes[middle], maximum, device.low, device.high);
}

extern "C" ab_status AB_GPU(canny_suppress)(const canny_device *device)
{
    const dim3 grid((unsigned)ceil_div(device->width, TILE), (unsigned)ceil_div(device->height, TILE_ROWS));
    LAUNCH(suppress_non_maxima, grid, N_THREADS, 0)(*device);
    return AB_LAUNCHED("suppress_non_maxima");
}
