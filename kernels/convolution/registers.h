/* Our own convolution, for filters of any rank and for rank 1: no shared memory, no barrier.
 *
 * A thread computes 4 columns of several rows. It reads each input row once, four pixels per load. It also reads the
 * aprons left and right, which its neighbours bring to the L1 cache. It adds a row's contribution to each of the sums
 * that need it, which are in registers. With filters of up to 5 x 5 all rows are on their way at once. For that the warp
 * meets between loads and sums; else the compiler moves each load to where it is used. A warp is 128 columns wide, and
 * the warps of a block lie one above another.
 *
 * From the roofline: 8 bytes per pixel at the speed of a copy take 0.048 ms for 4096 x 4096 on an H100. Rows between
 * two warps are read by both: (rows + 2K) / rows times, mostly from L1 and L2. At 5 x 5 the 25 multiplications and
 * additions per pixel take 0.015 ms at 28 T/s, beside the loads. From about 11 x 11 on they are the limit, but not for
 * rank 1.
 */
#ifndef ANTBENCH_CONVOLUTION_REGISTERS_H
#define ANTBENCH_CONVOLUTION_REGISTERS_H

#include "kernels/convolution/convolver.h"
#include "kernels/cuda/warp.h"

enum { COLUMNS = 4, MAX_WARPS = 8 };
enum {
    FREE_ROWS_RADIUS = 2,
    FEW_ROWS = 2, /* rows per thread, unless a parameter sets them */
    FIXED_ROWS = 4
}; /* limits for wider filters: unrolled code grows with both */

/* What a thread sees of a row with a filter of radius K: `apron` pixels, its own, `apron` pixels. */
template <int K> struct registers_row {
    static constexpr int apron = (K + COLUMNS - 1) / COLUMNS * COLUMNS, count = apron + COLUMNS + apron;
    float at[count];

    /* Adds the products of weights[0 .. 2K] with the pixels around the thread's own column. */
    __device__ __forceinline__ void add(int column, const float *weights, float *sum) const
    {
#pragma unroll
        for (int r = -K; r <= K; ++r) *sum += weights[r + K] * at[apron + column - r];
    }
};

/* Reads rows of the thread whose own columns begin with x. Loads do not depend on where the image ends, so that the
 * loads of all rows can be on their way together. Pixels beyond the end are read from inside and then overwritten
 * with their neighbour. A warp that reads only `inside` the image skips that. */
template <int K, bool inside> struct registers_reader {
    using row = registers_row<K>;
    const conv_plane &from;
    int x;
    const float4 *fours[row::count / COLUMNS]; /* in row 0 */

    __device__ __forceinline__ registers_reader(const conv_plane &plane, int first) : from(plane), x(first)
    {
        const int last = (plane.width - 1) / COLUMNS * COLUMNS;
#pragma unroll
        for (int i = 0; i < row::count; i += COLUMNS) {
            const int at = x - row::apron + i;
            fours[i / COLUMNS] = (const float4 *)(plane.pixels + (inside ? at : min(max(at, 0), last)));
        }
    }

    __device__ __forceinline__ row read(int y) const
    {
        const int offset = (inside ? y : min(max(y, 0), from.height - 1)) * (from.pitch / COLUMNS);
        row found;
#pragma unroll
        for (int i = 0; i < row::count; i += COLUMNS) {
            const float4 four = fours[i / COLUMNS][offset];
            found.at[i] = four.x;
            found.at[i + 1] = four.y;
            found.at[i + 2] = four.z;
            found.at[i + 3] = four.w;
        }
        if constexpr (!inside) extend(&found);
        return found;
    }

    /* What lies beyond the image becomes the nearest pixel inside. */
    __device__ __forceinline__ void extend(row *read) const
    {
#pragma unroll
        for (int i = row::apron + 1; i < row::count; ++i)
            if (x - row::apron + i >= from.width) read->at[i] = read->at[i - 1];
#pragma unroll
        for (int i = row::apron - 1; i >= 0; --i)
            if (x - row::apron + i < 0) read->at[i] = read->at[i + 1];
    }
};

/* Weights: [2K + 1][2K + 1], or of rank 1 those across and then those down. */
template <int K, bool rank_one>
using registers_weights = conv_weights<rank_one ? 2 * (2 * K + 1) : (2 * K + 1) * (2 * K + 1)>;

