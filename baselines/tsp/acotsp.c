/* tsp/acotsp-seq and tsp/acotsp-omp: Ant System as in ACOTSP, without candidate lists, on one thread and on all cores.
 * tsp/acotsp-seq-nn and tsp/acotsp-omp-nn: the same with candidate lists, ACOTSP's default.
 *
 * As in ACOTSP, pheromone, choice_info and the weights of a selection are double, and an ant looks at all n cities in
 * every step. One number of the minimal standard generator chooses the start city. One number chooses each next city,
 * by walking along the partial sums of the unvisited cities' weights. The rest is tuned, so that speedups over it are
 * fair. Ants are the outer loop, so that an ant's state stays in the first-level cache. Visited cities are multiplied
 * by 0, without a branch. Partial sums are kept per block of 16 cities, and only the block in which the walk ends is
 * walked city by city. The power eta^beta is computed once. With lists, the weights of a list lie together; they are
 * copied from the row of choice_info while that is in the cache. The same code adds them up and walks them. The search
 * for the best remaining city skips blocks whose largest choice_info is too small. Sources: Dorigo & Stützle, Ant
 * Colony Optimization (2004), ch. 3; Park & Miller, CACM 31 (1988); thesis §3.6, §4.4.
 */
#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "baselines/cpu_open.h"
#include "operations/tsp.h"

tsp_open acotsp_seq, acotsp_omp, acotsp_seq_nn, acotsp_omp_nn;

enum {
    BLOCK = 16,         /* cities per partial sum */
    ROWS_PER_UPDATE = 8 /* rows of pheromone that a thread holds in its cache while it deposits */
};

typedef double block8 __attribute__((vector_size(64)));

typedef struct acotsp {
    cpu_colony common;    /* first */
    size_t stride;        /* doubles per row: n rounded up to a multiple of BLOCK; what lies beyond n is 0 */
    double *pheromone;    /* [n][stride] */
    double *heuristic;    /* [n][stride]: eta^beta, 0 on the diagonal */
    double *choice;       /* [n][stride]: pheromone^alpha * heuristic */
    size_t nn_stride;     /* cities per candidate list: nn rounded up to a multiple of BLOCK; 0 without lists */
    double *block_best;   /* [n][stride / BLOCK]: the largest choice in each block, with lists */
    int32_t *nn_city;     /* [n][nn_stride]: the candidate lists; what lies beyond nn is the row's own city */
    double *nn_choice;    /* [n][nn_stride]: their choice; 0 beyond nn */
    uint8_t *n_unvisited; /* [threads][stride / BLOCK]: cities of a block where the ant may still go */
    double *candidate;    /* [threads][nn_stride]: unvisited of the cities in a list */
    double *unvisited;    /* [threads][stride]: 1 where the ant may still go, else 0 */
    double *partial;      /* [threads][stride / BLOCK]: weight of the unvisited cities up to the end of a block */
    bool *visited;        /* [threads][n], for the all-zero rule */
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
    double *unvisited, *partial, *candidate; /* this thread's part of the colony's */
    uint8_t *n_unvisited;                    /* likewise */
    bool *visited;                           /* likewise */
    int32_t random;                          /* state of the minimal standard generator */
    int64_t zero_weight_steps;               /* number of such steps in this tour */
} ant_state;

/* The sum of eight lanes, always in the same order. */
static inline __attribute__((always_inline)) double sum_lanes(const block8 *v)
{
    typedef double block4 __attribute__((vector_size(32)));
    const block4 four = __builtin_shufflevector(*v, *v, 0, 1, 2, 3) + __builtin_shufflevector(*v, *v, 4, 5, 6, 7);
    return (four[0] + four[2]) + (four[1] + four[3]);
}

/* The largest weight of an unvisited city in a block. */
static inline __attribute__((always_inline)) double largest_in_block(const double *weight, const double *unvisited)
{
    double lane[BLOCK];
    for (size_t k = 0; k < BLOCK; k++) lane[k] = weight[k] * unvisited[k];
    for (size_t width = BLOCK / 2; width > 0; width /= 2)
        for (size_t k = 0; k < width; k++) lane[k] = lane[k] > lane[k + width] ? lane[k] : lane[k + width];
    return lane[0];
}

