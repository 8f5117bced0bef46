/* The planted faults of tsp_sparse.cu. */
#ifndef ANTBENCH_PLANTED_TSP_SPARSE_H
#define ANTBENCH_PLANTED_TSP_SPARSE_H

#include "kernels/tsp/tsp.h"

enum planted_sparse_fault {
    SPARSE_FAULT_NONE,
    SPARSE_FAULT_FORGETS,        /* edges outside of the sets go back to the background with every update */
    SPARSE_FAULT_OLD_BACKGROUND, /* the background does not evaporate */
    SPARSE_FAULT_OLD_CLOCKS,     /* ants choose by the pheromone that there was at first */
    SPARSE_FAULT_WRONG_BOXES,    /* leaves' boxes lie elsewhere, so that the nearest city is missed */
    SPARSE_FAULT_FULL,           /* the pool is full from the beginning */
    N_SPARSE_FAULTS
};

#ifdef __cplusplus
extern "C" {
#endif

/* tsp/race-sparse with the fault. */
ab_open *planted_sparse(int fault);

#ifdef __cplusplus
}
#endif
#endif
