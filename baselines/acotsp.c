/* tsp/acotsp-seq and tsp/acotsp-omp: Ant System as ACOTSP does it, without candidate lists; one thread, and all cores.
 *
 * What makes it that: pheromone, choice_info and the weights of a selection are double; an ant looks at all n cities in
 * every step; one number of the minimal standard generator chooses the start city and one chooses each next city, by
 * walking along the partial sums of the unvisited cities' weights. What is tuned, so that no speedup is over a straw
 * man: ants are the outer loop, so that an ant's state stays in the first-level cache; visited cities are multiplied by
 * 0 instead of being branched around; partial sums are kept per block of 16 cities, and only the block in which the
 * walk ends is walked city by city; eta^beta is computed once. Sources: Dorigo & Stützle, Ant Colony Optimization
 * (2004), ch. 3; Park & Miller, CACM 31 (1988); thesis §3.6.
 */
#include <float.h>
#include <omp.h>
#include <stdlib.h>

#include "baselines/baselines.h"
#include "baselines/cpu_colony.h"

enum {
    BLOCK = 16,         /* cities per partial sum */
    ROWS_PER_UPDATE = 8 /* rows of pheromone that a thread holds in its cache while it deposits */
};

typedef double block8 __attribute__((vector_size(64)));

typedef struct acotsp {
    cpu_colony common; /* first */
    size_t stride;     /* doubles per row: n rounded up to a multiple of BLOCK; what lies beyond n is 0 */
    double *pheromone; /* [n][stride] */
    double *heuristic; /* [n][stride]: eta^beta, 0 on the diagonal */
    double *choice;    /* [n][stride]: pheromone^alpha * heuristic */
    double *unvisited; /* [threads][stride]: 1 where the ant may still go, else 0 */
    double *partial;   /* [threads][stride / BLOCK]: weight of the unvisited cities up to the end of a block */
    bool *visited;     /* [threads][n], for the all-zero rule */
} acotsp;

/* ---- Random numbers: the minimal standard generator of Park & Miller ---- */

enum { MINIMAL_STANDARD_MODULUS = 2147483647 };

static int32_t start_stream(uint64_t name)
{
    return (int32_t)(1 + name % (MINIMAL_STANDARD_MODULUS - 1));
}

/* In (0, 1). */
static double next_random(int32_t *state)
{
    *state = (int32_t)((int64_t)*state * 16807 % MINIMAL_STANDARD_MODULUS);
    return (double)*state / MINIMAL_STANDARD_MODULUS;
}

/* ---- Construct: one ant's tour ---- */

/* An ant under way: its thread's scratch memory and its random stream. */
typedef struct ant_state {
    double *unvisited, *partial; /* this thread's part of the colony's */
    bool *visited;               /* likewise */
    int32_t random;              /* state of the minimal standard generator */
    int64_t zero_weight_steps;   /* of this tour */
} ant_state;

/* The sum of eight lanes, always in the same order. */
static inline __attribute__((always_inline)) double sum_lanes(const block8 *v)
{
    typedef double block4 __attribute__((vector_size(32)));
    const block4 four = __builtin_shufflevector(*v, *v, 0, 1, 2, 3) + __builtin_shufflevector(*v, *v, 4, 5, 6, 7);
    return (four[0] + four[2]) + (four[1] + four[3]);
}

/* Fills partial[0 .. n_blocks-1]; returns the last of them, the weight of all unvisited cities. */
CPU_MULTIVERSION static double sum_weights(const double *choice, const double *unvisited, size_t n_blocks,
                                           double *partial)
{
    double sum = 0.0;
    for (size_t b = 0; b < n_blocks; b++) {
        const block8 *weight = (const block8 *)(choice + b * BLOCK);
        const block8 *mask = (const block8 *)(unvisited + b * BLOCK);
        const block8 block = weight[0] * mask[0] + weight[1] * mask[1];
        sum += sum_lanes(&block);
        partial[b] = sum;
    }
    return sum;
}

/* The city in block b at which the partial sums pass r; the last one with a weight where rounding keeps them below r.
 */
static int walk_block(const double *choice, const ant_state *ant, size_t b, double r)
{
    double sum = b > 0 ? ant->partial[b - 1] : 0.0;
    int city = -1;
    for (size_t j = b * BLOCK; j < (b + 1) * BLOCK; j++) {
        const double weight = choice[j] * ant->unvisited[j];
        if (!(weight > 0.0)) continue;
        city = (int)j;
        sum += weight;
        if (sum > r) break;
    }
    return city;
}

