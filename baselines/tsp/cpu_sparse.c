/* tsp/cpu-sparse: Ant System with candidate sets for very many cities on a CPU; threads over ants, and over rows.
 *
 * It is the CPU's form of tsp/race-sparse, with the same memory. Distances come from coordinates. Pheromone is stored
 * for the candidate sets and for edges outside of them on which ants have deposited; all others have the background
 * (kernels/tsp/race_sparse.cu says why that is exact). A step adds up vectors of 16 candidates, and a thread has
 * several ants in turns. A city is known by its place along Hilbert's curve, so that rows of near cities lie near each
 * other. Whether a city is left is one bit: 12.5 KB at 100000 cities, which stay in the cache. If the set is exhausted
 * the nearest city is found by leaves (kernels/tsp/steps/leaves.h).
 */
#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "baselines/lanes.h"
#include "baselines/trails.h"
#include "kernels/tsp/steps/leaves.h"
#include "operations/tsp.h"

tsp_open cpu_sparse;

enum {
    MAX_CANDIDATES = 64,                  /* per city */
    MAX_VECTORS = MAX_CANDIDATES / LANES, /* per candidate set */
    SIDE_BY_SIDE = 4,                     /* ants that a thread advances in turns */
    ROWS_PER_UPDATE = 8                   /* number of rows whose links lie in a cache line */
};

/* Sixteen candidates of a city. After the end of the set they are the row's own city, with weights of 0. */
typedef struct candidates {
    float weight[LANES]; /* pheromone^alpha * eta^beta, refreshed in every choice stage */
    int32_t place[LANES];
    float pheromone[LANES];
    float heuristic[LANES]; /* eta^beta over its smallest value */
} __attribute__((aligned(64))) candidates;

typedef struct outside_edge {
    int32_t place;
    float pheromone, heuristic;
} outside_edge;

/* The edges of a city outside of its set on which an ant has ever deposited. */
typedef struct outside {
    outside_edge *edges; /* [capacity], of which there are `count` */
    int32_t count, capacity;
} outside;

/* An ant under way. */
typedef struct ant_state {
    uint64_t random;           /* state of SplitMix64 */
    uint32_t *left;            /* [n_leaves]: a bit for each unvisited city, by place */
    int32_t *tour;             /* [n]: places until it is built, then cities */
    int64_t zero_weight_steps; /* number of such steps in this tour */
} ant_state;

typedef struct cpu_sparse_colony {
    cpu_colony common; /* first */
    tsp_leaves leaves;
    size_t n_vectors; /* per candidate set */
    candidates *sets; /* [n][n_vectors], by place */
    outside *rows;    /* [n], by place */
    ant_state *ants;  /* [threads][SIDE_BY_SIDE] */
    float background; /* pheromone of all edges that are nowhere else */
    double farthest;  /* no two cities are farther apart */
} cpu_sparse_colony;

static float heuristic_of(const cpu_sparse_colony *colony, int32_t distance)
{
    return (float)tsp_power((colony->farthest + 0.1) / (distance + 0.1), colony->common.params.beta);
}

static int32_t distance_of(const cpu_sparse_colony *colony, int32_t from, int32_t to)
{
    return tsp_distance(&colony->common.problem, colony->leaves.city[from], colony->leaves.city[to]);
}

/* ---- Construct: one step ---- */

/* In [0, 1). */
INLINE double next_random(ant_state *ant)
{
    return random_unit(&ant->random);
}

INLINE bool is_left(const ant_state *ant, int32_t place)
{
    return ant->left[(uint32_t)place / LEAF] >> (uint32_t)place % LEAF & 1;
}

INLINE void flip(ant_state *ant, int32_t place)
{
    ant->left[(uint32_t)place / LEAF] ^= UINT32_C(1) << (uint32_t)place % LEAF;
}

/* The best of what has been seen: the largest weight, the lowest city among equals. */
typedef struct best {
    float weight;
    int32_t city;
} best;

static void see(best *found, float weight, int32_t city)
{
    if (weight > found->weight || (weight == found->weight && city < found->city)) *found = (best){weight, city};
}

