/* What the host backend's device is said to have (host_backend_set_device). */
#ifndef ANTBENCH_HOST_LIMITS_H
#define ANTBENCH_HOST_LIMITS_H

#ifdef __cplusplus
extern "C" {
#endif

enum {
    HOST_STATIC_SHARED = 48 * 1024,   /* bytes of shared memory of every block */
    HOST_DYNAMIC_SHARED = 227 * 1024, /* most bytes for a block whose launcher has asked for it, as on an H100 */
    HOST_MOST_TOGETHER = 16           /* most blocks at once: each thread of theirs has a stack */
};

typedef struct host_limits {
    int shared;     /* bytes of shared memory that a block may ask for */
    int processors; /* multiprocessors */
    int together;   /* blocks that can run at once, for launches that need it */
    int l2;         /* bytes of the L2 cache */
} host_limits;

/* The limits of the usual device, unless something cuts it. It has one multiprocessor, as blocks run one after
 * another, and neither cooperative launches nor clusters, as `together` is 1. Its L2 cache is so small that tests of
 * small instances take the paths of large ones. */
extern host_limits host_device_limits;

#ifdef __cplusplus
}
#endif
#endif
