/* cuRAND's device API, for the kernels that draw random numbers: apart from cuda_port.h, because NVIDIA's header puts a
 * megabyte of tables for other generators than ours into every object file that includes it. */
#ifndef ANTBENCH_CUDA_RANDOM_H
#define ANTBENCH_CUDA_RANDOM_H

#ifdef __CUDACC__
#include <curand_kernel.h>
#else
#include "kernels/host/cuda_host.h"
#endif

#endif