/* Fills partial[0 .. n_blocks-1]; returns the last of them, the weight of all unvisited cities. */
CPU_MULTIVERSION static double sum_weights(const double *weight, const double *unvisited, size_t n_blocks,
                                           double *partial)
{
    double sum = 0.0;
    for (size_t b = 0; b < n_blocks; b++) {
        const block8 *w = (const block8 *)(weight + b * BLOCK);
        const block8 *mask = (const block8 *)(unvisited + b * BLOCK);
        const block8 block = w[0] * mask[0] + w[1] * mask[1];
        sum += sum_lanes(&block);
        partial[b] = sum;
    }
    return sum;
}

/* The place in block b at which the partial sums pass r; the last one with a weight where rounding keeps them below r.
 */
static int walk_block(const double *weight, const double *unvisited, const double *partial, size_t b, double r)
{
    double sum = b > 0 ? partial[b - 1] : 0.0;
    int chosen = -1;
    for (size_t k = b * BLOCK; k < (b + 1) * BLOCK; k++) {
        const double here = weight[k] * unvisited[k];
        if (!(here > 0.0)) continue;
        chosen = (int)k;
        sum += here;
        if (sum > r) break;
    }
    return chosen;
}

/* The random proportional rule with one random number: a place in the arrays, chosen by its weight if it is unvisited.
 * -1 where all weigh 0. A total below the normal range counts as 0: products with it no longer round to less than
 * itself. */
static int spin(const double *weight, const double *unvisited, size_t size, ant_state *ant)
{
    const double total = sum_weights(weight, unvisited, size / BLOCK, ant->partial);
    const double r = next_random(&ant->random) * total;
    if (total < DBL_MIN) return -1;
    size_t b = 0;
    while (ant->partial[b] <= r) b++;
    return walk_block(weight, unvisited, ant->partial, b, r);
}

static int choose_nearest(const acotsp *colony, int city, ant_state *ant)
{
    ant->zero_weight_steps++;
    return tsp_nearest_unvisited(&colony->common.problem, city, ant->visited);
}

static int choose_of_all(const acotsp *colony, int city, ant_state *ant)
{
    const int chosen = spin(colony->choice + (size_t)city * colony->stride, ant->unvisited, colony->stride, ant);
    return chosen >= 0 ? chosen : choose_nearest(colony, city, ant);
}

/* The unvisited city with the largest choice_info, the first among equals. A block is looked at if its best city,
 * visited or not, beats what is found already. */
CPU_MULTIVERSION static int choose_best_remaining(const acotsp *colony, int city, ant_state *ant)
{
    const size_t n_blocks = colony->stride / BLOCK;
    const double *choice = colony->choice + (size_t)city * colony->stride;
    const double *block_best = colony->block_best + (size_t)city * n_blocks;
    double largest = DBL_MIN;
    size_t best = n_blocks;
    for (size_t b = 0; b < n_blocks; b++) {
        if (ant->n_unvisited[b] == 0 || block_best[b] <= largest) continue;
        const double here = largest_in_block(choice + b * BLOCK, ant->unvisited + b * BLOCK);
        if (here <= largest) continue;
        largest = here;
        best = b;
    }
    if (best == n_blocks) return choose_nearest(colony, city, ant);
    size_t j = best * BLOCK;
    while (choice[j] * ant->unvisited[j] < largest) j++;
    return (int)j;
}

CPU_MULTIVERSION static void look_up(const double *unvisited, const int32_t *city, size_t count, double *of_city)
{
    for (size_t k = 0; k < count; k++) of_city[k] = unvisited[city[k]];
}

static int choose_candidate(const acotsp *colony, int city, ant_state *ant)
{
    const size_t size = colony->nn_stride;
    const int32_t *list = colony->nn_city + (size_t)city * size;
    look_up(ant->unvisited, list, size, ant->candidate);
    const int k = spin(colony->nn_choice + (size_t)city * size, ant->candidate, size, ant);
    return k >= 0 ? list[k] : choose_best_remaining(colony, city, ant);
}

