/* Measures the upper limits of the GPU's speed. Each run has them as rows, to which its other rows are compared. */
#ifndef ANTBENCH_LIMITS_H
#define ANTBENCH_LIMITS_H

#include "bench/clock/sample.h"

/* Measures a limit of the GPU into an empty row, named "device-copy" and so on. Sets its scope to setup and leaves its
 * table empty. Free the series with ab_series_free, also after an error. */
ab_status ab_limit_measure(ab_machine_state *state, gpu_limit limit, ab_pace pace, ab_series *series, ab_row *row);

#endif
