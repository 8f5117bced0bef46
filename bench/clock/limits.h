/* What a GPU can do at most: rows of each run that its others are held against. */
#ifndef ANTBENCH_LIMITS_H
#define ANTBENCH_LIMITS_H

#include "bench/clock/sample.h"

/* Measures a limit of the GPU into an empty row of this name: "device-copy" and so on, with scope setup, but for its
 * table. Free the series with ab_series_free, after an error too. */
ab_status ab_limit_measure(ab_machine_state *state, gpu_limit limit, ab_pace pace, ab_series *series, ab_row *row);

#endif