/* The unvisited city with the largest choice_info: of the edges outside of the set that are known, or the nearest. */
static int32_t choose_best_remaining(const cpu_sparse_colony *colony, int32_t from, ant_state *ant)
{
    const tsp_problem *problem = &colony->common.problem;
    const double alpha = colony->common.params.alpha;
    const outside *row = &colony->rows[from];
    const int city = colony->leaves.city[from];
    const int nearest = tsp_leaves_nearest(problem, &colony->leaves, city, ant->left);
    const float heuristic = heuristic_of(colony, tsp_distance(problem, city, nearest));
    best found = {trails_choice(colony->background, heuristic, alpha), nearest};
    for (int32_t k = 0; k < row->count; k++) {
        const outside_edge *edge = &row->edges[k];
        if (is_left(ant, edge->place))
            see(&found, trails_choice(edge->pheromone, edge->heuristic, alpha), colony->leaves.city[edge->place]);
    }
    if (found.weight > 0.0f) return colony->leaves.place[found.city];
    ant->zero_weight_steps++;
    return colony->leaves.place[nearest];
}

/* Partial sums over the candidates of a row, visited ones counting 0. */
INLINE float sum_candidates(const candidates *set, size_t n_vectors, const uint32_t *left, lanes *sums)
{
    float before = 0.0f;
    for (size_t v = 0; v < n_vectors; v++) {
        for (size_t k = 0; k < LANES; k++) {
            const uint32_t place = (uint32_t)set[v].place[k];
            sums[v][k] = set[v].weight[k] * (float)(int32_t)(left[place / LEAF] >> place % LEAF & 1);
        }
        prefix_sums(&sums[v]);
        sums[v] += before;
        before = sums[v][LANES - 1];
    }
    return before;
}

INLINE int32_t choose_next(const cpu_sparse_colony *colony, int32_t from, size_t n_vectors, ant_state *ant)
{
    const candidates *set = colony->sets + (size_t)from * n_vectors;
    lanes sums[MAX_VECTORS];
    const double total = (double)sum_candidates(set, n_vectors, ant->left, sums);
    while (total > 0.0) {
        const float r = (float)(next_random(ant) * total);
        size_t k = 0;
        for (size_t v = 0; v < n_vectors; v++) k += (size_t)count_at_most((const float *)&sums[v], r);
        if (k == n_vectors * LANES) continue;
        const int32_t place = set[k / LANES].place[k % LANES];
        if (set[k / LANES].weight[k % LANES] > 0.0f && is_left(ant, place)) return place;
    }
    return choose_best_remaining(colony, from, ant);
}

/* ---- Construct: tours ---- */

INLINE void visit(ant_state *ant, int step, int32_t place)
{
    ant->tour[step] = place;
    flip(ant, place);
}

static void begin_tour(const cpu_sparse_colony *colony, ant_state *ant, int number)
{
    const int n = colony->common.problem.n;
    ant->random = cpu_colony_stream(&colony->common, number);
    ant->tour = cpu_colony_tour(&colony->common, number);
    ant->zero_weight_steps = 0;
    tsp_leaves_fill(&colony->leaves, n, ant->left);
    visit(ant, 0, (int32_t)(next_random(ant) * (double)n));
}

INLINE void advance(const cpu_sparse_colony *colony, size_t n_vectors, ant_state *ants, int count)
{
    for (int step = 1; step < colony->common.problem.n; step++)
        for (int a = 0; a < count; a++)
            visit(&ants[a], step, choose_next(colony, ants[a].tour[step - 1], n_vectors, &ants[a]));
}

/* The usual sizes of a candidate set get loops of known length. */
CPU_MULTIVERSION static void walk(const cpu_sparse_colony *colony, ant_state *ants, int count)
{
    if (colony->n_vectors == 2)
        advance(colony, 2, ants, count);
    else
        advance(colony, colony->n_vectors, ants, count);
}

static int64_t build_tours(cpu_colony *common, int thread, int first, int count)
{
    const cpu_sparse_colony *colony = (const cpu_sparse_colony *)common;
    ant_state *ants = &colony->ants[thread * SIDE_BY_SIDE];
    int64_t zero_weight_steps = 0;
    for (int a = 0; a < count; a++) begin_tour(colony, &ants[a], first + a);
    walk(colony, ants, count);
    for (int a = 0; a < count; a++) {
        for (int k = 0; k < common->problem.n; k++) ants[a].tour[k] = colony->leaves.city[ants[a].tour[k]];
        zero_weight_steps += ants[a].zero_weight_steps;
    }
    return zero_weight_steps;
}

/* ---- Choice ---- */

