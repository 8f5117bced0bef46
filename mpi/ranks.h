/* The processes that work on a row together: ranks of MPI, in build/bin/antbench-mpi (mpi/ranks.c); this process alone,
 * in antbench itself (ranks_none.c), where all of this does nothing.
 *
 * Rank 0 runs the harness, as ever; the others wait for what it orders (mpi/workers.h). A *group* is the first n
 * ranks while they work together: all of them call the functions of a group, in the same order. A rank that is lost is
 * no error here: MPI ends all of them, and what started them says so (scripts/ranks).
 */
#ifndef ANTBENCH_RANKS_H
#define ANTBENCH_RANKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { RANKS_DEVICE_NAME = 64 };

/* At the beginning of the program; ends with it, by itself. */
void ranks_begin(void);

int ranks_count(void);    /* >= 1 */
int ranks_mine(void);     /* this process's: 0 .. ranks_count() - 1 */
int ranks_local(void);    /* number of this rank among those on this machine, from 0 */
bool ranks_started(void); /* whether MPI runs: then the program cannot start itself again */

/* AB_OK, or AB_UNSUPPORTED with what to do where there are not so many. */
ab_status ranks_check(int wanted);

/* Each rank says once which GPU it has ("GPU-...", "" for none), rank 0 when it wants to: AB_BAD_INPUT for it where two
 * have the same. */
ab_status ranks_devices(const char *device);

/* ---- Orders: from rank 0 to ranks 1 .. n - 1, which sleep where they wait for long. ---- */

void ranks_order(const void *order, size_t bytes, int n);
void ranks_await(void *order, size_t bytes);

/* ---- A group at work ---- */

void ranks_group(int n); /* group of ranks from here on; the same group again costs no time */

/* The status of the lowest rank that has another than AB_OK, with its number; for all. A barrier. */
ab_status ranks_join(ab_status mine);

void ranks_broadcast(void *data, size_t bytes, int from);

/* The least int64_t of all ranks, and the lowest rank that has it. */
void ranks_least(int64_t mine, int64_t *least, int *rank);

/* What the ranks have, one after another, into `all` on rank 0: counts[rank] pieces of `bytes` from each. */
void ranks_gather(const void *mine, void *all, const int *counts, size_t bytes);

/* Sums of floats, in place, for all; which may lie on a GPU where ranks_can says so. */
typedef enum ranks_way {
    RANKS_STAGED, /* MPI, by the memory of the host */
    RANKS_NCCL    /* NCCL, found at run time; of one machine or several */
} ranks_way;

/* For all of the group: AB_UNSUPPORTED where one of them has not that way. */
ab_status ranks_can(ranks_way way);
ab_status ranks_sum(float *values, size_t count, ranks_way way);

/* To the next rank of the group, round: data becomes what the one before had. */
void ranks_pass(void *data, size_t bytes);

#ifdef __cplusplus
}
#endif
#endif
