/* tsp/cpu-best: exact Ant System on a CPU, a few cache lines a step; threads over ants. cpu-alias is faster on large
 * instances.
 *
 * A row is split into a head and a tail, and steps are drawn, as baselines/rejection.h tells. A tail city is found
 * by descending a tree of partial sums, three cache lines deep. tests/test_baselines.c tests by chi-square that the
 * rule is the random proportional one.
 */
#include <omp.h>

#include "base/random.h"
#include "baselines/cpu_colony.h"
#include "baselines/lanes.h"
#include "baselines/rejection.h"
#include "baselines/trails.h"
#include "kernels/registered.h"

enum {
    NODE = 256,         /* cities per node of the tree: LANES leaves */
    MAX_PROPOSALS = 16, /* draws before the fall-back */
    MIN_ACCEPTED = 16,  /* one draw in so many must be kept, or the fall-back is cheaper */
};

typedef struct cpu_best_colony {
    union {
        cpu_colony common; /* first */
        trails trails;     /* rows are a multiple of NODE long */
    };
    size_t n_nodes;         /* stride / NODE, rounded up to a multiple of LANES */
    float *tail;            /* [n][stride]: pheromone^alpha * heuristic, 0 for the head and the diagonal */
    float *leaf_prefix;     /* [n][stride / LANES]: weight of the tail from the node's begin to the leaf's end */
    float *node_prefix;     /* [n][n_nodes]: weight of the tail from the row's begin to the node's end */
    head *heads;            /* [n] */
    struct ant_state *ants; /* [threads] */
} cpu_best_colony;

/* An ant under way; one per thread. */
typedef struct ant_state {
    walker walker;
    float *unvisited; /* [n]: 1, and 0 where visited */
    int n_unvisited;  /* cities */
    fall_back_room room;
} __attribute__((aligned(128))) ant_state;

/* ---- Construct: one step ---- */

/* The tail city of row i at which the partial sums pass x, visited or not; -1 where rounding leads past the end or
 * to a city without weight. */
INLINE int propose_tail(const cpu_best_colony *colony, size_t i, float x)
{
    const float *node_prefix = colony->node_prefix + i * colony->n_nodes;
    size_t node = 0;
    for (size_t k = 0; k < colony->n_nodes; k += LANES) node += (size_t)count_at_most(node_prefix + k, x);
    if (node >= colony->trails.stride / NODE) return -1;
    if (node > 0) x -= node_prefix[node - 1];

    const float *leaf_prefix = colony->leaf_prefix + (i * colony->trails.stride + node * NODE) / LANES;
    const size_t leaf = (size_t)count_at_most(leaf_prefix, x);
    if (leaf >= LANES) return -1;
    if (leaf > 0) x -= leaf_prefix[leaf - 1];

    const size_t first = node * NODE + leaf * LANES;
    const float *weight = colony->tail + i * colony->trails.stride + first;
    lanes sums = *(const lanes *)weight;
    prefix_sums(&sums);
    const size_t k = (size_t)count_at_most((const float *)&sums, x);
    return k < LANES && weight[k] > 0.0f ? (int)(first + k) : -1;
}

/* Partial sums over the head of row i, visited cities counting 0. */
INLINE void sum_head(const head *nearest, const float *unvisited, lanes *sums)
{
    for (int k = 0; k < HEAD; k++) (*sums)[k] = nearest->weight[k] * unvisited[nearest->city[k]];
    prefix_sums(sums);
}

INLINE int choose_next(const cpu_best_colony *colony, size_t i, ant_state *ant)
{
    const head *nearest = &colony->heads[i];
    lanes sums;
    sum_head(nearest, ant->unvisited, &sums);
    const double head_sum = (double)sums[HEAD - 1], tail_total = (double)nearest->tail_total;
    const double unvisited_share = (double)ant->n_unvisited / colony->common.problem.n;
    const bool worthwhile = draws_are_worthwhile(head_sum, tail_total, unvisited_share, MIN_ACCEPTED);
    for (int left = worthwhile ? MAX_PROPOSALS : 0; left > 0; left--) {
        const double r = random_unit(&ant->walker.random) * (head_sum + tail_total);
        if (r < head_sum) {
            const int k = count_at_most((const float *)&sums, (float)r);
            if (k < HEAD && nearest->weight[k] * ant->unvisited[nearest->city[k]] > 0.0f) return nearest->city[k];
        } else {
            const int city = propose_tail(colony, i, (float)(r - head_sum));
            if (city >= 0 && !walker_has_been(&ant->walker, (size_t)city)) return city;
        }
    }
    const float *tail = colony->tail + i * colony->trails.stride;
    return (int)choose_by_scan(&colony->common.problem, i, nearest, tail, &ant->walker, &ant->room);
}

/* ---- Construct: tours ---- */

INLINE void visit(ant_state *ant, size_t city)
{
    walker_visit(&ant->walker, city);
    ant->unvisited[city] = 0.0f;
    ant->n_unvisited--;
}

static void begin_tour(const cpu_best_colony *colony, ant_state *ant, uint64_t stream)
{
    const int n = colony->common.problem.n;
    walker_begin(&ant->walker, (size_t)n, stream);
    ant->n_unvisited = n;
    for (int j = 0; j < n; j++) ant->unvisited[j] = 1.0f;
}

