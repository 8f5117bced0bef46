/* The arithmetic of colour-edge (colour_edge.h), one pixel at a time, for GPU and CPU.
 *
 * All implementations give the same bits. A product is added only by an explicit fmaf, so that the compiler cannot
 * choose whether to fuse (nvcc does by default). IEEE 754 defines everything else. Sums over the image are sums of
 * integers, so that their order does not matter.
 */
#ifndef ANTBENCH_COLOUR_EDGE_PIXEL_H
#define ANTBENCH_COLOUR_EDGE_PIXEL_H

#include <math.h>
#include <stdint.h>

#include "kernels/colour_edge/taps.h"

/* Inlined by whoever calls, a GPU or a CPU's vector loop. C knows none of CUDA's words. */
#ifdef __CUDACC__
#define CE_INLINE static __host__ __device__ __forceinline__
#else
#define CE_INLINE static inline __attribute__((always_inline))
#endif

/* ---- Reciprocals and square roots as IEEE 754 has them ---- */

/* 1 / b for b > 0, the root of a, and the root without its fraction. On a GPU the compiler's own functions branch
 * for arguments so small that the result is inexact, 0 among them; here both arguments are 0 or at least 1e-30. One
 * step of Newton's method from the GPU's instruction gives the nearest number. The compiler's functions end
 * likewise, and all numbers from 1e-30 to 1e30 were tried on an NVIDIA H200. A quotient that is the nearest number
 * would take four more instructions. */
#ifdef __CUDA_ARCH__
CE_INLINE float ce_reciprocal(float b)
{
    float inverse;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(inverse) : "f"(b));
    return fmaf(fmaf(-b, inverse, 1.0f), inverse, inverse);
}

/* Not a number for 0. */
CE_INLINE float ce_positive_root(float a)
{
    float inverse;
    asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(inverse) : "f"(a));
    const float root = a * inverse;
    return fmaf(fmaf(-root, root, a), 0.5f * inverse, root);
}

CE_INLINE float ce_square_root(float a)
{
    return a > 0.0f ? ce_positive_root(a) : 0.0f;
}

/* What is not a number becomes 0. */
CE_INLINE int ce_whole_root(float a)
{
    return __float2int_rz(ce_positive_root(a));
}

CE_INLINE float ce_smaller(float a, float b)
{
    return fminf(a, b);
}

CE_INLINE float ce_larger(float a, float b)
{
    return fmaxf(a, b);
}
#else
CE_INLINE float ce_reciprocal(float b)
{
    return 1.0f / b;
}

CE_INLINE float ce_square_root(float a)
{
    return sqrtf(a);
}

CE_INLINE int ce_whole_root(float a)
{
    return (int)sqrtf(a);
}

CE_INLINE float ce_smaller(float a, float b)
{
    return a < b ? a : b;
}

CE_INLINE float ce_larger(float a, float b)
{
    return a > b ? a : b;
}
#endif

/* ---- Blur: a sum that begins with ce_blur_begin and takes the pixels k = 1, 2, ... away in this order ---- */

CE_INLINE float ce_blur_begin(const ce_taps *taps, float centre)
{
    return taps->weight[0] * centre;
}

/* `pair` is the sum of the two pixels that are k away. */
CE_INLINE float ce_blur_add(const ce_taps *taps, int k, float pair, float sum)
{
    return fmaf(taps->weight[k], pair, sum);
}

/* ---- Colour ---- */

CE_INLINE float ce_intensity(float r, float g, float b)
{
    return (r + g + b) * (1.0f / 3.0f);
}

/* pi/3 of H/360, from 2R - G - B and G - B. Eq. 6.5 is the angle of the vector (2R - G - B, sqrt(3) (G - B)). In
 * single precision an arc cosine loses half of its digits near red; an arc tangent does not, and needs no square
 * root. The polynomial is a minimax fit of atan(t)/(6 t) in t^2 over 0 .. 1, relative error 1e-7. Each reflection
 * turns base + t into its mirror image, so that one fmaf at the end does all the rounding. */
CE_INLINE float ce_hue(float x, float green_blue)
{
    const float y = 1.7320508f * green_blue, ax = fabsf(x), ay = fabsf(y);
    float t = ce_smaller(ax, ay) * ce_reciprocal(ce_larger(ce_larger(ax, ay), 1e-30f));
    const float t2 = t * t;
    float slope = -0.00078219798f;
    slope = fmaf(slope, t2, 0.00404201949f);
    slope = fmaf(slope, t2, -0.00991433821f);
    slope = fmaf(slope, t2, 0.0165237826f);
    slope = fmaf(slope, t2, -0.0233657899f);
    slope = fmaf(slope, t2, 0.0332828726f);
    slope = fmaf(slope, t2, -0.0555533193f);
    slope = fmaf(slope, t2, 0.166666645f);
    const bool steep = ay > ax, left = x < 0.0f, down = y < 0.0f;
    float base = steep ? 0.261799388f : left ? 0.523598776f : 0.0f;
    base = down ? 1.04719755f - base : base;
    t = (steep != left) != down ? -t : t;
    return fmaf(slope, t, base);
}

/* 3 S^2 I, where S^2 I = (I - min)^2 / I = (R + G + B - 3 min)^2 / (3 (R + G + B)). R + G + B - 3 min is the
 * largest of what the two others have above a channel, so that it is exactly 0 for grey. */
