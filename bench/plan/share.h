/* The share of a run that this process measures: how long, how often, and which of several processes it is. */
#ifndef ANTBENCH_SHARE_H
#define ANTBENCH_SHARE_H

#include "bench/plan/driver.h"

typedef struct ab_share {
    ab_effort effort; /* effort of one process; budget_s and host_steps are infinite if there is no limit */
    int processes;    /* number of processes that measure each timed row; they share its runs, samples and time */
    /* Number of processes that --until-precise allows, each with a share of the same size; else `processes`. */
    int most_processes;
    int process;     /* number of this process, from 1; also 1 in the process that starts the others */
    double energy_s; /* seconds over which the first process measures the energy of a row; 0: not measured */
} ab_share;

/* Makes the share from the driver's effort and the options. Returns AB_BAD_INPUT for several processes under MPI. */
ab_status ab_share_make(const ab_driver *driver, const ab_options *options, ab_share *share);

#endif
