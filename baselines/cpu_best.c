/* tsp/cpu-best: the fastest exact Ant System we can write for a CPU; threads over ants.
 *
 * The weights of a row i are split into the HEAD nearest cities of i, kept together, and the tail, all others. An ant
 * at i adds up the unvisited head cities, H, by vector, and draws from [0, H + T), where T is the weight of the whole
 * tail, VISITED CITIES INCLUDED, which is the same for all ants and computed once per iteration. A draw below H names a
 * head city. Any other proposes a tail city by descending a tree of partial sums, three cache lines deep; if the ant
 * has been there, the draw is thrown away and repeated. After MAX_PROPOSALS of them, or when few would be kept, the
 * remaining cities are added up one by one. So a step reads a few cache lines where a scan of the row reads hundreds.
 *
 * Why this is exact: one draw yields an unvisited city j with probability w_j / (H + T), whether j is in the head or
 * the tail, and is thrown away otherwise; so, given that it is kept, it yields j with probability w_j / W, W the weight
 * of all unvisited cities, which is the random proportional rule. Draws are independent, so how many were thrown away
 * before says nothing about the one that is kept. The fall-back draws from w_j / W directly, and whether it is reached
 * depends only on draws thrown away. Where rounding points at a city without weight the draw is thrown away too.
 * tests/test_baselines.c tests it by chi-square.
 */
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "baselines/cpu_colony.h"
#include "baselines/lanes.h"
#include "baselines/trails.h"
#include "kernels/registered.h"

enum {
    HEAD = LANES,       /* cities in the head: one vector */
    NODE = 256,         /* cities per node of the tree: LANES leaves */
    MAX_PROPOSALS = 16, /* draws before the fall-back */
    MIN_ACCEPTED = 16,  /* one draw in so many must be kept, or the fall-back is cheaper */
};

/* The head of a row: the weights are refreshed in every choice stage. */
typedef struct head {
    float weight[HEAD];  /* pheromone^alpha * eta^beta */
    uint16_t city[HEAD]; /* nearest first; an instance of fewer cities fills up with the row's own, which weighs 0 */
} __attribute__((aligned(64))) head;

typedef struct cpu_best_colony {
    union {
        cpu_colony common; /* first */
        trails trails;     /* rows are a multiple of NODE long */
    };
    size_t n_nodes;         /* stride / NODE, rounded up to a multiple of LANES */
    float *tail;            /* [n][stride]: pheromone^alpha * heuristic, 0 for the head and the diagonal */
    float *leaf_prefix;     /* [n][stride / LANES]: weight of the tail from the node's begin to the leaf's end */
    float *node_prefix;     /* [n][n_nodes]: weight of the tail from the row's begin to the node's end */
    float *tail_total;      /* [n] */
    head *heads;            /* [n] */
    struct ant_state *ants; /* [threads] */
} cpu_best_colony;

/* An ant under way; one per thread. */
typedef struct ant_state {
    uint64_t random;           /* state of SplitMix64 */
    bool *visited;             /* [n] */
    float *unvisited;          /* [n]: 1, and 0 where visited */
    uint16_t *remaining;       /* [n_remaining]: a superset of the unvisited cities, ascending */
    int n_remaining;           /* shrinks when remaining is scanned */
    int n_unvisited;           /* cities */
    uint16_t *candidate;       /* [n + HEAD]: scratch of the fall-back: cities */
    float *candidate_weight;   /* [n + HEAD]: and their weights */
    int64_t zero_weight_steps; /* of this tour */
} __attribute__((aligned(128))) ant_state;

/* ---- Construct: one step ---- */

/* In [0, 1). */
INLINE double next_random(ant_state *ant)
{
    return random_unit(&ant->random);
}

/* The tail city of row i at which the partial sums pass x, visited or not; -1 where rounding leads past the end or to a
 * city without weight. */
