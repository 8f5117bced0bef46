/* Allocations that are made together, fail together and are freed together. */
#ifndef ANTBENCH_MEMORY_H
#define ANTBENCH_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

/* Allocations that are made together and fail together. Zero it, allocate, then ask for the status once. */
typedef struct ab_memory {
    void *blocks[32]; /* for ab_memory_free */
    int n_blocks;
    double bytes; /* asked for so far, for the message */
    bool failed;  /* one of them was not to be had */
} ab_memory;

/* count * size zeroed bytes on a boundary of 128, in large pages where the system has them; NULL when there are
 * none. */
void *ab_allocate_block(size_t count, size_t size); /* for free() */
void *ab_allocate(ab_memory *memory, size_t count, size_t size);

/* Where one failed, with the MiB needed: AB_UNSUPPORTED where the machine has no more, else AB_FAILED. */
ab_status ab_memory_status(const ab_memory *memory);
void ab_memory_free(ab_memory *memory);

#endif
