/* What the GPU implementations of choice-info share: the device memory, and opening it around a rung. */
#ifndef ANTBENCH_CHOICE_INFO_WEIGHTS_H
#define ANTBENCH_CHOICE_INFO_WEIGHTS_H

#include "kernels/choice_info/choice_info.h"
#include "kernels/cuda/device_memory.h"

/* Passed to kernels by value. */
typedef struct ci_device {
    int n_edges;                  /* n * n */
    const float *pheromone, *eta; /* [n_edges] */
    float *choice_info;           /* [n_edges] */
} ci_device;

/* A way of computing the weights, as registry.def names it. */
typedef struct choice_info_rung {
    /* Enqueues it on the default stream. */
    ab_status (*weigh)(const ci_device *device, const ci_params *params);
    /* AB_UNSUPPORTED for exponents that it has not. NULL: it has all. */
    ab_status (*check)(const ci_params *params) = NULL;
} choice_info_rung;

extern "C" ab_status AB_GPU(choice_info_open)(const choice_info_rung *rung, const tsp_snapshot *snapshot,
                                              const ci_params *params, ci_weights **opened);

/* The edge of a thread: one each, in blocks of equal size (JPDC §3.2.1); no edge where it is n_edges or more. */
static __device__ __forceinline__ int ci_edge()
{
    return (int)(blockIdx.x * blockDim.x + threadIdx.x);
}

#endif
