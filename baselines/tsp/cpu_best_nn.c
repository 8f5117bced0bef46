/* tsp/cpu-best-nn: the fastest Ant System with candidate sets we can write for a CPU; threads over ants.
 *
 * How it differs from acotsp-seq-nn: float; the candidates' weights are added up and the random number located by
 * vectors of 16, without a branch; a thread builds the tours of SIDE_BY_SIDE ants in turns of a step each, because a
 * step is a chain of dependent instructions and the processor fills the gaps of one ant's with another's.
 * choice_info is never stored: kept are the candidates' and the largest in every block of 16 cities of a row. A step
 * whose candidates are exhausted goes along these block maxima and multiplies out only blocks that have an unvisited
 * city and could beat the best so far. Where rounding points at a city without weight the draw is repeated.
 */
#include <string.h>

#include "base/random.h"
#include "baselines/lanes.h"
#include "baselines/trails.h"
#include "operations/tsp.h"

tsp_open cpu_best_nn;

enum {
    MAX_CANDIDATES = 64,                  /* per city */
    MAX_VECTORS = MAX_CANDIDATES / LANES, /* per candidate set */
    SIDE_BY_SIDE = 4                      /* ants that a thread advances in turns */
};

/* Sixteen candidates of a city. */
typedef struct candidates {
    float weight[LANES]; /* pheromone^alpha * eta^beta, refreshed in every choice stage; 0 where the set has ended */
    int32_t city[LANES]; /* nearest first; the row's own where the set has ended */
} __attribute__((aligned(64))) candidates;

/* An ant under way. */
typedef struct ant_state {
    uint64_t random;           /* state of SplitMix64 */
    float *unvisited;          /* [stride]: 1, and 0 where visited or beyond n */
    uint8_t *n_unvisited;      /* [stride / LANES]: unvisited cities in the block */
    bool *visited;             /* [n], for the all-zero rule */
    int32_t *tour;             /* [n] */
    int64_t zero_weight_steps; /* of this tour */
} ant_state;

typedef struct cpu_best_nn_colony {
    union {
        cpu_colony common; /* first */
        trails trails;     /* rows are a multiple of LANES long */
    };
    size_t n_vectors;     /* per candidate set */
    candidates *sets;     /* [n][n_vectors] */
    float *block_largest; /* [n][stride / LANES]: the largest choice_info in the block */
    ant_state *ants;      /* [threads][SIDE_BY_SIDE] */
} cpu_best_nn_colony;

/* ---- Construct: one step ---- */

/* In [0, 1). */
INLINE double next_random(ant_state *ant)
{
    return random_unit(&ant->random);
}

/* weights^alpha * eta^beta of the unvisited cities in a block. */
INLINE void weigh_block(const cpu_best_nn_colony *colony, size_t first, const float *unvisited, float *weight)
{
    const float *pheromone = colony->trails.pheromone + first, *heuristic = colony->trails.heuristic + first;
    const double alpha = colony->common.params.alpha;
    if (alpha == 1.0)
        for (size_t k = 0; k < LANES; k++) weight[k] = pheromone[k] * heuristic[k] * unvisited[k];
    else
        for (size_t k = 0; k < LANES; k++) weight[k] = trails_choice(pheromone[k], heuristic[k], alpha) * unvisited[k];
}

INLINE float largest_of(const float *weight)
{
    float lane[LANES / 2];
    for (size_t k = 0; k < LANES / 2; k++)
        lane[k] = weight[k] > weight[k + LANES / 2] ? weight[k] : weight[k + LANES / 2];
    for (size_t width = LANES / 4; width > 0; width /= 2)
        for (size_t k = 0; k < width; k++) lane[k] = lane[k] > lane[k + width] ? lane[k] : lane[k + width];
    return lane[0];
}

/* The unvisited city with the largest choice_info, the first among equals. */
CPU_MULTIVERSION static size_t choose_best_remaining(const cpu_best_nn_colony *colony, size_t i, ant_state *ant)
{
    const size_t stride = colony->trails.stride, n_blocks = stride / LANES;
    const float *block_largest = colony->block_largest + i * n_blocks;
    float largest = 0.0f, weight[LANES];
    size_t best = 0;
    for (size_t b = 0; b < n_blocks; b++) {
        if (ant->n_unvisited[b] == 0 || block_largest[b] <= largest) continue;
        weigh_block(colony, i * stride + b * LANES, ant->unvisited + b * LANES, weight);
        const float here = largest_of(weight);
        if (here <= largest) continue;
        largest = here;
        best = b * LANES;
        for (size_t k = 0; weight[k] < here; k++) best++;
    }
    if (largest > 0.0f) return best;
    ant->zero_weight_steps++;
    return (size_t)as_nearest_unvisited(&colony->common.problem, (int)i, ant->visited);
}

