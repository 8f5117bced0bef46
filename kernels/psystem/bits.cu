/* psystem/bits: the family's answer, count and number of steps by another computation: a membrane is a bit of a
 * register, and its number determines its content. A warp takes 2^10 membranes at a time, which differ in the last 10
 * variables, 32 per lane. Where literals of these variables make a clause true is the same in all warps: a word per
 * lane, computed once. Literals of other variables are constant in a warp. Its lanes look at a clause each, a ballot
 * tells which clauses are still open, and only their words are ANDed. The remaining bits are the membranes that satisfy
 * the formula. Kept of the computation: each of the 2^n membranes is looked at. No membrane is in memory. Limit: n <=
 * 32. Source: this project.
 */
#include <stdlib.h>

#include "kernels/cuda/warp.h"
#include "kernels/psystem/membranes.h"

enum { BLOCK = 256, WARPS = BLOCK / WARP_SIZE, MOST_BLOCKS = 4096, BIT_VARIABLES = 5, LOW_VARIABLES = 10 };

/* Passed to kernels by value. */
typedef struct bits_device {
    int n, m;
    const int *first, *literals; /* [m + 1], [n_literals]: the formula's */
    unsigned *low;               /* [m][WARP_SIZE]: a lane's membranes that a clause's last variables make true */
    /* [m]: bit b: the clause has x_j, not x_j, of the variable that is bit b of a warp's number, n - j = LOW_VARIABLES + b */
    unsigned *when_true, *when_false;
    unsigned long long *satisfying; /* [1] */
} bits_device;

/* The lane's 32 membranes in which a variable is true: those with bit `place` of their number 0. */
static __device__ unsigned where_true(int place, int lane)
{
    if (place >= BIT_VARIABLES) return lane >> (place - BIT_VARIABLES) & 1 ? 0 : FULL_WARP;
    const unsigned width = 1u << place; /* 0x55555555, 0x33333333, 0x0f0f0f0f, 0x00ff00ff, 0x0000ffff */
    return FULL_WARP / ((1u << width) + 1);
}

/* A warp a clause. */
static __global__ void prepare_clauses(bits_device device)
{
    const int thread = (int)(blockIdx.x * blockDim.x + threadIdx.x), i = thread / WARP_SIZE, lane = thread % WARP_SIZE;
    if (thread == 0) *device.satisfying = 0;
    if (i >= device.m) return;
    unsigned low = 0, when_true = 0, when_false = 0;
    for (int l = device.first[i]; l < device.first[i + 1]; ++l) {
        const int literal = device.literals[l], place = device.n - abs(literal);
        if (place < LOW_VARIABLES)
            low |= literal > 0 ? where_true(place, lane) : ~where_true(place, lane);
        else
            (literal > 0 ? when_true : when_false) |= 1u << (place - LOW_VARIABLES);
    }
    device.low[i * WARP_SIZE + lane] = low;
    if (lane != 0) return;
    device.when_true[i] = when_true;
    device.when_false[i] = when_false;
}

/* The lane's membranes that there are, where n is less than LOW_VARIABLES. */
static __device__ unsigned existing(int n, int lane)
{
    if (n < BIT_VARIABLES) return lane == 0 ? (1u << (1 << n)) - 1 : 0;
    return n >= LOW_VARIABLES || lane >> (n - BIT_VARIABLES) == 0 ? FULL_WARP : 0;
}

/* The bits of the warp's membranes that satisfy the formula. */
static __device__ unsigned satisfying_bits(const bits_device &device, unsigned number, int lane)
{
    unsigned all = existing(device.n, lane);
    for (int base = 0; base < device.m; base += WARP_SIZE) {
        const int i = base + lane;
        const bool open = i < device.m && ((~number & device.when_true[i]) | (number & device.when_false[i])) == 0;
        for (unsigned left = __ballot_sync(FULL_WARP, open); left != 0;) {
            const int clause = WARP_SIZE - 1 - __clz((int)left);
            all &= device.low[(base + clause) * WARP_SIZE + lane];
            left ^= 1u << clause;
        }
    }
    return all;
}

