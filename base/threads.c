/* Gives threads a processor each (threads.h). */
#include <omp.h>
#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/threads.h"

static const int FAST_IN_A_ROW = 16;
static const double FAST_S = 5e-4, MOST_S = 0.1;

/* Returns the seconds of a parallel region. The barrier keeps the compiler from leaving it out. */
static double time_region(int threads)
{
    const double begin = ab_now_s();
#pragma omp parallel num_threads(threads)
    {
#pragma omp barrier
    }
    return ab_now_s() - begin;
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

/* Adds the processors of a place. Returns false if there is no memory. */
static bool add_place(int place, cpu_set_t *processors)
{
    const int n = omp_get_place_num_procs(place);
    int *numbers = malloc(((size_t)n + 1) * sizeof *numbers);
    if (!numbers) return false;
    omp_get_place_proc_ids(place, numbers);
    for (int i = 0; i < n; ++i) CPU_SET((size_t)numbers[i], processors);
    free(numbers);
    return true;
}

void ab_threads_begin(void)
{
    const int places = omp_get_num_places();
    cpu_set_t processors;
    int added = 0;
    CPU_ZERO(&processors);
    if (omp_get_dynamic()) omp_set_dynamic(0); /* which allocates memory */
    while (added < places && add_place(added, &processors)) ++added;
    /* If this fails, the thread stays where it is. */
    if (places > 0 && added == places) sched_setaffinity(0, sizeof processors, &processors);
}
