/* Which kernels of ours a work launches, as the launching macros tell it (LAUNCH and its like, cuda_port.h).
 *
 * They are told where ab_told_launches points to, and nowhere where it is NULL. Kernels of libraries are not told, nor
 * is anything by the host backend.
 */
#ifndef ANTBENCH_LAUNCHES_H
#define ANTBENCH_LAUNCHES_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ab_launch {
    const char *name;    /* as AB_LAUNCHED has it: a literal; NULL until then */
    const void *kernel;  /* the function, as the CUDA runtime knows it */
    int threads;         /* of a block */
    size_t shared_bytes; /* dynamic shared memory of a block */
} ab_launch;

enum { AB_MOST_LAUNCHES = 12 }; /* different ones of a stage; those after them are not told */

typedef struct ab_launches {
    int n;
    ab_launch of[AB_MOST_LAUNCHES]; /* different ones, in the order in which each came first */
} ab_launches;

extern ab_launches *ab_told_launches;

/* For the macros: tells a launch, unless the same was told before; and the name of all that have none yet. */
void ab_tell_launch(const void *kernel, int threads, size_t shared_bytes);
void ab_name_launches(const char *name);

#ifdef __cplusplus
}
#endif
#endif
