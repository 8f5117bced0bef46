/* What the kernels of colour-edge/fused and at_once.cu share: from bytes to squared magnitudes, and bits of edges.
 * Source: this project.
 */
#ifndef ANTBENCH_COLOUR_EDGE_FUSED_H
#define ANTBENCH_COLOUR_EDGE_FUSED_H

#include "kernels/colour_edge/pipeline.h"
#include "kernels/cuda/cuda_half.h"

enum {
    QUAD = 4,          /* columns that a thread blurs along a row */
    COMMON_RADIUS = 3, /* radius for sigma 1, for which kernels are compiled */
    MARGIN = 2         /* pixels that a pass of thinning spoils on each side: one for each sub-iteration */
};
static const float PIXEL_UNIT = 0x1p-24f; /* what a pixel's 1 is in blurred columns */
static const float COLOUR_UNIT =
    CE_STEP; /* what 1 is in colours and gradients: a root's whole number is then added up */

/* ---- Blur and colour ---- */

/* Channel 0, 1, 2 of a pixel, in PIXEL_UNIT: as a half-precision number the byte is that. */
static __device__ __forceinline__ float channel(unsigned pixel, int which)
{
    if (which == 1) return __low2float(half2_of(__byte_perm(pixel, 0, 0x4441)));
    const half2 red_blue = half2_of(pixel & 0x00ff00ffu);
    return which == 0 ? __low2float(red_blue) : __high2float(red_blue);
}

/* The pixel that is nearest to (x, y). */
static __device__ __forceinline__ unsigned pixel_near(const ce_device &device, int x, int y)
{
    return ((const unsigned *)device.image)[ce_clamp(y, device.height) * device.width + ce_clamp(x, device.width)];
}

/* Blurs ROWS pixels of a column of which all, and MOST more on both sides, are given. They go to three planes of
 * rows, at the same place of each. */
template <int ROWS, int MOST>
static __device__ __forceinline__ void blur_down(const ce_taps *taps, int radius,
                                                 const unsigned pixels[ROWS + 2 * MOST], shared_array<float> columns,
                                                 int plane, int pitch)
{
#pragma unroll
    for (int c = 0; c < 3; ++c) {
        float values[ROWS + 2 * MOST];
#pragma unroll
        for (int j = 0; j < ROWS + 2 * MOST; ++j) values[j] = channel(pixels[j], c);
#pragma unroll
        for (int j = 0; j < ROWS; ++j) {
            float sum = ce_blur_begin(taps, values[j + MOST]);
#pragma unroll
            for (int k = 1; k <= MOST; ++k) {
                if (k > radius) break;
                sum = ce_blur_add(taps, k, values[j + MOST - k] + values[j + MOST + k], sum);
            }
            columns[c * plane + j * pitch] = sum;
        }
    }
}

/* Four blurred pixels of a channel along a row, `at` being the first that the first of them needs. */
template <int MOST>
static __device__ __forceinline__ void blur_quad(const ce_taps *taps, int radius, shared_array<float4> row,
                                                 float blurred[QUAD])
{
    enum { LOADS = (QUAD + 2 * MOST + QUAD - 1) / QUAD };
    float pixels[LOADS * QUAD];
#pragma unroll
    for (int i = 0; i < LOADS; ++i) {
        const float4 loaded = row[i];
        pixels[QUAD * i] = loaded.x;
        pixels[QUAD * i + 1] = loaded.y;
        pixels[QUAD * i + 2] = loaded.z;
        pixels[QUAD * i + 3] = loaded.w;
    }
#pragma unroll
    for (int i = 0; i < QUAD; ++i) {
        blurred[i] = ce_blur_begin(taps, pixels[i + MOST]);
#pragma unroll
        for (int k = 1; k <= MOST; ++k) {
            if (k > radius) break;
            blurred[i] = ce_blur_add(taps, k, pixels[i + MOST - k] + pixels[i + MOST + k], blurred[i]);
        }
    }
}

/* Four colours of a row. `columns`: the first blurred pixel that the first of them needs, of the first of three
 * planes. */
