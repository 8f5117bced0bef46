/* cuRAND's device API, for the kernels that draw random numbers. It is not in cuda_port.h, because NVIDIA's header adds
 * a megabyte of tables, for other generators, to every object file that includes it. */
#ifndef ANTBENCH_CUDA_RANDOM_H
#define ANTBENCH_CUDA_RANDOM_H

#ifdef __CUDACC__
#include <curand_kernel.h>

#include "kernels/philox.h"

/* Philox of a counter, for kernels that keep no generator's state. */
static __device__ __forceinline__ void philox_numbers(const uint32_t counter[4], const uint32_t key[2],
                                                      uint32_t output[4])
{
    philox4x32_10(counter, key, output);
}
#else
#include "kernels/host/cuda_host.h"
#endif

#endif
