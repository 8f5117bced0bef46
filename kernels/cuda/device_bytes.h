/* How much device memory states have allocated, as kernels/cuda/device_memory.h counts it: all of a process together.
 * Memory of libraries and of CUDA itself is not counted. The host backend's, which is the heap, is. */
#ifndef ANTBENCH_DEVICE_BYTES_H
#define ANTBENCH_DEVICE_BYTES_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* For kernels/cuda/device_memory.h: so many bytes were allocated, or freed. */
void ab_device_took(size_t bytes);
void ab_device_gave(size_t bytes);

/* Bytes that are allocated now. */
size_t ab_device_bytes(void);

/* The most bytes at a time since ab_device_peak_begin. */
void ab_device_peak_begin(void);
size_t ab_device_peak(void);

#ifdef __cplusplus
}
#endif
#endif