static void visit(ant_state *ant, int city)
{
    ant->visited[city] = true;
    ant->unvisited[city] = 0.0;
    ant->n_unvisited[city / BLOCK]--;
}

static int64_t build_tour(cpu_colony *common, int thread, int number, int count)
{
    (void)count; /* one by one */
    const acotsp *colony = (const acotsp *)common;
    const size_t n = (size_t)common->problem.n, stride = colony->stride;
    int32_t *tour = cpu_colony_tour(common, number);
    ant_state ant = {
        .unvisited = colony->unvisited + (size_t)thread * stride,
        .partial = colony->partial + (size_t)thread * (stride / BLOCK),
        .n_unvisited = colony->n_unvisited + (size_t)thread * (stride / BLOCK),
        .candidate = colony->candidate + (size_t)thread * colony->nn_stride,
        .visited = colony->visited + (size_t)thread * n,
        .random = start_stream(cpu_colony_stream(common, number)),
    };
    for (size_t j = 0; j < n; j++) {
        ant.visited[j] = false;
        ant.unvisited[j] = 1.0;
    }
    memset(ant.n_unvisited, BLOCK, stride / BLOCK);
    int city = tour[0] = (int)(next_random(&ant.random) * (double)n);
    visit(&ant, city);
    for (size_t step = 1; step < n; step++) {
        city = colony->nn_stride > 0 ? choose_candidate(colony, city, &ant) : choose_of_all(colony, city, &ant);
        visit(&ant, city);
        tour[step] = city;
    }
    return ant.zero_weight_steps;
}

/* ---- Choice and update ---- */

/* What a row's candidate list and fall-back need, from its choice; the diagonal is 0. */
CPU_MULTIVERSION static void prepare_candidates(acotsp *colony, size_t i)
{
    static const double everywhere[BLOCK] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    const size_t n_blocks = colony->stride / BLOCK;
    const double *choice = colony->choice + i * colony->stride;
    const int32_t *list = colony->nn_city + i * colony->nn_stride;
    double *nn_choice = colony->nn_choice + i * colony->nn_stride;
    for (size_t k = 0; k < colony->nn_stride; k++) nn_choice[k] = choice[list[k]];
    for (size_t b = 0; b < n_blocks; b++)
        colony->block_best[i * n_blocks + b] = largest_in_block(choice + b * BLOCK, everywhere);
}

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
            for (size_t j = 0; j < n; j++) choice[j] = tsp_power(pheromone[j], alpha) * heuristic[j];
        if (colony->nn_stride > 0) prepare_candidates(colony, i);
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
    for (size_t i = first; ants.limits.least > 0.0 && i < end; i++)
        for (size_t j = 0; j < n; j++)
            pheromone[i * stride + j] = fmin(fmax(pheromone[i * stride + j], ants.limits.least), ants.limits.most);
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
    if (stage == TSP_CHOICE) compute_choice(colony);
    if (stage == TSP_CONSTRUCT) cpu_colony_construct(&colony->common, 1, build_tour);
    if (stage == TSP_UPDATE) update(colony);
    return ab_ok();
}

static ab_status read_pheromone(tsp_colony *base, float *pheromone)
{
    const acotsp *colony = (const acotsp *)base;
    const size_t n = (size_t)colony->common.problem.n;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) pheromone[i * n + j] = (float)colony->pheromone[i * colony->stride + j];
    return ab_ok();
}

static ab_status write_pheromone(tsp_colony *base, const float *pheromone)
{
    const acotsp *colony = (const acotsp *)base;
    const size_t n = (size_t)colony->common.problem.n;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) colony->pheromone[i * colony->stride + j] = pheromone[i * n + j];
    return ab_ok();
}

