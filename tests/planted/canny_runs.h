/* What is in canny_runs.cu. */
#ifndef ANTBENCH_PLANTED_CANNY_RUNS_H
#define ANTBENCH_PLANTED_CANNY_RUNS_H

#include "kernels/implementation.h"

#ifdef __cplusplus
extern "C"
#endif
    ab_status
    planted_canny_directions(int *wrong); /* adds the gradients of another direction */

#endif
