/* What those GPU implementations share that keep membranes in memory as words, one per literal of the formula
 * (baseline, enhanced, tiled). It is the device memory, the piece of the 2^n membranes that is in it, and the opening
 * around a rung.
 *
 * In a piece the first n - levels variables have the values of the bits of its number, and the others are still to be
 * divided by. It begins with the one membrane that so many divisions lead to. If all membranes fit there is one piece,
 * and that membrane is the system's first.
 */
#ifndef ANTBENCH_PSYSTEM_MEMBRANES_H
#define ANTBENCH_PSYSTEM_MEMBRANES_H

#include "kernels/cuda/device_memory.h"
#include "kernels/psystem/objects.h"
#include "kernels/psystem/psystem.h"

/* Passed to kernels by value. */
typedef struct ps_device {
    int n, m, n_literals;           /* numbers of the formula */
    int levels;                     /* divisions in a piece, which has 2^levels membranes; 0 .. 30 */
    const int *first;               /* [m + 1]: where the words of a clause begin */
    const uint32_t *code;           /* [n_literals]: cod(phi) */
    uint32_t *objects;              /* [rows][n_literals] */
    uint8_t *charges;               /* [2^levels]: of rungs with control objects; else NULL, as the next two */
    int *control;                   /* [2^levels]: k of the object d_k in a membrane; 0 without one */
    unsigned long long *skin;       /* [1]: objects d in the skin, all of the same k */
    uint8_t *flags;                 /* [2^levels]: 1 where the membrane satisfies the formula */
    unsigned long long *satisfying; /* [1]: how many do, of all pieces so far */
} ps_device;

/* A run at hand, on the host's side. */
typedef struct ps_membranes {
    ps_device device;
    ps_params params;
    int block;           /* threads: as the params say, or one for each literal, at most 1024 */
    uint8_t *host_flags; /* [2^levels], page-locked: of rungs whose output is the CPU's; else NULL */
    uint64_t counted;    /* satisfying membranes that the CPU has counted, of all pieces so far */
    /* Members of rungs that begin on the CPU; 0 and NULL in others. */
    int begun;             /* divisions of a piece that the CPU makes */
    uint32_t *host_words;  /* [2^begun + 1][n_literals], page-locked: membranes that the CPU makes, and cod(phi) */
    uint32_t *begun_words; /* [2^begun][n_literals]: the same membranes on the device */
} ps_membranes;

/* A rung of these. */
typedef struct ps_memory_rung {
    int n_stages;
    const char *stage_names[AB_MAX_STAGES];
    ab_status (*run[AB_MAX_STAGES])(ps_membranes *membranes); /* enqueues it on the default stream */
    /* Once, after opening: asks for shared memory. AB_UNSUPPORTED where the device has less. */
    ab_status (*prepare)(const ps_membranes *membranes);
    /* Membranes that lie in memory at a time, of 2^levels. */
    int64_t (*rows)(const ps_params *params, int levels);
    bool has_control; /* charges, control objects and the skin, and output on the CPU; rows are all membranes' */
    int begun = 0;    /* divisions at most that the CPU makes before the first stage's kernels; 0: none */
} ps_memory_rung;

/* A strategy, as registry.def names it. */
typedef struct psystem_rung {
    ab_status (*open)(const cnf_formula *formula, const ps_params *params, ps_system **opened);
} psystem_rung;

extern "C" ab_status AB_GPU(psystem_open)(const psystem_rung *rung, const cnf_formula *formula, const ps_params *params,
                                          ps_system **opened);

extern "C" ab_status AB_GPU(ps_membranes_open)(const ps_memory_rung *rung, const cnf_formula *formula,
                                               const ps_params *params, ps_system **opened);

static __device__ __forceinline__ uint32_t *ps_row(const ps_device &device, size_t row)
{
    return device.objects + row * (size_t)device.n_literals;
}

/* Rules 2 and 3 for a word. A literal whose turn it is becomes an r with index 1 under its own charge, and
 * disappears under the other. Other literals come a turn closer. An r, or an empty word, stays. */
static __host__ __device__ __forceinline__ uint32_t ps_evolve(uint32_t word, uint32_t charge)
{
    const uint32_t kind = word >> PS_KIND_SHIFT, moves = kind == PS_KIND_X || kind == PS_KIND_NX, next = word - moves;
    const uint32_t r = (uint32_t)PS_KIND_R << PS_KIND_SHIFT | (word & PS_CLAUSE_MASK << PS_CLAUSE_SHIFT) | 1;
    const bool has_turn = moves && (next & PS_INDEX_MASK) == 0;
    return has_turn ? (kind == charge ? r : 0) : next;
}

static __device__ __forceinline__ bool ps_is_r(uint32_t word)
{
    return word >> PS_KIND_SHIFT == PS_KIND_R;
}

static __device__ __forceinline__ uint32_t ps_clause(uint32_t word) /* i, from 1 */
{
    return word >> PS_CLAUSE_SHIFT & PS_CLAUSE_MASK;
}

#endif
