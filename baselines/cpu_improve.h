/* Stage "improve" of every CPU colony: local search (tours/search.h) on the tours of an iteration, on the colony's
 * threads, a thread a tour: 2-opt and Or-opt with lists of 7 near cities and don't-look bits. One tour gives the same
 * tour, whatever thread has it; not the tour of a GPU's stage (kernels/tsp/steps/improve.cu), which tries other moves first.
 *
 * A colony needs to know nothing of it: where it is asked for, the colony's own stages are run as they are, and this
 * one between construct and update. Source: as search.h; Stützle & Hoos 2000, section 4, for its place in an
 * iteration. */
#ifndef ANTBENCH_CPU_IMPROVE_H
#define ANTBENCH_CPU_IMPROVE_H

#include "baselines/cpu_colony.h"

/* For cpu_colony_init and cpu_colony_close: puts the stage into the work of a colony whose parameters ask for it.
 * Free in every case. AB_FAILED or AB_UNSUPPORTED where there is no memory. */
ab_status cpu_improve_init(cpu_colony *colony);
void cpu_improve_free(cpu_colony *colony);

#endif