static void compute_choice(const cpu_sparse_colony *colony)
{
    const size_t count = (size_t)colony->common.problem.n * colony->n_vectors;
    const double alpha = colony->common.params.alpha;
#pragma omp parallel for num_threads(colony->common.params.threads) schedule(static)
    for (size_t v = 0; v < count; v++)
        for (size_t k = 0; k < LANES; k++)
            colony->sets[v].weight[k] =
                trails_choice(colony->sets[v].pheromone[k], colony->sets[v].heuristic[k], alpha);
}

/* ---- Update ---- */

/* Pheromone that would leave the normal range of float becomes 0. */
INLINE float evaporated(float pheromone, float keep)
{
    return pheromone < 2.0f * FLT_MIN / keep ? 0.0f : pheromone * keep;
}

static void evaporate_row(cpu_sparse_colony *colony, int32_t row, float keep)
{
    candidates *set = colony->sets + (size_t)row * colony->n_vectors;
    outside *others = &colony->rows[row];
    for (size_t v = 0; v < colony->n_vectors; v++)
        for (size_t k = 0; k < LANES; k++) set[v].pheromone[k] = evaporated(set[v].pheromone[k], keep);
    for (int32_t k = 0; k < others->count; k++)
        others->edges[k].pheromone = evaporated(others->edges[k].pheromone, keep);
}

/* The pheromone of an edge; one outside of the set and of all others so far is added with `fresh`. NULL where there
 * is no memory for it. */
static float *find_edge(cpu_sparse_colony *colony, int32_t row, int32_t to, float fresh)
{
    candidates *set = colony->sets + (size_t)row * colony->n_vectors;
    outside *others = &colony->rows[row];
    for (size_t k = 0; k < colony->n_vectors * LANES; k++)
        if (set[k / LANES].place[k % LANES] == to) return &set[k / LANES].pheromone[k % LANES];
    for (int32_t k = 0; k < others->count; k++)
        if (others->edges[k].place == to) return &others->edges[k].pheromone;
    if (others->count == others->capacity) {
        const int32_t capacity = others->capacity ? 2 * others->capacity : 4;
        outside_edge *grown = realloc(others->edges, (size_t)capacity * sizeof *grown);
        if (grown == NULL) return NULL;
        others->edges = grown;
        others->capacity = capacity;
    }
    outside_edge *added = &others->edges[others->count++];
    *added = (outside_edge){to, fresh, heuristic_of(colony, distance_of(colony, row, to))};
    return &added->pheromone;
}

/* Lays the deposits on the edges of cities first .. end-1, in the order of the ants; false where there is no
 * memory. */
static bool deposit_rows(cpu_sparse_colony *colony, cpu_depositors ants, size_t first, size_t end, float fresh)
{
    const size_t n = (size_t)colony->common.problem.n;
    const int32_t *place = colony->leaves.place;
    for (int ant = ants.first; ant < ants.end; ant++) {
        const float deposit = (float)cpu_colony_deposit(&colony->common, ant);
        const cpu_links *links = colony->common.links + (size_t)ant * n;
        for (size_t i = first; i < end; i++)
            for (int side = 0; side < 2; side++) {
                float *edge = find_edge(colony, place[i], place[side ? links[i].next : links[i].previous], fresh);
                if (edge == NULL) return false;
                *edge += deposit;
            }
    }
    return true;
}

static ab_status update(cpu_sparse_colony *colony)
{
    const size_t n = (size_t)colony->common.problem.n;
    const float keep = (float)(1.0 - colony->common.params.rho), fresh = evaporated(colony->background, keep);
    const cpu_depositors ants = cpu_colony_link_depositors(&colony->common);
    int failed = 0;
#pragma omp parallel for num_threads(colony->common.params.threads) schedule(static) reduction(+ : failed)
    for (size_t first = 0; first < n; first += ROWS_PER_UPDATE) {
        const size_t end = first + ROWS_PER_UPDATE < n ? first + ROWS_PER_UPDATE : n;
        for (size_t i = first; i < end; i++) evaporate_row(colony, colony->leaves.place[i], keep);
        failed += !deposit_rows(colony, ants, first, end, fresh);
    }
    colony->background = fresh;
    return failed ? ab_failed("out of memory for edges outside of the candidate sets") : ab_ok();
}

/* ---- Reading and writing ---- */

