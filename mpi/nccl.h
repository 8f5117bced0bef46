/* NCCL, loaded where it is found at run time: sums of floats between the GPUs of a group (mpi/ranks.h), over NVLink
 * where there is one. Nothing of it is needed to build. */
#ifndef ANTBENCH_MPI_NCCL_H
#define ANTBENCH_MPI_NCCL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

enum { RANKS_NCCL_ID = 128 /* bytes: NCCL_UNIQUE_ID_BYTES */, RANKS_NCCL_MOST = 64 /* ranks */ };

/* AB_UNSUPPORTED where there is no libnccl.so.2 that has what is needed. */
ab_status ranks_nccl_find(void);

/* Rank 0 makes an id, each rank of n opens with it, all at the same time, on its current GPU. */
ab_status ranks_nccl_id(char id[RANKS_NCCL_ID]);
ab_status ranks_nccl_open(const char id[RANKS_NCCL_ID], int n, int rank);

/* Whether one of n ranks is open; it is used then. They last as long as the program. */
bool ranks_nccl_use(int n);

/* Enqueues, on the default stream, the sum of what all ranks have there, in place. */
ab_status ranks_nccl_sum(float *values, size_t count);

#endif
