/* Functions shared by kernels that call NVIDIA's NPP (AB_WITH_NPP, see the Makefile). */
#ifndef ANTBENCH_NPP_H
#define ANTBENCH_NPP_H

#include <nppi_filtering_functions.h>

#include "kernels/cuda/cuda_port.h"

/* Fills in the context that NPP requires. The runtime has all members at hand, so it is not kept between calls. */
static inline ab_status npp_context(NppStreamContext *context)
{
    *context = NppStreamContext{}; /* the default stream */
    int shared_bytes = 0;
    CUDA_TRY(cudaGetDevice(&context->nCudaDeviceId));
    const int device = context->nCudaDeviceId;
    CUDA_TRY(cudaDeviceGetAttribute(&context->nMultiProcessorCount, cudaDevAttrMultiProcessorCount, device));
    CUDA_TRY(
        cudaDeviceGetAttribute(&context->nMaxThreadsPerMultiProcessor, cudaDevAttrMaxThreadsPerMultiProcessor, device));
    CUDA_TRY(cudaDeviceGetAttribute(&context->nMaxThreadsPerBlock, cudaDevAttrMaxThreadsPerBlock, device));
    CUDA_TRY(cudaDeviceGetAttribute(&shared_bytes, cudaDevAttrMaxSharedMemoryPerBlock, device));
    CUDA_TRY(cudaDeviceGetAttribute(&context->nCudaDevAttrComputeCapabilityMajor, cudaDevAttrComputeCapabilityMajor,
                                    device));
    CUDA_TRY(cudaDeviceGetAttribute(&context->nCudaDevAttrComputeCapabilityMinor, cudaDevAttrComputeCapabilityMinor,
                                    device));
    context->nSharedMemPerBlock = (size_t)shared_bytes;
    return ab_ok();
}

#endif
