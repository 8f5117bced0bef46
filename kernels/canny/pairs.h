/* Gradient, suppression and both thresholds of Canny for eight pixels of a row at once, by the rules of canny.h.
 *
 * Differences, sums and comparisons are of two pixels at once, in half precision, which holds all whole numbers to 2048;
 * the largest magnitude is 2040. Source: this project.
 */
#ifndef ANTBENCH_CANNY_PAIRS_H
#define ANTBENCH_CANNY_PAIRS_H

#include "kernels/canny/canny.h"
#include "kernels/canny/tile.h"
#include "kernels/cuda/cuda_half.h"

enum { PER_LANE = 8, PAIRS = PER_LANE / 2, QUAD = 16 };

/* Pixels x - 2 .. x + 9 of a row in pairs, each 1024 more than it is, which differences do not see. */
typedef struct strip {
    half2 pair[PAIRS + 2];
} strip;

/* The slopes of columns x - 1 .. x + 8, again in pairs. */
typedef struct slope {
    half2 x[PAIRS + 1], y[PAIRS + 1], size[PAIRS + 1];
} slope;

/* WHOLE: the width is a multiple of QUAD. */
template <bool WHOLE> static __device__ __forceinline__ strip load_strip(const canny_device &device, int x, int y)
{
    const unsigned char *const row = device.blurred + (size_t)repeated(y, device.height) * (size_t)device.width;
    unsigned words[4] = {0, 0, 0, 0}; /* x - 4 .. x + 11 */
    if (WHOLE) {
        const uint2 middle = *(const uint2 *)(row + x);
        words[0] = x > 0 ? *(const unsigned *)(row + x - 4) : __byte_perm(middle.x, 0, 0x0000);
        words[1] = middle.x;
        words[2] = middle.y;
        words[3] =
            x + PER_LANE < device.width ? *(const unsigned *)(row + x + PER_LANE) : __byte_perm(middle.y, 0, 0x3333);
    } else {
        for (int i = 0; i < 16; ++i) words[i / 4] |= (unsigned)row[repeated(x - 4 + i, device.width)] << i % 4 * 8;
    }
    strip pixels;
    for (int i = 0; i < PAIRS + 2; ++i)
        pixels.pair[i] = half2_of(__byte_perm(words[(i + 1) / 2], 0x64646464u, i % 2 ? 0x4140 : 0x4342));
    return pixels;
}

/* The second of a and the first of b. */
static __device__ __forceinline__ half2 between(half2 a, half2 b)
{
    return half2_of(__byte_perm(half2_bits(a), half2_bits(b), 0x5432));
}

/* The gradient of row `at`, and its magnitude, which is 0 outside of the image. */
static __device__ __forceinline__ slope take_slope(const canny_device &device, int x, int y, const strip &above,
                                                   const strip &at, const strip &below)
{
    const half2 two = __float2half2_rn(2.0f);
    slope s;
    half2 down[PAIRS + 2];
    for (int i = 0; i < PAIRS + 2; ++i) down[i] = __hsub2(below.pair[i], above.pair[i]);
    for (int i = 0; i < PAIRS + 1; ++i) {
        const half2 right_above = __hsub2(above.pair[i + 1], above.pair[i]);
        const half2 right_at = __hsub2(at.pair[i + 1], at.pair[i]);
        const half2 right_below = __hsub2(below.pair[i + 1], below.pair[i]);
        s.x[i] = __hfma2(two, right_at, __hadd2(right_above, right_below));
        s.y[i] = __hfma2(two, between(down[i], down[i + 1]), __hadd2(down[i], down[i + 1]));
        s.size[i] = __hadd2(__habs2(s.x[i]), __habs2(s.y[i]));
    }
    const bool outside = y < 0 || y >= device.height;
    if (outside || x == 0 || x + PER_LANE >= device.width)
        for (int i = 0; i < PAIRS + 1; ++i) {
            const int column = x + 2 * i - 1;
            unsigned keep = 0;
            if (!outside && column >= 0 && column < device.width) keep |= 0xffffu;
            if (!outside && column + 1 < device.width) keep |= 0xffff0000u;
            s.size[i] = half2_of(half2_bits(s.size[i]) & keep);
        }
    return s;
}

/* What of two by the mask's bits. */
static __device__ __forceinline__ half2 choose(unsigned mask, half2 yes, half2 no)
{
    return half2_of((half2_bits(yes) & mask) | (half2_bits(no) & ~mask));
}

/* Masks of a pair: whether the gradient is less steep than 22.5 degrees, steeper than 67.5. */
typedef struct direction {
    unsigned flat, steep;
} direction;

/* From |gx| and |gy|, as canny.h has it: by 32768 |gy| against 13573 |gx|, and that plus 65536 |gx|. Each tangent is the sum
 * of a half-precision number and of another that corrects it. The first difference is exact where it is so small that the
 * correction can change its sign. */
static __device__ __forceinline__ direction direction_of(half2 dx, half2 dy)
{
    const half2 tangent_22 = __float2half2_rn(1697.0f / 4096), rest_22 = __float2half2_rn(-3.0f / 32768);
    const half2 tangent_67 = __float2half2_rn(1236.0f / 512), rest_67 = __float2half2_rn(5.0f / 32768);
    const half2 below = __hfma2(dx, rest_22, __hfma2(dx, tangent_22, __hneg2(dy)));
    const half2 above = __hfma2(dx, __hneg2(rest_67), __hfma2(dx, __hneg2(tangent_67), dy));
    const half2 none = __float2half2_rn(0.0f);
    return {__hgt2_mask(below, none), __hgt2_mask(above, none)};
}