INLINE int propose_tail(const cpu_best_colony *colony, size_t i, float x)
{
    const float *node_prefix = colony->node_prefix + i * colony->n_nodes;
    size_t node = 0;
    for (size_t k = 0; k < colony->n_nodes; k += LANES)
        node += (size_t)count_at_most((const lanes *)(node_prefix + k), x);
    if (node >= colony->trails.stride / NODE) return -1;
    if (node > 0) x -= node_prefix[node - 1];

    const float *leaf_prefix = colony->leaf_prefix + (i * colony->trails.stride + node * NODE) / LANES;
    const size_t leaf = (size_t)count_at_most((const lanes *)leaf_prefix, x);
    if (leaf >= LANES) return -1;
    if (leaf > 0) x -= leaf_prefix[leaf - 1];

    const size_t first = node * NODE + leaf * LANES;
    const float *weight = colony->tail + i * colony->trails.stride + first;
    lanes sums = *(const lanes *)weight;
    prefix_sums(&sums);
    const size_t k = (size_t)count_at_most(&sums, x);
    return k < LANES && weight[k] > 0.0f ? (int)(first + k) : -1;
}

/* Adds up the unvisited cities one by one: candidates and their weights, the head's first. Returns how many. */
static int collect_candidates(const cpu_best_colony *colony, size_t i, ant_state *ant)
{
    const head *nearest = &colony->heads[i];
    const float *tail = colony->tail + i * colony->trails.stride;
    int count = 0, left = 0;
    for (int k = 0; k < HEAD; k++) {
        if (ant->visited[nearest->city[k]]) continue;
        ant->candidate[count] = nearest->city[k];
        ant->candidate_weight[count++] = nearest->weight[k];
    }
    for (int k = 0; k < ant->n_remaining; k++) {
        const uint16_t city = ant->remaining[k];
        ant->remaining[left] = city;
        ant->candidate[count + left] = city;
        ant->candidate_weight[count + left] = tail[city];
        left += !ant->visited[city];
    }
    ant->n_remaining = left;
    return count + left;
}

/* The fall-back: the roulette over all unvisited cities, one by one. */
static int choose_by_scan(const cpu_best_colony *colony, size_t i, ant_state *ant)
{
    const int count = collect_candidates(colony, i, ant);
    double total = 0.0, sum = 0.0;
    for (int k = 0; k < count; k++) total += ant->candidate_weight[k];
    if (!(total > 0.0)) {
        ant->zero_weight_steps++;
        return as_nearest_unvisited(&colony->common.problem, (int)i, ant->visited);
    }
    const double r = next_random(ant) * total;
    int city = -1;
    for (int k = 0; k < count; k++) {
        if (!(ant->candidate_weight[k] > 0.0f)) continue;
        city = ant->candidate[k];
        sum += ant->candidate_weight[k];
        if (sum > r) break;
    }
    return city;
}

/* Partial sums over the head of row i, visited cities counting 0. */
INLINE void sum_head(const head *nearest, const float *unvisited, lanes *sums)
{
    for (int k = 0; k < HEAD; k++) (*sums)[k] = nearest->weight[k] * unvisited[nearest->city[k]];
    prefix_sums(sums);
}

/* How many draws to make before the fall-back. Estimates the share of draws that are kept as if visited cities were
 * spread evenly over the tail. */
INLINE int allowed_proposals(const cpu_best_colony *colony, const ant_state *ant, double head_sum, double tail_total)
{
    const double unvisited_tail = tail_total * ant->n_unvisited / colony->common.problem.n;
    return head_sum + unvisited_tail > (head_sum + tail_total) / MIN_ACCEPTED ? MAX_PROPOSALS : 0;
}

INLINE int choose_next(const cpu_best_colony *colony, size_t i, ant_state *ant)
{
    const head *nearest = &colony->heads[i];
    lanes sums;
    sum_head(nearest, ant->unvisited, &sums);
    const double head_sum = (double)sums[HEAD - 1], tail_total = (double)colony->tail_total[i];
    for (int left = allowed_proposals(colony, ant, head_sum, tail_total); left > 0; left--) {
        const double r = next_random(ant) * (head_sum + tail_total);
        if (r < head_sum) {
            const int k = count_at_most(&sums, (float)r);
            if (k < HEAD && nearest->weight[k] * ant->unvisited[nearest->city[k]] > 0.0f) return nearest->city[k];
        } else {
            const int city = propose_tail(colony, i, (float)(r - head_sum));
            if (city >= 0 && !ant->visited[city]) return city;
        }
    }
    return choose_by_scan(colony, i, ant);
}

