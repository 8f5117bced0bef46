/* mpi/ranks.h on MPI: the one file of build/bin/antbench-mpi that antbench has not.
 *
 * Any MPI will do. Calls of MPI do not return errors: it ends all
 * ranks. A rank without work asks for an order again and again, and after a millisecond sleeps in between, so that it
 * takes no core from those that have some.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "mpi/nccl.h"
#include "mpi/ranks.h"

enum { ORDER = 1, PASS = 2, AT_ONCE = 1 << 30 };
static const double PATIENCE_S = 1e-3;
static const struct timespec nap = {.tv_nsec = 200000};

static int n_world = 1, world_rank, local_rank;
static MPI_Comm *groups;                   /* [n_world + 1]: communicator of n ranks, once it is made */
static MPI_Comm group;                     /* at work, */
static int n_group;                        /* ... of so many */
static char (*devices)[RANKS_DEVICE_NAME]; /* [n_world] on rank 0 */

/* ---- The program's ranks ---- */

static void find_local_rank(void)
{
    MPI_Comm machine;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, world_rank, MPI_INFO_NULL, &machine);
    MPI_Comm_rank(machine, &local_rank);
    MPI_Comm_free(&machine);
}

static void end(void)
{
    MPI_Finalize();
}

void ranks_begin(void)
{
    int provided;
    MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_size(MPI_COMM_WORLD, &n_world);
    MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
    groups = calloc((size_t)n_world + 1, sizeof *groups);
    for (int n = 0; groups && n <= n_world; n++) groups[n] = MPI_COMM_NULL;
    if (!groups || atexit(end) != 0) MPI_Abort(MPI_COMM_WORLD, 1);
    find_local_rank();
}

int ranks_count(void)
{
    return n_world;
}

int ranks_mine(void)
{
    return world_rank;
}

int ranks_local(void)
{
    return local_rank;
}

bool ranks_started(void)
{
    return true;
}

ab_status ranks_check(int wanted)
{
    if (wanted <= n_world) return ab_ok();
    return ab_unsupported("needs %d ranks, and there %s %d: scripts/ranks %d", wanted, n_world == 1 ? "is" : "are",
                          n_world, wanted);
}

/* Two ranks on one GPU would be timed beside each other's work. */
static ab_status check_devices(void)
{
    for (int a = 0; a < n_world; a++)
        for (int b = 0; b < a; b++)
            if (devices[a][0] && strcmp(devices[a], devices[b]) == 0)
                return ab_bad_input("ranks %d and %d have the same GPU, %s: start one rank for each, or with "
                                    "--backend cpu or host",
                                    b, a, devices[a]);
    return ab_ok();
}

ab_status ranks_devices(const char *device)
{
    char mine[RANKS_DEVICE_NAME];
    snprintf(mine, sizeof mine, "%s", device);
    if (world_rank > 0) {
        MPI_Gather(mine, sizeof mine, MPI_CHAR, NULL, 0, MPI_CHAR, 0, MPI_COMM_WORLD);
        return ab_ok();
    }
    if (!devices) {
        devices = calloc((size_t)n_world, sizeof *devices);
        if (!devices) return ab_failed("out of memory");
        MPI_Gather(mine, sizeof mine, MPI_CHAR, devices, sizeof mine, MPI_CHAR, 0, MPI_COMM_WORLD);
    }
    memcpy(devices[0], mine, sizeof mine);
    return check_devices();
}

/* ---- Orders ---- */

void ranks_order(const void *order, size_t bytes, int n)
{
    for (int rank = 1; rank < n; rank++) MPI_Send(order, (int)bytes, MPI_BYTE, rank, ORDER, MPI_COMM_WORLD);
}

void ranks_await(void *order, size_t bytes)
{
    MPI_Request request;
    int arrived = 0;
    MPI_Irecv(order, (int)bytes, MPI_BYTE, 0, ORDER, MPI_COMM_WORLD, &request);
    for (const double begin = MPI_Wtime(); !arrived;) {
        MPI_Test(&request, &arrived, MPI_STATUS_IGNORE);
        if (!arrived && MPI_Wtime() - begin > PATIENCE_S) nanosleep(&nap, NULL);
    }
}

