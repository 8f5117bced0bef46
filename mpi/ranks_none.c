/* mpi/ranks.h of a program without MPI: one rank, which is its own group. */
#include <string.h>

#include "mpi/ranks.h"

void ranks_begin(void)
{
}

int ranks_count(void)
{
    return 1;
}

int ranks_mine(void)
{
    return 0;
}

int ranks_local(void)
{
    return 0;
}

bool ranks_started(void)
{
    return false;
}

ab_status ranks_check(int wanted)
{
    if (wanted == 1) return ab_ok();
    return ab_unsupported("needs %d ranks of MPI: scripts/ranks %d, where Open MPI is installed (make deps)", wanted,
                          wanted);
}

ab_status ranks_devices(const char *device)
{
    (void)device;
    return ab_ok();
}

void ranks_order(const void *order, size_t bytes, int n)
{
    (void)order, (void)bytes, (void)n;
}

void ranks_await(void *order, size_t bytes)
{
    (void)order, (void)bytes;
}

void ranks_group(int n)
{
    (void)n;
}

ab_status ranks_join(ab_status mine)
{
    return mine;
}

void ranks_broadcast(void *data, size_t bytes, int from)
{
    (void)data, (void)bytes, (void)from;
}

void ranks_least(int64_t mine, int64_t *least, int *rank)
{
    *least = mine;
    *rank = 0;
}

void ranks_gather(const void *mine, void *all, const int *counts, size_t bytes)
{
    if (all != mine) memcpy(all, mine, (size_t)counts[0] * bytes);
}

ab_status ranks_can(ranks_way way)
{
    return way == RANKS_STAGED ? ab_ok() : ab_unsupported("needs MPI: scripts/ranks");
}

ab_status ranks_sum(float *values, size_t count, ranks_way way)
{
    (void)values, (void)count, (void)way;
    return ab_ok();
}

void ranks_pass(void *data, size_t bytes)
{
    (void)data, (void)bytes;
}
