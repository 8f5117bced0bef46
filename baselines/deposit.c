/* The pheromone update on the CPU: as ACOTSP does it, and as tsp/cpu-rejection does.
 *
 *   acotsp-seq  double precision, one thread: evaporates half of the matrix and mirrors it, then follows tour after
 *               tour (Dorigo & Stützle 2004, ch. 3); stages "evaporate" and "deposit"
 *   cpu-rows    single precision: the tours as links by city first, then a few rows per thread at a time are evaporated
 *               and deposited on while they are in its cache (baselines/trails.h); one stage, "update"
 */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "baselines/trails.h"
#include "kernels/deposit/deposit.h"
#include "operations/deposit.h"

deposit_open deposit_acotsp_seq, deposit_cpu_rows;

/* ---- acotsp-seq ---- */

enum { EVAPORATE, DEPOSIT, N_STAGES };

typedef struct seq_trails {
    dp_trails base; /* first */
    dp_params params;
    const tsp_snapshot *snapshot; /* the caller's */
    double *pheromone;            /* [n][n] */
    ab_memory memory;
} seq_trails;

static void evaporate(seq_trails *self)
{
    const size_t n = (size_t)self->snapshot->n;
    const double keep = 1.0 - self->params.rho;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++)
            self->pheromone[j * n + i] = self->pheromone[i * n + j] = keep * self->pheromone[i * n + j];
}

static void follow_tour(seq_trails *self, size_t ant)
{
    const size_t n = (size_t)self->snapshot->n;
    const int32_t *tour = self->snapshot->tours + ant * (n + 1);
    const int64_t length = self->snapshot->lengths[ant];
    const double amount = length > 0 ? 1.0 / (double)length : 1.0;
    for (size_t i = 0; i < n; i++) {
        const size_t from = (size_t)tour[i], to = (size_t)tour[i + 1];
        self->pheromone[from * n + to] += amount;
        self->pheromone[to * n + from] = self->pheromone[from * n + to];
    }
}

static ab_status run_seq(ab_work *work, int stage)
{
    seq_trails *self = (seq_trails *)work;
    if (stage == EVAPORATE)
        evaporate(self);
    else
        for (size_t ant = 0; ant < (size_t)self->params.n_ants; ant++) follow_tour(self, ant);
    return ab_ok();
}

static void close_seq(ab_work *work)
{
    if (work == NULL) return;
    ab_memory_free(&((seq_trails *)work)->memory);
    free(work);
}

static ab_status read_seq(dp_trails *base, float *pheromone)
{
    const seq_trails *self = (const seq_trails *)base;
    const size_t size = (size_t)self->snapshot->n * (size_t)self->snapshot->n;
    for (size_t k = 0; k < size; k++) pheromone[k] = (float)self->pheromone[k];
    return ab_ok();
}

ab_status deposit_acotsp_seq(const tsp_snapshot *snapshot, const dp_params *params, dp_trails **opened)
{
    static const ab_work_methods work_methods = {N_STAGES, {"evaporate", "deposit"}, run_seq, close_seq};
    static const dp_methods methods = {read_seq, NULL};
    AB_TRY(dp_check(snapshot->n, params));
    const size_t size = (size_t)snapshot->n * (size_t)snapshot->n;
    seq_trails *self = calloc(1, sizeof *self);
    if (!self) return ab_failed("out of memory");
    self->base = (dp_trails){{.methods = &work_methods}, &methods};
    self->params = *params;
    self->snapshot = snapshot;
    self->pheromone = ab_allocate(&self->memory, size, sizeof *self->pheromone);
    const ab_status status = ab_memory_status(&self->memory);
    if (status.code != AB_OK) {
        close_seq(&self->base.work);
        return status;
    }
    for (size_t k = 0; k < size; k++) self->pheromone[k] = snapshot->pheromone[k];
    *opened = &self->base;
    return ab_ok();
}

/* ---- cpu-rows ---- */

typedef struct rows_trails {
    dp_trails base; /* first */
    trails colony;  /* its tours are the snapshot's */
} rows_trails;

static ab_status run_rows(ab_work *work, int stage)
{
    (void)stage;
    trails_update(&((rows_trails *)work)->colony);
    return ab_ok();
}

static void close_rows(ab_work *work)
{
    if (work == NULL) return;
    ab_memory_free(&((rows_trails *)work)->colony.common.memory);
    free(work);
}

static ab_status read_rows(dp_trails *base, float *pheromone)
{
    return trails_methods.read_pheromone(&((rows_trails *)base)->colony.common.colony, pheromone);
}

static ab_status initialise(trails *colony, const tsp_snapshot *snapshot, const dp_params *params)
{
    static const trails_kind kind = {.granule = 1};
    const tsp_problem problem = {.n = snapshot->n, .dist = snapshot->dist};
    const size_t n = (size_t)snapshot->n, n_ants = (size_t)params->n_ants;
    tsp_params of_colony = tsp_default_params(snapshot->n, TSP_ALL_ANTS);
    of_colony.n_ants = params->n_ants;
    of_colony.rho = params->rho;
    of_colony.threads = params->threads;
    AB_TRY(trails_init(colony, &problem, &of_colony, &kind));
    memcpy(colony->common.tours, snapshot->tours, n_ants * (n + 1) * sizeof *snapshot->tours);
    memcpy(colony->common.lengths, snapshot->lengths, n_ants * sizeof *snapshot->lengths);
    return trails_methods.write_pheromone(&colony->common.colony, snapshot->pheromone);
}

ab_status deposit_cpu_rows(const tsp_snapshot *snapshot, const dp_params *params, dp_trails **opened)
{
    static const ab_work_methods work_methods = {1, {"update"}, run_rows, close_rows};
    static const dp_methods methods = {read_rows, NULL};
    AB_TRY(dp_check(snapshot->n, params));
    rows_trails *self = calloc(1, sizeof *self);
    if (!self) return ab_failed("out of memory");
    self->base = (dp_trails){{.methods = &work_methods}, &methods};
    const ab_status status = initialise(&self->colony, snapshot, params);
    self->base.work.threads = self->colony.common.params.threads;
    if (status.code == AB_OK)
        *opened = &self->base;
    else
        close_rows(&self->base.work);
    return status;
}
