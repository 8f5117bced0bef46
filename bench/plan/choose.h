/* Of the cells of a plan those that --rows means, each once. */
#ifndef ANTBENCH_CHOOSE_H
#define ANTBENCH_CHOOSE_H

#include "bench/plan/plan.h"

/* Takes the others out of the plan, and with --rows the inputs that no cell is on. AB_BAD_INPUT for a selector that
 * means no row. */
ab_status ab_plan_choose(ab_plan *plan);

#endif
