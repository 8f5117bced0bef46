/* tsp/cpu-rejection: exact Ant System on a CPU, a few cache lines a step; threads over ants. cpu-blocks is faster on large
 * instances.
 *
 * The weights of a row i are split into the HEAD nearest cities of i, kept together, and the tail, all others. An ant
 * at i adds up the unvisited head cities, H, by vector, and draws from [0, H + T). T is the weight of the whole tail,
 * VISITED CITIES INCLUDED: it is the same for all ants and computed once per iteration. A draw below H names a head
 * city. Any other proposes a tail city, found by descending a tree of partial sums, three cache lines deep. If the ant
 * has been there, the draw is thrown away and repeated. After many of them, or when few would be kept, the remaining
 * cities are added up one by one. It is faster than a scan of the row, which reads hundreds of cache lines.
 *
 * Floor: a few cache lines per step. Why it is exact: choose_next.
 * Source: this project.
 */
#include <string.h>

#include "base/random.h"
#include "baselines/lanes.h"
#include "baselines/trails.h"
#include "operations/tsp.h"

tsp_open cpu_rejection;

enum {
    HEAD = LANES,       /* cities in the head: one vector */
    NODE = 256,         /* cities per node of the tree: LANES leaves */
    MAX_PROPOSALS = 16, /* draws before the fall-back */
    MIN_ACCEPTED = 16,  /* one draw in so many must be kept, or the fall-back is cheaper */
};

/* The head of a row, and the weight of the rest; refreshed in every choice stage. */
typedef struct head {
    float weight[HEAD];  /* pheromone^alpha * eta^beta */
    uint16_t city[HEAD]; /* nearest first; an instance of fewer cities fills up with the row's own, which weighs 0 */
    float tail_total;    /* weight of all other cities */
} __attribute__((aligned(128))) head;

/* An ant under way; one per thread. */
typedef struct ant_state {
    uint64_t random;           /* state of SplitMix64 */
    uint32_t *visited;         /* [n / 32, rounded up]: a bit a city */
    float *unvisited;          /* [n]: 1, and 0 where visited */
    int n_unvisited;           /* cities */
    uint16_t *remaining;       /* [n]: from the first fall-back on a superset of the unvisited cities, ascending */
    int n_remaining;           /* shrinks with each fall-back; 0 before the first */
    int64_t zero_weight_steps; /* number of such steps in this tour */
    double *sum;               /* [n + HEAD + 1]: of the fall-back: partial sums of the unvisited cities' weights */
    uint16_t *candidate;       /* [n + HEAD + 1]: and the cities */
    bool *flags;               /* [n]: visited, for the all-zero rule */
} __attribute__((aligned(128))) ant_state;

typedef struct cpu_rejection_colony {
    union {
        cpu_colony common; /* first */
        trails trails;     /* rows are a multiple of NODE long */
    };
    size_t n_nodes;     /* stride / NODE, rounded up to a multiple of LANES */
    float *tail;        /* [n][stride]: pheromone^alpha * heuristic, 0 for the head and the diagonal */
    float *leaf_prefix; /* [n][stride / LANES]: weight of the tail from the node's begin to the leaf's end */
    float *node_prefix; /* [n][n_nodes]: weight of the tail from the row's begin to the node's end */
    head *heads;        /* [n] */
    ant_state *ants;    /* [threads] */
} cpu_rejection_colony;

INLINE bool has_been(const ant_state *ant, size_t city)
{
    return ant->visited[city / 32] >> city % 32 & 1;
}

static size_t words(size_t n)
{
    return (n + 31) / 32;
}

/* ---- Construct: the fall-back, a roulette over all unvisited cities, one by one ---- */

static void list_unvisited(ant_state *ant, size_t n)
{
    for (size_t city = 0; city < n; city++) {
        ant->remaining[ant->n_remaining] = (uint16_t)city;
        ant->n_remaining += !has_been(ant, city);
    }
}

