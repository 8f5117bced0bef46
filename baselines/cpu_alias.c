/* tsp/cpu-alias: the exact Ant System of cpu-best with its waits filled; threads over ants.
 *
 * As in cpu-best a row's weights are split into a HEAD of the nearest cities, whose unvisited ones are added up by vector,
 * and a tail, whose weight T counts visited cities too, so that it is the same for all ants; a draw from [0, H + T) names
 * a head city or proposes one of the tail, and is thrown away where the ant has been there. Two things differ. A tail city
 * is found by an alias table (Walker 1977; Vose 1991), which is one read instead of a tree's three, one after another.
 * And a thread has SIDE_BY_SIDE ants under way and gives each a turn: a turn ends as soon as an address is known that is
 * not likely to be in the nearest cache, with a prefetch, and the ant goes on in its next one. So a proposal's wait for
 * memory is other ants' work.
 *
 * Why this is exact: cpu_best.c says so for draws; a table's slot is drawn uniformly, and what is left of the random
 * number decides between its two cities, so that a proposal is city j with probability w_j / T up to rounding: 2^-24 of
 * a slot. tests/test_baselines.c tests it by chi-square.
 *
 * Of a table's entry a proposal reads 4 bytes: the other city and the first 16 bits of the threshold. A random number
 * that begins with the same 16 bits, one of 65536, looks at the whole of it. So the tables that are at hand are half as
 * large, and no draw is less exact.
 *
 * Floor: n^2 entries of 4 bytes stay in no core's own cache; 1.9 draws a step with `as`, 2.6 with `as-best` (pr2392,
 * the first four iterations; half of them in the last quarter of a tour), of which 1.1 and 2.1 are proposals, each a
 * cache line. With ten lines under way and 90 ns each, 10 to 19 ns a step; adding up a head takes some 40 instructions
 * that wait for each other, 15 ns where ants fill the gaps. n^2 entries are built anew per iteration, 6 ns each.
 * pr2392: 5.7 million steps, 145 to 195 ms, and 35 for the tables, on one core; a sixteenth of that on 16.
 * Measured on 16 cores of an H200's host, a shared Intel Xeon, pr2392, in turns with entries of 8 bytes, which are the
 * numbers in brackets: `as-best` 53.5 ms an iteration in the mean (59.3) and 580 on one core (650); `as` 39.9 (40.8)
 * and 612 (651). docs/frontier.md says where the time goes, and what was tried.
 */
#include <omp.h>
#include <string.h>

#include "base/random.h"
#include "baselines/cpu_colony.h"
#include "baselines/lanes.h"
#include "baselines/trails.h"
#include "operations/tsp.h"

tsp_open cpu_alias;

enum {
    HEAD = LANES,       /* cities in the head: one vector */
    SIDE_BY_SIDE = 16,  /* ants that a thread advances in turns */
    MAX_PROPOSALS = 64, /* draws before the fall-back */
    MIN_ACCEPTED = 32   /* one draw in so many must be kept, or the fall-back is cheaper */
};

/* The head of a row: the weights are refreshed in every choice stage. */
typedef struct head {
    float weight[HEAD];     /* pheromone^alpha * eta^beta */
    uint16_t city[HEAD];    /* nearest first; an instance of fewer cities fills up with the row's own, which weighs 0 */
    float tail_total;       /* weight of all other cities */
    double slots_by_weight; /* n / tail_total, which may pass the range of float; 0 where that is 0 */
} __attribute__((aligned(128))) head;

typedef int8_t flags __attribute__((vector_size(HEAD))); /* of the cities of a head */

/* An ant under way. A byte a city, and not a float to multiply by, keeps all ants of a thread in the nearest cache. */
typedef struct ant_state {
    lanes sums;                /* partial sums over the head */
    uint64_t random;           /* state of SplitMix64 */
    double total;              /* of what is drawn from: unvisited head, whole tail */
    size_t step;               /* cities in the tour */
    size_t city;               /* where it is */
    size_t proposed;           /* slot that it waits for */
    float coin;                /* in [0, 1): which city of that slot */
    int left;                  /* draws before the fall-back; -1: the head is not added up yet */
    bool waits;                /* for a slot */
    int32_t *tour;             /* [n] */
    bool *visited;             /* [n] */
    uint16_t *remaining;       /* [n_remaining]: a superset of the unvisited cities, ascending */
    int n_remaining;           /* shrinks when remaining is scanned */
    int n_unvisited;           /* cities */
    int64_t zero_weight_steps; /* of this tour */
} __attribute__((aligned(128))) ant_state;

