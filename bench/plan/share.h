/* The share of a run that this process has: how long and how often it measures, and which of several processes it is. */
#ifndef ANTBENCH_SHARE_H
#define ANTBENCH_SHARE_H

#include "bench/plan/driver.h"

typedef struct ab_share {
    ab_effort effort;   /* of one process; budget_s and host_steps are infinite where there is no limit */
    int processes;      /* number of processes that measure each timed row; they share its runs, samples and time */
    int most_processes; /* number of processes with --until-precise, each with as large a share; else `processes` */
    int process;        /* number of this process, from 1; 1 also in the process that starts the others */
    double energy_s; /* seconds over which it measures the energy of a row, the first process alone; 0: it does not */
} ab_share;

/* The share that the driver's effort and the options make. AB_BAD_INPUT for several processes under MPI. */
ab_status ab_share_make(const ab_driver *driver, const ab_options *options, ab_share *share);

#endif