/* Unvisited cities and the partial sums of their weights, the head's first. Returns how many. */
INLINE int add_up(ant_state *ant, const head *nearest, const float *tail)
{
    int count = 0, left = 0;
    double sum = 0.0;
    for (int k = 0; k < HEAD; k++) {
        if (has_been(ant, nearest->city[k])) continue;
        ant->candidate[count] = nearest->city[k];
        ant->sum[count++] = sum += (double)nearest->weight[k];
    }
    for (int k = 0; k < ant->n_remaining; k++) { /* a sum is written before it is known whether it counts */
        const uint16_t city = ant->remaining[k];
        const int unvisited = !has_been(ant, city);
        ant->remaining[left] = city;
        left += unvisited;
        ant->candidate[count] = city;
        ant->sum[count] = sum += unvisited ? (double)tail[city] : 0.0;
        count += unvisited;
    }
    ant->n_remaining = left;
    return count;
}

CPU_MULTIVERSION static size_t choose_by_scan(const cpu_rejection_colony *colony, size_t i, ant_state *ant)
{
    const tsp_problem *problem = &colony->common.problem;
    const size_t n = (size_t)problem->n;
    if (ant->n_remaining == 0) list_unvisited(ant, n);
    const int count = add_up(ant, &colony->heads[i], colony->tail + i * colony->trails.stride);
    const double total = ant->sum[count - 1];
    if (!(total > 0.0)) {
        ant->zero_weight_steps++;
        for (size_t city = 0; city < n; city++) ant->flags[city] = has_been(ant, city);
        return (size_t)tsp_nearest_unvisited(problem, (int)i, ant->flags);
    }
    const double r = random_unit(&ant->random) * total; /* below total, whatever the rounding */
    int k = 0;
    for (int c = 0; c < count; c++) k += ant->sum[c] <= r;
    return ant->candidate[k];
}

/* ---- Construct: one step ---- */

/* The tail city of row i at which the partial sums pass x, visited or not; -1 where rounding leads past the end or
 * to a city without weight. */
INLINE int propose_tail(const cpu_rejection_colony *colony, size_t i, float x)
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

/* Whether so many draws are kept that the fall-back is dearer, estimated as if visited cities were spread evenly over
 * the tail. */
INLINE bool draws_are_worthwhile(double head_sum, double tail_total, double unvisited_share)
{
    return (head_sum + tail_total * unvisited_share) * MIN_ACCEPTED > head_sum + tail_total;
}

/* Why this is exact: one draw yields an unvisited city j with probability w_j / (H + T), whether j is in the head or
 * the tail. Otherwise the draw is thrown away. So a kept draw yields j with probability w_j / W, where W is the
 * weight of all unvisited cities: the random proportional rule. Draws are independent, so the number of draws thrown
 * away says nothing about the kept one. The fall-back draws from w_j / W directly, and whether it is reached depends
 * only on draws thrown away. If rounding points at a city without weight, the draw is thrown away too.
 * tests/baselines/test_baselines.c tests it by chi-square. */
INLINE size_t choose_next(const cpu_rejection_colony *colony, size_t i, ant_state *ant)
{
    const head *nearest = &colony->heads[i];
    lanes sums;
    sum_head(nearest, ant->unvisited, &sums);
    const double head_sum = (double)sums[HEAD - 1], tail_total = (double)nearest->tail_total;
    const double unvisited_share = (double)ant->n_unvisited / colony->common.problem.n;
    const bool worthwhile = draws_are_worthwhile(head_sum, tail_total, unvisited_share);
    for (int left = worthwhile ? MAX_PROPOSALS : 0; left > 0; left--) {
        const double r = random_unit(&ant->random) * (head_sum + tail_total);
        if (r < head_sum) {
            const int k = count_at_most((const float *)&sums, (float)r);
            if (k < HEAD && nearest->weight[k] * ant->unvisited[nearest->city[k]] > 0.0f) return nearest->city[k];
        } else {
            const int city = propose_tail(colony, i, (float)(r - head_sum));
            if (city >= 0 && !has_been(ant, (size_t)city)) return (size_t)city;
        }
    }
    return choose_by_scan(colony, i, ant);
}

/* ---- Construct: tours ---- */

INLINE void visit(ant_state *ant, size_t city)
{
    ant->visited[city / 32] |= UINT32_C(1) << city % 32;
    ant->unvisited[city] = 0.0f;
    ant->n_unvisited--;
}

static void begin_tour(ant_state *ant, size_t n, uint64_t stream)
{
    ant->random = stream;
    ant->n_unvisited = (int)n;
    ant->n_remaining = 0;
    ant->zero_weight_steps = 0;
    memset(ant->visited, 0, words(n) * sizeof *ant->visited);
    for (size_t j = 0; j < n; j++) ant->unvisited[j] = 1.0f;
}

