/* Instances of the travelling salesman problem as inputs (kernels/operation.h), of Ant System and of the operations
 * that are one stage of its iteration. */
#ifndef ANTBENCH_TSP_INPUTS_H
#define ANTBENCH_TSP_INPUTS_H

#include "instances/tsplib.h"
#include "kernels/operation.h"
#include "kernels/tsp/check/snapshot.h"
#include "kernels/tsp/steps/candidates.h"

/* An instance as tsp_inputs loads it, and what is computed from it on the way. */
typedef struct tsp_input {
    tsp_instance instance;
    tsp_candidates candidates;
    tsp_problem problem;   /* what the cell that is measured is opened with */
    tsp_snapshot snapshot; /* n is 0 until it is taken */
} tsp_input;

extern const ab_inputs tsp_inputs;

/* ab_operation.problem of the stages: the snapshot of a tsp_input, taken once, by the seed of the first run. */
ab_status tsp_snapshot_give(const ab_task *task, const void **problem);

#endif