/* The thread's pixels: COLUMNS from x on, of `rows` rows from y0 on. */
template <int K, int rows, bool rank_one, bool inside>
static __device__ __forceinline__ void convolve_at(const conv_plane &from, const conv_plane &to, int x, int y0,
                                                   const registers_weights<K, rank_one> &weights)
{
    constexpr int width = 2 * K + 1;
    constexpr bool at_once = K <= FREE_ROWS_RADIUS;
    const registers_reader<K, inside> reader(from, x);
    registers_row<K> loaded[rows + 2 * K];
    float sums[rows][COLUMNS] = {};
    if constexpr (at_once) {
#pragma unroll
        for (int i = 0; i < rows + 2 * K; ++i) loaded[i] = reader.read(y0 - K + i);
        __syncwarp();
    }
#pragma unroll
    for (int i = 0; i < rows + 2 * K; ++i) {
        const registers_row<K> row = at_once ? loaded[i] : reader.read(y0 - K + i);
#pragma unroll
        for (int c = 0; c < COLUMNS; ++c) {
            float across = 0.0f;
            if (rank_one) row.add(c, weights.at, &across);
#pragma unroll
            for (int j = max(0, i - 2 * K); j <= min(i, rows - 1); ++j) {
                const int s = j - i + 2 * K; /* the row of the filter, from 0 */
                if (rank_one)
                    sums[j][c] += weights.at[width + s] * across;
                else
                    row.add(c, weights.at + s * width, &sums[j][c]);
            }
        }
    }
#pragma unroll
    for (int j = 0; j < rows; ++j)
        if (inside || (y0 + j < to.height && x < to.width))
            *(float4 *)(to.pixels + (y0 + j) * to.pitch + x) =
                make_float4(sums[j][0], sums[j][1], sums[j][2], sums[j][3]);
}

template <int K, int rows, bool rank_one>
static __global__ void __launch_bounds__(MAX_WARPS *WARP_SIZE)
    convolve_registers(conv_plane from, conv_plane to, registers_weights<K, rank_one> weights)
{
    constexpr int columns = COLUMNS * WARP_SIZE, apron = registers_row<K>::apron; /* columns of a warp */
    const int first = columns * (int)blockIdx.x, x = first + COLUMNS * (int)threadIdx.x;
    const int y0 = rows * (int)(blockIdx.y * blockDim.y + threadIdx.y);
    if (first >= apron && first + columns + apron <= from.width && y0 >= K && y0 + rows + K <= from.height)
        convolve_at<K, rows, rank_one, true>(from, to, x, y0, weights);
    else if (y0 < to.height)
        convolve_at<K, rows, rank_one, false>(from, to, x, y0, weights);
}

template <int K, int rows, bool rank_one>
static ab_status registers_launch(const conv_device *device, const conv_params *params)
{
    const conv_filter &filter = device->filter;
    const conv_plane &to = device->to;
    constexpr int width = 2 * K + 1;
    const dim3 grid((unsigned)ceil_div(to.width, COLUMNS * WARP_SIZE),
                    (unsigned)ceil_div(to.height, rows * params->warps));
    const dim3 block(WARP_SIZE, (unsigned)params->warps);
    registers_weights<K, rank_one> weights;
    for (int i = 0; i < (rank_one ? width : width * width); ++i)
        weights.at[i] = (float)(rank_one ? filter.across[i] : filter.weights[i]);
    for (int i = 0; rank_one && i < width; ++i) weights.at[width + i] = (float)filter.down[i];
    const auto kernel = convolve_registers<K, rows, rank_one>;
    LAUNCH(kernel, grid, block, 0)(device->from, to, weights);
    return AB_LAUNCHED("convolve_registers");
}

template <bool rank_one> static ab_status registers_convolve(const conv_device *device, const conv_params *params)
{
    const int rows = params->rows ? params->rows : FEW_ROWS;
    return conv_with_radius(device->filter.radius, [&](auto radius) {
        if constexpr (radius.k <= FREE_ROWS_RADIUS) {
            if (rows == 1) return registers_launch<radius.k, 1, rank_one>(device, params);
            if (rows == 2) return registers_launch<radius.k, 2, rank_one>(device, params);
        }
        return registers_launch<radius.k, FIXED_ROWS, rank_one>(device, params);
    });
}

static inline ab_status registers_check(const conv_image *, const conv_params *params)
{
    if (params->rows == 0 || params->rows == FIXED_ROWS || params->width / 2 <= FREE_ROWS_RADIUS) return ab_ok();
    return ab_unsupported("has %d rows per thread for filters wider than %d", FIXED_ROWS, 2 * FREE_ROWS_RADIUS + 1);
}

#endif
