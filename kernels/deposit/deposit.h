/* Operation "deposit": the pheromone update of an iteration in which every ant deposits. Every edge keeps the fraction
 * 1 - rho of its pheromone, then each ant adds 1/length to the edges of its tour, in both directions (JPDC eq. 2 to 4).
 *
 * The work has the stages "evaporate" and "deposit", or both in one, "update". The ladder, with what each rung adds,
 * and how to run it (ids without "deposit/"; `antbench` is build/bin/antbench):
 *   acotsp-seq              one core, double precision: pass after pass, as ACOTSP does it
 *                               antbench jpdc-4 --implementations deposit/acotsp-seq
 *   cpu-rows                tsp/cpu-rejection's: rows shared among threads, both steps while a row is in the cache
 *                               antbench jpdc-4 --implementations deposit/cpu-rows
 *   gather                  the GPU: a thread for each of the n^2 entries looks for its edge in all tours, n_ants n
 *                           steps (JPDC's version 5, "scatter to gather")
 *                               antbench jpdc-4 --implementations deposit/gather
 *   gather-tiled            a block reads the tours together, a tile after the other (version 4)
 *                               antbench jpdc-4 --implementations deposit/gather-tiled
 *   gather-tiled-reduction  half the threads: one for both directions of an edge (version 3)
 *                               antbench jpdc-4 --implementations deposit/gather-tiled-reduction
 *   atomic                  a thread for each step of each tour adds to its edge, atomically (version 2)
 *                               antbench jpdc-4 --implementations deposit/atomic
 *   atomic-tiling           a block an ant, whose tour it reads through shared memory, tile after tile (version 1)
 *                               antbench jpdc-4 --implementations deposit/atomic-tiling
 *   atomic-cas              atomic by compare-and-swap, for cards without atomic addition of floats
 *                               antbench jpdc-4 --implementations deposit/atomic-cas
 *   evaporate-rows          atomic, with evaporation by a block for each row of the matrix
 *                               antbench jpdc-4 --implementations deposit/evaporate-rows
 *
 * All of them leave the same matrix but for rounding (dp_bound). Sources: JPDC §3.3, §5.2, Figs. 4, 5, 8, Table 4; JSC
 * §2.3, §5.1.2, Fig. 2.
 */
#ifndef ANTBENCH_DEPOSIT_H
#define ANTBENCH_DEPOSIT_H

#include <stdbool.h>

#include "base/parameter.h"
#include "kernels/implementation.h"
#include "kernels/tsp/check/snapshot.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Trait of implementations. */
enum {
    DP_GATHER = 1 << 9 /* "gather": each entry of the pheromone looks for its edge in all tours */
};

typedef struct dp_params {
    int n_ants;  /* number that deposit: the first of the snapshot's, 1 .. n */
    double rho;  /* evaporation rate, 0 < rho <= 1 */
    int block;   /* threads per block, and cities per tile, of a GPU */
    int threads; /* threads of a CPU; 0: all cores */
} dp_params;

extern const ab_parameter dp_parameters[];

/* JPDC's (§4.1): n ants, rho 0.5; blocks of 256 threads, as it does not say of how many; 1 thread. */
dp_params dp_default_params(int n);

/* AB_OK, or AB_BAD_INPUT naming the parameter that is out of range. */
ab_status dp_check(int n, const dp_params *params);

typedef struct dp_trails dp_trails;

typedef struct dp_methods {
    ab_status (*read)(dp_trails *trails, float *pheromone); /* [n][n]; waits for the GPU */
    /* Deposits once more, by the same kernel, and counts its loads of global memory as the kernel's code has them. NULL:
     * they are not counted; AB_UNSUPPORTED where the strategy's are not. */
    ab_status (*loads)(dp_trails *trails, uint64_t *loads);
} dp_methods;

/* The state, which begins with the snapshot's pheromone. */
struct dp_trails {
    ab_work work; /* first */
    const dp_methods *methods;
};

/* Runs a freshly opened state once and compares its matrix with one that is updated in double precision. An entry
 * that is off by more than dp_bound() is AB_FAILED with *wrong true. Any other status with *wrong false means that
 * it could not be run. *edges is set to the number of deposits checked, n_ants * n. */
ab_status deposit_verify(dp_trails *trails, const tsp_snapshot *snapshot, const dp_params *params, int64_t *edges,
                         bool *wrong);

/* The relative error that an entry may have after `deposits` deposits, with u = 2^-24. Each term has at most two
 * roundings before it is added: of 1 - rho and its product with the pheromone, or of the length as a float and its
 * inverse. It goes through at most `deposits` additions of positive terms. So the error is at most (deposits + 2) u
 * / (1 - (deposits + 2) u) in any order (Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., §4.2).
 * Double precision adds u. */
double dp_bound(int deposits);

#ifdef __cplusplus
}
#endif
#endif