static __global__ void check_out(bits_device device)
{
    SHARED(unsigned long long, in_block, 1);
    const int lane = (int)threadIdx.x % WARP_SIZE;
    const unsigned n_numbers = device.n > LOW_VARIABLES ? 1u << (device.n - LOW_VARIABLES) : 1;
    if (threadIdx.x == 0) in_block[0] = 0;
    __syncthreads();
    unsigned count = 0;
    for (unsigned number = (blockIdx.x * blockDim.x + threadIdx.x) / WARP_SIZE; number < n_numbers;
         number += gridDim.x * WARPS)
        count += (unsigned)__popc(satisfying_bits(device, number, lane));
    for (int offset = WARP_SIZE / 2; offset > 0; offset /= 2) count += __shfl_xor_sync(FULL_WARP, count, offset);
    if (lane == 0 && count > 0) atomicAdd(&in_block[0], (unsigned long long)count);
    __syncthreads();
    if (threadIdx.x == 0 && in_block[0] > 0) atomicAdd(device.satisfying, in_block[0]);
}

/* ---- The system ---- */

typedef struct bits_system {
    ps_system base;
    bits_device device;
    device_memory memory;
} bits_system;

enum { PREPROCESS, CHECK_OUT, N_STAGES };

static ab_status run_stage(ab_work *work, int stage)
{
    const bits_device *device = &((const bits_system *)work)->device;
    if (stage == PREPROCESS) {
        LAUNCH(prepare_clauses, ceil_div(device->m, WARPS), BLOCK, 0)(*device);
        return AB_LAUNCHED("prepare_clauses");
    }
    const int n_numbers = device->n > LOW_VARIABLES ? 1 << (device->n - LOW_VARIABLES) : 1;
    LAUNCH(check_out, min(ceil_div(n_numbers, WARPS), (int)MOST_BLOCKS), BLOCK, 0)(*device);
    return AB_LAUNCHED("check_out");
}

static void close_system(ab_work *work)
{
    bits_system *system = (bits_system *)work;
    if (!system) return;
    device_free(&system->memory);
    free(system);
}

static ab_status result(ps_system *base, ps_result *found)
{
    const bits_device *device = &((const bits_system *)base)->device;
    unsigned long long satisfying = 0;
    CUDA_TRY(cudaMemcpy(&satisfying, device->satisfying, sizeof satisfying, cudaMemcpyDeviceToHost));
    *found = ps_result{satisfying > 0, satisfying, ps_steps(device->n, device->m)};
    return ab_ok();
}

static ab_status poison(ps_system *base)
{
    const bits_device *device = &((const bits_system *)base)->device;
    CUDA_TRY(cudaMemset(device->low, 0xff, (size_t)device->m * WARP_SIZE * sizeof *device->low));
    CUDA_TRY(cudaMemset(device->satisfying, 0xff, sizeof *device->satisfying));
    return ab_ok();
}

static ab_status initialise(bits_system *system, const cnf_formula *formula)
{
    bits_device *device = &system->device;
    device_memory *memory = &system->memory;
    const size_t m = (size_t)formula->m, n_literals = (size_t)formula->n_literals;
    int *first = NULL, *literals = NULL;
    AB_TRY(device_allocate(memory, &first, m + 1));
    AB_TRY(device_allocate(memory, &literals, n_literals + 1));
    AB_TRY(device_allocate(memory, &device->low, m * WARP_SIZE));
    AB_TRY(device_allocate(memory, &device->when_true, m));
    AB_TRY(device_allocate(memory, &device->when_false, m));
    AB_TRY(device_allocate(memory, &device->satisfying, 1));
    CUDA_TRY(cudaMemcpy(first, formula->first, (m + 1) * sizeof *first, cudaMemcpyHostToDevice));
    CUDA_TRY(cudaMemcpy(literals, formula->literals, n_literals * sizeof *literals, cudaMemcpyHostToDevice));
    device->first = first;
    device->literals = literals;
    return ab_ok();
}

static ab_status open(const cnf_formula *formula, const ps_params *, ps_system **opened)
{
    static const ab_work_methods work_methods = {N_STAGES, {"preprocess", "check-out"}, run_stage, close_system};
    static const ps_methods methods = {result, poison, NULL, NULL, NULL, NULL};
    bits_system *system = (bits_system *)calloc(1, sizeof *system);
    if (!system) return ab_failed("out of memory");
    system->base = ps_system{{&work_methods}, &methods};
    system->device.n = formula->n;
    system->device.m = formula->m;
    const ab_status status = initialise(system, formula);
    if (status.code == AB_OK)
        *opened = &system->base;
    else
        close_system(&system->base.work);
    return status;
}

AB_RUNG(psystem_rung, psystem_bits) = {.open = open};
