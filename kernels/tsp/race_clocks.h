/* The clocks of a race (race.h): random numbers, exponentially distributed times, and times as keys of which a warp
 * finds the least by one instruction. */
#ifndef ANTBENCH_TSP_RACE_CLOCKS_H
#define ANTBENCH_TSP_RACE_CLOCKS_H

#include <math.h>

#include "kernels/cuda/cuda_random.h"
#include "kernels/cuda/warp.h"

#define RACE_LATE 0x7149f2cau       /* the key of 10^30 */
#define RACE_NEVER 0xffffffffu      /* the key of a clock that is not in the race */
#define RACE_SILENT 1e36f           /* mean time of a tail that weighs nothing: it rings, and no ring counts */
#define RACE_WEIGHTLESS 0x7f800000u /* that of a city of weight 0, or more: an infinite time */

/* sfc32, a generator for each lane: seven instructions a number, where Philox, which seeds it, takes about twenty. */
struct race_random {
    unsigned a, b, c, d;

    __device__ __forceinline__ race_random(unsigned long long seed, unsigned long long stream)
    {
        curandStatePhilox4_32_10_t philox;
        curand_init(seed, stream, 0, &philox);
        a = curand(&philox);
        b = curand(&philox);
        c = curand(&philox);
        d = curand(&philox);
    }

    __device__ __forceinline__ unsigned next()
    {
        const unsigned result = a + b + d++;
        a = b ^ (b >> 9);
        b = c + (c << 3);
        c = (c << 21 | c >> 11) + result;
        return result;
    }
};

/* (0, 1]: the centres of 2^32 equal intervals, rounded to float. */
static __device__ __forceinline__ float race_unit(unsigned random)
{
    return (float)random * 0x1p-32f + 0x1p-33f;
}

/* The fast logarithm to base 2, by its one instruction: __log2f adds four for arguments that are none here. */
static __device__ __forceinline__ float race_log2(float x)
{
#ifdef __CUDACC__
    float y;
    asm("lg2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
#else
    return log2f(x);
#endif
}

/* Exponentially distributed, -log2(1 - u): of mean 1 / ln 2, as all clocks are, so that it cancels. Small ones win
 * races, and there the fast logarithm has no accuracy: below 2^-6 three terms of the series have 10^-6. 1 - u is that
 * of the complement, and not 0 where u is rounded to 1: a clock that never rang would keep an ant out of the tail for
 * good. */
static __device__ __forceinline__ float race_exponential(unsigned random)
{
    const float u = race_unit(random);
    return u < 0x1p-6f ? u * (1.44269504f + u * (0.72134752f + u * 0.48089835f)) : -race_log2(race_unit(~random));
}

/* 1 / x, 0 for infinite x, by its one instruction. */
static __device__ __forceinline__ float race_reciprocal(float x)
{
#ifdef __CUDACC__
    float y;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
#else
    return 1.0f / x;
#endif
}

/* The same where it is written, before the next row is asked for, and not where it is used. With candidate sets a step
 * gains by it; among all cities it loses. */
static __device__ __forceinline__ float race_reciprocal_now(float x)
{
#ifdef __CUDACC__
    float y;
    asm volatile("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
#else
    return race_reciprocal(x);
#endif
}

/* Times are not negative: their bits are ordered as they are. The lowest five are the lane's number, so that one
 * minimum tells both who is first and when. */
static __device__ __forceinline__ unsigned race_key(float time, int lane)
{
    return ((unsigned)__float_as_int(time) & ~(unsigned)(WARP_SIZE - 1)) | (unsigned)lane;
}

static __device__ __forceinline__ float race_time(unsigned key)
{
    return __int_as_float((int)key);
}

/* The mean time of a clock of this weight, in a row whose weights add up to `unit`. Infinite for 0 alone, however
 * small a weight is beside others, and never so large that a time overflows. */
static __device__ __forceinline__ float race_mean(float weight, float unit)
{
    return weight > 0.0f ? min(unit / weight, 1e34f) : race_time(RACE_WEIGHTLESS);
}

#endif
