/* Memory that is freed stays with the process.
 *
 * A library that allocates in every call, as OpenCV's Canny does, would else be timed for new pages from the system in
 * every call. From 4096 x 4096 pixels on these take longer than the work (docs/log/cpu.md).
 */
#ifndef ANTBENCH_MEMORY_H
#define ANTBENCH_MEMORY_H

/* Call it before the first allocation. It does nothing where the C library is not glibc. */
void ab_keep_freed_memory(void);

#endif
