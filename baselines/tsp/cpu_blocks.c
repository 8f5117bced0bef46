/* tsp/cpu-blocks: the exact Ant System on a CPU with few rejected draws, up to the end of a tour; threads over ants.
 *
 * Cities are renumbered so that cities that lie together follow each other. Sixteen of them are a BLOCK: their
 * unvisited weights are one vector under one mask of sixteen bits. The NEAR heaviest blocks of a row are added up in
 * every step. The others are in groups of blocks. The row knows the largest weight of a group, and the ant the number
 * of its cities that are left. The product is a bound on the weight that is left, and falls as the tour goes on. A step
 * draws from the near cities' weights and the bounds. From a drawn group it proposes one of the cities that are left
 * there. It keeps the city with probability (its weight) / (the largest); else it draws again. There are no tables to
 * build. Few draws are thrown away even if most cities are visited; cpu-rejection throws away more. The walk:
 * cpu_blocks_walk.c. Measured: docs/log/cpu.md.
 *
 * Floor, AVX-512: 310 to 350 instructions per step, three per cycle; a row is nine cache lines.
 * Source: this project.
 */
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "baselines/tsp/cpu_blocks.h"
#include "operations/tsp.h"

tsp_open cpu_blocks;

/* ---- Choice ---- */

/* The heaviest blocks of a row, moved out of it. */
INLINE void choose_near(const cpu_blocks_colony *colony, row_head *row, lanes *far)
{
    float heaviest[NEAR] = {0.0f};
    memset(row, 0, sizeof *row);
    for (size_t b = 0; b < colony->n_blocks; b++) {
        lanes sums = far[b];
        prefix_sums(&sums);
        const float total = sums[LANES - 1];
        int k = NEAR;
        for (; k > 0 && total > heaviest[k - 1]; k--) {
            if (k == NEAR) continue;
            heaviest[k] = heaviest[k - 1];
            row->block[k] = row->block[k - 1];
        }
        if (k == NEAR) continue;
        heaviest[k] = total;
        row->block[k] = (uint16_t)b;
    }
    for (int k = 0; k < NEAR; k++) {
        if (!(heaviest[k] > 0.0f)) continue;
        row->weight[k] = far[row->block[k]];
        far[row->block[k]] = (lanes){0};
    }
}

/* The upper half of a float that is not negative, rounded up. */
INLINE uint16_t upper_half(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return (uint16_t)((bits + 0xffff) >> 16);
}

INLINE void find_largest(const cpu_blocks_colony *colony, row_head *row, const lanes *far)
{
    for (size_t g = 0; g < colony->n_groups; g++) {
        const lanes *first = far + (g << colony->shift);
        lanes most = {0};
        float largest = 0.0f;
        for (const lanes *block = first; block < first + ((size_t)1 << colony->shift); block++) {
            const lanes_int more = *block > most;
            most = (lanes)(((lanes_int)*block & more) | ((lanes_int)most & ~more));
        }
        for (int k = 0; k < LANES; k++) largest = most[k] > largest ? most[k] : largest;
        row->largest[g] = upper_half(largest);
    }
}

CPU_MULTIVERSION static void weigh_row(const cpu_blocks_colony *colony, size_t place)
{
    lanes *far = cpu_blocks_far(colony, place);
    trails_weigh(&colony->trails, place, (float *)far);
    choose_near(colony, &colony->heads[place], far);
    find_largest(colony, &colony->heads[place], far);
}

static void compute_choice(const trails *weighed)
{
    const cpu_blocks_colony *colony = (const cpu_blocks_colony *)weighed;
    const size_t n = (size_t)colony->common.problem.n;
#pragma omp parallel for num_threads(colony->common.params.threads) schedule(static)
    for (size_t place = 0; place < n; place++) weigh_row(colony, place);
}

/* ---- Construct ----
 *
 * Why this is exact: let B be the sum of all that is drawn from. Take a group with m cities left and largest weight M.
 * A draw proposes and keeps its city j with probability (m M / B) (1 / m) (w_j / M) = w_j / B. It draws a near city
 * with w_j / B too. So a kept draw is j with probability w_j / (weight of all cities left), which is the random
 * proportional rule. After MAX_DRAWS rejected draws all cities are added up; whether that happens depends on the
 * rejected draws only. tests/baselines/test_baselines.c tests it by chi-square. Resolution: 2^-24 of B.
 *
 * A draw from k vectors of weights needs one sum along a vector. The vectors are added up one by one, and each
 * partial sum is kept. A number draws a lane of the last sum, and a second number draws a vector of that lane. A
 * thread has SIDE_BY_SIDE ants (cpu_blocks_walk.c). */

