/* The clock of everything that is timed on the CPU. */
#ifndef ANTBENCH_CLOCK_H
#define ANTBENCH_CLOCK_H

/* Returns the seconds since some moment in the past, by CLOCK_MONOTONIC. The value never decreases. */
double ab_now_s(void);

#endif
