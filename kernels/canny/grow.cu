/* Hysteresis by block-local growth: inside a block, strong pixels take over the weak ones beside them until nothing
 * changes.
 *
 * A block's growth reaches its neighbours only in the next pass. So a fixed number of passes (the thesis's H4 and H10)
 * leaves long edges unfinished where they cross blocks; connect.cu finishes them. Luo & Duraiswami grow in place, so
 * that a pass depends on the order in which blocks run. Here a pass reads one array and writes another, so that a
 * number of passes always gives the same map. Limit: 16 x 16 pixels per block, one thread each; the thesis does not
 * tell its number. Source: thesis §6.3, after Luo & Duraiswami 2008.
 */
#include "kernels/canny/canny.h"

enum { TILE = CANNY_GROW_TILE, GROWN = TILE + 2, N_GROWN = GROWN * GROWN, N_THREADS = TILE * TILE };

static __device__ __forceinline__ bool beside_strong(shared_array<unsigned char> classes, int middle)
{
    bool strong = false;
    for (int row = middle - GROWN; row <= middle + GROWN; row += GROWN)
        for (int i = row - 1; i <= row + 1; ++i) strong = strong || classes[i] == CANNY_STRONG;
    return strong;
}

/* One pass; the last one writes the edges, 0 and 1, in place of classes. */
static __global__ void __launch_bounds__(N_THREADS)
    grow_in_block(const unsigned char *from, unsigned char *to, int width, int height, bool last)
{
    SHARED(unsigned char, classes, N_GROWN);
    const int left = (int)blockIdx.x * TILE, top = (int)blockIdx.y * TILE, thread = (int)threadIdx.x;
    for (int i = thread; i < N_GROWN; i += N_THREADS) {
        const int x = left - 1 + i % GROWN, y = top - 1 + i / GROWN;
        const bool inside = x >= 0 && x < width && y >= 0 && y < height;
        classes[i] = inside ? from[(size_t)y * (size_t)width + (size_t)x] : (unsigned char)CANNY_NONE;
    }
    __syncthreads();

    const int column = thread % TILE, row = thread / TILE, middle = (row + 1) * GROWN + column + 1;
    bool grows;
    do {
        grows = classes[middle] == CANNY_WEAK && beside_strong(classes, middle);
        __syncthreads(); /* all have looked before one changes */
        if (grows) classes[middle] = CANNY_STRONG;
    } while (__syncthreads_or(grows));

    const int x = left + column, y = top + row;
    if (x >= width || y >= height) return;
    const unsigned char grown = classes[middle];
    to[(size_t)y * (size_t)width + (size_t)x] = last ? (unsigned char)(grown == CANNY_STRONG) : grown;
}

/* Classes stay as they are: the first pass reads them, and the others go between the spare array and the edges. */
extern "C" ab_status AB_GPU(canny_grow)(const canny_device *device)
{
    const dim3 grid((unsigned)ceil_div(device->width, TILE), (unsigned)ceil_div(device->height, TILE));
    const unsigned char *from = device->classes;
    for (int left = device->hysteresis_passes - 1; left >= 0; --left) {
        unsigned char *const to = left % 2 ? device->spare : device->edges;
        LAUNCH(grow_in_block, grid, N_THREADS, 0)(from, to, device->width, device->height, left == 0);
        from = to;
    }
    return AB_LAUNCHED("grow_in_block");
}
