/* tsp/cpu-vectors-nn: the fastest Ant System with candidate sets that we can write for a CPU; threads over ants.
 *
 * Cities are renumbered so that cities that lie together follow each other. So the candidates of a city lie in few
 * words of 64 flags, and one instruction per word takes out the flags of the set (pext). Under that mask the weights
 * are added up by vectors of 16. A thread builds the tours of SIDE_BY_SIDE ants, one step of each in turn. A step is a
 * chain of dependent instructions, and the processor fills the gaps in one ant's chain with another's. The walk:
 * cpu_vectors_nn_walk.c.
 *
 * A step whose candidates are exhausted, one in 40, goes to the best remaining city. For each 16 cities, a row
 * knows the largest weight outside of the set. The block with the largest one is looked at, then the next, until no
 * other can hold a better city: two on average. Measured: docs/log/cpu.md.
 */
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "baselines/tsp/cpu_vectors_nn.h"
#include "operations/tsp.h"

tsp_open cpu_vectors_nn;

/* ---- Construct ---- */

static void begin_tour(const cpu_vectors_nn_colony *colony, ant_state *ant, int number)
{
    const size_t n = (size_t)colony->common.problem.n;
    ant->random = cpu_colony_stream(&colony->common, number);
    ant->tour = cpu_colony_tour(&colony->common, number);
    ant->zero_weight_steps = 0;
    ant->length = 0;
    ant->edge = colony->common.problem.dist; /* the edge from a city to itself */
    ant->step = 1;
    memset(ant->left, 0xff, n / WORD * sizeof *ant->left);
    if (n % WORD) ant->left[n / WORD] = (UINT64_C(1) << n % WORD) - 1;
    ant->at = (size_t)(random_unit(&ant->random) * (double)n);
    ant->left[ant->at / WORD] ^= UINT64_C(1) << ant->at % WORD;
    ant->tour[0] = colony->trails.city[ant->at];
}

static int64_t build_tours(cpu_colony *common, int thread, int first, int count)
{
    const cpu_vectors_nn_colony *colony = (const cpu_vectors_nn_colony *)common;
    const worker *at_hand = &colony->workers[thread];
    int64_t zero_weight_steps = 0;
    for (int a = 0; a < count; a++) begin_tour(colony, &at_hand->ants[a], first + a);
    colony->walk(colony, at_hand, count);
    for (int a = 0; a < count; a++) {
        const ant_state *ant = &at_hand->ants[a];
        common->lengths[first + a] =
            ant->length + *ant->edge + tsp_distance(&common->problem, ant->tour[0], colony->trails.city[ant->at]);
        zero_weight_steps += ant->zero_weight_steps;
    }
    return zero_weight_steps;
}

/* ---- Choice ---- */

/* The largest weight of those cities of a block whose bits are set. */
INLINE float largest_of(const cpu_vectors_nn_colony *colony, size_t first, uint16_t which)
{
    const lanes_int bits = {1,      1 << 1, 1 << 2,  1 << 3,  1 << 4,  1 << 5,  1 << 6,  1 << 7,
                            1 << 8, 1 << 9, 1 << 10, 1 << 11, 1 << 12, 1 << 13, 1 << 14, 1 << 15};
    const float *pheromone = colony->trails.pheromone + first, *heuristic = colony->trails.heuristic + first;
    const double alpha = colony->common.params.alpha;
    lanes weight;
    if (alpha == 1.0)
        weight = *(const lanes *)pheromone * *(const lanes *)heuristic;
    else
        for (size_t k = 0; k < LANES; k++) weight[k] = trails_choice(pheromone[k], heuristic[k], alpha);
    weight = (lanes)((lanes_int)weight & ((bits & (int32_t)which) != 0));
    float lane[LANES];
    memcpy(lane, &weight, sizeof lane);
    for (size_t width = LANES / 2; width > 0; width /= 2)
        for (size_t k = 0; k < width; k++) lane[k] = lane[k] > lane[k + width] ? lane[k] : lane[k + width];
    return lane[0];
}

