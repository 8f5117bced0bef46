/* For LD_PRELOAD: writes each parallel region of GNU OpenMP to the file $REGIONS, as the offset of its function in the
 * program and the number of threads that it asks for (0: the default). */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

typedef void body(void *);

static void write_region(body *function, unsigned threads)
{
    static FILE *file;
    Dl_info of;
    if (!file) file = fopen(getenv("REGIONS"), "a");
    if (file && dladdr(*(void **)&function, &of))
        fprintf(file, "%lx %u\n", (unsigned long)(*(uintptr_t *)&function - (uintptr_t)of.dli_fbase), threads);
}

void GOMP_parallel(body *function, void *data, unsigned threads, unsigned flags)
{
    static void (*real)(body *, void *, unsigned, unsigned);
    if (!real) *(void **)&real = dlsym(RTLD_NEXT, "GOMP_parallel");
    write_region(function, threads);
    real(function, data, threads, flags);
}

unsigned GOMP_parallel_reductions(body *function, void *data, unsigned threads, unsigned flags)
{
    static unsigned (*real)(body *, void *, unsigned, unsigned);
    if (!real) *(void **)&real = dlsym(RTLD_NEXT, "GOMP_parallel_reductions");
    write_region(function, threads);
    return real(function, data, threads, flags);
}
