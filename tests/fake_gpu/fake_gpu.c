/* In place of bench/harness/gpu.cu in build/bin/tests/antbench_with_gpu: a GPU that can be planned for, not measured
 * on. */
#include <stdio.h>

#include "bench/harness/gpu.h"

ab_status gpu_open(int device, gpu_info *info)
{
    *info = (gpu_info){.device = device, .sm_count = 1, .compute_capability = 90};
    snprintf(info->name, sizeof info->name, "a GPU of the tests");
    return ab_ok();
}

static ab_status not_there(void)
{
    return ab_failed("this GPU is not there: it is for --dry-run");
}

void gpu_close(void)
{
}

ab_status gpu_clock_open(int n_marks, gpu_clock **clock)
{
    (void)n_marks, (void)clock;
    return not_there();
}

void gpu_clock_close(gpu_clock *clock)
{
    (void)clock;
}

ab_status gpu_clock_mark(gpu_clock *clock, int mark)
{
    (void)clock, (void)mark;
    return not_there();
}

ab_status gpu_clock_wait(gpu_clock *clock, int mark)
{
    (void)clock, (void)mark;
    return not_there();
}

ab_status gpu_clock_delay(gpu_clock *clock, double seconds)
{
    (void)clock, (void)seconds;
    return not_there();
}

ab_status gpu_clock_flush(gpu_clock *clock)
{
    (void)clock;
    return not_there();
}

ab_status gpu_clock_elapsed(const gpu_clock *clock, int from, int to, double *ms)
{
    (void)clock, (void)from, (void)to, (void)ms;
    return not_there();
}

ab_status gpu_limit_open(gpu_limit limit, double *amount, ab_work **work)
{
    (void)limit, (void)amount, (void)work;
    return not_there();
}
