/* Measures the limits of a GPU as rows (bench/clock/limits.h). gpu.h says what a sample of each limit is. */
#include <stdio.h>

#include "bench/clock/limits.h"

enum { SAMPLES = 20 };

/* Name of each limit's row, what its params count, and whether this is bytes or operations. */
static const struct {
    const char *name, *counts;
    bool in_bytes, in_flops;
} limits[GPU_LIMITS] = {
    [GPU_COPY] = {"copy", "bytes", true, false},
    [GPU_FMA] = {"fma", "operations", false, true},
    [GPU_SHARED] = {"shared-memory", "bytes", true, false},
    [GPU_L2_LATENCY] = {"l2-latency", "loads", false, false},
    [GPU_LAUNCH] = {"launch", "launches", false, false},
};

/* A limit that is being measured. */
typedef struct opened_limit {
    gpu_limit limit;
    double amount;
} opened_limit;

static ab_status open_limit(void *context, int group, ab_work **work)
{
    opened_limit *opened = context;
    (void)group;
    return gpu_limit_open(opened->limit, &opened->amount, work);
}

ab_status ab_limit_measure(ab_machine_state *state, gpu_limit limit, ab_pace pace, ab_series *series, ab_row *row)
{
    opened_limit opened = {.limit = limit};
    const ab_sampling sampling = {.pace = pace,
                                  .backend = AB_CUDA,
                                  .samples = SAMPLES,
                                  .at_once = SAMPLES,
                                  .open = open_limit,
                                  .context = &opened};
    *row = ab_row_new();
    snprintf(row->row, sizeof row->row, "device-%s", limits[limit].name);
    snprintf(row->implementation, sizeof row->implementation, "device/%s", limits[limit].name);
    snprintf(row->backend, sizeof row->backend, "%s", ab_backend_name(AB_CUDA));
    snprintf(row->device, sizeof row->device, "%s", state->gpu.name);
    snprintf(row->scope, sizeof row->scope, "setup");
    AB_TRY(ab_take_samples(state, &sampling, series, row));
    /* params count the bytes of one side of a copy, which reads and writes each of them. */
    const double counted = limit == GPU_COPY ? opened.amount / 2.0 : opened.amount;
    snprintf(row->params, sizeof row->params, "%s=%.0f", limits[limit].counts, counted);
    if (limits[limit].in_bytes) row->bytes = opened.amount;
    if (limits[limit].in_flops) row->flops = opened.amount;
    return ab_ok();
}
