/* Allocations that are made together, fail together and are freed together. */
#ifndef ANTBENCH_MEMORY_H
#define ANTBENCH_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

/* Allocations that are made together and fail together. Zero it, allocate, then ask for the status once. */
typedef struct ab_memory {
    void *blocks[32]; /* blocks for ab_memory_free */
    int n_blocks;
    double bytes; /* bytes requested so far, for the message */
    bool failed;  /* true if an allocation failed */
} ab_memory;

/* Returns count * size zeroed bytes, aligned to 128 bytes, in large pages if the system has them. Returns NULL if there
 * is not enough memory. */
void *ab_allocate_block(size_t count, size_t size); /* free it with free() */
void *ab_allocate(ab_memory *memory, size_t count, size_t size);

/* If an allocation failed, returns an error with the MiB needed: AB_UNSUPPORTED if the machine does not have them, else
 * AB_FAILED. */
ab_status ab_memory_status(const ab_memory *memory);
void ab_memory_free(ab_memory *memory);

#endif
