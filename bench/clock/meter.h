/* The power that a GPU draws while it works, from NVML's counter of energy.
 *
 * The counter moves in steps: on an H100 ten times a second, by 13 J where it does next to nothing. What a kernel of
 * microseconds adds to it cannot be read before and after. So a thread looks at the counter a thousand times a second and
 * notes when it moves: from one step to another, energy and time are both known. */
#ifndef ANTBENCH_METER_H
#define ANTBENCH_METER_H

#include "base/status.h"
#include "bench/clock/nvml.h"

typedef struct ab_meter ab_meter;

/* Begins to look; AB_UNSUPPORTED where there is no such counter. */
ab_status ab_meter_open(const ab_nvml *nvml, ab_meter **meter);

/* Ends, and says how many watts there were between the first step and the last; NAN where there were no three. */
double ab_meter_close(ab_meter *meter);

#endif