CPU_MULTIVERSION static void find_bounds(const cpu_vectors_nn_colony *colony, size_t i)
{
    const size_t stride = colony->trails.stride, size = colony->n_vectors * LANES;
    set_row *here = cpu_vectors_nn_row(colony, i, colony->n_vectors);
    const uint16_t *places = cpu_vectors_nn_places(here, colony->n_vectors);
    float *largest = colony->largest + i * colony->n_bounds;
    for (size_t b = 0; b < stride / BLOCK; b++) largest[b] = largest_of(colony, i * stride + b * BLOCK, UINT16_MAX);
    for (size_t k = 0; k < size;) { /* but for the set's own, block by block */
        const size_t block = places[k] / BLOCK;
        uint16_t outside = UINT16_MAX;
        for (; k < size && places[k] / BLOCK == block; k++) outside &= (uint16_t) ~(1u << places[k] % BLOCK);
        largest[block] = largest_of(colony, i * stride + block * BLOCK, outside);
    }
}

static void weigh_candidates(const cpu_vectors_nn_colony *colony, size_t i)
{
    const float *pheromone = colony->trails.pheromone + i * colony->trails.stride;
    const float *heuristic = colony->trails.heuristic + i * colony->trails.stride;
    const double alpha = colony->common.params.alpha;
    set_row *here = cpu_vectors_nn_row(colony, i, colony->n_vectors);
    const uint16_t *places = cpu_vectors_nn_places(here, colony->n_vectors);
    float *weights = (float *)here->weights;
    for (size_t k = 0; k < colony->n_vectors * LANES; k++) /* of the row's own, which fills up, the heuristic is 0 */
        weights[k] = trails_choice(pheromone[places[k]], heuristic[places[k]], alpha);
}

static void compute_choice(const trails *weighed)
{
    const cpu_vectors_nn_colony *colony = (const cpu_vectors_nn_colony *)weighed;
    const size_t n = (size_t)colony->common.problem.n;
#pragma omp parallel for num_threads(colony->common.params.threads) schedule(static)
    for (size_t i = 0; i < n; i++) {
        find_bounds(colony, i);
        weigh_candidates(colony, i);
    }
}

/* ---- The colony ---- */

static size_t cities_of_word(size_t n)
{
    (void)n;
    return WORD;
}

/* ---- The sets ---- */

static int by_place(const void *a, const void *b)
{
    return *(const uint16_t *)a - *(const uint16_t *)b;
}

static void fill_set(const cpu_vectors_nn_colony *colony, size_t i)
{
    const tsp_problem *problem = &colony->common.problem;
    const size_t nn = (size_t)problem->nn;
    const int city = colony->trails.city[i];
    set_row *here = cpu_vectors_nn_row(colony, i, colony->n_vectors);
    uint16_t *places = cpu_vectors_nn_places(here, colony->n_vectors);
    int32_t *distances = cpu_vectors_nn_distances(here, colony->n_vectors);
    for (size_t k = 0; k < colony->n_vectors * LANES; k++)
        places[k] = k < nn ? colony->trails.place[problem->nn_list[(size_t)city * nn + k]] : (uint16_t)i;
    qsort(places, nn, sizeof *places, by_place);
    for (size_t k = 0; k < nn; k++) distances[k] = tsp_distance(problem, city, colony->trails.city[places[k]]);
}

/* Whether candidate k of a set is the first in its word. */
static bool begins_word(const uint16_t *places, int k)
{
    return k == 0 || places[k] / WORD != places[k - 1] / WORD;
}

static size_t most_words(const cpu_vectors_nn_colony *colony)
{
    size_t most = 0;
    for (size_t i = 0; i < (size_t)colony->common.problem.n; i++) {
        const uint16_t *places =
            cpu_vectors_nn_places(cpu_vectors_nn_row(colony, i, colony->n_vectors), colony->n_vectors);
        size_t count = 0;
        for (int k = 0; k < colony->common.problem.nn; k++) count += begins_word(places, k);
        most = count > most ? count : most;
    }
    return most;
}

static void fill_words(const cpu_vectors_nn_colony *colony, size_t i)
{
    set_row *here = cpu_vectors_nn_row(colony, i, colony->n_vectors);
    const uint16_t *places = cpu_vectors_nn_places(here, colony->n_vectors);
    set_word *word = NULL;
    size_t count = 0;
    for (int k = 0; k < colony->common.problem.nn; k++) {
        if (begins_word(places, k)) {
            word =
                count < FEW_WORDS ? &here->words[count] : &colony->more_words[i * colony->n_more + count - FEW_WORDS];
            *word = (set_word){.index = places[k] / WORD, .shift = (uint16_t)k};
            count++;
        }
        word->cities |= UINT64_C(1) << places[k] % WORD;
    }
    here->words[0].more = count > FEW_WORDS ? (uint16_t)(count - FEW_WORDS) : 0;
}

