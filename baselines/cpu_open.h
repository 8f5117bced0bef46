/* Opening and closing a CPU colony (cpu_colony.h), with stage "improve" (cpu_improve.h) where its parameters ask for
 * that. */
#ifndef ANTBENCH_CPU_OPEN_H
#define ANTBENCH_CPU_OPEN_H

#include "baselines/cpu_colony.h"

/* Checks the arguments and allocates what is common, for a colony whose methods are set. threads 0 is all cores. */
ab_status cpu_colony_init(cpu_colony *colony, const tsp_problem *problem, const tsp_params *params, int threads);

/* The close of every CPU colony, which is allocated in one piece and begins with its cpu_colony; accepts NULL. */
void cpu_colony_close(ab_work *work);

#endif
