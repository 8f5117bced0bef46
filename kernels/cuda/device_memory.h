/* What the states of all operations do alike with a GPU: allocate memory that is freed together, and ask for shared
 * memory. */
#ifndef ANTBENCH_DEVICE_MEMORY_H
#define ANTBENCH_DEVICE_MEMORY_H

#include "kernels/cuda/cuda_port.h"
#include "kernels/cuda/device_bytes.h"

enum { DEVICE_ALLOCATIONS = 16 };

/* Everything that a state has allocated through CUDA; zeroed, it is empty. */
typedef struct device_memory {
    void *on_device[DEVICE_ALLOCATIONS];
    size_t bytes[DEVICE_ALLOCATIONS]; /* of each of on_device */
    void *pinned[DEVICE_ALLOCATIONS]; /* page-locked, on the host's side */
    int n_on_device, n_pinned;
} device_memory;

/* Room for one more allocation. */
static inline ab_status device_room(int n_allocations)
{
    if (n_allocations < DEVICE_ALLOCATIONS) return ab_ok();
    return ab_failed("more than %d allocations (DEVICE_ALLOCATIONS in kernels/cuda/device_memory.h)",
                     DEVICE_ALLOCATIONS);
}

/* Allocates `bytes` of device memory into *pointer, on a boundary of 256 bytes. AB_UNSUPPORTED when the device has not
 * so much. */
static inline ab_status device_allocate_bytes(device_memory *memory, void **pointer, size_t bytes)
{
    AB_TRY(device_room(memory->n_on_device));
    CUDA_TRY(cudaMalloc(pointer, bytes));
    memory->on_device[memory->n_on_device] = *pointer;
    memory->bytes[memory->n_on_device++] = bytes;
    ab_device_took(bytes);
    return ab_ok();
}

/* Allocates an array of `count` elements in device memory. */
template <typename T> static inline ab_status device_allocate(device_memory *memory, T **pointer, size_t count)
{
    void *allocated = NULL;
    AB_TRY(device_allocate_bytes(memory, &allocated, count * sizeof(T)));
    *pointer = (T *)allocated;
    return ab_ok();
}

/* Allocates an array of `count` elements on the host's side, page-locked, so that transfers run at the bus's speed. */
template <typename T> static inline ab_status device_allocate_pinned(device_memory *memory, T **pointer, size_t count)
{
    void *allocated = NULL;
    AB_TRY(device_room(memory->n_pinned));
    CUDA_TRY(cudaMallocHost(&allocated, count * sizeof(T)));
    memory->pinned[memory->n_pinned++] = allocated;
    *pointer = (T *)allocated;
    return ab_ok();
}

static inline void device_free(device_memory *memory)
{
    for (int i = 0; i < memory->n_on_device; ++i) {
        cudaFree(memory->on_device[i]);
        ab_device_gave(memory->bytes[i]);
    }
    for (int i = 0; i < memory->n_pinned; ++i) cudaFreeHost(memory->pinned[i]);
    memory->n_on_device = memory->n_pinned = 0;
}

/* Lets `kernel` use `bytes` of dynamic shared memory, and asks for `carveout` percent of the L1 cache as shared memory
 * (-1: as the driver likes). AB_UNSUPPORTED when the device has less. */
static inline ab_status device_allow_shared(const void *kernel, size_t bytes, int carveout)
{
    int device = 0, most = 0;
    CUDA_TRY(cudaGetDevice(&device));
    CUDA_TRY(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
    if (bytes > (size_t)most)
        return ab_unsupported("needs %zu bytes of shared memory per block, the device has %d", bytes, most);
    CUDA_TRY(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes));
    CUDA_TRY(cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout, carveout));
    return ab_ok();
}

#endif
