/* The pheromone of the CPU colonies in single precision (baselines/trails.h). */
#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "baselines/neighbourhoods.h"
#include "baselines/trails.h"

enum {
    ROWS_PER_UPDATE = 8, /* rows of pheromone that a thread holds in its cache while it deposits */
    AHEAD = 16           /* ants whose links are on their way from memory */
};

/* ---- Opening ---- */

static double farthest_distance(const tsp_problem *problem)
{
    const size_t n = (size_t)problem->n;
    int32_t farthest = 0;
    for (size_t k = 0; k < n * n; k++) farthest = problem->dist[k] > farthest ? problem->dist[k] : farthest;
    return farthest;
}

static void initialise(trails *colony, double farthest, float initial)
{
    const tsp_problem *problem = &colony->common.problem;
    const size_t n = (size_t)problem->n;
    const double beta = colony->common.params.beta;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            const int32_t distance = problem->dist[colony->city[i] * n + colony->city[j]];
            const double scaled_eta = (farthest + 0.1) / (distance + 0.1);
            colony->pheromone[i * colony->stride + j] = initial;
            colony->heuristic[i * colony->stride + j] = i == j ? 0.0f : (float)tsp_power(scaled_eta, beta);
        }
}

static ab_status order_rows(trails *colony, const trails_kind *kind)
{
    const tsp_problem *problem = &colony->common.problem;
    const size_t n = (size_t)problem->n;
    for (size_t k = 0; k < n; k++) colony->city[k] = (uint16_t)k;
    if (kind->together) AB_TRY(neighbourhoods(problem, kind->together(n), colony->city));
    for (size_t k = 0; k < n; k++) colony->place[colony->city[k]] = (uint16_t)k;
    colony->common.place = kind->together ? colony->place : NULL;
    return ab_ok();
}

ab_status trails_init(trails *colony, const tsp_problem *problem, const tsp_params *params, const trails_kind *kind)
{
    AB_TRY(tsp_check(problem, params));
    AB_TRY(tsp_check_matrix(problem));
    AB_TRY(cpu_colony_init(&colony->common, problem, params, params->threads));
    ab_memory *memory = &colony->common.memory;
    const size_t n = (size_t)problem->n;
    const double farthest = farthest_distance(problem);
    if (params->alpha > 2.0) return ab_unsupported("needs alpha <= 2, alpha is %g", params->alpha);
    if (tsp_power((farthest + 0.1) / 0.1, params->beta) > 1e20)
        return ab_unsupported("needs eta^beta within 20 orders of magnitude, the longest distance is %.0f", farthest);
    colony->stride = cpu_round_up(n, kind->granule);
    colony->pheromone = ab_allocate(memory, n * colony->stride, sizeof(float));
    colony->heuristic = ab_allocate(memory, n * colony->stride, sizeof(float));
    colony->city = ab_allocate(memory, n, sizeof *colony->city);
    colony->place = ab_allocate(memory, n, sizeof *colony->place);
    AB_TRY(ab_memory_status(memory));
    AB_TRY(order_rows(colony, kind));
    double initial;
    AB_TRY(tsp_initial_pheromone(problem, params->rho, &initial));
    initialise(colony, farthest, (float)initial);
    return ab_ok();
}

/* ---- Reading ---- */

static ab_status read_pheromone(tsp_colony *base, float *pheromone)
{
    const trails *colony = (const trails *)base;
    const size_t n = (size_t)colony->common.problem.n;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            pheromone[i * n + j] = colony->pheromone[colony->place[i] * colony->stride + colony->place[j]];
    return ab_ok();
}

static ab_status write_pheromone(tsp_colony *base, const float *pheromone)
{
    trails *colony = (trails *)base;
    const size_t n = (size_t)colony->common.problem.n;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            colony->pheromone[colony->place[i] * colony->stride + colony->place[j]] = pheromone[i * n + j];
    return ab_ok();
}

/* ---- The colony ---- */

static ab_status run_stage(ab_work *work, int stage)
{
    trails *colony = (trails *)work;
    if (stage == TSP_CHOICE) colony->kind->choose(colony);
    if (stage == TSP_CONSTRUCT) cpu_colony_construct(&colony->common, colony->kind->side_by_side, colony->kind->build);
    if (stage == TSP_UPDATE) trails_update(colony);
    return ab_ok();
}

static const ab_work_methods work_methods = {
    .n_stages = TSP_STAGES,
    .stage_names = {"choice", "construct", "update"},
    .run_stage = run_stage,
    .close = cpu_colony_close,
};

ab_status trails_open(const trails_kind *kind, const tsp_problem *problem, const tsp_params *params,
                      tsp_colony **colony)
{
    trails *opened = calloc(1, kind->bytes);
    if (opened == NULL) return ab_failed("out of memory");
    opened->kind = kind;
    opened->common.colony = (tsp_colony){.work = {.methods = &work_methods}, .methods = &trails_methods};
    ab_status status = trails_init(opened, problem, params, kind);
    if (status.code == AB_OK) status = kind->prepare(opened);
    if (status.code == AB_OK)
        *colony = &opened->common.colony;
    else
        cpu_colony_close(&opened->common.colony.work);
    return status;
}

/* ---- Rows ---- */

