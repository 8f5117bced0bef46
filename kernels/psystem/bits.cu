/* psystem/bits: the family's answer, count and number of steps by another computation: a membrane is a bit of a
 * register, and its number determines its content. A warp takes 2^10 membranes at a time, which differ in the last 10
 * variables, 32 per lane. Where literals of these variables make a clause true is the same in all warps: a word per
 * lane, which each block computes once, in shared memory. Literals of other variables are constant in a warp. Its lanes
 * look at a clause each, a ballot tells which clauses are still open, and only their words are ANDed. The remaining
 * bits are the membranes that satisfy the formula. Kept of the computation: each of the 2^n membranes is looked at. No
 * membrane is in memory. One launch does it all.
 *
 * Floor on an H100, 2^21 membranes of 85 clauses: 0.0046 ms. A launch takes 0.0035, reads from L2 and an atomic
 * addition 0.0006, and 34 open clauses 0.0005. Limit: n <= 32. Source: this project.
 */
#include <stdlib.h>

#include "kernels/cuda/warp.h"
#include "kernels/psystem/membranes.h"

enum {
    BLOCK = 512,
    WARPS = BLOCK / WARP_SIZE,
    MOST_BLOCKS = 1024,
    BIT_VARIABLES = 5,  /* the last variables, which tell the bits of a word apart */
    LOW_VARIABLES = 10, /* these and the variables that tell the lanes of a warp apart */
    TILE = 256,         /* clauses in shared memory */
    COUNT_BITS = 48     /* of a sum: the membranes; above them the blocks that have added theirs */
};

/* Passed to kernels by value. */
typedef struct bits_device {
    int n, m;
    const int *first, *literals;    /* [m + 1], [n_literals]: the formula's */
    unsigned long long *sum;        /* [1]: of the blocks that have ended; 0 before and after a launch */
    unsigned long long *satisfying; /* [1] */
} bits_device;

/* The membranes in which a clause's literals make it true. */
struct bits_clause {
    unsigned where_0, where_1; /* bit b: words whose number has bit b 0, or 1, are true throughout */
    unsigned everywhere;       /* bits that are true in every word */
};

/* A tile of clauses. */
struct bits_tile {
    shared_array<bits_clause> clauses; /* [TILE] */
    shared_array<unsigned> low;        /* [TILE][WARP_SIZE]: what the last variables make true for a lane */
};

/* Adds the bits of a word in which x_j is true, where j = n - place: those whose number has 0 there. */
static __device__ __forceinline__ void add_literal(bits_clause *clause, int place, bool positive)
{
    const unsigned zeros = place == 0   ? 0x55555555
                           : place == 1 ? 0x33333333
                           : place == 2 ? 0x0f0f0f0f
                           : place == 3 ? 0x00ff00ff
                                        : 0x0000ffff;
    if (place < BIT_VARIABLES)
        clause->everywhere |= positive ? zeros : ~zeros;
    else
        (positive ? clause->where_0 : clause->where_1) |= 1u << (place - BIT_VARIABLES);
}

static __device__ __forceinline__ bool is_true(bits_clause clause, unsigned word)
{
    return (~word & clause.where_0) | (word & clause.where_1);
}

/* Run by a block: the clauses from `begin` on, a thread each, then the lanes' words, a warp a clause. */
static __device__ void load_tile(const bits_device &device, int begin, bits_tile tile)
{
    const int thread = (int)threadIdx.x, lane = thread % WARP_SIZE, count = min(device.m - begin, (int)TILE);
    __syncthreads(); /* the tile before has been read */
    if (thread < count) {
        bits_clause clause = {0, 0, 0};
        for (int l = device.first[begin + thread]; l < device.first[begin + thread + 1]; ++l)
            add_literal(&clause, device.n - abs(device.literals[l]), device.literals[l] > 0);
        tile.clauses[thread] = clause;
    }
    __syncthreads();
    for (int i = thread / WARP_SIZE; i < count; i += WARPS) {
        bits_clause clause = tile.clauses[i];
        clause.where_0 &= WARP_SIZE - 1;
        clause.where_1 &= WARP_SIZE - 1;
        tile.low[i * WARP_SIZE + lane] = is_true(clause, (unsigned)lane) ? FULL_WARP : clause.everywhere;
    }
    __syncthreads();
}

