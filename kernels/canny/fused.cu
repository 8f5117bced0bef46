/* Canny in three launches: blur, gradient, suppression and the labels of a tile in one, then connect.cu's last two.
 *
 * What canny/gpu sends through device memory between its kernels, the blurred image and the classes, stays in shared
 * memory; of a small image the launches are most of the time, of a large one the traffic. The price is an apron of two
 * pixels and the filter's radius around each tile, whose pixels are blurred more than once.
 * Limit: to convergence only.
 * Source: this project.
 */
#include "kernels/canny/labels.h"
#include "kernels/canny/tile.h"

enum { TILE = LABEL_TILE, PIXELS = TILE + 4 + 2 * CANNY_MAX_RADIUS, BLURRED = TILE + 4, MAGNITUDES = TILE + 2 };

/* Where in the blurred tile, which begins at pixel `first`, that pixel lies which stands for its i-th. */
static __device__ __forceinline__ int place_of(int i, int first, int n)
{
    return repeated(first + i, n) - first;
}

/* Blurs the pixels from (left, top) on, those outside of the image being copies of the border's. */
static __device__ __forceinline__ void blur_tile(const canny_device &device, int left, int top,
                                                 shared_array<unsigned char> blurred)
{
    SHARED(unsigned char, pixels, PIXELS *PIXELS);
    SHARED(unsigned short, rows, PIXELS *BLURRED);
    const int radius = device.gaussian.radius, loaded = BLURRED + 2 * radius;
    const int x = (int)threadIdx.x, y = (int)threadIdx.y;
    for (int i = y; i < loaded; i += TILE) {
        const size_t row = (size_t)reflected(top - radius + i, device.height) * (size_t)device.width;
        for (int j = x; j < loaded; j += TILE)
            pixels[i * PIXELS + j] = device.grey[row + (size_t)reflected(left - radius + j, device.width)];
    }
    __syncthreads();
    for (int i = y; i < loaded; i += TILE)
        for (int j = x; j < BLURRED; j += TILE) {
            const int first = i * PIXELS + place_of(j, left, device.width);
            unsigned sum = 0;
            for (int k = 0; k <= 2 * radius; ++k) sum += device.gaussian.weights[k] * pixels[first + k];
            rows[i * BLURRED + j] = (unsigned short)sum;
        }
    __syncthreads();
    for (int i = y; i < BLURRED; i += TILE)
        for (int j = x; j < BLURRED; j += TILE) {
            const int first = place_of(i, top, device.height);
            unsigned sum = 1u << 15; /* a half */
            for (int k = 0; k <= 2 * radius; ++k) sum += device.gaussian.weights[k] * rows[(first + k) * BLURRED + j];
            blurred[i * BLURRED + j] = (unsigned char)(sum >> 16);
        }
    __syncthreads();
}

/* The class of the thread's pixel in the tile at (left, top). */
static __device__ __forceinline__ unsigned char class_in_tile(const canny_device &device, int left, int top)
{
    SHARED(unsigned char, blurred, BLURRED *BLURRED);
    SHARED(short, magnitudes, MAGNITUDES *MAGNITUDES);
    blur_tile(device, left - 2, top - 2, blurred);

    const int column = (int)threadIdx.x, row = (int)threadIdx.y;
    for (int i = row; i < MAGNITUDES; i += TILE)
        for (int j = column; j < MAGNITUDES; j += TILE) {
            const int x = left - 1 + j, y = top - 1 + i;
            const bool inside = x >= 0 && x < device.width && y >= 0 && y < device.height;
            const int middle = (i + 1) * BLURRED + j + 1;
            magnitudes[i * MAGNITUDES + j] = inside ? magnitude(sobel(blurred, middle, BLURRED)) : (short)0;
        }
    __syncthreads();

    if (left + column >= device.width || top + row >= device.height) return CANNY_NONE;
    const int middle = (row + 1) * MAGNITUDES + column + 1;
    const int2 gradient = sobel(blurred, (row + 2) * BLURRED + column + 2, BLURRED);
    const bool maximum = is_maximum(magnitudes, middle, MAGNITUDES, gradient);
    return classify(magnitudes[middle], maximum, device.low, device.high);
}

static __global__ void __launch_bounds__(LABEL_PIXELS) label_edges(canny_device device)
{
    const int left = (int)blockIdx.x * TILE, top = (int)blockIdx.y * TILE;
    const unsigned char pixel_class = class_in_tile(device, left, top);
    label_tile(pixel_class, left, top, device.width, device.height, (unsigned *)device.scratch);
}

static ab_status detect(const canny_device *device)
{
    const dim3 grid((unsigned)ceil_div(device->width, TILE), (unsigned)ceil_div(device->height, TILE));
    LAUNCH(label_edges, grid, dim3(TILE, TILE), 0)(*device);
    AB_TRY(AB_LAUNCHED("label_edges"));
    return AB_GPU(canny_join)(device);
}

extern "C" ab_status AB_GPU(canny_fused)(const ed_image *image, const ed_params *params, ed_detector **detector)
{
    if (params->hysteresis_passes > 0)
        return ab_unsupported("goes to convergence, %d passes of growth are for canny/gpu", params->hysteresis_passes);
    const canny_rung rung = {detect, canny_label_bytes(image), false, false};
    return AB_GPU(canny_open_detector)(image, params, &rung, detector);
}
