/* Keeps the cells of a plan that --rows selects, each once, and of these the ones that a process measures. */
#ifndef ANTBENCH_CHOOSE_H
#define ANTBENCH_CHOOSE_H

#include "bench/plan/plan.h"

/* Removes all other cells from the plan, and with --rows also the inputs that no cell uses. Returns AB_BAD_INPUT if a
 * selector matches no row. */
ab_status ab_plan_choose(ab_plan *plan);

/* Removes what the first process alone measures, which are cells without times, from the plan of a later process. Their
 * inputs go too. The plan may be empty then. */
void ab_plan_leave_to_first(ab_plan *plan);

#endif
