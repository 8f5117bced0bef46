/* In place of DS-Roulette in build/bin/tests/antbench_planted: a construction that visits a city twice. The driver must
 * find that out, give the row no time, and exit with 4 (tests/bench/tables/test_commands.py). An odd number of cities shows
 * a lost barrier instead, which writes far outside of the tours, and 15 cities a kernel that overwrites the heap
 * (tests/bench/program/test_died.py). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/tsp/colony.h"

static __global__ void visit_twice(tsp_device colony)
{
    const int ant = (int)blockIdx.x, n = colony.n;
    if (threadIdx.x != 0) return;
    int *const tour = colony.tours + (size_t)ant * (size_t)(n + 1);
    for (int i = 0; i <= n; ++i) tour[i] = i % n;
    tour[1] = tour[0];
    colony.lengths[ant] = 1;
    atomicMin(colony.iteration_best, tour_key(1, ant));
}

static __global__ void lose_a_barrier(tsp_device colony)
{
    auto *const place = &colony.lengths[blockIdx.x]; /* a block's own: what all its threads see */
    if (threadIdx.x == 0) *place = 1 << 30;
    __syncthreads();
    if (threadIdx.x == blockDim.x / 2) *place = 0;
    /* the barrier that is lost */
    colony.tours[(size_t)*place << 14] = 1;
}

static __global__ void overwrite(char *from, size_t length)
{
    if (threadIdx.x != 0) return;
    memset(from, 0x55, length);
    abort();
}

static ab_status overwrite_the_heap(void)
{
    char line[512];
    unsigned long from = 0, to = 0;
    FILE *maps = fopen("/proc/self/maps", "r");
    while (maps && fgets(line, sizeof line, maps))
        if (strstr(line, "[heap]")) sscanf(line, "%lx-%lx", &from, &to);
    if (to == 0) return ab_failed("there is no heap");
    LAUNCH(overwrite, 1, 32, 0)((char *)from, to - from);
    return AB_LAUNCHED("overwrite");
}

static ab_status construct(const tsp_device *colony, const tsp_params *, unsigned)
{
    if (colony->n == 15) return overwrite_the_heap();
    if (colony->n % 2 == 1) LAUNCH(lose_a_barrier, colony->n_ants, 64, 0)(*colony);
    LAUNCH(visit_twice, colony->n_ants, 32, 0)(*colony);
    return AB_LAUNCHED("visit_twice");
}

AB_RUNG(tsp_rung, tsp_ds_roulette) = {.construct = construct};
