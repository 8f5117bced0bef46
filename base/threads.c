/* Gives threads a processor each (threads.h). */
#include <omp.h>
#include <sched.h>
#include <stdlib.h>

#include "base/threads.h"

static const int FAST_IN_A_ROW = 16;
static const double FAST_S = 5e-4, MOST_S = 0.1;

/* Seconds of a parallel region with nothing to do but wait for each other, without which a compiler leaves it out. */
static double time_region(int threads)
{
    const double begin = omp_get_wtime();
#pragma omp parallel num_threads(threads)
    {
#pragma omp barrier
    }
    return omp_get_wtime() - begin;
}

void ab_threads_settle(int threads)
{
    double seconds = 0.0;
    for (int fast = 0; threads > 1 && fast < FAST_IN_A_ROW && seconds < MOST_S;) {
        const double region_s = time_region(threads);
        seconds += region_s;
        fast = region_s < FAST_S ? fast + 1 : 0;
    }
}

/* Adds the processors of a place. */
static void add_place(int place, cpu_set_t *processors)
{
    const int n = omp_get_place_num_procs(place);
    int *numbers = malloc(((size_t)n + 1) * sizeof *numbers);
    if (!numbers) return;
    omp_get_place_proc_ids(place, numbers);
    for (int i = 0; i < n; ++i) CPU_SET((size_t)numbers[i], processors);
    free(numbers);
}

void ab_threads_unbind(void)
{
    cpu_set_t processors;
    CPU_ZERO(&processors);
    for (int place = 0; place < omp_get_num_places(); ++place) add_place(place, &processors);
    /* If this fails, the thread stays where it is. */
    if (CPU_COUNT(&processors) > 0) sched_setaffinity(0, sizeof processors, &processors);
}
