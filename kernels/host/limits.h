/* What the host backend's device is said to have (host_backend_set_device). */
#ifndef ANTBENCH_HOST_LIMITS_H
#define ANTBENCH_HOST_LIMITS_H

#ifdef __cplusplus
extern "C" {
#endif

enum {
    HOST_STATIC_SHARED = 48 * 1024,  /* bytes of shared memory of every block */
    HOST_DYNAMIC_SHARED = 227 * 1024 /* of a block whose launcher has asked for it, as on an H100 */
};

typedef struct host_limits {
    int shared;     /* bytes of shared memory that a block may ask for */
    int processors; /* multiprocessors */
    int l2;         /* bytes of the L2 cache */
} host_limits;

/* Those of the usual device, as long as nothing cuts it: one multiprocessor, as blocks run one after another, and an L2
 * cache so small that tests of small instances go where large ones go. */
extern host_limits host_device_limits;

#ifdef __cplusplus
}
#endif
#endif