CPU_MULTIVERSION static int64_t build_tour(const cpu_best_colony *colony, ant_state *ant, int32_t *tour)
{
    const size_t n = (size_t)colony->common.problem.n;
    const int32_t *dist = colony->common.problem.dist;
    size_t city = (size_t)(random_unit(&ant->walker.random) * (double)n);
    tour[0] = (int32_t)city;
    visit(ant, city);
    for (size_t step = 1; step < n; step++) {
        const size_t next = (size_t)choose_next(colony, city, ant);
        visit(ant, next);
        __builtin_prefetch(&dist[city * n + next]);
        tour[step] = (int32_t)next;
        city = next;
    }
    tour[n] = tour[0];
    int64_t length = 0;
    for (size_t i = 0; i < n; i++) length += dist[(size_t)tour[i] * n + (size_t)tour[i + 1]];
    return length;
}

static void construct(cpu_best_colony *colony)
{
    cpu_colony *common = &colony->common;
    int64_t zero_weight_steps = 0;
    common->iteration++;
#pragma omp parallel for num_threads(common->params.threads) schedule(dynamic) reduction(+ : zero_weight_steps)
    for (int k = 0; k < common->params.n_ants; k++) {
        ant_state *ant = &colony->ants[omp_get_thread_num()];
        begin_tour(colony, ant, cpu_colony_stream(common, k));
        common->lengths[k] = build_tour(colony, ant, cpu_colony_tour(common, k));
        zero_weight_steps += ant->walker.zero_weight_steps;
    }
    common->zero_weight_steps += zero_weight_steps;
    cpu_colony_keep_best(common);
}

/* ---- Choice ---- */

CPU_MULTIVERSION static void sum_tail(const cpu_best_colony *colony, size_t i)
{
    const float *tail = colony->tail + i * colony->trails.stride;
    float *leaf_prefix = colony->leaf_prefix + i * colony->trails.stride / LANES;
    float *node_prefix = colony->node_prefix + i * colony->n_nodes;
    float total = 0.0f;
    for (size_t node = 0; node < colony->n_nodes; node++) {
        float node_sum = 0.0f;
        for (size_t leaf = node * LANES; node < colony->trails.stride / NODE && leaf < (node + 1) * LANES; leaf++) {
            lanes sums = *(const lanes *)(tail + leaf * LANES);
            prefix_sums(&sums);
            node_sum += sums[LANES - 1];
            leaf_prefix[leaf] = node_sum;
        }
        total += node_sum;
        node_prefix[node] = total;
    }
    colony->heads[i].tail_total = total;
}

static void compute_choice(const cpu_best_colony *colony)
{
    const size_t n = (size_t)colony->common.problem.n;
#pragma omp parallel for num_threads(colony->common.params.threads) schedule(static)
    for (size_t i = 0; i < n; i++) {
        trails_weigh(&colony->trails, i, colony->tail + i * colony->trails.stride);
        split_head(&colony->heads[i], colony->tail + i * colony->trails.stride);
        sum_tail(colony, i);
    }
}

/* ---- The colony ---- */

static ab_status run_stage(ab_work *work, int stage)
{
    cpu_best_colony *colony = (cpu_best_colony *)work;
    if (stage == AS_CHOICE) compute_choice(colony);
    if (stage == AS_CONSTRUCT) construct(colony);
    if (stage == AS_UPDATE) trails_update(&colony->trails);
    return ab_ok();
}

static void allocate_ants(cpu_best_colony *colony)
{
    ab_memory *memory = &colony->common.memory;
    const size_t n = (size_t)colony->common.problem.n, threads = (size_t)colony->common.params.threads;
    const size_t slot = (n + 31) / 32 * 32; /* elements per thread: whole cache lines */
    colony->ants = ab_allocate(memory, threads, sizeof *colony->ants);
    float *unvisited = ab_allocate(memory, threads * slot, sizeof *unvisited);
    char *walkers = ab_allocate(memory, threads, walker_bytes(n));
    char *rooms = ab_allocate(memory, threads, fall_back_bytes(n));
    for (size_t t = 0; t < threads && !memory->failed; t++) {
        colony->ants[t].unvisited = unvisited + t * slot;
        walker_settle(&colony->ants[t].walker, walkers + t * walker_bytes(n), n);
        fall_back_settle(&colony->ants[t].room, rooms + t * fall_back_bytes(n), n);
    }
}

static ab_status allocate(cpu_best_colony *colony)
{
    ab_memory *memory = &colony->common.memory;
    const size_t n = (size_t)colony->common.problem.n;
    const size_t stride = colony->trails.stride;
    colony->n_nodes = (stride / NODE + LANES - 1) / LANES * LANES;
    colony->tail = ab_allocate(memory, n * stride, sizeof(float));
    colony->leaf_prefix = ab_allocate(memory, n * stride / LANES, sizeof(float));
    colony->node_prefix = ab_allocate(memory, n * colony->n_nodes, sizeof(float));
    colony->heads = ab_allocate(memory, n, sizeof *colony->heads);
    allocate_ants(colony);
    return ab_memory_status(memory);
}

static const ab_work_methods work_methods = {
    .n_stages = AS_STAGES,
    .stage_names = {"choice", "construct", "update"},
    .run_stage = run_stage,
    .close = cpu_colony_close,
};

static ab_status prepare(trails *opened)
{
    cpu_best_colony *colony = (cpu_best_colony *)opened;
    const as_problem *problem = &opened->common.problem;
    AB_TRY(allocate(colony));
    for (size_t i = 0; i < (size_t)problem->n; i++) trails_nearest(&colony->trails, i, HEAD, colony->heads[i].city);
    return ab_ok();
}

ab_status cpu_best(const as_problem *problem, const as_params *params, as_colony **colony)
{
    static const trails_kind kind = {&work_methods, sizeof(cpu_best_colony), NODE, prepare};
    return trails_open(&kind, problem, params, colony);
}