/* Scratch of a thread. */
typedef struct worker {
    ant_state *ants;         /* [SIDE_BY_SIDE] */
    uint16_t *candidate;     /* [n + HEAD]: of the fall-back: cities */
    float *candidate_weight; /* [n + HEAD]: and their weights */
    uint16_t *small, *large; /* [n]: slots of the table under construction: below 1 and from 1 on, */
    uint16_t *other;         /* [n]: ... and their other cities */
} worker;

typedef struct cpu_alias_colony {
    union {
        cpu_colony common; /* first */
        trails trails;     /* rows are a multiple of LANES long */
    };
    float *tail;     /* [n][stride]: pheromone^alpha * heuristic, 0 for the head and the diagonal */
    float *keep;     /* [n][n], of alias tables: for a coin below it, 0 .. 1, the slot's own city, else the other one */
    uint32_t *slots; /* [n][n]: how many 2^-16 are in `keep`, at most 0xffff, and in the lower half the other city */
    head *heads;     /* [n] */
    worker *workers; /* [threads] */
} cpu_alias_colony;

/* ---- Construct: the fall-back, a roulette over all unvisited cities, one by one ---- */

static int collect_candidates(const cpu_alias_colony *colony, const worker *at_hand, ant_state *ant)
{
    const head *nearest = &colony->heads[ant->city];
    const float *tail = colony->tail + ant->city * colony->trails.stride;
    int count = 0, left = 0;
    for (int k = 0; k < HEAD; k++) {
        if (ant->visited[nearest->city[k]]) continue;
        at_hand->candidate[count] = nearest->city[k];
        at_hand->candidate_weight[count++] = nearest->weight[k];
    }
    for (int k = 0; k < ant->n_remaining; k++) {
        const uint16_t city = ant->remaining[k];
        ant->remaining[left] = city;
        at_hand->candidate[count + left] = city;
        at_hand->candidate_weight[count + left] = tail[city];
        left += !ant->visited[city];
    }
    ant->n_remaining = left;
    return count + left;
}

static size_t choose_by_scan(const cpu_alias_colony *colony, const worker *at_hand, ant_state *ant)
{
    const int count = collect_candidates(colony, at_hand, ant);
    double total = 0.0, sum = 0.0;
    for (int k = 0; k < count; k++) total += at_hand->candidate_weight[k];
    if (!(total > 0.0)) {
        ant->zero_weight_steps++;
        return (size_t)as_nearest_unvisited(&colony->common.problem, (int)ant->city, ant->visited);
    }
    const double r = random_unit(&ant->random) * total;
    size_t city = 0;
    for (int k = 0; k < count; k++) {
        if (!(at_hand->candidate_weight[k] > 0.0f)) continue;
        city = at_hand->candidate[k];
        sum += at_hand->candidate_weight[k];
        if (sum > r) break;
    }
    return city;
}

/* ---- Construct: turns ---- */

/* The city that was proposed. */
INLINE size_t look_up(const cpu_alias_colony *colony, const ant_state *ant)
{
    const size_t entry = ant->city * (size_t)colony->common.problem.n + ant->proposed;
    const uint32_t keep = colony->slots[entry] >> 16, coin = (uint32_t)(int)(ant->coin * 0x1p16f);
    const size_t other = colony->slots[entry] & 0xffff;
    size_t own = coin < keep;
    if (coin == keep) own = ant->coin < colony->keep[entry];
    return other ^ ((other ^ ant->proposed) & -own); /* no branch: nobody could foretell it */
}

/* Goes to a city, whose head the next turn needs. */
INLINE void visit(const cpu_alias_colony *colony, ant_state *ant, size_t city)
{
    __builtin_prefetch(&colony->heads[city]);
    __builtin_prefetch(&colony->heads[city].city);
    __builtin_prefetch(&colony->common.problem.dist[ant->city * (size_t)colony->common.problem.n + city]);
    ant->visited[city] = true;
    ant->n_unvisited--;
    ant->tour[ant->step++] = (int32_t)city;
    ant->city = city;
    ant->left = -1;
}