/* A total below the normal range counts as 0: products with it no longer round to less than itself. */
static int choose_next(const acotsp *colony, int city, ant_state *ant)
{
    const double *choice = colony->choice + (size_t)city * colony->stride;
    const double total = sum_weights(choice, ant->unvisited, colony->stride / BLOCK, ant->partial);
    const double r = next_random(&ant->random) * total;
    if (total < DBL_MIN) {
        ant->zero_weight_steps++;
        return as_nearest_unvisited(&colony->common.problem, city, ant->visited);
    }
    size_t b = 0;
    while (ant->partial[b] <= r) b++;
    return walk_block(choice, ant, b, r);
}

static void visit(ant_state *ant, int city)
{
    ant->visited[city] = true;
    ant->unvisited[city] = 0.0;
}

static int64_t build_tour(const acotsp *colony, ant_state *ant, int32_t *tour)
{
    const int n = colony->common.problem.n;
    const int32_t *dist = colony->common.problem.dist;
    for (int j = 0; j < n; j++) {
        ant->visited[j] = false;
        ant->unvisited[j] = 1.0;
    }
    int64_t length = 0;
    int city = tour[0] = (int)(next_random(&ant->random) * n);
    visit(ant, city);
    for (int step = 1; step < n; step++) {
        const int next = choose_next(colony, city, ant);
        visit(ant, next);
        length += dist[(size_t)city * (size_t)n + (size_t)next];
        city = tour[step] = next;
    }
    tour[n] = tour[0];
    return length + dist[(size_t)city * (size_t)n + (size_t)tour[0]];
}

static void construct(acotsp *colony)
{
    cpu_colony *common = &colony->common;
    const size_t n = (size_t)common->problem.n, stride = colony->stride;
    int64_t zero_weight_steps = 0;
    common->iteration++;
#pragma omp parallel for num_threads(common->params.threads) schedule(dynamic) reduction(+ : zero_weight_steps)
    for (int k = 0; k < common->params.n_ants; k++) {
        const size_t thread = (size_t)omp_get_thread_num();
        ant_state ant = {
            .unvisited = colony->unvisited + thread * stride,
            .partial = colony->partial + thread * (stride / BLOCK),
            .visited = colony->visited + thread * n,
            .random = start_stream(cpu_colony_stream(common, k)),
        };
        common->lengths[k] = build_tour(colony, &ant, cpu_colony_tour(common, k));
        zero_weight_steps += ant.zero_weight_steps;
    }
    common->zero_weight_steps += zero_weight_steps;
    cpu_colony_keep_best(common);
}

/* ---- Choice and update ---- */

static void compute_choice(acotsp *colony)
{
    const size_t n = (size_t)colony->common.problem.n, stride = colony->stride;
    const double alpha = colony->common.params.alpha;
#pragma omp parallel for num_threads(colony->common.params.threads) schedule(static)
    for (size_t i = 0; i < n; i++) {
        const double *pheromone = colony->pheromone + i * stride, *heuristic = colony->heuristic + i * stride;
        double *choice = colony->choice + i * stride;
        if (alpha == 1.0)
            for (size_t j = 0; j < n; j++) choice[j] = pheromone[j] * heuristic[j];
        else
            for (size_t j = 0; j < n; j++) choice[j] = as_power(pheromone[j], alpha) * heuristic[j];
    }
}

/* Evaporates rows first .. end-1 and lays the deposits on them, in the order of the ants. */
static void update_rows(acotsp *colony, cpu_depositors ants, size_t first, size_t end)
{
    const size_t n = (size_t)colony->common.problem.n, stride = colony->stride;
    double *pheromone = colony->pheromone;
    const double keep = 1.0 - colony->common.params.rho;
    for (size_t j = first * stride; j < end * stride; j++) pheromone[j] *= keep;
    for (int ant = ants.first; ant < ants.end; ant++) {
        const double deposit = cpu_colony_deposit(&colony->common, ant);
        const cpu_links *links = colony->common.links + (size_t)ant * n;
        for (size_t i = first; i < end; i++) {
            pheromone[i * stride + (size_t)links[i].previous] += deposit;
            pheromone[i * stride + (size_t)links[i].next] += deposit;
        }
    }
}

