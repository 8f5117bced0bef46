/* CUDA's runtime API on the CPU, as far as launchers use it. Device memory is the heap; calls return when they are
 * done.
 *
 * All of it is in a namespace, because the real runtime is linked into the same program.
 */
#ifndef ANTBENCH_HOST_RUNTIME_H
#define ANTBENCH_HOST_RUNTIME_H

#include <cstddef>

#include "kernels/host/limits.h"

namespace host_backend
{

constexpr unsigned warp_threads = 32, max_block_threads = 1024;

/* Bytes of shared memory per block, static and dynamic, that every launch may have; one whose launcher asked for it
 * (cudaFuncSetAttribute) may have what the device has (limits.h). */
constexpr std::size_t max_static_shared = HOST_STATIC_SHARED;

/* For execution.cpp: makes this report, one line, the last error, cudaErrorHostBackend. */
void set_launch_error(const char *report);

/* For execution.cpp: bytes of dynamic shared memory that the kernel may have. */
std::size_t allowed_dynamic_shared(const void *kernel);

} // namespace host_backend

namespace host_cuda
{

enum cudaError_t {
    cudaSuccess = 0,
    cudaErrorInvalidValue = 1,
    cudaErrorMemoryAllocation = 2,
    cudaErrorHostBackend = 10000 /* a kernel's fault that the host backend has reported */
};

enum cudaMemcpyKind {
    cudaMemcpyHostToHost,
    cudaMemcpyHostToDevice,
    cudaMemcpyDeviceToHost,
    cudaMemcpyDeviceToDevice,
    cudaMemcpyDefault
};

enum cudaFuncAttribute { cudaFuncAttributeMaxDynamicSharedMemorySize, cudaFuncAttributePreferredSharedMemoryCarveout };

/* An H100's values, apart from the limits in limits.h. */
enum cudaDeviceAttr {
    cudaDevAttrMaxThreadsPerBlock,
    cudaDevAttrMaxSharedMemoryPerBlock,
    cudaDevAttrWarpSize,
    cudaDevAttrCooperativeLaunch,
    cudaDevAttrMultiProcessorCount,
    cudaDevAttrMaxSharedMemoryPerMultiprocessor,
    cudaDevAttrMaxSharedMemoryPerBlockOptin,
    cudaDevAttrL2CacheSize
};

typedef struct CUstream_st *cudaStream_t; /* only 0, the default stream */

/* The error of the last call or launch that failed; getting it forgets it. */
cudaError_t cudaGetLastError();
cudaError_t cudaPeekAtLastError();

/* The report of the last faulty launch for cudaErrorHostBackend. */
const char *cudaGetErrorString(cudaError_t error);

/* Device memory is filled with 0xFF bytes, NaN in float. */
cudaError_t cudaMalloc(void **pointer, std::size_t bytes);
cudaError_t cudaFree(void *pointer);
/* Page-locked memory of the host; here memory like any other, filled in the same way. */
cudaError_t cudaMallocHost(void **pointer, std::size_t bytes);
cudaError_t cudaFreeHost(void *pointer);
cudaError_t cudaMemcpy(void *to, const void *from, std::size_t bytes, cudaMemcpyKind kind);
cudaError_t cudaMemcpyAsync(void *to, const void *from, std::size_t bytes, cudaMemcpyKind kind, cudaStream_t = 0);
/* `rows` rows of `bytes` bytes, which begin every to_pitch and from_pitch bytes. */
cudaError_t cudaMemcpy2D(void *to, std::size_t to_pitch, const void *from, std::size_t from_pitch, std::size_t bytes,
                         std::size_t rows, cudaMemcpyKind kind);
cudaError_t cudaMemset(void *to, int value, std::size_t bytes);
cudaError_t cudaMemsetAsync(void *to, int value, std::size_t bytes, cudaStream_t = 0);

template <typename T> cudaError_t cudaMalloc(T **pointer, std::size_t bytes)
{
    void *memory = nullptr;
    const cudaError_t error = cudaMalloc(&memory, bytes);
    *pointer = static_cast<T *>(memory);
    return error;
}

/* A faulty launch shows here at the latest. */
cudaError_t cudaDeviceSynchronize();

cudaError_t cudaGetDevice(int *device);
cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr attribute, int device);

/* As in CUDA, a kernel may have more than 48 KB of dynamic shared memory only after this allowed it. */
cudaError_t cudaFuncSetAttribute(const void *kernel, cudaFuncAttribute attribute, int value);

/* One block: no other runs beside it. */
template <typename Kernel>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, Kernel *, int, std::size_t)
{
    *blocks = 1;
    return cudaSuccess;
}

template <typename Kernel> cudaError_t cudaFuncSetAttribute(Kernel *kernel, cudaFuncAttribute attribute, int value)
{
    return cudaFuncSetAttribute(reinterpret_cast<const void *>(kernel), attribute, value);
}

} // namespace host_cuda
#endif
