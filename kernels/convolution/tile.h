/* Brings pixels to shared memory as the report's rungs do. Each thread brings its own pixel. A thread at the border
 * of the block brings one or three more, of the apron beyond (KTH §3.2, Fig. 2). */
#ifndef ANTBENCH_CONVOLUTION_TILE_H
#define ANTBENCH_CONVOLUTION_TILE_H

#include "kernels/convolution/convolver.h"

/* The distance from a thread's own pixel to the apron's pixel that it brings. It is -K for the first K threads, K
 * for the last K, and 0 for others, which bring none. Thread `i` of `n`; n is at least 2 K (tile_check). */
template <int K> static __device__ __forceinline__ int tile_apron(int i, int n)
{
    return i < K ? -K : i >= n - K ? K : 0;
}

/* Brings the pixel at (x, y) to *own, and 1 or 3 of the apron where it is `beside` or `above` it, in rows of `pitch`
 * floats. */
static __device__ __forceinline__ void tile_load(const conv_plane &from, shared_array<float> own, int pitch, int x,
                                                 int y, int beside, int above)
{
    own[0] = conv_pixel(from, x, y);
    if (beside) own[beside] = conv_pixel(from, x + beside, y);
    if (above) own[above * pitch] = conv_pixel(from, x, y + above);
    if (beside && above) own[above * pitch + beside] = conv_pixel(from, x + beside, y + above);
}

/* The weighted sum of a tile's pixels around *own. */
template <int K>
static __device__ __forceinline__ float tile_sum(shared_array<float> own, int pitch, const float *weights)
{
    float sum = 0.0f;
#pragma unroll
    for (int s = -K; s <= K; ++s)
#pragma unroll
        for (int r = -K; r <= K; ++r) sum += weights[(s + K) * (2 * K + 1) + r + K] * own[-s * pitch - r];
    return sum;
}

/* The same in one dimension, of pixels that are `stride` apart. */
template <int K>
static __device__ __forceinline__ float line_sum(shared_array<float> own, int stride,
                                                 const conv_weights<2 * K + 1> &weights)
{
    float sum = 0.0f;
#pragma unroll
    for (int r = -K; r <= K; ++r) sum += weights.at[r + K] * own[-r * stride];
    return sum;
}

/* convolution_rung.check of these rungs. */
static inline ab_status tile_check(const conv_image *, const conv_params *params)
{
    if (params->block_x >= params->width - 1 && params->block_y >= params->width - 1) return ab_ok();
    return ab_unsupported("needs blocks of at least %d x %d threads for a filter of width %d", params->width - 1,
                          params->width - 1, params->width);
}

/* The grid of blocks that compute `across` x `down` tiles each. */
static inline dim3 tile_grid(const conv_plane &to, const conv_params *params, int across, int down)
{
    return dim3((unsigned)ceil_div(to.width, params->block_x * across),
                (unsigned)ceil_div(to.height, params->block_y * down));
}

static inline dim3 tile_block(const conv_params *params)
{
    return dim3((unsigned)params->block_x, (unsigned)params->block_y);
}

#endif
