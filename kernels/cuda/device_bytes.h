/* Counts the device memory that all states of a process have allocated (kernels/cuda/device_memory.h). The count
 * includes the heap memory of the host backend. It does not include memory of libraries and of CUDA itself. */
#ifndef ANTBENCH_DEVICE_BYTES_H
#define ANTBENCH_DEVICE_BYTES_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Record for kernels/cuda/device_memory.h that this many bytes were allocated, or freed. */
void ab_device_took(size_t bytes);
void ab_device_gave(size_t bytes);

/* Returns the bytes that are allocated now. */
size_t ab_device_bytes(void);

/* Returns the largest number of bytes at a time since ab_device_peak_begin. */
void ab_device_peak_begin(void);
size_t ab_device_peak(void);

#ifdef __cplusplus
}
#endif
#endif
