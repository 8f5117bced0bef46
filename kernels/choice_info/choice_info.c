/* The host side of choice-info, of every implementation (kernels/choice_info/choice_info.h). */
#include <float.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>

#include "kernels/choice_info/choice_info.h"

#define AT(member) offsetof(ci_params, member)

const ab_parameter ci_parameters[] = {
    {.name = "alpha",
     .help = "exponent of the pheromone",
     .kind = AB_REAL,
     .offset = AT(alpha),
     .most = 10,
     .fallback = 1,
     .shown = AB_SHOWN_SET},
    {.name = "beta",
     .help = "exponent of the heuristic",
     .kind = AB_REAL,
     .offset = AT(beta),
     .most = 10,
     .fallback = 2,
     .shown = AB_SHOWN_SET},
    {.name = "block",
     .help = "threads per block of a GPU",
     .offset = AT(block),
     .least = 16,
     .most = 1024,
     .fallback = 256,
     .shown = AB_SHOWN_GPU},
    {.name = "threads",
     .help = "of a CPU implementation; all: all cores",
     .offset = AT(threads),
     .least = 1,
     .most = 1024,
     .fallback = 1,
     .word = "all",
     .shown = AB_SHOWN_CPU | AB_FITTED},
    {.name = NULL},
};

ci_params ci_default_params(void)
{
    ci_params params;
    ab_parameters_default(ci_parameters, &params);
    return params;
}

ab_status ci_check(const ci_params *params)
{
    return ab_parameters_check(ci_parameters, params);
}

void ci_visibility(const tsp_snapshot *snapshot, float *eta)
{
    const size_t size = (size_t)snapshot->n * (size_t)snapshot->n;
    for (size_t k = 0; k < size; k++) eta[k] = (float)(1.0 / (snapshot->dist[k] + 0.1));
}

/* ---- Verification ---- */

static double bound_of_power(double x, double y)
{
    return 8.0 + 5.0 * y * fmax(1.0, fabs(log2(x)));
}

double ci_bound(double pheromone, double eta, const ci_params *params)
{
    const double u = 0x1p-24;
    return u * (1.0 + bound_of_power(pheromone, params->alpha) + bound_of_power(eta, params->beta));
}

static double expect(double pheromone, double eta, const ci_params *params)
{
    return pow(pheromone, params->alpha) * pow(eta, params->beta);
}

/* The largest relative error of n weights; INFINITY, with *at, where one is more than its bound. */
static double compare_row(size_t n, const float *pheromone, const float *eta, const float *found,
                          const ci_params *params, size_t *at)
{
    double largest = 0.0;
    for (size_t j = 0; j < n; j++) {
        const double expected = expect(pheromone[j], eta[j], params), difference = fabs(found[j] - expected);
        *at = j;
        if (expected >= FLT_MIN && difference / expected <= ci_bound(pheromone[j], eta[j], params))
            largest = fmax(largest, difference / expected);
        else if (!(expected < FLT_MIN && difference <= FLT_MIN))
            return INFINITY;
    }
    return largest;
}

static ab_status compare(const tsp_snapshot *snapshot, const ci_params *params, const float *eta, const float *found,
                         double *largest, bool *wrong)
{
    const size_t n = (size_t)snapshot->n;
    size_t wrong_i = n, wrong_j = 0;
    double most = 0.0;
#pragma omp parallel for reduction(max : most)
    for (size_t i = 0; i < n; i++) {
        size_t j = 0;
        const double error = compare_row(n, snapshot->pheromone + i * n, eta + i * n, found + i * n, params, &j);
        if (isfinite(error)) {
            most = fmax(most, error);
            continue;
        }
#pragma omp critical
        if (i < wrong_i) wrong_i = i, wrong_j = j;
    }
    *largest = most;
    *wrong = wrong_i < n;
    if (!*wrong) return ab_ok();
    const size_t k = wrong_i * n + wrong_j;
    return ab_failed("choice_info[%zu][%zu] is %.9g, expected %.9g", wrong_i, wrong_j, found[k],
                     expect(snapshot->pheromone[k], eta[k], params));
}

ab_status choice_info_verify(ci_weights *weights, const tsp_snapshot *snapshot, const ci_params *params,
                             double *largest, bool *wrong)
{
    const size_t size = (size_t)snapshot->n * (size_t)snapshot->n;
    float *eta = malloc(2 * size * sizeof *eta), *found = eta + size;
    *largest = 0.0;
    *wrong = false;
    if (!eta) return ab_failed("out of memory: %zu MiB to check the weights", 2 * size * sizeof *eta >> 20);
    ci_visibility(snapshot, eta);
    ab_status status = weights->methods->poison(weights);
    if (status.code == AB_OK) status = ab_iterate(&weights->work);
    if (status.code == AB_OK) status = weights->methods->read(weights, found);
    if (status.code == AB_OK) status = compare(snapshot, params, eta, found, largest, wrong);
    free(eta);
    return status;
}