/* ---- A group ---- */

void ranks_group(int n)
{
    if (groups[n] == MPI_COMM_NULL) {
        MPI_Group all, some;
        int range[1][3] = {{0, n - 1, 1}};
        MPI_Comm_group(MPI_COMM_WORLD, &all);
        MPI_Group_range_incl(all, 1, range, &some);
        MPI_Comm_create_group(MPI_COMM_WORLD, some, n, &groups[n]);
        MPI_Group_free(&some);
        MPI_Group_free(&all);
    }
    group = groups[n];
    n_group = n;
}

ab_status ranks_join(ab_status mine)
{
    int64_t failed;
    int rank;
    char reason[sizeof mine.reason];
    ranks_least(mine.code == AB_OK, &failed, &rank);
    if (failed) return ab_ok();
    ranks_broadcast(&mine, sizeof mine, rank);
    if (rank == 0) return mine;
    snprintf(reason, sizeof reason, "rank %d: %.*s", rank, (int)sizeof reason - 24, mine.reason);
    memcpy(mine.reason, reason, sizeof reason);
    return mine;
}

void ranks_broadcast(void *data, size_t bytes, int from)
{
    for (size_t at = 0; at < bytes; at += AT_ONCE)
        MPI_Bcast((char *)data + at, (int)(bytes - at < AT_ONCE ? bytes - at : AT_ONCE), MPI_BYTE, from, group);
}

void ranks_least(int64_t mine, int64_t *least, int *rank)
{
    int64_t in[2] = {mine, world_rank}, out[2] = {0};
    /* MPI has no pair of such: the least value first, then the least rank of those that have it. */
    MPI_Allreduce(&in[0], &out[0], 1, MPI_INT64_T, MPI_MIN, group);
    if (in[0] != out[0]) in[1] = n_group;
    MPI_Allreduce(&in[1], &out[1], 1, MPI_INT64_T, MPI_MIN, group);
    *least = out[0];
    *rank = (int)out[1];
}

void ranks_gather(const void *mine, void *all, const int *counts, size_t bytes)
{
    int *begin = calloc((size_t)n_group, sizeof *begin);
    MPI_Datatype piece;
    if (!begin) MPI_Abort(MPI_COMM_WORLD, 1);
    for (int rank = 1; rank < n_group; rank++) begin[rank] = begin[rank - 1] + counts[rank - 1];
    MPI_Type_contiguous((int)bytes, MPI_BYTE, &piece);
    MPI_Type_commit(&piece);
    MPI_Gatherv(mine == all ? MPI_IN_PLACE : mine, counts[world_rank], piece, all, counts, begin, piece, 0, group);
    MPI_Type_free(&piece);
    free(begin);
}

void ranks_pass(void *data, size_t bytes)
{
    const int next = (world_rank + 1) % n_group, before = (world_rank + n_group - 1) % n_group;
    MPI_Sendrecv_replace(data, (int)bytes, MPI_BYTE, next, PASS, before, PASS, group, MPI_STATUS_IGNORE);
}

/* ---- Sums ---- */

static ab_status can_here(ranks_way way)
{
    return way == RANKS_NCCL ? ranks_nccl_find() : ab_ok();
}

ab_status ranks_can(ranks_way way)
{
    char id[RANKS_NCCL_ID];
    AB_TRY(ranks_join(can_here(way)));
    if (way != RANKS_NCCL || ranks_nccl_use(n_group)) return ab_ok();
    AB_TRY(ranks_join(world_rank == 0 ? ranks_nccl_id(id) : ab_ok()));
    ranks_broadcast(id, sizeof id, 0);
    return ranks_join(ranks_nccl_open(id, n_group, world_rank));
}

ab_status ranks_sum(float *values, size_t count, ranks_way way)
{
    if (way == RANKS_NCCL) return ranks_nccl_sum(values, count);
    for (size_t at = 0; at < count; at += AT_ONCE)
        MPI_Allreduce(MPI_IN_PLACE, values + at, (int)(count - at < AT_ONCE ? count - at : AT_ONCE), MPI_FLOAT, MPI_SUM,
                      group);
    return ab_ok();
}
