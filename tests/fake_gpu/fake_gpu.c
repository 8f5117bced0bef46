/* In place of bench/clock/gpu.cu in tests: a GPU that can be planned for, and a clock that can be read, but that runs
 * nothing. Its queue is a moment: when the GPU will be done with what is in it, kernels taking no time and delays
 * theirs. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "bench/clock/gpu.h"
#include "tests/fake_gpu/fake_gpu.h"

double fake_gpu_done_s;

struct gpu_clock {
    double done_s;     /* when the queue will be empty */
    double passed_s[]; /* [marks]: when the GPU passes it */
};

ab_status gpu_open(int device, gpu_info *info)
{
    *info = (gpu_info){.device = device, .sm_count = 1, .compute_capability = 90};
    snprintf(info->name, sizeof info->name, "a GPU of the tests");
    snprintf(info->pci_bus_id, sizeof info->pci_bus_id, "0000:65:00.0"); /* tests/fake_nvml */
    return ab_ok();
}

void gpu_close(void)
{
}

ab_status gpu_clock_open(int n_marks, gpu_clock **clock)
{
    *clock = calloc(1, sizeof **clock + (size_t)n_marks * sizeof *(*clock)->passed_s);
    return *clock ? ab_ok() : ab_failed("out of memory for %d marks", n_marks);
}

void gpu_clock_close(gpu_clock *clock)
{
    free(clock);
}

static void enqueue(gpu_clock *clock, double seconds)
{
    const double now_s = ab_now_s();
    clock->done_s = (clock->done_s > now_s ? clock->done_s : now_s) + seconds;
    fake_gpu_done_s = clock->done_s;
}

ab_status gpu_clock_mark(gpu_clock *clock, int mark)
{
    enqueue(clock, 0.0);
    clock->passed_s[mark] = clock->done_s;
    return ab_ok();
}

ab_status gpu_clock_wait(gpu_clock *clock, int mark)
{
    while (ab_now_s() < clock->passed_s[mark]) continue;
    return ab_ok();
}

ab_status gpu_clock_delay(gpu_clock *clock, double seconds)
{
    enqueue(clock, seconds);
    return ab_ok();
}

ab_status gpu_clock_flush(gpu_clock *clock)
{
    enqueue(clock, 0.0);
    return ab_ok();
}

ab_status gpu_clock_elapsed(const gpu_clock *clock, int from, int to, double *ms)
{
    *ms = 1e3 * (clock->passed_s[to] - clock->passed_s[from]);
    return ab_ok();
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
    return ab_failed("this GPU is not there: it is for --dry-run");
}

/* The kernel's address is the number of its registers. */
ab_status gpu_residence_of(const ab_launch *launch, gpu_residence *residence)
{
    *residence = (gpu_residence){.registers = (int)(uintptr_t)launch->kernel,
                                 .shared_bytes = 8 + (int)launch->shared_bytes,
                                 .blocks = 2048 / launch->threads,
                                 .occupancy = 0.5};
    return ab_ok();
}
