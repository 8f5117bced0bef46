/* Waits until threads do not wait for each other's processor (threads.h). */
#include <omp.h>

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
