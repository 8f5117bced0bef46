/* The planted faults of tsp_race.cu and tsp_race_candidates.cu. */
#ifndef ANTBENCH_PLANTED_TSP_RACE_H
#define ANTBENCH_PLANTED_TSP_RACE_H

#include "kernels/tsp/tsp.h"

enum planted_race_fault {
    RACE_FAULT_NONE,
    RACE_FAULT_ACCEPTS_VISITED, /* a proposal that is visited is not rejected, now and then */
    RACE_FAULT_STALE_ALIAS,     /* the alias tables are those of the pheromone at first */
    RACE_FAULT_SHARED_CLOCK,    /* all lanes have one clock */
    RACE_FAULT_OLD_CLOCK,       /* a clock that has rung is not drawn anew */
    N_RACE_FAULTS
};

enum planted_short_fault {
    SHORT_FAULT_NONE,
    SHORT_FAULT_FAR_TOO_FAST,  /* the far clock's rate is twice what the far candidates weigh */
    SHORT_FAULT_FAR_FORGOTTEN, /* ... or nothing, so that they are left for the last */
    N_SHORT_FAULTS
};

#ifdef __cplusplus
extern "C" {
#endif

/* tsp/race with the fault. */
ab_open *planted_race(int fault);

/* tsp/race-candidates, short rows, with the fault. */
ab_open *planted_race_short(int fault);

/* The time of a clock from 32 random bits. */
float planted_race_exponential(unsigned random);

#ifdef __cplusplus
}
#endif
#endif