static void begin_tour(const cpu_blocks_colony *colony, ant_state *ant, int number)
{
    const size_t n = (size_t)colony->common.problem.n;
    ant->random = cpu_colony_stream(&colony->common, number);
    ant->tour = cpu_colony_tour(&colony->common, number);
    ant->zero_weight_steps = 0;
    ant->draws = 0;
    memset(ant->left, 0, colony->n_blocks * sizeof *ant->left);
    memset(ant->count, 0, sizeof ant->count);
    for (size_t first = 0; first < n; first += BLOCK) {
        const size_t count = n - first < BLOCK ? n - first : BLOCK;
        ant->left[first / BLOCK] = (uint16_t)((1u << count) - 1);
        ((float *)ant->count)[first / BLOCK >> colony->shift] += (float)(int)count;
    }
    const size_t place = (size_t)(random_unit(&ant->random) * (double)n);
    ant->left[place / BLOCK] &= (uint16_t) ~(1u << place % BLOCK);
    ((float *)ant->count)[place / BLOCK >> colony->shift] -= 1.0f;
    ant->tour[0] = colony->city[place];
    ant->at = place;
    ant->step = 1;
}

static int64_t build_tours(cpu_colony *common, int thread, int first, int count)
{
    const cpu_blocks_colony *colony = (const cpu_blocks_colony *)common;
    const worker *at_hand = &colony->workers[thread];
    int64_t zero_weight_steps = 0;
    for (int a = 0; a < count; a++) begin_tour(colony, &at_hand->ants[a], first + a);
    colony->walk(colony, at_hand, count);
    for (int a = 0; a < count; a++) zero_weight_steps += at_hand->ants[a].zero_weight_steps;
    return zero_weight_steps;
}

/* ---- The colony ---- */

/* Gives each thread and each ant cache lines of their own. */
static void allocate_workers(cpu_blocks_colony *colony)
{
    ab_memory *memory = &colony->common.memory;
    const size_t threads = (size_t)colony->common.params.threads, count = threads * SIDE_BY_SIDE;
    const size_t n_left = cpu_round_up(colony->row_blocks + WORD_BLOCKS, 64); /* what is read beyond the last is 0 */
    const size_t n_sums = cpu_round_up(NEAR + colony->row_blocks, 2), n = cpu_round_up(colony->trails.stride, 128);
    ant_state *ants = ab_allocate(memory, count, sizeof *ants);
    uint16_t *left = ab_allocate(memory, count * n_left, sizeof *left);
    lanes *sums = ab_allocate(memory, threads * n_sums, sizeof *sums);
    bool *visited = ab_allocate(memory, threads * n, sizeof *visited);
    for (size_t a = 0; a < count && !memory->failed; a++) ants[a].left = left + a * n_left;
    for (size_t t = 0; t < threads && !memory->failed; t++)
        colony->workers[t] = (worker){ants + t * SIDE_BY_SIDE, sums + t * n_sums, visited + t * n};
}

/* A group is 2^shift blocks, as few as MAX_FAR vectors allow. */
static int shift_of(size_t n_blocks)
{
    int shift = 0;
    while (n_blocks > (size_t)(MAX_FAR * LANES) << shift) shift++;
    return shift;
}

static size_t cities_of_group(size_t n)
{
    return (size_t)BLOCK << shift_of(cpu_round_up(n, BLOCK) / BLOCK);
}

static ab_status allocate(cpu_blocks_colony *colony)
{
    ab_memory *memory = &colony->common.memory;
    const size_t n = (size_t)colony->common.problem.n;
    colony->n_blocks = cpu_round_up(n, BLOCK) / BLOCK;
    colony->shift = shift_of(colony->n_blocks);
    colony->row_blocks = cpu_round_up(colony->n_blocks, (size_t)1 << colony->shift);
    colony->n_groups = colony->row_blocks >> colony->shift;
    colony->group_bits = colony->shift < 2 ? (UINT64_C(1) << (BLOCK << colony->shift)) - 1 : UINT64_MAX;
    colony->city = ab_allocate(memory, colony->row_blocks * BLOCK, sizeof *colony->city);
    colony->heads = ab_allocate(memory, n, sizeof *colony->heads);
    colony->far = ab_allocate(memory, n * colony->row_blocks, sizeof *colony->far);
    colony->workers = ab_allocate(memory, (size_t)colony->common.params.threads, sizeof *colony->workers);
    if (!memory->failed) allocate_workers(colony);
    return ab_memory_status(memory);
}

static cpu_blocks_walker *fastest_walk(void)
{
#if defined(__x86_64__) && !defined(__clang__)
    if (__builtin_cpu_supports("x86-64-v4")) return cpu_blocks_walk_wide;
#endif
    return cpu_blocks_walk;
}

static ab_status prepare(trails *opened)
{
    cpu_blocks_colony *colony = (cpu_blocks_colony *)opened;
    colony->walk = fastest_walk();
    AB_TRY(allocate(colony));
    memcpy(colony->city, opened->city, (size_t)opened->common.problem.n * sizeof *colony->city);
    return ab_ok();
}

ab_status cpu_blocks(const tsp_problem *problem, const tsp_params *params, tsp_colony **colony)
{
    static const trails_kind kind = {.bytes = sizeof(cpu_blocks_colony),
                                     .granule = LANES,
                                     .together = cities_of_group,
                                     .prepare = prepare,
                                     .choose = compute_choice,
                                     .build = build_tours,
                                     .side_by_side = SIDE_BY_SIDE};
    return trails_open(&kind, problem, params, colony);
}