/* ---- Construct: tours ---- */

INLINE void visit(ant_state *ant, size_t city)
{
    ant->visited[city] = true;
    ant->unvisited[city] = 0.0f;
    ant->n_unvisited--;
}

static void begin_tour(const cpu_best_colony *colony, ant_state *ant, uint64_t stream)
{
    const int n = colony->common.problem.n;
    ant->random = stream;
    ant->zero_weight_steps = 0;
    ant->n_remaining = ant->n_unvisited = n;
    for (int j = 0; j < n; j++) {
        ant->visited[j] = false;
        ant->unvisited[j] = 1.0f;
        ant->remaining[j] = (uint16_t)j;
    }
}

CPU_MULTIVERSION static int64_t build_tour(const cpu_best_colony *colony, ant_state *ant, int32_t *tour)
{
    const size_t n = (size_t)colony->common.problem.n;
    const int32_t *dist = colony->common.problem.dist;
    size_t city = (size_t)(next_random(ant) * (double)n);
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
        zero_weight_steps += ant->zero_weight_steps;
    }
    common->zero_weight_steps += zero_weight_steps;
    cpu_colony_keep_best(common);
}

/* ---- Choice ---- */

static void move_head(const cpu_best_colony *colony, size_t i)
{
    head *nearest = &colony->heads[i];
    float *tail = colony->tail + i * colony->trails.stride;
    for (int k = 0; k < HEAD; k++) {
        nearest->weight[k] = tail[nearest->city[k]];
        tail[nearest->city[k]] = 0.0f;
    }
}

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
    colony->tail_total[i] = total;
}

static void compute_choice(const cpu_best_colony *colony)
{
    const size_t n = (size_t)colony->common.problem.n;
#pragma omp parallel for num_threads(colony->common.params.threads) schedule(static)
    for (size_t i = 0; i < n; i++) {
        trails_weigh(&colony->trails, i, colony->tail + i * colony->trails.stride);
        move_head(colony, i);
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
    const size_t slot = (n + HEAD + 63) / 64 * 64; /* elements per thread: whole cache lines */
    colony->ants = ab_allocate(memory, threads, sizeof *colony->ants);
    bool *visited = ab_allocate(memory, threads * slot, sizeof *visited);
    float *unvisited = ab_allocate(memory, threads * slot, sizeof *unvisited);
    uint16_t *remaining = ab_allocate(memory, threads * slot, sizeof *remaining);
    uint16_t *candidate = ab_allocate(memory, threads * slot, sizeof *candidate);
    float *candidate_weight = ab_allocate(memory, threads * slot, sizeof *candidate_weight);
    for (size_t t = 0; t < threads && !memory->failed; t++) {
        colony->ants[t] = (ant_state){
            .visited = visited + t * slot,
            .unvisited = unvisited + t * slot,
            .remaining = remaining + t * slot,
            .candidate = candidate + t * slot,
            .candidate_weight = candidate_weight + t * slot,
        };
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
    colony->tail_total = ab_allocate(memory, n, sizeof(float));
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

static ab_status prepare(cpu_best_colony *colony, const as_problem *problem, const as_params *params)
{
    AB_TRY(trails_init(&colony->trails, problem, params, NODE));
    AB_TRY(allocate(colony));
    for (size_t i = 0; i < (size_t)problem->n; i++) trails_nearest(&colony->trails, i, HEAD, colony->heads[i].city);
    return ab_ok();
}

ab_status cpu_best(const as_problem *problem, const as_params *params, as_colony **colony)
{
    cpu_best_colony *opened = calloc(1, sizeof *opened);
    if (opened == NULL) return ab_failed("out of memory");
    opened->common.colony = (as_colony){.work = {.methods = &work_methods}, .methods = &trails_methods};
    const ab_status status = prepare(opened, problem, params);
    if (status.code == AB_OK)
        *colony = &opened->common.colony;
    else
        cpu_colony_close(&opened->common.colony.work);
    return status;
}
