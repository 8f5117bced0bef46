/* One sub-iteration of Guo & Hall's thinning by lookup table.
 *
 * Whether a pixel stays depends on the nine pixels around it. All 512 answers are computed in advance, and a thread
 * computes the index of its neighbourhood from a tile in shared memory. All pixels must see the old map, so the result
 * goes to another map and a pass is two launches. The table lies in global memory, where the L1 cache keeps its 512
 * bytes: constant memory would serve the different indices of a warp one after the other. Bound by launch latency at
 * 512x512: 1 byte in, 1 out per pixel. Source: thesis §6.5.2, step 4, Fig. 6.4; Guo & Hall 1989.
 */
#include "kernels/colour_edge/pipeline.h"

enum { TILE_X = 32, TILE_Y = 16, STRIDE = TILE_X + 2 };

/* Fig. 6.4: column by column from the left, top first. */
static __device__ __forceinline__ int table_index(shared_array<unsigned char> tile, int at)
{
    int index = 0;
    for (int column = -1; column <= 1; ++column)
        for (int row = -STRIDE; row <= STRIDE; row += STRIDE) index = index << 1 | tile[at + row + column];
    return index;
}

static __global__ void __launch_bounds__(TILE_X *TILE_Y)
    thin(ce_device device, const unsigned char *from, unsigned char *to, const unsigned char *table)
{
    SHARED(unsigned char, tile, (TILE_Y + 2) * STRIDE);
    const int left = (int)blockIdx.x * TILE_X, top = (int)blockIdx.y * TILE_Y;
    for (int row = (int)threadIdx.y; row < TILE_Y + 2; row += TILE_Y)
        for (int column = (int)threadIdx.x; column < STRIDE; column += TILE_X) {
            const int x = left + column - 1, y = top + row - 1;
            const bool inside = x >= 0 && x < device.width && y >= 0 && y < device.height;
            tile[row * STRIDE + column] = inside ? from[ce_at(device, x, y)] : (unsigned char)0;
        }
    __syncthreads();
    const int x = left + (int)threadIdx.x, y = top + (int)threadIdx.y;
    if (x >= device.width || y >= device.height) return;
    const int at = ((int)threadIdx.y + 1) * STRIDE + (int)threadIdx.x + 1;
    to[ce_at(device, x, y)] = __ldg(&table[table_index(tile, at)]);
}

extern "C" ab_status AB_GPU(ce_thin)(const ce_device *device, const unsigned char *from, unsigned char *to,
                                     int sub_iteration)
{
    const dim3 grid((unsigned)ceil_div(device->width, TILE_X), (unsigned)ceil_div(device->height, TILE_Y));
    LAUNCH(thin, grid, dim3(TILE_X, TILE_Y), 0)(*device, from, to, device->tables + sub_iteration * 512);
    return AB_LAUNCHED("thin");
}