/* The lane's membranes that there are, where n is less than LOW_VARIABLES. */
static __device__ unsigned existing(int n, int lane)
{
    if (n < BIT_VARIABLES) return lane == 0 ? (1u << (1 << n)) - 1 : 0;
    return n >= LOW_VARIABLES || lane >> (n - BIT_VARIABLES) == 0 ? FULL_WARP : 0;
}

/* The bits of `all` that satisfy the first `count` clauses of a tile. */
static __device__ unsigned satisfying_bits(bits_tile tile, int count, unsigned number, int lane, unsigned all)
{
    const unsigned word = number * WARP_SIZE; /* of the first lane */
    for (int base = 0; base < count; base += WARP_SIZE) {
        const int i = base + lane;
        bool open = i < count;
        if (open) {
            bits_clause clause = tile.clauses[i];
            clause.where_0 &= ~(WARP_SIZE - 1u);
            open = !is_true(clause, word);
        }
        const shared_array<unsigned> low = tile.low + (base * WARP_SIZE + lane);
        /* Two at a time, so that neither waits for the other's word; the last one may be both. */
        for (unsigned left = __ballot_sync(FULL_WARP, open); left != 0;) {
            const int first = __ffs((int)left) - 1, last = WARP_SIZE - 1 - __clz((int)left);
            all &= low[first * WARP_SIZE] & low[last * WARP_SIZE];
            left &= ~(1u << first) & ~(1u << last);
        }
    }
    return all;
}

static __global__ void __launch_bounds__(BLOCK) check_out(bits_device device)
{
    SHARED(bits_clause, clauses, TILE);
    SHARED(unsigned, low, TILE *WARP_SIZE);
    SHARED(unsigned, in_block, 1);
    const bits_tile tile = {clauses, low};
    const int warp = (int)threadIdx.x / WARP_SIZE, lane = (int)threadIdx.x % WARP_SIZE;
    const unsigned n_numbers = device.n > LOW_VARIABLES ? 1u << (device.n - LOW_VARIABLES) : 1;
    if (threadIdx.x == 0) in_block[0] = 0; /* before a barrier of load_tile */
    if (device.m <= TILE) load_tile(device, 0, tile);
    unsigned count = 0;
    for (unsigned first = blockIdx.x * WARPS; first < n_numbers; first += gridDim.x * WARPS) {
        const unsigned number = first + (unsigned)warp;
        unsigned all = number < n_numbers ? existing(device.n, lane) : 0;
        for (int begin = 0; begin < device.m; begin += TILE) {
            if (device.m > TILE) load_tile(device, begin, tile);
            all = satisfying_bits(tile, min(device.m - begin, (int)TILE), number, lane, all);
        }
        count += (unsigned)__popc(all);
    }
    if (count > 0) atomicAdd(&in_block[0], count);
    __syncthreads();
    if (threadIdx.x != 0) return;
    const unsigned long long mine = 1ull << COUNT_BITS | in_block[0], all = atomicAdd(device.sum, mine) + mine;
    if (all >> COUNT_BITS != gridDim.x) return; /* not the last block */
    *device.satisfying = all & ((1ull << COUNT_BITS) - 1);
    *device.sum = 0;
}

/* ---- The system ---- */

typedef struct bits_system {
    ps_system base;
    bits_device device;
    device_memory memory;
} bits_system;

static ab_status run_stage(ab_work *work, int)
{
    const bits_device *device = &((const bits_system *)work)->device;
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
    AB_TRY(device_allocate(memory, &device->sum, 1));
    AB_TRY(device_allocate(memory, &device->satisfying, 1));
    CUDA_TRY(cudaMemcpy(first, formula->first, (m + 1) * sizeof *first, cudaMemcpyHostToDevice));
    CUDA_TRY(cudaMemcpy(literals, formula->literals, n_literals * sizeof *literals, cudaMemcpyHostToDevice));
    CUDA_TRY(cudaMemset(device->sum, 0, sizeof *device->sum));
    device->first = first;
    device->literals = literals;
    return ab_ok();
}

static ab_status open(const cnf_formula *formula, const ps_params *, ps_system **opened)
{
    static const ab_work_methods work_methods = {1, {"check-out"}, run_stage, close_system};
    static const ps_methods methods = {result, poison, NULL, NULL, NULL, NULL};
    bits_system *system = (bits_system *)calloc(1, sizeof *system);
    if (!system) return ab_failed("out of memory");
    system->base.work.methods = &work_methods;
    system->base.methods = &methods;
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