static void update(acotsp *colony)
{
    const size_t n = (size_t)colony->common.problem.n;
    const cpu_depositors ants = cpu_colony_link_depositors(&colony->common);
#pragma omp parallel for num_threads(colony->common.params.threads) schedule(static)
    for (size_t i = 0; i < n; i += ROWS_PER_UPDATE)
        update_rows(colony, ants, i, i + ROWS_PER_UPDATE < n ? i + ROWS_PER_UPDATE : n);
}

/* ---- The colony ---- */

static ab_status run_stage(ab_work *work, int stage)
{
    acotsp *colony = (acotsp *)work;
    if (stage == AS_CHOICE) compute_choice(colony);
    if (stage == AS_CONSTRUCT) construct(colony);
    if (stage == AS_UPDATE) update(colony);
    return ab_ok();
}

static void close_colony(ab_work *work)
{
    if (work == NULL) return;
    cpu_memory_free(&((acotsp *)work)->common.memory);
    free(work);
}

static ab_status read_pheromone(as_colony *base, float *pheromone)
{
    const acotsp *colony = (const acotsp *)base;
    const size_t n = (size_t)colony->common.problem.n;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) pheromone[i * n + j] = (float)colony->pheromone[i * colony->stride + j];
    return ab_ok();
}

static ab_status write_pheromone(as_colony *base, const float *pheromone)
{
    const acotsp *colony = (const acotsp *)base;
    const size_t n = (size_t)colony->common.problem.n;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) colony->pheromone[i * colony->stride + j] = pheromone[i * n + j];
    return ab_ok();
}

static ab_status allocate(acotsp *colony)
{
    cpu_memory *memory = &colony->common.memory;
    const size_t n = (size_t)colony->common.problem.n, threads = (size_t)colony->common.params.threads;
    colony->stride = (n + BLOCK - 1) / BLOCK * BLOCK;
    colony->pheromone = cpu_allocate(memory, n * colony->stride, sizeof(double));
    colony->heuristic = cpu_allocate(memory, n * colony->stride, sizeof(double));
    colony->choice = cpu_allocate(memory, n * colony->stride, sizeof(double));
    colony->unvisited = cpu_allocate(memory, threads * colony->stride, sizeof(double));
    colony->partial = cpu_allocate(memory, threads * colony->stride / BLOCK, sizeof(double));
    colony->visited = cpu_allocate(memory, threads * n, sizeof(bool));
    return cpu_memory_status(memory);
}

static void initialise(acotsp *colony)
{
    const as_problem *problem = &colony->common.problem;
    const size_t n = (size_t)problem->n;
    const double initial = as_initial_pheromone(problem, colony->common.params.rho);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            const double eta = 1.0 / (problem->dist[i * n + j] + 0.1);
            colony->pheromone[i * colony->stride + j] = initial;
            colony->heuristic[i * colony->stride + j] = i == j ? 0.0 : as_power(eta, colony->common.params.beta);
        }
}

static const ab_work_methods work_methods = {
    .n_stages = AS_STAGES,
    .stage_names = {"choice", "construct", "update"},
    .run_stage = run_stage,
    .close = close_colony,
};

static const as_methods colony_methods = {
    .read = cpu_colony_read,
    .read_pheromone = read_pheromone,
    .write_pheromone = write_pheromone,
    .poison = cpu_colony_poison,
};

static ab_status open_colony(const as_problem *problem, const as_params *params, int threads, as_colony **colony)
{
    acotsp *opened = calloc(1, sizeof *opened);
    if (opened == NULL) return ab_failed("out of memory");
    opened->common.colony = (as_colony){.work = {.methods = &work_methods}, .methods = &colony_methods};
    ab_status status = cpu_colony_init(&opened->common, problem, params, threads);
    if (status.code == AB_OK) status = allocate(opened);
    if (status.code != AB_OK) {
        close_colony(&opened->common.colony.work);
        return status;
    }
    initialise(opened);
    *colony = &opened->common.colony;
    return status;
}

ab_status acotsp_seq(const as_problem *problem, const as_params *params, as_colony **colony)
{
    return open_colony(problem, params, 1, colony);
}

ab_status acotsp_omp(const as_problem *problem, const as_params *params, as_colony **colony)
{
    return open_colony(problem, params, params->threads, colony);
}
