/* Reads the clock (clock.h). */
#include <time.h>

#include "base/clock.h"

double ab_now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
