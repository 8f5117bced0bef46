/* Warp primitives that the kernels share. All 32 lanes of the warp must call them together. */
#ifndef ANTBENCH_WARP_H
#define ANTBENCH_WARP_H

#include "kernels/cuda/cuda_port.h"

enum { WARP_SIZE = 32 };
#define FULL_WARP 0xffffffffu

/* Returns the sum of `value` over lanes 0 .. lane (Hillis & Steele). Rounding differs from lane to lane, so the sums
 * may decrease: a lane that adds 0 can be below its predecessor. */
static __device__ __forceinline__ float warp_inclusive_scan(float value, int lane)
{
    for (int offset = 1; offset < WARP_SIZE; offset *= 2) {
        const float below = __shfl_up_sync(FULL_WARP, value, (unsigned)offset);
        if (lane >= offset) value += below;
    }
    return value;
}

/* Returns the lane of the first candidate at or past `target` on the wheel. If rounding leaves the target past all of
 * them, returns the last candidate. There must be a candidate. */
static __device__ __forceinline__ int warp_spin(bool candidate, float scan, float target)
{
    const unsigned hit = __ballot_sync(FULL_WARP, candidate && scan >= target);
    if (hit) return __ffs((int)hit) - 1;
    return WARP_SIZE - 1 - __clz((int)__ballot_sync(FULL_WARP, candidate));
}

/* From compute capability 8.0 on, one instruction replaces five shuffles. */
static __device__ __forceinline__ unsigned warp_min(unsigned value)
{
#if defined __CUDA_ARCH__ && __CUDA_ARCH__ < 800
    for (int offset = WARP_SIZE / 2; offset > 0; offset /= 2)
        value = min(value, __shfl_xor_sync(FULL_WARP, value, offset));
    return value;
#else
    return __reduce_min_sync(FULL_WARP, value);
#endif
}

static __device__ __forceinline__ unsigned warp_or(unsigned value)
{
#if defined __CUDA_ARCH__ && __CUDA_ARCH__ >= 800
    return __reduce_or_sync(FULL_WARP, value);
#else
    for (int offset = WARP_SIZE / 2; offset > 0; offset /= 2) value |= __shfl_xor_sync(FULL_WARP, value, offset);
    return value;
#endif
}

/* The values must not be negative: then their bits have the same order as they do. */
static __device__ __forceinline__ float warp_max(float value)
{
    return __int_as_float((int)~warp_min(~(unsigned)__float_as_int(value)));
}

static __device__ __forceinline__ unsigned long long warp_max(unsigned long long value)
{
    for (int offset = WARP_SIZE / 2; offset > 0; offset /= 2) {
        const unsigned long long other = __shfl_xor_sync(FULL_WARP, value, offset);
        if (other > value) value = other;
    }
    return value;
}

static __device__ __forceinline__ unsigned long long warp_min(unsigned long long value)
{
    for (int offset = WARP_SIZE / 2; offset > 0; offset /= 2) {
        const unsigned long long other = __shfl_xor_sync(FULL_WARP, value, offset);
        if (other < value) value = other;
    }
    return value;
}

#endif
