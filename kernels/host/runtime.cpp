/* CUDA's runtime API on the CPU; see runtime.h. */
#include "kernels/host/runtime.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <new>

#include "kernels/host/limits.h"
#include "kernels/host/plan.h"

namespace host_backend
{

namespace
{

/* CUDA keeps the last error per thread of the program, and so does this. */
struct error_state {
    host_cuda::cudaError_t last = host_cuda::cudaSuccess;
    char report[640] = ""; /* report of the last faulty launch, one line */
};

error_state &errors()
{
    static thread_local error_state state;
    return state;
}

host_cuda::cudaError_t remember(host_cuda::cudaError_t error)
{
    if (error != host_cuda::cudaSuccess) errors().last = error;
    return error;
}

/* What cudaFuncSetAttribute has allowed: bytes of dynamic shared memory by kernel. */
struct allowance {
    std::mutex mutex;
    std::map<const void *, std::size_t> bytes;
};

allowance &allowances()
{
    static allowance all;
    return all;
}

} // namespace

void set_launch_error(const char *report)
{
    std::snprintf(errors().report, sizeof errors().report, "%s", report);
    remember(host_cuda::cudaErrorHostBackend);
}

std::size_t allowed_dynamic_shared(const void *kernel)
{
    allowance &all = allowances();
    const std::lock_guard<std::mutex> lock(all.mutex);
    const auto found = all.bytes.find(kernel);
    return found == all.bytes.end() || found->second < max_static_shared ? max_static_shared : found->second;
}

namespace
{
plan *latest_plan; /* zero before any plan is made */
}

plan::plan(const char *its_name) : host_backend_plan{its_name, false, latest_plan}
{
    latest_plan = this;
}

} // namespace host_backend

extern "C" const host_backend_plan *host_backend_plans(void)
{
    return host_backend::latest_plan;
}

namespace host_cuda
{

using host_backend::remember;

cudaError_t cudaPeekAtLastError()
{
    return host_backend::errors().last;
}

cudaError_t cudaGetLastError()
{
    const cudaError_t error = host_backend::errors().last;
    host_backend::errors().last = cudaSuccess;
    return error;
}

const char *cudaGetErrorString(cudaError_t error)
{
    switch (error) {
    case cudaSuccess:
        return "no error";
    case cudaErrorInvalidValue:
        return "invalid argument";
    case cudaErrorMemoryAllocation:
        return "out of memory";
    case cudaErrorHostBackend:
        return host_backend::errors().report;
    }
    return "unrecognized error code";
}

cudaError_t cudaMalloc(void **pointer, std::size_t bytes)
{
    *pointer = std::malloc(bytes > 0 ? bytes : 1);
    if (*pointer == nullptr) return remember(cudaErrorMemoryAllocation);
    std::memset(*pointer, 0xFF, bytes);
    return cudaSuccess;
}

cudaError_t cudaFree(void *pointer)
{
    std::free(pointer);
    return cudaSuccess;
}

cudaError_t cudaMemcpy(void *to, const void *from, std::size_t bytes, cudaMemcpyKind)
{
    std::memcpy(to, from, bytes);
    return cudaSuccess;
}

cudaError_t cudaMemcpy2D(void *to, std::size_t to_pitch, const void *from, std::size_t from_pitch, std::size_t bytes,
                         std::size_t rows, cudaMemcpyKind)
{
    if (bytes > to_pitch || bytes > from_pitch) return remember(cudaErrorInvalidValue);
    for (std::size_t row = 0; row < rows; row++)
        std::memcpy(static_cast<char *>(to) + row * to_pitch, static_cast<const char *>(from) + row * from_pitch,
                    bytes);
    return cudaSuccess;
}

cudaError_t cudaMemset(void *to, int value, std::size_t bytes)
{
    std::memset(to, value, bytes);
    return cudaSuccess;
}

cudaError_t cudaMallocHost(void **pointer, std::size_t bytes)
{
    return cudaMalloc(pointer, bytes);
}

cudaError_t cudaFreeHost(void *pointer)
{
    return cudaFree(pointer);
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, std::size_t bytes, cudaMemcpyKind kind, cudaStream_t)
{
    return cudaMemcpy(to, from, bytes, kind);
}

cudaError_t cudaMemsetAsync(void *to, int value, std::size_t bytes, cudaStream_t)
{
    return cudaMemset(to, value, bytes);
}

cudaError_t cudaDeviceSynchronize()
{
    return cudaPeekAtLastError();
}

cudaError_t cudaGetDevice(int *device)
{
    *device = 0;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr attribute, int device)
{
    if (device != 0) return remember(cudaErrorInvalidValue);
    switch (attribute) {
    case cudaDevAttrMaxThreadsPerBlock:
        *value = host_backend::max_block_threads;
        return cudaSuccess;
    case cudaDevAttrMaxSharedMemoryPerBlock:
        *value = host_device_limits.shared < HOST_STATIC_SHARED ? host_device_limits.shared : HOST_STATIC_SHARED;
        return cudaSuccess;
    case cudaDevAttrWarpSize:
        *value = host_backend::warp_threads;
        return cudaSuccess;
    case cudaDevAttrCooperativeLaunch:
        *value = host_device_limits.together > 1;
        return cudaSuccess;
    case cudaDevAttrMultiProcessorCount:
        *value = host_device_limits.processors;
        return cudaSuccess;
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
        *value = host_device_limits.shared + 1024;
        return cudaSuccess;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
        *value = host_device_limits.shared;
        return cudaSuccess;
    case cudaDevAttrL2CacheSize:
        *value = host_device_limits.l2;
        return cudaSuccess;
    }
    return remember(cudaErrorInvalidValue);
}

cudaError_t cudaFuncSetAttribute(const void *kernel, cudaFuncAttribute attribute, int value)
{
    if (attribute == cudaFuncAttributePreferredSharedMemoryCarveout)
        return value >= -1 && value <= 100 ? cudaSuccess : remember(cudaErrorInvalidValue);
    if (value < 0 || value > host_device_limits.shared) return remember(cudaErrorInvalidValue);
    host_backend::allowance &all = host_backend::allowances();
    const std::lock_guard<std::mutex> lock(all.mutex);
    try {
        all.bytes[kernel] = static_cast<std::size_t>(value);
    } catch (const std::bad_alloc &) {
        return remember(cudaErrorMemoryAllocation);
    }
    return cudaSuccess;
}

} // namespace host_cuda