/* Partial sums over the candidates of city i, visited ones counting 0. */
INLINE float sum_candidates(const candidates *set, size_t n_vectors, const float *unvisited, lanes *sums)
{
    float before = 0.0f;
    for (size_t v = 0; v < n_vectors; v++) {
        for (size_t k = 0; k < LANES; k++) sums[v][k] = set[v].weight[k] * unvisited[set[v].city[k]];
        prefix_sums(&sums[v]);
        sums[v] += before;
        before = sums[v][LANES - 1];
    }
    return before;
}

INLINE size_t choose_next(const cpu_best_nn_colony *colony, size_t i, size_t n_vectors, ant_state *ant)
{
    const candidates *set = colony->sets + i * n_vectors;
    lanes sums[MAX_VECTORS];
    const double total = (double)sum_candidates(set, n_vectors, ant->unvisited, sums);
    while (total > 0.0) {
        const float r = (float)(next_random(ant) * total);
        size_t k = 0;
        for (size_t v = 0; v < n_vectors; v++) k += (size_t)count_at_most((const float *)&sums[v], r);
        if (k == n_vectors * LANES) continue;
        const size_t city = (size_t)set[k / LANES].city[k % LANES];
        if (set[k / LANES].weight[k % LANES] * ant->unvisited[city] > 0.0f) return city;
    }
    return choose_best_remaining(colony, i, ant);
}

/* ---- Construct: tours ---- */

INLINE void visit(ant_state *ant, size_t step, size_t city)
{
    ant->tour[step] = (int32_t)city;
    ant->visited[city] = true;
    ant->unvisited[city] = 0.0f;
    ant->n_unvisited[city / LANES]--;
}

static void begin_tour(const cpu_best_nn_colony *colony, ant_state *ant, int number)
{
    const size_t n = (size_t)colony->common.problem.n;
    ant->random = cpu_colony_stream(&colony->common, number);
    ant->tour = cpu_colony_tour(&colony->common, number);
    ant->zero_weight_steps = 0;
    memset(ant->visited, 0, n * sizeof *ant->visited);
    memset(ant->n_unvisited, LANES, colony->trails.stride / LANES);
    ant->n_unvisited[n / LANES] = n % LANES; /* where the last block is full, this lies behind it */
    for (size_t j = 0; j < n; j++) ant->unvisited[j] = 1.0f;
    visit(ant, 0, (size_t)(next_random(ant) * (double)n));
}

INLINE void advance(const cpu_best_nn_colony *colony, size_t n_vectors, ant_state *ants, int count)
{
    const size_t n = (size_t)colony->common.problem.n;
    for (size_t step = 1; step < n; step++)
        for (int a = 0; a < count; a++)
            visit(&ants[a], step, choose_next(colony, (size_t)ants[a].tour[step - 1], n_vectors, &ants[a]));
}

/* The usual sizes of a candidate set get loops of known length. */
CPU_MULTIVERSION static void walk(const cpu_best_nn_colony *colony, ant_state *ants, int count)
{
    if (colony->n_vectors == 2)
        advance(colony, 2, ants, count);
    else
        advance(colony, colony->n_vectors, ants, count);
}

static int64_t build_tours(cpu_colony *common, int thread, int first, int count)
{
    const cpu_best_nn_colony *colony = (const cpu_best_nn_colony *)common;
    ant_state *ants = &colony->ants[thread * SIDE_BY_SIDE];
    int64_t zero_weight_steps = 0;
    for (int a = 0; a < count; a++) begin_tour(colony, &ants[a], first + a);
    walk(colony, ants, count);
    for (int a = 0; a < count; a++) zero_weight_steps += ants[a].zero_weight_steps;
    return zero_weight_steps;
}

/* ---- Choice ---- */

CPU_MULTIVERSION static void find_block_maxima(const cpu_best_nn_colony *colony, size_t i)
{
    static const float everywhere[LANES] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    const size_t stride = colony->trails.stride;
    float *block_largest = colony->block_largest + i * stride / LANES;
    for (size_t b = 0; b < stride / LANES; b++) {
        float weight[LANES];
        weigh_block(colony, i * stride + b * LANES, everywhere, weight);
        block_largest[b] = largest_of(weight);
    }
}

