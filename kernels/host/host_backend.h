/* What drivers and tests may ask of the host backend, which runs the .cu files on the CPU (cuda_host.h).
 *
 * The faults that it finds in a kernel are errors of the launch. Inside the .cu file they are cudaGetLastError() and
 * cudaGetErrorString(), outside of it an ab_status with the same line.
 */
#ifndef ANTBENCH_HOST_BACKEND_H
#define ANTBENCH_HOST_BACKEND_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Sets the order in which later launches of this process run their blocks, and the threads of a block between two
 * points where they wait. 0 is ascending and the default, 1 is descending. Any other value is the seed of a random
 * order, drawn anew whenever every thread that can run has had its turn. With even values from 2 on, a whole warp has a
 * turn, and runs until all its threads wait. So it runs as far ahead of the others as a missing barrier allows. A
 * correct kernel gives the same result in every order (floating-point atomics aside). A kernel that lacks a barrier
 * does not. */
void host_backend_set_order(uint64_t order);

/* Hears of a random number that a kernel draws of Philox: output `offset` of stream (seed, subsequence). */
typedef void host_backend_draw(uint64_t seed, uint64_t subsequence, uint64_t offset);

/* Calls `hears` with every number that later launches draw, in the whole process. NULL stops this; it is the
 * default. */
void host_backend_hear_draws(host_backend_draw *hears);

/* Limits the device that later calls find, in the whole process, so that small instances are treated like large ones
 * on a GPU. The text "shared=20000,processors=8,l2=0,together=4" sets bytes of shared memory per block,
 * multiprocessors, bytes of the L2 cache, and blocks that run at once in launches that need it (LAUNCH_TOGETHER,
 * LAUNCH_CLUSTER). What is not named is as usual; so is everything for NULL and "". AB_BAD_INPUT if the text is wrong.
 */
ab_status host_backend_set_device(const char *cuts);

/* The text that cuts the device; "" for the usual one. */
const char *host_backend_device(void);

/* The variable of the environment by which programs cut the device. */
#define HOST_BACKEND_DEVICE "ANTBENCH_HOST_DEVICE"

/* A plan of a kernel, as AB_PLAN (cuda_port.h) names it: a way that only some sizes or devices take. */
typedef struct host_backend_plan {
    const char *name;
    bool taken; /* true if a launch of this process has it */
    const struct host_backend_plan *next;
} host_backend_plan;

/* All plans of the kernels of this program, taken or not; a plan that is compiled several times is there as often. */
const host_backend_plan *host_backend_plans(void);

#ifdef __cplusplus
}
#endif
#endif