CPU_MULTIVERSION static void walk(const cpu_rejection_colony *colony, ant_state *ant, int32_t *tour)
{
    const size_t n = (size_t)colony->common.problem.n;
    size_t city = (size_t)(random_unit(&ant->random) * (double)n);
    tour[0] = (int32_t)city;
    visit(ant, city);
    for (size_t step = 1; step < n; step++) {
        const size_t next = choose_next(colony, city, ant);
        visit(ant, next);
        __builtin_prefetch(&colony->common.problem.dist[city * n + next]);
        tour[step] = (int32_t)next;
        city = next;
    }
}

static int64_t build_tour(cpu_colony *common, int thread, int number, int count)
{
    (void)count; /* one by one */
    const cpu_rejection_colony *colony = (const cpu_rejection_colony *)common;
    ant_state *ant = &colony->ants[thread];
    begin_tour(ant, (size_t)common->problem.n, cpu_colony_stream(common, number));
    walk(colony, ant, cpu_colony_tour(common, number));
    return ant->zero_weight_steps;
}

/* ---- Choice ---- */

CPU_MULTIVERSION static void sum_tail(const cpu_rejection_colony *colony, size_t i)
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

/* Moves the head's weights out of the tail. */
static void split_head(head *nearest, float *tail)
{
    for (int k = 0; k < HEAD; k++) {
        nearest->weight[k] = tail[nearest->city[k]];
        tail[nearest->city[k]] = 0.0f;
    }
}

static void compute_choice(const trails *weighed)
{
    const cpu_rejection_colony *colony = (const cpu_rejection_colony *)weighed;
    const size_t n = (size_t)colony->common.problem.n;
#pragma omp parallel for num_threads(colony->common.params.threads) schedule(static)
    for (size_t i = 0; i < n; i++) {
        trails_weigh(&colony->trails, i, colony->tail + i * colony->trails.stride);
        split_head(&colony->heads[i], colony->tail + i * colony->trails.stride);
        sum_tail(colony, i);
    }
}

/* ---- The colony ---- */

static void allocate_ants(cpu_rejection_colony *colony)
{
    ab_memory *memory = &colony->common.memory;
    const size_t n = (size_t)colony->common.problem.n, threads = (size_t)colony->common.params.threads;
    const size_t slot = (n + HEAD + 1 + 127) / 128 * 128; /* elements per thread: whole cache lines */
    colony->ants = ab_allocate(memory, threads, sizeof *colony->ants);
    uint32_t *visited = ab_allocate(memory, threads * slot, sizeof *visited);
    float *unvisited = ab_allocate(memory, threads * slot, sizeof *unvisited);
    uint16_t *remaining = ab_allocate(memory, threads * slot, sizeof *remaining);
    double *sum = ab_allocate(memory, threads * slot, sizeof *sum);
    uint16_t *candidate = ab_allocate(memory, threads * slot, sizeof *candidate);
    bool *flags = ab_allocate(memory, threads * slot, sizeof *flags);
    for (size_t t = 0; t < threads && !memory->failed; t++)
        colony->ants[t] = (ant_state){.visited = visited + t * slot,
                                      .unvisited = unvisited + t * slot,
                                      .remaining = remaining + t * slot,
                                      .sum = sum + t * slot,
                                      .candidate = candidate + t * slot,
                                      .flags = flags + t * slot};
}

static ab_status allocate(cpu_rejection_colony *colony)
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

static ab_status prepare(trails *opened)
{
    cpu_rejection_colony *colony = (cpu_rejection_colony *)opened;
    const tsp_problem *problem = &opened->common.problem;
    AB_TRY(allocate(colony));
    for (size_t i = 0; i < (size_t)problem->n; i++) trails_nearest(&colony->trails, i, HEAD, colony->heads[i].city);
    return ab_ok();
}

ab_status cpu_rejection(const tsp_problem *problem, const tsp_params *params, tsp_colony **colony)
{
    static const trails_kind kind = {.bytes = sizeof(cpu_rejection_colony),
                                     .granule = NODE,
                                     .prepare = prepare,
                                     .choose = compute_choice,
                                     .build = build_tour,
                                     .side_by_side = 1};
    return trails_open(&kind, problem, params, colony);
}
