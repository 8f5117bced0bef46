/* Lists the kernels that a work launches. The launching macros report them (LAUNCH and the others, cuda_port.h).
 *
 * The list is ab_told_launches; if this is NULL, nothing is recorded. Kernels of libraries and launches of the host
 * backend are not recorded.
 */
#ifndef ANTBENCH_LAUNCHES_H
#define ANTBENCH_LAUNCHES_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ab_launch {
    const char *name;    /* name given to AB_LAUNCHED, a literal; NULL until then */
    const void *kernel;  /* function, as the CUDA runtime knows it */
    int threads;         /* number of threads per block */
    size_t shared_bytes; /* dynamic shared memory per block */
} ab_launch;

enum { AB_MOST_LAUNCHES = 12 }; /* most different launches per stage; further ones are not recorded */

typedef struct ab_launches {
    int n;
    ab_launch of[AB_MOST_LAUNCHES]; /* different launches, in the order of their first occurrence */
} ab_launches;

extern ab_launches *ab_told_launches;

/* Called by the macros: records a launch unless an equal one is recorded, and names all launches that have no name yet.
 */
void ab_tell_launch(const void *kernel, int threads, size_t shared_bytes);
void ab_name_launches(const char *name);

#ifdef __cplusplus
}
#endif
#endif
