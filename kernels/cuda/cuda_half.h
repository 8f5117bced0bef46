/* CUDA's pairs of half-precision numbers, for the kernels that compute with them. They are not in cuda_port.h, because
 * most kernels do not need them. Whole numbers up to 2048 are exact. */
#ifndef ANTBENCH_CUDA_HALF_H
#define ANTBENCH_CUDA_HALF_H

#include <string.h>

#include "kernels/cuda/cuda_port.h"

#ifdef __CUDACC__
#include <cuda_fp16.h>
#else
#include "kernels/host/half.h"
#endif

/* Returns the bits of a pair. The first number is in the lower 16. */
static __device__ __forceinline__ unsigned half2_bits(half2 pair)
{
    unsigned bits;
    memcpy(&bits, &pair, sizeof bits);
    return bits;
}

static __device__ __forceinline__ half2 half2_of(unsigned bits)
{
    half2 pair;
    memcpy(&pair, &bits, sizeof pair);
    return pair;
}

#endif