template <int MOST>
static __device__ __forceinline__ void blur_along(const ce_taps *taps, int radius, shared_array<float4> columns,
                                                  int plane, shared_array<float4> colours)
{
    float r[QUAD], g[QUAD], b[QUAD];
    blur_quad<MOST>(taps, radius, columns, r);
    blur_quad<MOST>(taps, radius, columns + plane, g);
    blur_quad<MOST>(taps, radius, columns + 2 * plane, b);
#pragma unroll
    for (int k = 0; k < QUAD; k += 2)
        colours[k / 2] =
            make_float4(ce_volume(r[k], g[k], b[k]), ce_intensity(r[k], g[k], b[k]),
                        ce_volume(r[k + 1], g[k + 1], b[k + 1]), ce_intensity(r[k + 1], g[k + 1], b[k + 1]));
}

/* ---- Gradients and their sums ---- */

/* Pixels side by side. */
typedef struct triple {
    float2 west, middle, east;
} triple;

/* The squared magnitudes at the middle, by ce_magnitude. */
static __device__ __forceinline__ float4 squares(const triple &above, const triple &at, const triple &below)
{
    const ce_gradients volume = ce_prewitt(above.west.x, above.middle.x, above.east.x, at.west.x, at.east.x,
                                           below.west.x, below.middle.x, below.east.x);
    const ce_gradients intensity = ce_prewitt(above.west.y, above.middle.y, above.east.y, at.west.y, at.east.y,
                                              below.west.y, below.middle.y, below.east.y);
    return make_float4(volume.m1, volume.m2, intensity.m1, intensity.m2);
}

static __device__ __forceinline__ unsigned long long fixed_root(float square)
{
    return (unsigned)ce_whole_root(square);
}

/* The sum over the warp of magnitude `lane / 8`, from each lane's sums of all four. In each of the first two steps
 * every lane gives away half of its sums. */
static __device__ __forceinline__ unsigned long long sum_of_lane(const unsigned long long mine[CE_MAGNITUDES], int lane)
{
    const bool second_half = lane & 16, second = lane & 8;
    const unsigned long long a =
        (second_half ? mine[2] : mine[0]) + __shfl_xor_sync(FULL_WARP, second_half ? mine[0] : mine[2], 16);
    const unsigned long long b =
        (second_half ? mine[3] : mine[1]) + __shfl_xor_sync(FULL_WARP, second_half ? mine[1] : mine[3], 16);
    unsigned long long sum = (second ? b : a) + __shfl_xor_sync(FULL_WARP, second ? a : b, 8);
    for (int offset = 4; offset > 0; offset /= 2) sum += __shfl_xor_sync(FULL_WARP, sum, offset);
    return sum;
}

/* ---- Bounds and the map ---- */

/* The bound of a magnitude's squares. */
static __device__ __forceinline__ float square_bound(float threshold)
{
    return ce_square_bound(threshold) / COLOUR_UNIT / COLOUR_UNIT;
}

/* Four pixels, a byte each: bit i to byte i. */
static __device__ __forceinline__ unsigned four_bytes(unsigned bits)
{
    return (bits & 15u) * 0x00204081u & 0x01010101u;
}

/* Word `at` of words[N / PITCH][PITCH] and those beside it in its row; what is outside counts as 0. */
template <int PITCH, int N>
static __device__ __forceinline__ ce_words words_around(shared_array<unsigned> words, int at)
{
    if (at < 0 || at >= N) return {0, 0, 0};
    const int word = at % PITCH;
    return {word > 0 ? words[at - 1] : 0, words[at], word < PITCH - 1 ? words[at + 1] : 0};
}

/* Word `at` after a sub-iteration of thinning. */
template <int PITCH, int N>
static __device__ __forceinline__ unsigned thin_word(shared_array<unsigned> words, int at, int sub_iteration)
{
    return ce_thin(words_around<PITCH, N>(words, at - PITCH), words_around<PITCH, N>(words, at),
                   words_around<PITCH, N>(words, at + PITCH), sub_iteration);
}

/* ---- The launch of at_once.cu ---- */

extern "C" {

/* Whether it can do this image: *can. */
ab_status AB_GPU(ce_can_at_once)(int width, int height, const ce_taps *taps, bool *can);

ab_status AB_GPU(ce_prepare_at_once)(void); /* asks for its shared memory */

/* image -> map, with a pass of thinning or none. row_taps: taps that turn PIXEL_UNIT into COLOUR_UNIT. Sums of set
 * `set` are 0 before, and of set 1 - set afterwards. */
ab_status AB_GPU(ce_at_once)(const ce_device *device, const ce_taps *row_taps, int set, bool thins, unsigned char *map);
}

#endif
