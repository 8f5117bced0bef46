/* Stage "improve" of every CPU colony: local search (tours/search.h) on the tours of an iteration, on the colony's
 * threads, one tour per thread. It is 2-opt and Or-opt with lists of 7 near cities and don't-look bits. The result for
 * a tour does not depend on the thread. It differs from the result of a GPU's stage (kernels/tsp/steps/improve.cu),
 * which tries other moves first.
 *
 * A colony's code does not know of it. If it is asked for, it runs between the colony's own stages construct and
 * update. Source: as search.h; Stützle & Hoos 2000, section 4, for its place in an iteration. */
#ifndef ANTBENCH_CPU_IMPROVE_H
#define ANTBENCH_CPU_IMPROVE_H

#include "baselines/cpu_colony.h"

/* For cpu_colony_init and cpu_colony_close: puts the stage into the work of a colony whose parameters ask for it.
 * Free in every case. AB_FAILED or AB_UNSUPPORTED where there is no memory. */
ab_status cpu_improve_init(cpu_colony *colony);
void cpu_improve_free(cpu_colony *colony);

#endif
