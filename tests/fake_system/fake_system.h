/* The system's clock and scheduler as a test wants them (fake_system.c). */
#ifndef ANTBENCH_TESTS_FAKE_SYSTEM_H
#define ANTBENCH_TESTS_FAKE_SYSTEM_H

#include <stdbool.h>

typedef struct fake_system {
    bool on;           /* else all is as it is */
    bool tells;        /* how long threads waited and cores stood still */
    double now_s;      /* CLOCK_MONOTONIC */
    double step_s;     /* by which each look at the clock moves it */
    double slice_s;    /* by which each `every`-th look moves it besides, while this process waits */
    long every, looks; /* 0: none; so far */
    long last;         /* look after which there are no slices; 0: they do not end */
    double waited_s;   /* each thread */
    double stolen_s;   /* from each core */
    double steal_s;    /* by which each look at the cores moves that */
} fake_system;

extern fake_system the_system;

#endif