static ab_status read_edges(tsp_colony *base, tsp_edges *edges)
{
    const cpu_sparse_colony *colony = (const cpu_sparse_colony *)base;
    const size_t n = (size_t)colony->common.problem.n, most = colony->n_vectors * LANES;
    size_t count = 0, at = 0;
    for (size_t i = 0; i < n; i++) count += most + (size_t)colony->rows[i].count;
    AB_TRY(tsp_edges_allocate(colony->common.problem.n, count, edges));
    edges->background = colony->background;
    for (size_t i = 0; i < n; edges->first[++i] = at) {
        const int32_t row = colony->leaves.place[i];
        const candidates *set = colony->sets + (size_t)row * colony->n_vectors;
        for (size_t k = 0; k < most; k++) {
            if (set[k / LANES].place[k % LANES] == row) continue;
            edges->city[at] = colony->leaves.city[set[k / LANES].place[k % LANES]];
            edges->pheromone[at++] = set[k / LANES].pheromone[k % LANES];
        }
        for (int32_t k = 0; k < colony->rows[row].count; k++) {
            edges->city[at] = colony->leaves.city[colony->rows[row].edges[k].place];
            edges->pheromone[at++] = colony->rows[row].edges[k].pheromone;
        }
    }
    return ab_ok();
}

/* Every edge of the sets has the same pheromone, and no other is known. */
static void reset(cpu_sparse_colony *colony, float pheromone)
{
    const size_t size = colony->n_vectors * LANES;
    for (size_t k = 0; k < (size_t)colony->common.problem.n * size; k++) {
        candidates *set = &colony->sets[k / LANES];
        set->pheromone[k % LANES] = set->heuristic[k % LANES] > 0.0f ? pheromone : 0.0f;
    }
    for (int i = 0; i < colony->common.problem.n; i++) colony->rows[i].count = 0;
    colony->background = pheromone;
}

static ab_status write_edges(tsp_colony *base, const tsp_edges *edges)
{
    cpu_sparse_colony *colony = (cpu_sparse_colony *)base;
    const int32_t *place = colony->leaves.place;
    reset(colony, edges->background);
    for (size_t i = 0; i < (size_t)colony->common.problem.n; i++)
        for (size_t k = edges->first[i]; k < edges->first[i + 1]; k++) {
            float *edge = find_edge(colony, place[i], place[edges->city[k]], edges->background);
            if (edge == NULL) return ab_failed("out of memory for edges outside of the candidate sets");
            *edge = edges->pheromone[k];
        }
    return ab_ok();
}

static ab_status read_pheromone(tsp_colony *base, float *pheromone)
{
    tsp_edges edges = {0};
    const ab_status status = read_edges(base, &edges);
    if (status.code == AB_OK) tsp_edges_spread(&edges, ((const cpu_colony *)base)->problem.n, pheromone);
    tsp_edges_free(&edges);
    return status;
}

static ab_status write_pheromone(tsp_colony *base, const float *pheromone)
{
    tsp_edges edges = {0};
    ab_status status = tsp_edges_gather(pheromone, ((const cpu_colony *)base)->problem.n, &edges);
    if (status.code == AB_OK) status = write_edges(base, &edges);
    tsp_edges_free(&edges);
    return status;
}

/* ---- The colony ---- */

static ab_status run_stage(ab_work *work, int stage)
{
    cpu_sparse_colony *colony = (cpu_sparse_colony *)work;
    if (stage == TSP_CHOICE) compute_choice(colony);
    if (stage == TSP_CONSTRUCT) cpu_colony_construct(&colony->common, SIDE_BY_SIDE, build_tours);
    return stage == TSP_UPDATE ? update(colony) : ab_ok();
}

static void close_colony(ab_work *work)
{
    cpu_sparse_colony *colony = (cpu_sparse_colony *)work;
    if (colony == NULL) return;
    for (int i = 0; colony->rows && i < colony->common.problem.n; i++) free(colony->rows[i].edges);
    tsp_leaves_free(&colony->leaves);
    cpu_colony_close(work);
}

static void allocate_ants(cpu_sparse_colony *colony)
{
    ab_memory *memory = &colony->common.memory;
    const size_t count = (size_t)colony->common.params.threads * SIDE_BY_SIDE;
    const size_t n = (size_t)colony->common.problem.n, words = (n / LEAF + 32) / 32 * 32; /* cache lines of its own */
    colony->ants = ab_allocate(memory, count, sizeof *colony->ants);
    uint32_t *left = ab_allocate(memory, count * words, sizeof *left);
    for (size_t a = 0; a < count && !memory->failed; a++) colony->ants[a] = (ant_state){.left = left + a * words};
}

