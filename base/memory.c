/* Memory that fails together (base/memory.h). */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/memory.h"

enum { SMALL_ALIGNMENT = 128 }; /* two cache lines, which many processors fetch together */
static const size_t large_page = (size_t)2 << 20;

static double physical_bytes(void)
{
    return (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
}

static size_t alignment_of(size_t count, size_t size)
{
    return (double)count * (double)size < (double)large_page ? SMALL_ALIGNMENT : large_page;
}

void *ab_allocate_block(size_t count, size_t size)
{
    const size_t alignment = alignment_of(count, size);
    const size_t bytes = (count * size / alignment + 1) * alignment;
    void *block = aligned_alloc(alignment, bytes);
    if (block == NULL) return NULL;
    if (alignment == large_page) madvise(block, bytes, MADV_HUGEPAGE);
    return memset(block, 0, bytes);
}

void *ab_allocate(ab_memory *memory, size_t count, size_t size)
{
    memory->bytes += (double)count * (double)size + (double)alignment_of(count, size);
    /* Linux promises memory that it does not have, and kills who uses it: ask for no more than the machine holds. */
    const bool full = memory->n_blocks == (int)(sizeof memory->blocks / sizeof *memory->blocks);
    if (memory->failed || full || memory->bytes > physical_bytes()) {
        memory->failed = true;
        return NULL;
    }
    void *block = ab_allocate_block(count, size);
    if (block == NULL) {
        memory->failed = true;
        return NULL;
    }
    return memory->blocks[memory->n_blocks++] = block;
}

ab_status ab_memory_status(const ab_memory *memory)
{
    if (!memory->failed) return ab_ok();
    if (memory->bytes > physical_bytes()) return ab_unsupported("needs %.0f MiB of memory", memory->bytes / (1 << 20));
    return ab_failed("out of memory for %.0f MiB", memory->bytes / (1 << 20));
}

void ab_memory_free(ab_memory *memory)
{
    for (int i = 0; i < memory->n_blocks; i++) free(memory->blocks[i]);
    memory->n_blocks = 0;
}
