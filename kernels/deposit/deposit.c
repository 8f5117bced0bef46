/* The host side of deposit, of every implementation (kernels/deposit/deposit.h). */
#include <float.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>

#include "kernels/deposit/deposit.h"

/* Pheromone below it may come out as 0: tsp/cpu-rejection's does, so that no float is denormal. */
#define LEAST (2.0 * FLT_MIN)

#define AT(member) offsetof(dp_params, member)

const ab_parameter dp_parameters[] = {
    {.name = "ants",
     .help = "ants that deposit, the first of the colony; n: all, as many as cities",
     .offset = AT(n_ants),
     .least = 1,
     .most = INT32_MAX,
     .word = "n",
     .shown = AB_SHOWN | AB_FITTED},
    {.name = "rho",
     .help = "evaporation rate",
     .kind = AB_REAL,
     .offset = AT(rho),
     .least = 1e-9,
     .most = 1,
     .fallback = 0.5,
     .shown = AB_SHOWN_SET},
    {.name = "block",
     .help = "threads per block of a GPU, and cities per tile",
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

dp_params dp_default_params(int n)
{
    dp_params params;
    ab_parameters_default(dp_parameters, &params);
    params.n_ants = n;
    return params;
}

ab_status dp_check(int n, const dp_params *params)
{
    AB_TRY(ab_parameters_check(dp_parameters, params));
    if (params->n_ants >= 1 && params->n_ants <= n) return ab_ok();
    return ab_bad_input("ants must be 1 to %d, as many as cities, not %d", n, params->n_ants);
}

/* ---- Verification ---- */

double dp_bound(int deposits)
{
    const double u = 0x1p-24, roundings = (deposits + 2) * u;
    return roundings / (1.0 - roundings) + u;
}

/* What an update leaves, and how many deposits each entry got. */
typedef struct update {
    double *pheromone; /* [n][n] */
    int *deposits;     /* [n][n] */
} update;

static void lay(update *expected, size_t n, const int32_t *tour, double amount)
{
    for (size_t i = 0; i < n; i++) {
        const size_t from = (size_t)tour[i], to = (size_t)tour[i + 1];
        expected->pheromone[from * n + to] += amount;
        expected->pheromone[to * n + from] += amount;
        expected->deposits[from * n + to]++;
        expected->deposits[to * n + from]++;
    }
}

static void compute(const tsp_snapshot *snapshot, const dp_params *params, update *expected)
{
    const size_t n = (size_t)snapshot->n;
    for (size_t k = 0; k < n * n; k++) {
        expected->pheromone[k] = (1.0 - params->rho) * snapshot->pheromone[k];
        expected->deposits[k] = 0;
    }
    for (size_t ant = 0; ant < (size_t)params->n_ants; ant++) {
        const int64_t length = snapshot->lengths[ant];
        lay(expected, n, snapshot->tours + ant * (n + 1), length > 0 ? 1.0 / (double)length : 1.0);
    }
}

static ab_status compare(size_t n, const update *expected, const float *found, bool *wrong)
{
    for (size_t k = 0; k < n * n; k++) {
        const double error = fabs(found[k] - expected->pheromone[k]);
        if (error <= dp_bound(expected->deposits[k]) * expected->pheromone[k] + LEAST) continue;
        *wrong = true;
        return ab_failed("pheromone[%zu][%zu] is %.9g, expected %.9g after %d deposits", k / n, k % n, found[k],
                         expected->pheromone[k], expected->deposits[k]);
    }
    return ab_ok();
}

ab_status deposit_verify(dp_trails *trails, const tsp_snapshot *snapshot, const dp_params *params, int64_t *edges,
                         bool *wrong)
{
    const size_t n = (size_t)snapshot->n;
    update expected = {malloc(n * n * sizeof(double)), malloc(n * n * sizeof(int))};
    float *found = malloc(n * n * sizeof *found);
    *wrong = false;
    *edges = 0;
    ab_status status = ab_failed("out of memory: %zu MiB to check the pheromone", 16 * n * n >> 20);
    if (expected.pheromone && expected.deposits && found) {
        compute(snapshot, params, &expected);
        status = ab_iterate(&trails->work);
        if (status.code == AB_OK) status = trails->methods->read(trails, found);
        if (status.code == AB_OK) status = compare(n, &expected, found, wrong);
        if (status.code == AB_OK) *edges = (int64_t)params->n_ants * (int64_t)n;
    }
    free(expected.pheromone);
    free(expected.deposits);
    free(found);
    return status;
}