CPU_MULTIVERSION void trails_weigh(const trails *colony, size_t i, float *weights)
{
    const size_t stride = colony->stride;
    const double alpha = colony->common.params.alpha;
    const float *pheromone = colony->pheromone + i * stride, *heuristic = colony->heuristic + i * stride;
    if (alpha == 1.0)
        for (size_t j = 0; j < stride; j++) weights[j] = pheromone[j] * heuristic[j];
    else
        for (size_t j = 0; j < stride; j++) weights[j] = trails_choice(pheromone[j], heuristic[j], alpha);
}

/* Insertion into a sorted list. */
void trails_nearest(const trails *colony, size_t i, int count, uint16_t *cities)
{
    const size_t n = (size_t)colony->common.problem.n;
    const int32_t *dist = colony->common.problem.dist + i * n;
    int found = 0;
    for (size_t j = 0; j < n; j++) {
        if (j == i || (found == count && dist[j] >= dist[cities[count - 1]])) continue;
        int k = found < count ? found++ : count - 1;
        for (; k > 0 && dist[cities[k - 1]] > dist[j]; k--) cities[k] = cities[k - 1];
        cities[k] = (uint16_t)j;
    }
    for (int k = found; k < count; k++) cities[k] = (uint16_t)i;
}

/* ---- Update ---- */

/* Pheromone that would leave the normal range of float becomes 0. */
CPU_MULTIVERSION static void evaporate(float *pheromone, size_t count, float keep)
{
    const float floor = 2.0f * FLT_MIN / keep;
    for (size_t j = 0; j < count; j++) pheromone[j] = pheromone[j] < floor ? 0.0f : pheromone[j] * keep;
}

/* Lays the deposits on rows first .. end-1, in the order of the ants. */
static void deposit_rows(trails *colony, cpu_depositors ants, size_t first, size_t end)
{
    const size_t n = (size_t)colony->common.problem.n, stride = colony->stride;
    for (int ant = ants.first; ant < ants.end; ant++) {
        const float deposit = (float)cpu_colony_deposit(&colony->common, ant);
        const cpu_links *links = colony->common.links + (size_t)ant * n;
        __builtin_prefetch(links + AHEAD * n + first);
        for (size_t i = first; i < end; i++) {
            colony->pheromone[i * stride + (size_t)links[i].previous] += deposit;
            colony->pheromone[i * stride + (size_t)links[i].next] += deposit;
        }
    }
}

/* Between the limits of MAX-MIN Ant System. */
static void limit_rows(trails *colony, tsp_max_min_limits limits, size_t first, size_t end)
{
    const float least = (float)limits.least, most = (float)limits.most;
    for (size_t i = first; i < end; i++) {
        float *row = colony->pheromone + i * colony->stride;
        for (size_t j = 0; j < (size_t)colony->common.problem.n; j++)
            row[j] = row[j] < least ? least : row[j] > most ? most : row[j];
    }
}

void trails_update(trails *colony)
{
    const size_t n = (size_t)colony->common.problem.n, stride = colony->stride;
    const float keep = (float)(1.0 - colony->common.params.rho);
    const cpu_depositors ants = cpu_colony_link_depositors(&colony->common);
#pragma omp parallel for num_threads(colony->common.params.threads) schedule(static)
    for (size_t first = 0; first < n; first += ROWS_PER_UPDATE) {
        const size_t end = first + ROWS_PER_UPDATE < n ? first + ROWS_PER_UPDATE : n;
        evaporate(colony->pheromone + first * stride, (end - first) * stride, keep);
        deposit_rows(colony, ants, first, end);
        if (ants.limits.least > 0.0) limit_rows(colony, ants.limits, first, end);
    }
}

/* ---- As one of several (tsp_part_methods) ---- */

static ab_status sum_pheromone(tsp_colony *base)
{
    trails *colony = (trails *)base;
    return ranks_sum(colony->pheromone, (size_t)colony->common.problem.n * colony->stride, RANKS_STAGED);
}

static ab_status read_shortest(tsp_colony *base, int *ant, int64_t *length, int32_t *tour)
{
    const cpu_colony *colony = (const cpu_colony *)base;
    *ant = cpu_colony_shortest(colony);
    *length = colony->lengths[*ant];
    if (tour) memcpy(tour, cpu_colony_tour(colony, *ant), ((size_t)colony->problem.n + 1) * sizeof *tour);
    return ab_ok();
}

static ab_status deposit_tour(tsp_colony *base, double rho, const int32_t *tour, int64_t length)
{
    trails *colony = (trails *)base;
    const size_t n = (size_t)colony->common.problem.n, stride = colony->stride;
    const float amount = (float)cpu_colony_amount(length), keep = (float)(1.0 - rho);
#pragma omp parallel for num_threads(colony->common.params.threads) schedule(static)
    for (size_t i = 0; i < n; i++)
        if (rho > 0.0) evaporate(colony->pheromone + i * stride, stride, keep);
    for (size_t k = 0; k < n; k++) {
        const size_t from = colony->place[tour[k]], to = colony->place[tour[k + 1]];
        colony->pheromone[from * stride + to] += amount;
        colony->pheromone[to * stride + from] += amount;
    }
    cpu_colony_keep(&colony->common, tour, length);
    return ab_ok();
}

static const tsp_part_methods part_methods = {.sum = sum_pheromone, .shortest = read_shortest, .deposit = deposit_tour};

const tsp_methods trails_methods = {
    .read = cpu_colony_read,
    .read_pheromone = read_pheromone,
    .write_pheromone = write_pheromone,
    .poison = cpu_colony_poison,
    .part = &part_methods,
};
