/* Memory that is freed stays with the process (memory.h). */
#include <malloc.h>

#include "bench/clock/memory.h"

void ab_keep_freed_memory(void)
{
#ifdef __GLIBC__
    mallopt(M_MMAP_MAX, 0);
    mallopt(M_TRIM_THRESHOLD, -1);
#endif
}