static void weigh_candidates(const cpu_best_nn_colony *colony, size_t i)
{
    const float *pheromone = colony->trails.pheromone + i * colony->trails.stride;
    const float *heuristic = colony->trails.heuristic + i * colony->trails.stride;
    const double alpha = colony->common.params.alpha;
    candidates *set = colony->sets + i * colony->n_vectors;
    for (size_t v = 0; v < colony->n_vectors; v++)
        for (size_t k = 0; k < LANES; k++) {
            const int32_t city = set[v].city[k]; /* beyond the set's end the row's own, whose heuristic is 0 */
            set[v].weight[k] = trails_choice(pheromone[city], heuristic[city], alpha);
        }
}

static void compute_choice(const cpu_best_nn_colony *colony)
{
    const size_t n = (size_t)colony->common.problem.n;
#pragma omp parallel for num_threads(colony->common.params.threads) schedule(static)
    for (size_t i = 0; i < n; i++) {
        find_block_maxima(colony, i);
        weigh_candidates(colony, i);
    }
}

/* ---- The colony ---- */

static ab_status run_stage(ab_work *work, int stage)
{
    cpu_best_nn_colony *colony = (cpu_best_nn_colony *)work;
    if (stage == AS_CHOICE) compute_choice(colony);
    if (stage == AS_CONSTRUCT) cpu_colony_construct(&colony->common, SIDE_BY_SIDE, build_tours);
    if (stage == AS_UPDATE) trails_update(&colony->trails);
    return ab_ok();
}

static void allocate_ants(cpu_best_nn_colony *colony)
{
    ab_memory *memory = &colony->common.memory;
    const size_t count = (size_t)colony->common.params.threads * SIDE_BY_SIDE;
    const size_t slot = (colony->trails.stride + 127) / 128 * 128 + 128; /* per ant: cache lines of its own */
    colony->ants = ab_allocate(memory, count, sizeof *colony->ants);
    float *unvisited = ab_allocate(memory, count * slot, sizeof *unvisited);
    uint8_t *n_unvisited = ab_allocate(memory, count * slot, sizeof *n_unvisited);
    bool *visited = ab_allocate(memory, count * slot, sizeof *visited);
    for (size_t a = 0; a < count && !memory->failed; a++)
        colony->ants[a] = (ant_state){
            .unvisited = unvisited + a * slot, .n_unvisited = n_unvisited + a * slot, .visited = visited + a * slot};
}

static void fill_sets(cpu_best_nn_colony *colony)
{
    const as_problem *problem = &colony->common.problem;
    const size_t nn = (size_t)problem->nn, size = colony->n_vectors * LANES;
    for (size_t i = 0; i < (size_t)problem->n; i++)
        for (size_t k = 0; k < size; k++)
            colony->sets[i * colony->n_vectors + k / LANES].city[k % LANES] =
                k < nn ? problem->nn_list[i * nn + k] : (int32_t)i;
}

static ab_status prepare(trails *opened)
{
    cpu_best_nn_colony *colony = (cpu_best_nn_colony *)opened;
    const as_problem *problem = &opened->common.problem;
    AB_TRY(as_check_candidates(problem));
    if (problem->nn > MAX_CANDIDATES)
        return ab_unsupported("needs nn <= %d, nn is %d", (int)MAX_CANDIDATES, problem->nn);
    ab_memory *memory = &colony->common.memory;
    const size_t n = (size_t)problem->n;
    colony->n_vectors = ((size_t)problem->nn + LANES - 1) / LANES;
    colony->sets = ab_allocate(memory, n * colony->n_vectors, sizeof *colony->sets);
    colony->block_largest = ab_allocate(memory, n * colony->trails.stride / LANES, sizeof(float));
    allocate_ants(colony);
    AB_TRY(ab_memory_status(memory));
    fill_sets(colony);
    return ab_ok();
}

static const ab_work_methods work_methods = {
    .n_stages = AS_STAGES,
    .stage_names = {"choice", "construct", "update"},
    .run_stage = run_stage,
    .close = cpu_colony_close,
};

ab_status cpu_best_nn(const as_problem *problem, const as_params *params, as_colony **colony)
{
    static const trails_kind kind = {&work_methods, sizeof(cpu_best_nn_colony), LANES, NULL, prepare};
    return trails_open(&kind, problem, params, colony);
}
