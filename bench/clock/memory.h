/* Memory that is freed stays with the process.
 *
 * A library that allocates large buffers in every call, as OpenCV's Canny does, would otherwise be timed for new pages
 * from the system. For images of 4096 x 4096 pixels and more, these take as long as the work (docs/log/cpu.md). A block
 * of 64 MiB or more that another thread than the first allocates is given back still.
 */
#ifndef ANTBENCH_MEMORY_H
#define ANTBENCH_MEMORY_H

/* Call it first. Where the C library is not glibc, it does nothing, and times may contain new pages. */
void ab_keep_freed_memory(void);

#endif