/* How many draws to make before the fall-back. Estimates the share of draws that are kept as if visited cities were
 * spread evenly over the tail. */
INLINE int allowed_proposals(const cpu_alias_colony *colony, const ant_state *ant, double head_sum, double tail_total)
{
    const double unvisited_tail = tail_total * ant->n_unvisited / colony->common.problem.n;
    return head_sum + unvisited_tail > (head_sum + tail_total) / MIN_ACCEPTED ? MAX_PROPOSALS : 0;
}

/* Adds up the unvisited cities of the head. */
INLINE void begin_step(const cpu_alias_colony *colony, ant_state *ant)
{
    const head *nearest = &colony->heads[ant->city];
    const uint16_t *c = nearest->city;
    const bool *v = ant->visited;
    /* Not by a loop: a vector that is stored lane by lane is not to be loaded for a while. */
    const flags visited = {v[c[0]], v[c[1]], v[c[2]],  v[c[3]],  v[c[4]],  v[c[5]],  v[c[6]],  v[c[7]],
                           v[c[8]], v[c[9]], v[c[10]], v[c[11]], v[c[12]], v[c[13]], v[c[14]], v[c[15]]};
    const lanes_int kept = __builtin_convertvector(visited, lanes_int) - 1; /* all bits, and none where visited */
    lanes sums = (lanes)(kept & (lanes_int) * (const lanes *)nearest->weight);
    prefix_sums(&sums);
    ant->sums = sums;
    const double head_sum = (double)ant->sums[HEAD - 1], tail_total = (double)nearest->tail_total;
    ant->total = head_sum + tail_total;
    ant->left = allowed_proposals(colony, ant, head_sum, tail_total);
}

/* Draws until the ant has moved or waits for a slot. */
INLINE void draw(const cpu_alias_colony *colony, const worker *at_hand, ant_state *ant)
{
    const head *nearest = &colony->heads[ant->city];
    const size_t n = (size_t)colony->common.problem.n;
    const double head_sum = (double)ant->sums[HEAD - 1];
    while (ant->left-- > 0) {
        const double r = random_unit(&ant->random) * ant->total;
        if (r < head_sum) {
            const int k = count_at_most((const float *)&ant->sums, (float)r);
            if (k == HEAD || ant->visited[nearest->city[k]] || !(nearest->weight[k] > 0.0f)) continue;
            visit(colony, ant, nearest->city[k]);
            return;
        }
        const double x = (r - head_sum) * nearest->slots_by_weight;
        ant->proposed = (size_t)x;
        if (ant->proposed >= n) continue;
        ant->coin = (float)(x - (double)ant->proposed);
        ant->waits = true;
        __builtin_prefetch(&colony->slots[ant->city * n + ant->proposed]);
        return;
    }
    visit(colony, ant, choose_by_scan(colony, at_hand, ant));
}

INLINE void take_turn(const cpu_alias_colony *colony, const worker *at_hand, ant_state *ant)
{
    if (ant->waits) {
        const size_t city = look_up(colony, ant);
        ant->waits = false;
        if (!ant->visited[city]) {
            visit(colony, ant, city);
            return;
        }
    } else if (ant->left < 0) {
        begin_step(colony, ant);
    }
    draw(colony, at_hand, ant);
}

/* ---- Construct: tours ---- */

static void begin_tour(const cpu_alias_colony *colony, ant_state *ant, int number)
{
    const int n = colony->common.problem.n;
    ant->random = cpu_colony_stream(&colony->common, number);
    ant->tour = cpu_colony_tour(&colony->common, number);
    ant->zero_weight_steps = 0;
    ant->step = ant->city = 0;
    ant->waits = false;
    ant->n_remaining = ant->n_unvisited = n;
    memset(ant->visited, 0, (size_t)n * sizeof *ant->visited);
    for (int j = 0; j < n; j++) ant->remaining[j] = (uint16_t)j;
    visit(colony, ant, (size_t)(random_unit(&ant->random) * (double)n));
}