/* Bits of eight pixels: which are edges if anything makes them so, and which are in any case. */
typedef struct verdict {
    unsigned candidates, strong;
} verdict;

static __device__ __forceinline__ verdict classify_row(const slope &above, const slope &at, const slope &below,
                                                       half2 low, half2 high)
{
    const half2 one = __float2half2_rn(1.0f);
    unsigned candidates = 0, strong = 0;
    for (int i = 0; i < PAIRS; ++i) {
        const half2 gx = between(at.x[i], at.x[i + 1]), gy = between(at.y[i], at.y[i + 1]);
        const half2 here = between(at.size[i], at.size[i + 1]);
        const half2 n = between(above.size[i], above.size[i + 1]), s = between(below.size[i], below.size[i + 1]);
        const half2 across = __hmax2(at.size[i], __hsub2(at.size[i + 1], one)), along = __hmax2(n, __hsub2(s, one));
        const half2 falling = __hmax2(above.size[i], below.size[i + 1]),
                    rising = __hmax2(above.size[i + 1], below.size[i]);
        const direction is = direction_of(__habs2(gx), __habs2(gy));
        const unsigned rises = __hgt2_mask(__float2half2_rn(0.0f), __hmul2(gx, gy));
        const half2 rival = choose(is.flat, across, choose(is.steep, along, choose(rises, rising, falling)));
        const unsigned candidate = __hgt2_mask(here, __hmax2(rival, low)), places = 0x00020001u << 2 * i;
        candidates |= candidate & places;
        strong |= candidate & __hgt2_mask(here, high) & places;
    }
    return {(candidates | candidates >> 16) & 0xffu, (strong | strong >> 16) & 0xffu};
}

/* Whether no pixel of rows 1 .. ROWS + 2 is so much brighter than another that eight times the difference, which is the
 * most that a magnitude of rows 2 .. ROWS + 1 can be, is above low. */
template <int ROWS> static __device__ __forceinline__ bool is_flat(const strip pixels[ROWS + 4], half2 low)
{
    half2 most = pixels[1].pair[0], least = most;
#pragma unroll
    for (int i = 1; i < ROWS + 3; ++i)
        for (int k = 0; k < PAIRS + 2; ++k) {
            most = __hmax2(most, pixels[i].pair[k]);
            least = __hmin2(least, pixels[i].pair[k]);
        }
    most = __hmax2(most, half2_of(__byte_perm(half2_bits(most), 0, 0x1032)));
    least = __hmin2(least, half2_of(__byte_perm(half2_bits(least), 0, 0x1032)));
    return __hgt2_mask(__hmul2(__float2half2_rn(8.0f), __hsub2(most, least)), low) == 0;
}

/* ROWS rows of eight pixels from (x, top) into bytes candidates[at], candidates[at + pitch] and so on, and strong.
 * SKIPS: flat pixels are looked for first, which pays where most are. */
template <bool WHOLE, int ROWS, bool SKIPS = false>
static __device__ __forceinline__ void classify(const canny_device &device, int x, int top, int at, int pitch,
                                                shared_array<unsigned char> candidates,
                                                shared_array<unsigned char> strong)
{
    const half2 low = __float2half2_rn((float)min(device.low, 2048)),
                high = __float2half2_rn((float)min(device.high, 2048));
    strip pixels[ROWS + 4];
    slope slopes[3];
    if (SKIPS) {
#pragma unroll
        for (int i = 1; i < ROWS + 3; ++i) pixels[i] = load_strip<WHOLE>(device, x, top - 2 + i);
        if (is_flat<ROWS>(pixels, low)) {
            for (int i = 0; i < ROWS; ++i) candidates[at + i * pitch] = strong[at + i * pitch] = 0;
            return;
        }
    }
#pragma unroll
    for (int i = 0; i < ROWS + 4; ++i)
        if (!SKIPS || i == 0 || i == ROWS + 3) pixels[i] = load_strip<WHOLE>(device, x, top - 2 + i);
#pragma unroll
    for (int i = 0; i < ROWS + 2; ++i) {
        slopes[i % 3] = take_slope(device, x, top - 1 + i, pixels[i], pixels[i + 1], pixels[i + 2]);
        if (i < 2) continue;
        const int row = i - 2;
        verdict of = classify_row(slopes[(i - 2) % 3], slopes[(i - 1) % 3], slopes[i % 3], low, high);
        const unsigned inside = top + row >= device.height    ? 0u
                                : x + PER_LANE > device.width ? (1u << (device.width - x)) - 1
                                                              : 0xffu;
        candidates[at + row * pitch] = (unsigned char)(of.candidates & inside);
        strong[at + row * pitch] = (unsigned char)(of.strong & inside);
    }
}

/* Four pixels, a byte each. */
static __device__ __forceinline__ unsigned four_bytes(unsigned bits)
{
    return (bits & 15u) * 0x00204081u & 0x01010101u;
}

#endif
