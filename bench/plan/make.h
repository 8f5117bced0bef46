/* Makes the plan of a driver: one cell for every line of every block on every input. */
#ifndef ANTBENCH_MAKE_H
#define ANTBENCH_MAKE_H

#include "bench/plan/plan.h"

/* Lists the cells that the driver, the options and this machine allow, and loads nothing. The plan keeps pointers to
 * its arguments. Returns AB_BAD_INPUT for a broken input or an unknown parameter. Free with ab_plan_free, also after an
 * error. */
ab_status ab_plan_make(const ab_driver *driver, const ab_options *options, const ab_share *share,
                       const ab_target *target, ab_plan *plan);

#endif
