/* choice-info on the CPU: as ACOTSP computes it, and as fast as a CPU does.
 *
 *   acotsp-seq  double precision, one thread: a weight by pow() for each pair of cities, entered for both directions
 *               (Dorigo & Stützle 2004, ch. 3)
 *   cpu-simd    single precision, rows shared among threads; for alpha 1 and beta 2, products of vectors, as the
 *               compiler finds them, which keep up with the memory
 */
#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "baselines/cpu_colony.h"
#include "kernels/choice_info/choice_info.h"
#include "operations/choice_info.h"

choice_info_open choice_info_acotsp_seq, choice_info_cpu_simd;

typedef struct cpu_weights {
    ci_weights base; /* first */
    ci_params params;
    size_t n;
    const float *pheromone; /* [n][n]: the snapshot's */
    float *eta;             /* [n][n] */
    float *choice_info;     /* [n][n]; acotsp-seq has its own */
    double *in_double;      /* [n][n], of acotsp-seq; else NULL */
    ab_memory memory;
} cpu_weights;

/* ---- The stage ---- */

static void weigh_pairs(cpu_weights *weights)
{
    const size_t n = weights->n;
    const double alpha = weights->params.alpha, beta = weights->params.beta;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++) {
            const double weight = pow(weights->pheromone[i * n + j], alpha) * pow(weights->eta[i * n + j], beta);
            weights->in_double[i * n + j] = weights->in_double[j * n + i] = weight;
        }
}

CPU_MULTIVERSION static void weigh_by_products(const float *pheromone, const float *eta, size_t count, float *weight)
{
    for (size_t k = 0; k < count; k++) weight[k] = pheromone[k] * (eta[k] * eta[k]);
}

static void weigh_by_powers(const float *pheromone, const float *eta, size_t count, const ci_params *params,
                            float *weight)
{
    const float alpha = (float)params->alpha, beta = (float)params->beta;
    for (size_t k = 0; k < count; k++) weight[k] = powf(pheromone[k], alpha) * powf(eta[k], beta);
}

static void weigh_rows(cpu_weights *weights)
{
    const size_t n = weights->n;
    const ci_params *params = &weights->params;
    const bool by_products = params->alpha == 1.0 && params->beta == 2.0;
#pragma omp parallel for num_threads(params->threads) schedule(static)
    for (size_t i = 0; i < n; i++) {
        const float *pheromone = weights->pheromone + i * n, *eta = weights->eta + i * n;
        if (by_products)
            weigh_by_products(pheromone, eta, n, weights->choice_info + i * n);
        else
            weigh_by_powers(pheromone, eta, n, params, weights->choice_info + i * n);
    }
}

static ab_status run_stage(ab_work *work, int stage)
{
    cpu_weights *weights = (cpu_weights *)work;
    (void)stage;
    if (weights->in_double)
        weigh_pairs(weights);
    else
        weigh_rows(weights);
    return ab_ok();
}

/* ---- Opening, reading ---- */

static void close_weights(ab_work *work)
{
    if (work == NULL) return;
    ab_memory_free(&((cpu_weights *)work)->memory);
    free(work);
}

static ab_status read_weights(ci_weights *base, float *choice_info)
{
    const cpu_weights *weights = (const cpu_weights *)base;
    const size_t size = weights->n * weights->n;
    if (weights->in_double)
        for (size_t k = 0; k < size; k++) choice_info[k] = (float)weights->in_double[k];
    else
        memcpy(choice_info, weights->choice_info, size * sizeof *choice_info);
    return ab_ok();
}

static ab_status poison(ci_weights *base)
{
    cpu_weights *weights = (cpu_weights *)base;
    const size_t size = weights->n * weights->n;
    if (weights->in_double)
        memset(weights->in_double, 0xff, size * sizeof *weights->in_double);
    else
        memset(weights->choice_info, 0xff, size * sizeof *weights->choice_info);
    return ab_ok();
}

static ab_status open_weights(const tsp_snapshot *snapshot, const ci_params *params, bool in_double,
                              ci_weights **opened)
{
    static const ab_work_methods work_methods = {1, {"choice"}, run_stage, close_weights};
    static const ci_methods methods = {read_weights, poison};
    AB_TRY(ci_check(params));
    cpu_weights *weights = calloc(1, sizeof *weights);
    if (!weights) return ab_failed("out of memory");
    const size_t n = (size_t)snapshot->n;
    weights->base = (ci_weights){{.methods = &work_methods}, &methods};
    weights->params = *params;
    weights->params.threads = params->threads > 0 ? params->threads : omp_get_num_procs();
    weights->base.work.threads = in_double ? 0 : weights->params.threads;
    weights->n = n;
    weights->pheromone = snapshot->pheromone;
    weights->eta = ab_allocate(&weights->memory, n * n, sizeof(float));
    if (in_double)
        weights->in_double = ab_allocate(&weights->memory, n * n, sizeof(double));
    else
        weights->choice_info = ab_allocate(&weights->memory, n * n, sizeof(float));
    const ab_status status = ab_memory_status(&weights->memory);
    if (status.code != AB_OK) {
        close_weights(&weights->base.work);
        return status;
    }
    ci_visibility(snapshot, weights->eta);
    *opened = &weights->base;
    return ab_ok();
}

ab_status choice_info_acotsp_seq(const tsp_snapshot *snapshot, const ci_params *params, ci_weights **opened)
{
    return open_weights(snapshot, params, true, opened);
}

ab_status choice_info_cpu_simd(const tsp_snapshot *snapshot, const ci_params *params, ci_weights **opened)
{
    return open_weights(snapshot, params, false, opened);
}