/* nn: the length of the candidate lists, 0 without. */
static ab_status allocate(acotsp *colony, size_t nn)
{
    ab_memory *memory = &colony->common.memory;
    const size_t n = (size_t)colony->common.problem.n, threads = (size_t)colony->common.params.threads;
    colony->stride = (n + BLOCK - 1) / BLOCK * BLOCK;
    colony->pheromone = ab_allocate(memory, n * colony->stride, sizeof(double));
    colony->heuristic = ab_allocate(memory, n * colony->stride, sizeof(double));
    colony->choice = ab_allocate(memory, n * colony->stride, sizeof(double));
    colony->unvisited = ab_allocate(memory, threads * colony->stride, sizeof(double));
    colony->partial = ab_allocate(memory, threads * colony->stride / BLOCK, sizeof(double));
    colony->visited = ab_allocate(memory, threads * n, sizeof(bool));
    colony->nn_stride = (nn + BLOCK - 1) / BLOCK * BLOCK;
    colony->nn_city = ab_allocate(memory, n * colony->nn_stride, sizeof(int32_t));
    colony->nn_choice = ab_allocate(memory, n * colony->nn_stride, sizeof(double));
    colony->block_best = ab_allocate(memory, nn > 0 ? n * colony->stride / BLOCK : 0, sizeof(double));
    colony->n_unvisited = ab_allocate(memory, threads * colony->stride / BLOCK, sizeof(uint8_t));
    colony->candidate = ab_allocate(memory, threads * colony->nn_stride, sizeof(double));
    return ab_memory_status(memory);
}

static void initialise(acotsp *colony, double initial)
{
    const tsp_problem *problem = &colony->common.problem;
    const size_t n = (size_t)problem->n;
    const size_t nn = (size_t)problem->nn;
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            const double eta = 1.0 / (problem->dist[i * n + j] + 0.1);
            colony->pheromone[i * colony->stride + j] = initial;
            colony->heuristic[i * colony->stride + j] = i == j ? 0.0 : tsp_power(eta, colony->common.params.beta);
        }
        for (size_t k = 0; k < colony->nn_stride; k++)
            colony->nn_city[i * colony->nn_stride + k] = k < nn ? problem->nn_list[i * nn + k] : (int32_t)i;
    }
}

static const ab_work_methods work_methods = {
    .n_stages = TSP_STAGES,
    .stage_names = {"choice", "construct", "update"},
    .run_stage = run_stage,
    .close = cpu_colony_close,
};

static const tsp_methods colony_methods = {
    .read = cpu_colony_read,
    .read_pheromone = read_pheromone,
    .write_pheromone = write_pheromone,
    .poison = cpu_colony_poison,
};

static ab_status prepare(acotsp *colony, const tsp_problem *problem, const tsp_params *params, int threads, bool lists)
{
    AB_TRY(tsp_check(problem, params));
    AB_TRY(tsp_check_matrix(problem));
    AB_TRY(cpu_colony_init(&colony->common, problem, params, threads));
    if (lists) AB_TRY(tsp_check_candidates(problem));
    AB_TRY(allocate(colony, lists ? (size_t)problem->nn : 0));
    double initial;
    AB_TRY(tsp_initial_pheromone(problem, params->rho, &initial));
    initialise(colony, initial);
    return ab_ok();
}

static ab_status open_colony(const tsp_problem *problem, const tsp_params *params, int threads, bool lists,
                             tsp_colony **colony)
{
    acotsp *opened = calloc(1, sizeof *opened);
    if (opened == NULL) return ab_failed("out of memory");
    opened->common.colony = (tsp_colony){.work = {.methods = &work_methods}, .methods = &colony_methods};
    const ab_status status = prepare(opened, problem, params, threads, lists);
    if (status.code == AB_OK)
        *colony = &opened->common.colony;
    else
        cpu_colony_close(&opened->common.colony.work);
    return status;
}

ab_status acotsp_seq(const tsp_problem *problem, const tsp_params *params, tsp_colony **colony)
{
    return open_colony(problem, params, 1, false, colony);
}

ab_status acotsp_omp(const tsp_problem *problem, const tsp_params *params, tsp_colony **colony)
{
    return open_colony(problem, params, params->threads, false, colony);
}

ab_status acotsp_seq_nn(const tsp_problem *problem, const tsp_params *params, tsp_colony **colony)
{
    return open_colony(problem, params, 1, true, colony);
}

ab_status acotsp_omp_nn(const tsp_problem *problem, const tsp_params *params, tsp_colony **colony)
{
    return open_colony(problem, params, params->threads, true, colony);
}
