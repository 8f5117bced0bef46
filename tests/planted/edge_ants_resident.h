/* The planted faults of edge_ants_resident.cu. */
#ifndef ANTBENCH_PLANTED_EDGE_ANTS_RESIDENT_H
#define ANTBENCH_PLANTED_EDGE_ANTS_RESIDENT_H

#include "kernels/edge_ants/edge_ants.h"

enum planted_resident_fault {
    RESIDENT_FAULT_NONE,
    RESIDENT_FAULT_LOSES_A_MOVE,     /* the last ant's position is not written back */
    RESIDENT_FAULT_EVAPORATES_TWICE, /* the matrix that the last update left */
    RESIDENT_FAULT_NO_BARRIER,       /* neither between iterations nor before the deposits in one matrix */
    N_RESIDENT_FAULTS
};

#ifdef __cplusplus
extern "C" {
#endif

/* edge-ants/resident with the fault. */
ab_open *planted_resident(int fault);

#ifdef __cplusplus
}
#endif
#endif
