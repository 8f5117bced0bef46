/* Trials of an implementation beside the row's own iterations: what is too rare there for a few ants, or cancels where
 * choices are added up. All but the streams are of those that choose in proportion (AB_EXACT).
 *   chances   each kind of city is chosen as often as it should be (kernels/tsp/check/chances.h): on the row's problem, so
 *             that the row's plan is looked at, and on a dozen cities with as few near ones as there can be
 *   ties      on crossings of a grid, where many cities are equally far and many tours equally long, and where every
 *             weight is the same: the lowest of equals is taken (kernels/tsp/check/verify.h)
 *   many      more cities than a search for the nearest one looks at together
 *   streams   on the host backend: no two ants and no two iterations draw the same random number
 */
#ifndef ANTBENCH_TSP_TRIALS_H
#define ANTBENCH_TSP_TRIALS_H

#include "kernels/operation.h"
#include "kernels/tsp/tsp.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Tries the implementation of the row. AB_FAILED with *wrong true is wrong output; any other status with *wrong false
 * means that a trial could not be run. */
ab_status tsp_trials_run(const ab_circumstances *row, const tsp_problem *problem, const tsp_params *params,
                         bool *wrong);

#ifdef __cplusplus
}
#endif
#endif
