/* Operation "psystem": P systems with active membranes that solve SAT (JSC §3). In n divisions there comes a membrane
 * for each of the 2^n assignments of a formula's n variables. The literals in it evolve into r(i) if they make clause i
 * true. Membranes with an r of every clause send an object to the skin, and if there is one, Yes leaves.
 *
 *   generate   n divisions, and the objects' evolution between them: 3n - 1 steps
 *   (synchronise: 2n steps in which every r waits for the youngest, part of one of the other two)
 *   check-out  whether a membrane has an r of every clause: two steps per clause
 *   output     Yes or No leaves at step 5n + 2m + 3
 *
 * The ladder, what each rung adds, and how to run it (ids without "psystem/"; `antbench` is build/bin/antbench):
 *   reference     every step of the system by its rules, whatever they are, one thread; small n
 *   cpu-seq       one core: the family's own rules alone, membranes one after another, literals as objects of a word
 *                     antbench jsc-3 --implementations psystem/cpu-seq
 *   cpu-bits      a membrane is a bit: clauses are ANDs of bit vectors, by SIMD on all cores
 *                     antbench jsc-3 --implementations psystem/cpu-bits
 *   generic       the GPU: every step by the rules, as in the reference; a block per membrane, threads over the alphabet
 *                     antbench jsc-3 --implementations psystem/generic
 *   baseline      objects are the formula's literals, a block per membrane and a thread per object; every step of the
 *                 generation in a kernel of its own, synchronisation and check-out in one, output on the CPU
 *                     antbench jsc-3 --implementations psystem/baseline
 *   baseline-grouped  that with the steps of a division in one kernel
 *                     antbench jsc-3 --implementations psystem/baseline-grouped
 *   enhanced      a kernel per division, control objects are loops, output on the GPU
 *                     antbench jsc-4 --implementations psystem/enhanced
 *   enhanced-begun  that with the first 7 divisions on the CPU
 *                     antbench jsc-3 --implementations psystem/enhanced-begun
 *   tiled         the last divisions and check-out in shared memory
 *                     antbench jsc-5 --implementations psystem/tiled
 *   bits          ours: a membrane is a bit of a register, never in memory; the same answer by another computation, in
 *                 one launch
 *                     antbench jsc-4 --implementations psystem/bits
 *
 * Membrane q, 0 .. 2^n - 1, has x_j false if bit n - j of q is 1. At the j-th division half of each membrane stays
 * where it is, with charge + (x_j is true), and the other half goes halfway to the next, with charge -.
 *
 * Source: JSC §3, §5.2, Tables 3, 4 and 5.
 */
#ifndef ANTBENCH_PSYSTEM_H
#define ANTBENCH_PSYSTEM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/parameter.h"
#include "instances/cnf.h"
#include "kernels/implementation.h"
#include "kernels/psystem/rules.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { PS_MOST_VARIABLES = 32, PS_MOST_CLAUSES = 65535 };

/* Traits of implementations. */
enum {
    PS_SINGLE_STEPS = 1 << 10, /* "single-steps": simulates every step of a system by its rules, whatever they are */
    PS_BITS = 1 << 11          /* "bits": a membrane is a bit */
};

typedef struct ps_params {
    int block;   /* threads per block, of a GPU; 0: the kernel's own choice */
    int tile;    /* membranes per block of psystem/tiled, a power of 2; 0: 32 */
    int piece;   /* at most 2^piece membranes are in memory at a time */
    int steps;   /* simulators of single steps stop after so many; 0: when the answer has left */
    int threads; /* threads of a CPU; 0: all cores */
} ps_params;

extern const ab_parameter ps_parameters[];

/* Blocks and tiles as the kernels like them, pieces as large as the memory allows, 1 thread. */
ps_params ps_default_params(void);

/* AB_OK, or AB_BAD_INPUT naming the parameter that is out of range. */
ab_status ps_check(const ps_params *params);

/* AB_UNSUPPORTED where a formula has more than PS_MOST_VARIABLES variables or PS_MOST_CLAUSES clauses. */
ab_status ps_check_formula(const cnf_formula *formula);

/* What a system leaves. */
typedef struct ps_result {
    bool yes;            /* the answer */
    uint64_t satisfying; /* membranes that sent c_{m+1} to the skin: assignments that satisfy the formula */
    int steps;           /* until the answer left; 0: it did not */
} ps_result;

/* All that is in a system: of those who simulate single steps. */
typedef struct ps_configuration {
    int n_objects;
    int64_t n_inner;   /* membranes in the skin, in any order */
    uint8_t *charges;  /* [1 + n_inner]: of the skin, then of the others */
    uint32_t *objects; /* [1 + n_inner][n_objects]: how many of each */
    int64_t conflicts; /* choices between rules, or between membranes for an object, that a rule set left open so far */
} ps_configuration;

void ps_configuration_free(ps_configuration *configuration); /* accepts a zeroed one */

typedef struct ps_system ps_system;

typedef struct ps_methods {
    ab_status (*result)(ps_system *system, ps_result *result); /* waits for the GPU */
    ab_status (*poison)(ps_system *system);                    /* makes what an earlier run left wrong */
    /* Whether each membrane satisfies the formula: flags[2^n], 0 or 1. NULL: it is not kept; AB_UNSUPPORTED after a run
     * in several pieces. */
    ab_status (*flags)(ps_system *system, uint8_t *flags);
    /* What the generation leaves in each membrane: words[2^n][n_literals] (kernels/psystem/objects.h). NULL: it is not
     * kept; AB_UNSUPPORTED as above. */
    ab_status (*words)(ps_system *system, uint32_t *words);
    /* All that is in the system after the run. NULL: it is not kept. */
    ab_status (*configuration)(ps_system *system, ps_configuration *configuration);
    /* How many objects d_n the generation leaves in the skin, one of each membrane. NULL: they are not counted;
     * AB_UNSUPPORTED as above. */
    ab_status (*skin)(ps_system *system, uint64_t *objects);
} ps_methods;

/* The state. Stages are named as above; a run in several pieces is one stage, "pieces". */
struct ps_system {
    ab_work work; /* first */
    const ps_methods *methods;
};

/* The number of satisfying assignments, counted 64 at a time by the formula's definition. With flags not NULL also
 * which they are, flags[2^n] by number of the membrane. */
uint64_t ps_count(const cnf_formula *formula, uint8_t *flags);

/* Runs a freshly opened system once, after poisoning it. It compares the answer, the number of satisfying membranes
 * (expected is ps_count's) and the number of steps. If the system keeps them, it compares which membranes satisfy
 * the formula (n up to PS_VERIFIED_FLAGS), and what is in each and in the skin (up to PS_VERIFIED_WORDS). If it
 * keeps its configuration, no choice may have been left open. A difference is AB_FAILED with *wrong true. Any other
 * status with *wrong false means that it could not be run. */
enum { PS_VERIFIED_FLAGS = 24, PS_VERIFIED_WORDS = 1 << 24 };
ab_status psystem_verify(ps_system *system, const cnf_formula *formula, uint64_t expected, bool *wrong);

#ifdef __cplusplus
}
#endif
#endif
