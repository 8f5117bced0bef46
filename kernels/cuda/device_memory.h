/* GPU functions that the states of all operations share: they allocate memory that is freed together, and request
 * shared memory. */
#ifndef ANTBENCH_DEVICE_MEMORY_H
#define ANTBENCH_DEVICE_MEMORY_H

#include "kernels/cuda/cuda_port.h"
#include "kernels/cuda/device_bytes.h"

enum { DEVICE_ALLOCATIONS = 16 };

/* All CUDA allocations of a state. A zeroed structure is empty. */
typedef struct device_memory {
    void *on_device[DEVICE_ALLOCATIONS];
    size_t bytes[DEVICE_ALLOCATIONS]; /* bytes of each allocation in on_device */
    void *pinned[DEVICE_ALLOCATIONS]; /* page-locked allocations on the host */
    int n_on_device, n_pinned;
} device_memory;

/* Checks that there is room for one more allocation. */
static inline ab_status device_room(int n_allocations)
{
    if (n_allocations < DEVICE_ALLOCATIONS) return ab_ok();
    return ab_failed("more than %d allocations (DEVICE_ALLOCATIONS in kernels/cuda/device_memory.h)",
                     DEVICE_ALLOCATIONS);
}

/* Allocates `bytes` of device memory into *pointer, aligned to 256 bytes. Returns AB_UNSUPPORTED if the device does not
 * have enough. */
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

/* Allocates an array of `count` elements on the host, page-locked, so that transfers run at the bus's speed. */
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

/* Allows `kernel` to use `bytes` of dynamic shared memory, and requests `carveout` percent of the L1 cache as shared
 * memory (-1: the driver's choice). Returns AB_UNSUPPORTED if the device has less. */
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