/* Gives the ants turns until all have been everywhere. */
CPU_MULTIVERSION static void walk(const cpu_alias_colony *colony, const worker *at_hand, int count)
{
    const size_t n = (size_t)colony->common.problem.n;
    for (int under_way = count; under_way > 0;) {
        under_way = 0;
        for (int a = 0; a < count; a++) {
            ant_state *ant = &at_hand->ants[a];
            if (ant->step == n) continue;
            take_turn(colony, at_hand, ant);
            under_way++;
        }
    }
}

static int64_t build_tours(cpu_colony *common, int thread, int first, int count)
{
    const cpu_alias_colony *colony = (const cpu_alias_colony *)common;
    const worker *at_hand = &colony->workers[thread];
    int64_t zero_weight_steps = 0;
    for (int a = 0; a < count; a++) begin_tour(colony, &at_hand->ants[a], first + a);
    walk(colony, at_hand, count);
    for (int a = 0; a < count; a++) zero_weight_steps += at_hand->ants[a].zero_weight_steps;
    return zero_weight_steps;
}

/* ---- Choice ---- */

/* Moves the head's weights out of the tail, and adds up what is left. */
static void split_row(const cpu_alias_colony *colony, size_t i)
{
    head *nearest = &colony->heads[i];
    float *tail = colony->tail + i * colony->trails.stride;
    for (int k = 0; k < HEAD; k++) {
        nearest->weight[k] = tail[nearest->city[k]];
        tail[nearest->city[k]] = 0.0f;
    }
    lanes sums = {0};
    for (size_t j = 0; j < colony->trails.stride; j += LANES) sums += *(const lanes *)(tail + j);
    prefix_sums(&sums);
    nearest->tail_total = sums[LANES - 1];
    const double total = (double)nearest->tail_total;
    nearest->slots_by_weight = total > 0.0 ? colony->common.problem.n / total : 0.0;
}

/* The alias table of a row: slots that weigh less than their share are filled up from one that weighs more. What rounding
 * leaves over keeps its own city if that weighs anything, and if not, takes the last one's that did. */
static void fill_slots(const cpu_alias_colony *colony, const worker *at_hand, size_t i)
{
    const size_t n = (size_t)colony->common.problem.n;
    const float *tail = colony->tail + i * colony->trails.stride;
    const double by_weight = colony->heads[i].slots_by_weight;
    float *keep = colony->keep + i * n; /* of a slot that is not filled up yet, its weight in slots */
    size_t n_small = 0, n_large = 0;
    for (size_t j = 0; j < n; j++) {
        keep[j] = (float)((double)tail[j] * by_weight);
        at_hand->small[n_small] = at_hand->large[n_large] = (uint16_t)j;
        n_small += keep[j] < 1.0f;
        n_large += !(keep[j] < 1.0f);
    }
    uint16_t large = 0;
    while (n_small > 0 && n_large > 0) {
        const size_t small = at_hand->small[--n_small];
        large = at_hand->large[n_large - 1];
        at_hand->other[small] = large;
        keep[large] -= 1.0f - keep[small];
        if (keep[large] >= 1.0f) continue;
        n_large--;
        at_hand->small[n_small++] = large;
    }
    while (n_large > 0) at_hand->small[n_small++] = at_hand->large[--n_large];
    while (n_small > 0) {
        const size_t left = at_hand->small[--n_small];
        keep[left] = tail[left] > 0.0f ? 1.0f : 0.0f;
        at_hand->other[left] = large;
    }
}

/* The slots of a row, from what fill_slots left. */
CPU_MULTIVERSION static void pack_slots(const cpu_alias_colony *colony, const worker *at_hand, size_t i)
{
    const size_t n = (size_t)colony->common.problem.n;
    const float *keep = colony->keep + i * n;
    uint32_t *slots = colony->slots + i * n;
    for (size_t j = 0; j < n; j++) {
        const int steps = (int)(keep[j] * 0x1p16f);
        slots[j] = (uint32_t)(steps < 0xffff ? steps : 0xffff) << 16 | at_hand->other[j];
    }
}