static ab_status make_sets(cpu_vectors_nn_colony *colony)
{
    ab_memory *memory = &colony->common.memory;
    const size_t n = (size_t)colony->common.problem.n;
    colony->n_vectors = colony->common.problem.nn <= 2 * LANES ? 2 : MAX_VECTORS;
    colony->n_bounds = cpu_round_up(colony->trails.stride / BLOCK, LANES);
    colony->rows = ab_allocate(memory, n, cpu_vectors_nn_row_size(colony->n_vectors));
    colony->largest = ab_allocate(memory, n * colony->n_bounds, sizeof *colony->largest);
    AB_TRY(ab_memory_status(memory));
    for (size_t i = 0; i < n; i++) fill_set(colony, i);
    const size_t most = most_words(colony);
    colony->n_more = most > FEW_WORDS ? most - FEW_WORDS : 0;
    colony->more_words = ab_allocate(memory, n * colony->n_more + 1, sizeof *colony->more_words);
    AB_TRY(ab_memory_status(memory));
    for (size_t i = 0; i < n; i++) fill_words(colony, i);
    return ab_ok();
}

/* Gives each thread and each ant cache lines of their own. */
static ab_status make_workers(cpu_vectors_nn_colony *colony)
{
    ab_memory *memory = &colony->common.memory;
    const size_t threads = (size_t)colony->common.params.threads, count = threads * SIDE_BY_SIDE;
    const size_t n_left = cpu_round_up(colony->n_bounds * BLOCK / WORD, 16),
                 n_bounds = cpu_round_up(colony->n_bounds, 32);
    const size_t n = cpu_round_up((size_t)colony->common.problem.n, 128);
    ant_state *ants = ab_allocate(memory, count, sizeof *ants);
    uint64_t *left = ab_allocate(memory, count * n_left, sizeof *left);
    float *bounds = ab_allocate(memory, count * n_bounds, sizeof *bounds);
    bool *visited = ab_allocate(memory, threads * n, sizeof *visited);
    colony->workers = ab_allocate(memory, threads, sizeof *colony->workers);
    AB_TRY(ab_memory_status(memory));
    for (size_t a = 0; a < count; a++)
        ants[a] = (ant_state){.left = left + a * n_left, .bounds = bounds + a * n_bounds};
    for (size_t t = 0; t < threads; t++) colony->workers[t] = (worker){ants + t * SIDE_BY_SIDE, visited + t * n};
    return ab_ok();
}

static cpu_vectors_nn_walker *fastest_walk(void)
{
#if defined(__x86_64__) && !defined(__clang__)
    if (__builtin_cpu_supports("x86-64-v4")) return cpu_vectors_nn_walk_wide;
    if (__builtin_cpu_supports("x86-64-v3")) return cpu_vectors_nn_walk_avx2;
#endif
    return cpu_vectors_nn_walk;
}

static ab_status prepare(trails *opened)
{
    cpu_vectors_nn_colony *colony = (cpu_vectors_nn_colony *)opened;
    const tsp_problem *problem = &opened->common.problem;
    AB_TRY(tsp_check_candidates(problem));
    if (problem->nn > MAX_CANDIDATES)
        return ab_unsupported("needs nn <= %d, nn is %d", (int)MAX_CANDIDATES, problem->nn);
    opened->common.measured = true;
    colony->walk = fastest_walk();
    AB_TRY(make_sets(colony));
    return make_workers(colony);
}

ab_status cpu_vectors_nn(const tsp_problem *problem, const tsp_params *params, tsp_colony **colony)
{
    static const trails_kind kind = {.bytes = sizeof(cpu_vectors_nn_colony),
                                     .granule = LANES,
                                     .together = cities_of_word,
                                     .prepare = prepare,
                                     .choose = compute_choice,
                                     .build = build_tours,
                                     .side_by_side = SIDE_BY_SIDE};
    return trails_open(&kind, problem, params, colony);
}