CE_INLINE float ce_area(float r, float g, float b)
{
    const float red_green = r - g, red_blue = r - b, green_blue = g - b;
    const float above = ce_larger(ce_larger(-(red_green + red_blue), red_green - green_blue), red_blue + green_blue);
    return above * above * ce_reciprocal(ce_larger(r + g + b, 1e-30f));
}

/* pi S^2 I (H/360). */
CE_INLINE float ce_volume(float r, float g, float b)
{
    return ce_area(r, g, b) * ce_hue((r - g) + (r - b), g - b);
}

/* ---- Gradients ---- */

/* The four gradient magnitudes of a pixel, wherever four of something are kept. */
enum ce_magnitude { CE_M1_VOLUME, CE_M2_VOLUME, CE_M1_INTENSITY, CE_M2_INTENSITY, CE_MAGNITUDES };

/* The two gradient magnitudes of a plane, squared. */
typedef struct ce_gradients {
    float m1; /* Gx^2 + Gy^2 */
    float m2; /* G45^2 + G135^2 */
} ce_gradients;

/* From the eight neighbours. Opposite pixels have opposite signs in all four kernels, so the four differences across the
 * centre are all that is needed. */
CE_INLINE ce_gradients ce_prewitt(float nw, float n, float ne, float w, float e, float sw, float s, float se)
{
    const float vertical = n - s, horizontal = e - w, rising = ne - sw, falling = nw - se;
    const float gx = horizontal + (rising - falling), gy = vertical + (rising + falling);
    const float g45 = rising + (vertical + horizontal), g135 = falling + (vertical - horizontal);
    const ce_gradients squared = {fmaf(gx, gx, gy * gy), fmaf(g45, g45, g135 * g135)};
    return squared;
}

/* ---- Means and thresholds ---- */

#define CE_STEP 0x1p-19f /* step of the fixed-point sums: magnitudes are below 2^12 */

CE_INLINE int ce_fixed_point(float magnitude)
{
    return (int)(magnitude / CE_STEP);
}

/* What the sum of n magnitudes in fixed point is multiplied by for their threshold. */
CE_INLINE double ce_threshold_factor(double n, double coefficient)
{
    return (double)CE_STEP * coefficient / n;
}

CE_INLINE float ce_threshold(uint64_t sum, double factor)
{
    return (float)((double)sum * factor);
}

/* The largest number whose square root is not above the threshold: m > threshold is m * m > this, to the last bit.
 * Roots are rounded up from halfway to the next number on; a double holds the square of that, and no float is it. */
CE_INLINE float ce_square_bound(float threshold)
{
    const double halfway = 0.5 * ((double)threshold + (double)nextafterf(threshold, HUGE_VALF)),
                 square = halfway * halfway;
    const float bound = (float)square;
    return (double)bound > square ? nextafterf(bound, 0.0f) : bound;
}

/* ---- Thinning 32 pixels at a time ---- */

/* 32 pixels of three rows, bit i the pixel in column i, and the words to the left and to the right of each. */
typedef struct ce_words {
    uint32_t left, middle, right;
} ce_words;

CE_INLINE uint32_t ce_west(ce_words row)
{
    return row.middle << 1 | row.left >> 31;
}

CE_INLINE uint32_t ce_east(ce_words row)
{
    return row.middle >> 1 | row.right << 31;
}

/* A sub-iteration of Guo & Hall (images/edge_map.h) on the 32 pixels of the middle word of `at`: their conditions as
 * Boolean functions, which need no table and no loop over pixels. */
CE_INLINE uint32_t ce_thin(ce_words above, ce_words at, ce_words below, int sub_iteration)
{
    const uint32_t nw = ce_west(above), n = above.middle, ne = ce_east(above), w = ce_west(at), e = ce_east(at);
    const uint32_t sw = ce_west(below), s = below.middle, se = ce_east(below);
    /* C = 1: one 8-connected group of neighbours, so the pixel holds nothing together. */
    const uint32_t c1 = ~n & (ne | e), c2 = ~e & (se | s), c3 = ~s & (sw | w), c4 = ~w & (nw | n);
    const uint32_t one_group = (c1 ^ c2 ^ c3 ^ c4) & ~((c1 & c2) | (c3 & c4));
    /* min(N1, N2) is 2 or 3: not the end of a line, and not inside. N1 and N2 count pairs of neighbours. */
    const uint32_t a1 = nw | n, a2 = ne | e, a3 = se | s, a4 = sw | w, b1 = n | ne, b2 = e | se, b3 = s | sw,
                   b4 = w | nw;
    const uint32_t two_of_a = (a1 & a2) | (a3 & a4) | ((a1 | a2) & (a3 | a4));
    const uint32_t two_of_b = (b1 & b2) | (b3 & b4) | ((b1 | b2) & (b3 | b4));
    const uint32_t inside = a1 & a2 & a3 & a4 & b1 & b2 & b3 & b4;
    /* The first sub-iteration works from the north and east, the second from the south and west. */
    const uint32_t wrong_side = sub_iteration == 0 ? (n | ne | ~se) & e : (s | sw | ~nw) & w;
    return at.middle & ~(one_group & two_of_a & two_of_b & ~inside & ~wrong_side);
}

#endif