static void compute_choice(const cpu_alias_colony *colony)
{
    const size_t n = (size_t)colony->common.problem.n;
#pragma omp parallel for num_threads(colony->common.params.threads) schedule(static)
    for (size_t i = 0; i < n; i++) {
        trails_weigh(&colony->trails, i, colony->tail + i * colony->trails.stride);
        split_row(colony, i);
        fill_slots(colony, &colony->workers[omp_get_thread_num()], i);
        pack_slots(colony, &colony->workers[omp_get_thread_num()], i);
    }
}

/* ---- The colony ---- */

static ab_status run_stage(ab_work *work, int stage)
{
    cpu_alias_colony *colony = (cpu_alias_colony *)work;
    if (stage == AS_CHOICE) compute_choice(colony);
    if (stage == AS_CONSTRUCT) cpu_colony_construct(&colony->common, SIDE_BY_SIDE, build_tours);
    if (stage == AS_UPDATE) trails_update(&colony->trails);
    return ab_ok();
}

static void allocate_ants(cpu_alias_colony *colony)
{
    ab_memory *memory = &colony->common.memory;
    const size_t n = (size_t)colony->common.problem.n, count = (size_t)colony->common.params.threads * SIDE_BY_SIDE;
    const size_t room = (n + 127) / 128 * 128; /* per ant: cache lines of its own */
    ant_state *ants = ab_allocate(memory, count, sizeof *ants);
    bool *visited = ab_allocate(memory, count * room, sizeof *visited);
    uint16_t *remaining = ab_allocate(memory, count * room, sizeof *remaining);
    for (size_t a = 0; a < count && !memory->failed; a++) {
        ants[a].visited = visited + a * room;
        ants[a].remaining = remaining + a * room;
        colony->workers[a / SIDE_BY_SIDE].ants = ants + a / SIDE_BY_SIDE * SIDE_BY_SIDE;
    }
}

static void allocate_scratch(cpu_alias_colony *colony)
{
    ab_memory *memory = &colony->common.memory;
    const size_t n = (size_t)colony->common.problem.n, threads = (size_t)colony->common.params.threads;
    const size_t room = (n + HEAD + 127) / 128 * 128;
    uint16_t *candidate = ab_allocate(memory, threads * room, sizeof *candidate);
    float *candidate_weight = ab_allocate(memory, threads * room, sizeof *candidate_weight);
    uint16_t *small = ab_allocate(memory, threads * room, sizeof *small);
    uint16_t *large = ab_allocate(memory, threads * room, sizeof *large);
    uint16_t *other = ab_allocate(memory, threads * room, sizeof *other);
    for (size_t t = 0; t < threads && !memory->failed; t++) {
        worker *owner = &colony->workers[t];
        owner->candidate = candidate + t * room;
        owner->candidate_weight = candidate_weight + t * room;
        owner->small = small + t * room;
        owner->large = large + t * room;
        owner->other = other + t * room;
    }
}

static ab_status allocate(cpu_alias_colony *colony)
{
    ab_memory *memory = &colony->common.memory;
    const size_t n = (size_t)colony->common.problem.n, threads = (size_t)colony->common.params.threads;
    colony->tail = ab_allocate(memory, n * colony->trails.stride, sizeof(float));
    colony->slots = ab_allocate(memory, n * n, sizeof *colony->slots);
    colony->keep = ab_allocate(memory, n * n, sizeof *colony->keep);
    colony->heads = ab_allocate(memory, n, sizeof *colony->heads);
    colony->workers = ab_allocate(memory, threads, sizeof *colony->workers);
    if (!memory->failed) allocate_ants(colony);
    if (!memory->failed) allocate_scratch(colony);
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
    cpu_alias_colony *colony = (cpu_alias_colony *)opened;
    AB_TRY(allocate(colony));
    for (size_t i = 0; i < (size_t)opened->common.problem.n; i++)
        trails_nearest(opened, i, HEAD, colony->heads[i].city);
    return ab_ok();
}

ab_status cpu_alias(const as_problem *problem, const as_params *params, as_colony **colony)
{
    static const trails_kind kind = {&work_methods, sizeof(cpu_alias_colony), LANES, prepare};
    return trails_open(&kind, problem, params, colony);
}
