/* Measures the power that a GPU draws while it works, with NVML's energy counter.
 *
 * The counter moves in steps. On an idle H100 it moves ten times per second, by 13 J each time. So it cannot be read
 * before and after a kernel of a few microseconds. Instead, a thread reads the counter a thousand times per second and
 * notes when it moves. Between two steps, both energy and time are known. */
#ifndef ANTBENCH_METER_H
#define ANTBENCH_METER_H

#include "base/status.h"
#include "bench/clock/nvml.h"

typedef struct ab_meter ab_meter;

/* Starts the thread. Returns AB_UNSUPPORTED if the GPU has no such counter. */
ab_status ab_meter_open(const ab_nvml *nvml, ab_meter **meter);

/* Ends the thread and returns the mean power in watts between the first and the last step; NAN if there were fewer than
 * three steps. */
double ab_meter_close(ab_meter *meter);

#endif
