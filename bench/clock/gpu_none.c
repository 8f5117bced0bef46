/* bench/clock/gpu.h for a program built without nvcc: there is no device. */
#include "bench/clock/gpu.h"
#include "config.h"

#ifndef AB_WITH_CUDA

static ab_status no_cuda(void)
{
    return ab_unsupported("built without CUDA (no nvcc was found; make deps installs it)");
}

ab_status gpu_open(int device, gpu_info *info)
{
    (void)device, (void)info;
    return no_cuda();
}

void gpu_close(void)
{
}

ab_status gpu_clock_open(int n_marks, gpu_clock **clock)
{
    (void)n_marks, (void)clock;
    return no_cuda();
}

void gpu_clock_close(gpu_clock *clock)
{
    (void)clock;
}

ab_status gpu_clock_mark(gpu_clock *clock, int mark)
{
    (void)clock, (void)mark;
    return no_cuda();
}

ab_status gpu_clock_wait(gpu_clock *clock, int mark)
{
    (void)clock, (void)mark;
    return no_cuda();
}

ab_status gpu_clock_delay(gpu_clock *clock, double seconds)
{
    (void)clock, (void)seconds;
    return no_cuda();
}

ab_status gpu_clock_flush(gpu_clock *clock)
{
    (void)clock;
    return no_cuda();
}

ab_status gpu_clock_elapsed(const gpu_clock *clock, int from, int to, double *ms)
{
    (void)clock, (void)from, (void)to, (void)ms;
    return no_cuda();
}

ab_status gpu_residence_of(const ab_launch *launch, gpu_residence *residence)
{
    (void)launch, (void)residence;
    return no_cuda();
}

void gpu_profiler_begin(void)
{
}

void gpu_profiler_end(void)
{
}

ab_status gpu_limit_open(gpu_limit limit, double *amount, ab_work **work)
{
    (void)limit, (void)amount, (void)work;
    return no_cuda();
}

#endif
