/* A draw from vectors of weights, for walks that are compiled for several processors: the same bits on all of them. */
#ifndef ANTBENCH_ROULETTE_H
#define ANTBENCH_ROULETTE_H

#include <stddef.h>

#include "baselines/lanes.h"

#ifdef __AVX512BW__
#include <immintrin.h>

/* Adds those whose bit is set. */
INLINE void add_some(lanes *sum, const lanes *weights, uint16_t which)
{
    *sum = (lanes)_mm512_mask_add_ps((__m512)*sum, which, (__m512)*sum, (__m512)*weights);
}

/* prefix_sums, to the bit. */
INLINE void sums_along(lanes *v)
{
    const __m512i zero = _mm512_setzero_si512();
    __m512 sums = (__m512)*v;
    sums += (__m512)_mm512_alignr_epi32((__m512i)sums, zero, LANES - 1);
    sums += (__m512)_mm512_alignr_epi32((__m512i)sums, zero, LANES - 2);
    sums += (__m512)_mm512_alignr_epi32((__m512i)sums, zero, LANES - 4);
    sums += (__m512)_mm512_alignr_epi32((__m512i)sums, zero, LANES - 8);
    *v = (lanes)sums;
}

/* How many of sixteen are at most x. */
INLINE size_t lanes_at_most(const lanes *along, float x)
{
    return (size_t)__builtin_popcount(_mm512_cmp_ps_mask((__m512)*along, _mm512_set1_ps(x), _CMP_LE_OQ));
}

/* A bit for each of sixteen that is x. */
INLINE unsigned lanes_that_are(const lanes *v, float x)
{
    return _mm512_cmp_ps_mask((__m512)*v, _mm512_set1_ps(x), _CMP_EQ_OQ);
}

/* Keeps the lanes whose block has a bit set; sets others to 0. */
INLINE void keep_where_any(lanes *kept, const lanes *v, const uint64_t *bits)
{
    const __m512i words = _mm512_cvtepu16_epi32(_mm256_loadu_si256((const __m256i *)bits));
    *kept = (lanes)_mm512_maskz_mov_ps(_mm512_test_epi32_mask(words, words), (__m512)*v);
}
/* Lane by lane the larger. */
INLINE void keep_larger(lanes *most, const lanes *other)
{
    *most = (lanes)_mm512_max_ps((__m512)*most, (__m512)*other);
}
#else
INLINE void keep_larger(lanes *most, const lanes *other)
{
    const lanes_int larger = *other > *most;
    *most = (lanes)(((lanes_int)*other & larger) | ((lanes_int)*most & ~larger));
}

INLINE unsigned lanes_that_are(const lanes *v, float x)
{
    unsigned bits = 0;
    for (int k = 0; k < LANES; k++) bits |= (unsigned)((*v)[k] == x) << k;
    return bits;
}

INLINE void keep_where_any(lanes *kept, const lanes *v, const uint64_t *bits)
{
    for (int k = 0; k < LANES; k++) (*kept)[k] = (uint16_t)(bits[k / 4] >> k % 4 * 16) ? (*v)[k] : 0.0f;
}

INLINE void add_some(lanes *sum, const lanes *weights, uint16_t which)
{
    const lanes_int bits = {1,      1 << 1, 1 << 2,  1 << 3,  1 << 4,  1 << 5,  1 << 6,  1 << 7,
                            1 << 8, 1 << 9, 1 << 10, 1 << 11, 1 << 12, 1 << 13, 1 << 14, 1 << 15};
    *sum += (lanes)((lanes_int)*weights & ((bits & (int32_t)which) != 0));
}

INLINE void sums_along(lanes *v)
{
    prefix_sums(v);
}

INLINE size_t lanes_at_most(const lanes *along, float x)
{
    return (size_t)count_at_most((const float *)along, x);
}
#endif

INLINE float largest_lane(lanes v)
{
    lanes other = __builtin_shufflevector(v, v, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7);
    keep_larger(&v, &other);
    other = __builtin_shufflevector(v, v, 4, 5, 6, 7, 0, 1, 2, 3, 12, 13, 14, 15, 8, 9, 10, 11);
    keep_larger(&v, &other);
    other = __builtin_shufflevector(v, v, 2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13);
    keep_larger(&v, &other);
    other = __builtin_shufflevector(v, v, 1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14);
    keep_larger(&v, &other);
    return v[0];
}

/* In [0, 1), a multiple of 2^-24, so that its product with a float is less than that. */
INLINE float short_unit(uint32_t random)
{
    return (float)(int32_t)(random >> 8) * 0x1p-24f;
}

/* Draws from vectors of weights. sums[k] is the sum of the first k + 1 vectors, and `along` has the partial sums of the
 * last. The lane where `along` passes x is drawn, then a vector of this lane. Returns the vector's number * LANES +
 * lane; rounding may lead past the last vector. */
INLINE size_t spin(const lanes *sums, size_t count, const lanes *along, float x, float unit)
{
    const size_t lane = lanes_at_most(along, x) % LANES;
    const float *column = (const float *)sums + lane;
    const float y = unit * column[(count - 1) * LANES];
    size_t k = 0;
    for (size_t v = 0; v < count; v++) k += column[v * LANES] <= y;
    return k * LANES + lane;
}

#endif
