/* From a driver to the cells that are to be measured: every line of every block on every input. */
#ifndef ANTBENCH_MAKE_H
#define ANTBENCH_MAKE_H

#include "bench/plan/plan.h"

/* Lists what the driver, the options and this machine have in common; the plan keeps pointers to them. Loads nothing.
 * AB_BAD_INPUT for an input that is broken or a parameter that no operation has. Free with ab_plan_free, after an error
 * too. */
ab_status ab_plan_make(const ab_driver *driver, const ab_options *options, const ab_share *share,
                       const ab_target *target, ab_plan *plan);

#endif