static double find_farthest(const tsp_problem *problem)
{
    const size_t n = (size_t)problem->n;
    int32_t farthest = 0;
    if (!problem->dist) {
        tsp_point low = problem->points[0], high = low;
        for (size_t i = 1; i < n; i++) {
            const tsp_point point = problem->points[i];
            low = (tsp_point){point.x < low.x ? point.x : low.x, point.y < low.y ? point.y : low.y};
            high = (tsp_point){point.x > high.x ? point.x : high.x, point.y > high.y ? point.y : high.y};
        }
        return problem->rule->distance(low, high);
    }
    for (size_t k = 0; k < n * n; k++) farthest = problem->dist[k] > farthest ? problem->dist[k] : farthest;
    return farthest;
}

static void fill_sets(cpu_sparse_colony *colony)
{
    const tsp_problem *problem = &colony->common.problem;
    const size_t nn = (size_t)problem->nn, size = colony->n_vectors * LANES;
    for (size_t k = 0; k < (size_t)problem->n * size; k++) {
        const int32_t row = (int32_t)(k / size), city = colony->leaves.city[row];
        const bool there = k % size < nn;
        const int32_t to = there ? colony->leaves.place[problem->nn_list[(size_t)city * nn + k % size]] : row;
        colony->sets[k / LANES].place[k % LANES] = to;
        colony->sets[k / LANES].heuristic[k % LANES] =
            there ? heuristic_of(colony, distance_of(colony, row, to)) : 0.0f;
    }
}

static ab_status prepare(cpu_sparse_colony *colony, const tsp_problem *problem, const tsp_params *params)
{
    AB_TRY(tsp_check(problem, params));
    AB_TRY(tsp_check_candidates(problem));
    AB_TRY(tsp_check_no_limits(params));
    if (problem->nn > MAX_CANDIDATES)
        return ab_unsupported("needs nn <= %d, nn is %d", (int)MAX_CANDIDATES, problem->nn);
    if (params->alpha > 2.0) return ab_unsupported("needs alpha <= 2, alpha is %g", params->alpha);
    if (!(params->beta > 0.0)) return ab_unsupported("needs beta > 0: the nearest of equal edges is to be the best");
    colony->farthest = find_farthest(problem);
    if (tsp_power((colony->farthest + 0.1) / 0.1, params->beta) > 1e20)
        return ab_unsupported("needs eta^beta within 20 orders of magnitude, the longest distance is %.0f",
                              colony->farthest);
    AB_TRY(cpu_colony_init(&colony->common, problem, params, params->threads));
    AB_TRY(tsp_leaves_make(problem, &colony->leaves));
    ab_memory *memory = &colony->common.memory;
    colony->n_vectors = ((size_t)problem->nn + LANES - 1) / LANES;
    colony->sets = ab_allocate(memory, (size_t)problem->n * colony->n_vectors, sizeof *colony->sets);
    colony->rows = ab_allocate(memory, (size_t)problem->n, sizeof *colony->rows);
    allocate_ants(colony);
    AB_TRY(ab_memory_status(memory));
    double initial;
    AB_TRY(tsp_initial_pheromone(problem, params->rho, &initial));
    fill_sets(colony);
    reset(colony, (float)initial);
    return ab_ok();
}

static const ab_work_methods work_methods = {
    .n_stages = TSP_STAGES,
    .stage_names = {"choice", "construct", "update"},
    .run_stage = run_stage,
    .close = close_colony,
};

static const tsp_methods colony_methods = {
    .read = cpu_colony_read,
    .read_pheromone = read_pheromone,
    .write_pheromone = write_pheromone,
    .poison = cpu_colony_poison,
    .read_edges = read_edges,
    .write_edges = write_edges,
};

ab_status cpu_sparse(const tsp_problem *problem, const tsp_params *params, tsp_colony **colony)
{
    cpu_sparse_colony *opened = calloc(1, sizeof *opened);
    if (opened == NULL) return ab_failed("out of memory");
    opened->common.colony = (tsp_colony){.work = {.methods = &work_methods}, .methods = &colony_methods};
    const ab_status status = prepare(opened, problem, params);
    if (status.code == AB_OK)
        *colony = &opened->common.colony;
    else
        close_colony(&opened->common.colony.work);
    return status;
}
