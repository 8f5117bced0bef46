/* psystem/baseline, psystem/baseline-grouped: the family's computation step by step, without general conditions. A
 * block per membrane, a thread per object of the input, not of the alphabet. A division takes three steps of the
 * system: division, evolution of the literals and d out, d in. Each is a kernel, because all membranes must end a step
 * before the next. JSC contradicts itself here. §3.3 has "a kernel that generates membranes and evolves objects", and
 * §3.4 groups "the CUDA kernels formerly belonging to the Generation stage" into one. `baseline` follows §3.4, which
 * its gain of 15 rests on. `baseline-grouped` follows §3.3: one kernel per division does all three steps of a
 * membrane's two halves. Kept: charges, the object d in each membrane and in the skin, and every r's index, in all 3n -
 * 1 steps of the generation. One kernel does the 2n steps of the synchronisation and the 2 steps per clause of the
 * check-out. There r, which goes out and comes back as r(0,2n), stays in its membrane. Output: the CPU counts the
 * membranes that send c_{m+1}. Source: JSC §3.3.
 */
#include "kernels/psystem/membranes.h"

/* Rule 5: r(i,k) -> r(i,k+1), up to 2n. */
static __device__ uint32_t wait_a_step(uint32_t word, uint32_t last)
{
    return ps_is_r(word) && (word & PS_INDEX_MASK) < last ? word + 1 : word;
}

/* Rule 1: [d_k]0 -> [d_k]+ [d_k]-. Every `stride`-th membrane is there. */
static __global__ void divide(ps_device device, int stride)
{
    const size_t q = (size_t)blockIdx.x * (size_t)stride, other = q + (size_t)stride / 2;
    uint32_t *half = ps_row(device, q), *other_half = ps_row(device, other);
    for (int l = (int)threadIdx.x; l < device.n_literals; l += (int)blockDim.x)
        half[l] = other_half[l] = wait_a_step(half[l], 2 * (uint32_t)device.n);
    if (threadIdx.x != 0) return;
    device.control[other] = device.control[q];
    device.charges[q] = PS_PLUS;
    device.charges[other] = PS_MINUS;
}

/* Rules 2 and 3, and of rule 4 [d_k]+- -> [ ]0 d_k. */
static __global__ void evolve_and_send_out(ps_device device, int stride)
{
    const size_t q = (size_t)blockIdx.x * (size_t)stride;
    const uint32_t charge = device.charges[q];
    uint32_t *row = ps_row(device, q);
    for (int l = (int)threadIdx.x; l < device.n_literals; l += (int)blockDim.x) row[l] = ps_evolve(row[l], charge);
    __syncthreads();
    if (threadIdx.x != 0) return;
    device.charges[q] = PS_NEUTRAL;
    device.control[q] = 0;
    atomicAdd(device.skin, 1ull);
}

/* Rule 4, d_k [ ]0 -> [d_{k+1}]0. */
static __global__ void send_in(ps_device device, int stride, int k)
{
    const size_t q = (size_t)blockIdx.x * (size_t)stride;
    uint32_t *row = ps_row(device, q);
    for (int l = (int)threadIdx.x; l < device.n_literals; l += (int)blockDim.x)
        row[l] = wait_a_step(row[l], 2 * (uint32_t)device.n);
    if (threadIdx.x != 0) return;
    atomicAdd(device.skin, ~0ull); /* one less */
    device.control[q] = k + 1;
}

static ab_status generate(ps_membranes *membranes)
{
    const ps_device *device = &membranes->device;
    for (int level = 1; level <= device->levels; ++level) {
        const int k = device->n - device->levels + level, stride = 1 << (device->levels - level);
        LAUNCH(divide, 1 << (level - 1), membranes->block, 0)(*device, 2 * stride);
        AB_TRY(AB_LAUNCHED("divide"));
        LAUNCH(evolve_and_send_out, 1 << level, membranes->block, 0)(*device, stride);
        AB_TRY(AB_LAUNCHED("evolve_and_send_out"));
        if (k == device->n) break;
        LAUNCH(send_in, 1 << level, membranes->block, 0)(*device, stride, k);
        AB_TRY(AB_LAUNCHED("send_in"));
    }
    return ab_ok();
}

