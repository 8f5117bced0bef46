/* The stages of psystem/enhanced, which psystem/enhanced-begun has too: a kernel a division, and the check-out. */
#ifndef ANTBENCH_PSYSTEM_ENHANCED_H
#define ANTBENCH_PSYSTEM_ENHANCED_H

#include "kernels/psystem/membranes.h"

/* Every `stride`-th membrane is there. */
static __global__ void generate_halves(ps_device device, int stride)
{
    const size_t q = (size_t)blockIdx.x * (size_t)stride;
    uint32_t *half = ps_row(device, q), *other_half = ps_row(device, q + (size_t)stride / 2);
    for (int l = (int)threadIdx.x; l < device.n_literals; l += (int)blockDim.x) {
        const uint32_t word = half[l];
        half[l] = ps_evolve(word, PS_PLUS);
        other_half[l] = ps_evolve(word, PS_MINUS);
    }
}

static ab_status generate(ps_membranes *membranes)
{
    const ps_device *device = &membranes->device;
    for (int level = membranes->begun + 1; level <= device->levels; ++level) {
        LAUNCH(generate_halves, 1 << (level - 1), membranes->block, 0)(*device, 1 << (device->levels - level + 1));
        AB_TRY(AB_LAUNCHED("generate_halves"));
    }
    return ab_ok();
}

/* A membrane marks the clauses of its r, and looks whether all are marked. */
static __global__ void check_out_membrane(ps_device device)
{
    SHARED_DYNAMIC(unsigned, marked, 0, device.m);
    const int thread = (int)threadIdx.x, block = (int)blockDim.x;
    const uint32_t *row = ps_row(device, blockIdx.x);
    for (int i = thread; i < device.m; i += block) marked[i] = 0;
    __syncthreads();
    for (int l = thread; l < device.n_literals; l += block)
        if (ps_is_r(row[l])) atomicOr(&marked[ps_clause(row[l]) - 1], 1u);
    __syncthreads();
    bool all = true;
    for (int i = thread; i < device.m; i += block) all &= marked[i] != 0;
    all = __syncthreads_and(all);
    if (thread != 0) return;
    device.flags[blockIdx.x] = all;
    if (all) atomicAdd(device.satisfying, 1ull);
}

static size_t shared_bytes(const ps_membranes *membranes)
{
    return (size_t)membranes->device.m * sizeof(unsigned);
}

static ab_status prepare(const ps_membranes *membranes)
{
    return device_allow_shared((const void *)check_out_membrane, shared_bytes(membranes), -1);
}

static ab_status check_out(ps_membranes *membranes)
{
    LAUNCH(check_out_membrane, 1 << membranes->device.levels, membranes->block, shared_bytes(membranes))
    (membranes->device);
    return AB_LAUNCHED("check_out_membrane");
}

static int64_t rows(const ps_params *, int levels)
{
    return INT64_C(1) << levels;
}

#endif
