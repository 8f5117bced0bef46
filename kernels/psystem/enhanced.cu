/* psystem/enhanced, psystem/enhanced-begun: baseline with a division in one kernel, which evolves a membrane's objects into those of both its
 * halves, and with the output on the GPU too. A block a membrane, a thread an object. Kept: every membrane and what is
 * in it after each division. Not kept: charges, d, c and the indices of r, whose only task is to time the system's
 * steps, which are known (JSC §3.4: "replaced by a fixed number of iterations in the loop").
 * `enhanced-begun` begins with 128 membranes, about one for each multiprocessor of a large GPU, "made on the CPU": its
 * one thread makes the first 7 divisions, and a copy brings the membranes to the GPU, which divides on.
 * Source: JSC §3.4, Algorithm 3.
 */
#include "kernels/psystem/membranes.h"

enum { BEGUN = 7 }; /* divisions on the CPU */

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

static ab_status open(const cnf_formula *formula, const ps_params *params, ps_system **opened)
{
    static const ps_memory_rung rung = {2, {"generate", "check-out"}, {generate, check_out}, prepare, rows, false};
    return AB_GPU(ps_membranes_open)(&rung, formula, params, opened);
}

static ab_status open_begun(const cnf_formula *formula, const ps_params *params, ps_system **opened)
{
    static const ps_memory_rung rung = {2,    {"generate", "check-out"}, {generate, check_out}, prepare, rows, false,
                                        BEGUN};
    return AB_GPU(ps_membranes_open)(&rung, formula, params, opened);
}

AB_RUNG(psystem_rung, psystem_enhanced) = {.open = open};
AB_RUNG(psystem_rung, psystem_enhanced_begun) = {.open = open_begun};
