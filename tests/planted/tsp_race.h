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

enum planted_coded_fault {
    CODED_FAULT_NONE,
    CODED_FAULT_TOO_SLOW,  /* bounds of the nearest are above their mean times, and no ring makes up for it */
    CODED_FAULT_FORGOTTEN, /* clocks of the nearest have no code, as if they were slower than all codes */
    N_CODED_FAULTS
};

#ifdef __cplusplus
extern "C" {
#endif

/* tsp/race with the fault. */
ab_open *planted_race(int fault);

/* tsp/race-candidates, rows in codes, with the fault. */
ab_open *planted_race_coded(int fault);

/* The time of a clock from 32 random bits. */
float planted_race_exponential(unsigned random);

#ifdef __cplusplus
}
#endif
#endif
