/* Operation "choice-info": the weights of all edges, choice_info[i][j] = pheromone[i][j]^alpha * eta[i][j]^beta. The
 * ants' choices read them, once per iteration. The factor eta = 1/(d + 0.1) is known in advance (JPDC §2.1: "a
 * priori"), as a float.
 *
 * The ladder, what each rung adds, and how to run it (ids without "choice-info/"; `antbench` is build/bin/antbench):
 *   acotsp-seq  one core, double precision, pow() for half of the edges, each entered twice
 *                   antbench jsc-1 --implementations choice-info/acotsp-seq
 *   cpu-simd    single precision, by SIMD on all cores; for alpha 1 and beta 2 a multiplication each
 *                   antbench jsc-1 --implementations choice-info/cpu-simd
 *   powf        the GPU: a thread per edge, powf() twice
 *                   antbench jsc-1 --implementations choice-info/powf
 *   fast-powf   __powf(), which uses hardware instructions
 *                   antbench jsc-1 --implementations choice-info/fast-powf
 *   multiply    no power: alpha 1 and beta 2 are multiplications
 *                   antbench jsc-1 --implementations choice-info/multiply
 *
 * Sources: JPDC §3.2.1, §5.1.1, Fig. 6; JSC §2.2.1, §5.1, Table 1.
 */
#ifndef ANTBENCH_CHOICE_INFO_H
#define ANTBENCH_CHOICE_INFO_H

#include <stdbool.h>

#include "base/parameter.h"
#include "kernels/implementation.h"
#include "kernels/tsp/check/snapshot.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ci_params {
    double alpha, beta; /* exponents of the pheromone and of eta */
    int block;          /* threads per block, of a GPU */
    int threads;        /* threads of a CPU; 0: all cores */
} ci_params;

extern const ab_parameter ci_parameters[];

/* JPDC's: alpha 1, beta 2, blocks of 256 threads (§5.1.1); 1 thread. */
ci_params ci_default_params(void);

/* AB_OK, or AB_BAD_INPUT naming the parameter that is out of range. */
ab_status ci_check(const ci_params *params);

/* Fills eta[n][n], the diagonal (d = 0) included. */
void ci_visibility(const tsp_snapshot *snapshot, float *eta);

typedef struct ci_weights ci_weights;

typedef struct ci_methods {
    ab_status (*read)(ci_weights *weights, float *choice_info); /* [n][n]; waits for the GPU */
    ab_status (*poison)(ci_weights *weights);                   /* overwrites it with NaN */
} ci_methods;

/* The state: one stage, "choice". */
struct ci_weights {
    ab_work work; /* first */
    const ci_methods *methods;
};

/* Runs freshly opened weights once on poisoned memory and compares every weight with the formula in double
 * precision, from the same pheromone and eta. *largest is the largest relative error. An error above ci_bound() is
 * AB_FAILED with *wrong true. Any other status with *wrong false means that it could not be run. */
ab_status choice_info_verify(ci_weights *weights, const tsp_snapshot *snapshot, const ci_params *params,
                             double *largest, bool *wrong);

/* The relative error that a weight may have, with u = 2^-24. The product has u, and each power x^y has the error of
 * __powf(), which is exp2f(y * __log2f(x)). The logarithm is off by 4 u max(1, |log2 x|) and its product with y by u
 * of that. This error, times y, is a relative error of the power. The function exp2f is off by 4 u (CUDA C++
 * Programming Guide, intrinsic functions), powf() by 8 u. */
double ci_bound(double pheromone, double eta, const ci_params *params);

#ifdef __cplusplus
}
#endif
#endif
