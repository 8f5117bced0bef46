/* The clocks of a race (race.h): random numbers, exponentially distributed times, and times as keys, of which a warp
 * finds the minimum with one instruction. */
#ifndef ANTBENCH_TSP_RACE_CLOCKS_H
#define ANTBENCH_TSP_RACE_CLOCKS_H

#include <math.h>

#include "kernels/cuda/cuda_random.h"
#include "kernels/cuda/warp.h"

#define TSP_RACE_LATE 0x7149f2cau  /* key of the time 10^30 */
#define TSP_RACE_NEVER 0xffffffffu /* key of a clock that takes no part in the race */
#define TSP_RACE_SILENT 1e36f      /* mean time of a tail without weight: it may ring, but its rings do not count */
#define TSP_RACE_WEIGHTLESS 0x7f800000u /* bits of the mean time of a city of weight 0, or more: infinity */

/* sfc32, one generator per lane. It takes seven instructions per number; Philox, which seeds it, takes about twenty. */
struct tsp_race_random {
    unsigned a = 0, b = 0, c = 0, d = 0;

    tsp_race_random() = default; /* of a warp that draws nothing */

    __device__ __forceinline__ tsp_race_random(unsigned long long seed, unsigned long long stream)
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

/* Returns a number in (0, 1], the centre of one of 2^32 equal intervals, rounded to float. */
static __device__ __forceinline__ float tsp_race_unit(unsigned random)
{
    return (float)random * 0x1p-32f + 0x1p-33f;
}

/* Returns the logarithm to base 2 by its fast instruction. __log2f adds four instructions for arguments that do not
 * occur here. */
static __device__ __forceinline__ float tsp_race_log2(float x)
{
#ifdef __CUDACC__
    float y;
    asm("lg2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
#else
    return log2f(x);
#endif
}

/* Returns an exponentially distributed time, -log2(1 - u). Its mean is 1 / ln 2 for all clocks, so this factor cancels.
 * Small times win races, and for them the fast logarithm is inaccurate. So below 2^-6 the function uses three terms of
 * the series, with an error of 10^-6. The function computes 1 - u from the complement, so that it is not 0 if u is
 * rounded to 1. A clock that never rings would keep an ant out of the tail forever. */
static __device__ __forceinline__ float tsp_race_exponential(unsigned random)
{
    const float u = tsp_race_unit(random);
    return u < 0x1p-6f ? u * (1.44269504f + u * (0.72134752f + u * 0.48089835f))
                       : -tsp_race_log2(tsp_race_unit(~random));
}

/* Returns 1 / x by its fast instruction; 0 for infinite x. */
static __device__ __forceinline__ float tsp_race_reciprocal(float x)
{
#ifdef __CUDACC__
    float y;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
#else
    return 1.0f / x;
#endif
}

/* Returns the same, computed at this place, before the next row is requested. Candidate sets gain from this order;
 * steps among all cities lose. */
static __device__ __forceinline__ float tsp_race_reciprocal_now(float x)
{
#ifdef __CUDACC__
    float y;
    asm volatile("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
#else
    return tsp_race_reciprocal(x);
#endif
}

/* Returns the key of a time. Times are not negative, so their bits have the same order. The lowest five bits are the
 * lane's number, so one minimum yields both the winner and its time. */
static __device__ __forceinline__ unsigned tsp_race_key(float time, int lane)
{
    return ((unsigned)__float_as_int(time) & ~(unsigned)(WARP_SIZE - 1)) | (unsigned)lane;
}

static __device__ __forceinline__ float tsp_race_time(unsigned key)
{
    return __int_as_float((int)key);
}

/* Returns the mean time of a clock of this weight, in a row whose weights add up to `unit`. It is infinite only for
 * weight 0, and never so large that a time overflows. */
static __device__ __forceinline__ float tsp_race_mean(float weight, float unit)
{
    return weight > 0.0f ? min(unit / weight, 1e34f) : tsp_race_time(TSP_RACE_WEIGHTLESS);
}

#endif