/* The three steps of a division, of a membrane and both its halves. */
static __global__ void divide_and_evolve(ps_device device, int stride, int k)
{
    const size_t q = (size_t)blockIdx.x * (size_t)stride, other = q + (size_t)stride / 2;
    const uint32_t last = 2 * (uint32_t)device.n;
    const bool comes_in = k < device.n;
    uint32_t *half = ps_row(device, q), *other_half = ps_row(device, other);
    for (int l = (int)threadIdx.x; l < device.n_literals; l += (int)blockDim.x) {
        const uint32_t word = wait_a_step(half[l], last);
        const uint32_t plus = ps_evolve(word, PS_PLUS), minus = ps_evolve(word, PS_MINUS);
        half[l] = comes_in ? wait_a_step(plus, last) : plus;
        other_half[l] = comes_in ? wait_a_step(minus, last) : minus;
    }
    if (threadIdx.x != 0) return;
    device.charges[q] = device.charges[other] = PS_NEUTRAL;
    device.control[q] = device.control[other] = comes_in ? k + 1 : 0;
    if (!comes_in) atomicAdd(device.skin, 2ull); /* objects that come in again leave none behind */
}

static ab_status generate_grouped(ps_membranes *membranes)
{
    const ps_device *device = &membranes->device;
    for (int level = 1; level <= device->levels; ++level) {
        const int k = device->n - device->levels + level, stride = 1 << (device->levels - level);
        LAUNCH(divide_and_evolve, 1 << (level - 1), membranes->block, 0)(*device, 2 * stride, k);
        AB_TRY(AB_LAUNCHED("divide_and_evolve"));
    }
    return ab_ok();
}

/* Rules 5 and 7 for a membrane, in shared memory, where a thread reads and writes its own words alone. */
static __global__ void synchronise_and_check_out(ps_device device)
{
    SHARED_DYNAMIC(uint32_t, words, 0, device.n_literals);
    const int thread = (int)threadIdx.x, block = (int)blockDim.x, n_words = device.n_literals;
    const uint32_t last = 2 * (uint32_t)device.n,
                   first = (uint32_t)PS_KIND_R << PS_KIND_SHIFT | 1u << PS_CLAUSE_SHIFT | last;
    const uint32_t *row = ps_row(device, blockIdx.x);
    for (int l = thread; l < n_words; l += block) words[l] = row[l];
    for (uint32_t step = 0; step < last; ++step)
        for (int l = thread; l < n_words; l += block) words[l] = wait_a_step(words[l], last);
    int c = 1;
    for (; c <= device.m; ++c) {
        bool found = false;
        for (int l = thread; l < n_words; l += block) found |= words[l] == first;
        if (!__syncthreads_or(found)) break;
        for (int l = thread; l < n_words; l += block)
            if (ps_is_r(words[l]) && ps_clause(words[l]) > 0) words[l] -= 1u << PS_CLAUSE_SHIFT;
    }
    if (thread == 0) device.flags[blockIdx.x] = c == device.m + 1;
}

static size_t shared_bytes(const ps_membranes *membranes)
{
    return (size_t)membranes->device.n_literals * sizeof(uint32_t);
}

static ab_status prepare(const ps_membranes *membranes)
{
    return device_allow_shared((const void *)synchronise_and_check_out, shared_bytes(membranes), -1);
}

static ab_status check_out(ps_membranes *membranes)
{
    LAUNCH(synchronise_and_check_out, 1 << membranes->device.levels, membranes->block, shared_bytes(membranes))
    (membranes->device);
    return AB_LAUNCHED("synchronise_and_check_out");
}

static ab_status output(ps_membranes *membranes)
{
    const size_t n_membranes = (size_t)1 << membranes->device.levels;
    CUDA_TRY(cudaMemcpy(membranes->host_flags, membranes->device.flags, n_membranes, cudaMemcpyDeviceToHost));
    for (size_t q = 0; q < n_membranes; ++q) membranes->counted += membranes->host_flags[q];
    return ab_ok();
}

static int64_t rows(const ps_params *, int levels)
{
    return INT64_C(1) << levels;
}

static ab_status open(const cnf_formula *formula, const ps_params *params, ps_system **opened)
{
    static const ps_memory_rung rung = {
        3, {"generate", "check-out", "output"}, {generate, check_out, output}, prepare, rows, true};
    return AB_GPU(ps_membranes_open)(&rung, formula, params, opened);
}

static ab_status open_grouped(const cnf_formula *formula, const ps_params *params, ps_system **opened)
{
    static const ps_memory_rung rung = {
        3, {"generate", "check-out", "output"}, {generate_grouped, check_out, output}, prepare, rows, true};
    return AB_GPU(ps_membranes_open)(&rung, formula, params, opened);
}

AB_RUNG(psystem_rung, psystem_baseline) = {.open = open};
AB_RUNG(psystem_rung, psystem_baseline_grouped) = {.open = open_grouped};
