/* tsp/cpu-alias: the exact Ant System of cpu-best with its waits filled; threads over ants.
 *
 * A row is split into a head and a tail, as baselines/rejection.h tells, and each has an alias table (Walker 1977;
 * Vose 1991): a city is one read away. A thread has SIDE_BY_SIDE ants under way. All of them draw at once, by
 * vector: of a random number 24 bits say whether head or tail, the others which slot and which city of it, visited
 * or not; then each looks where its draw has led, and stays where it was if it has been there. What a draw needs
 * from memory is so asked for long before it is used, and no branch depends on what is drawn. After GUESSES draws
 * that led nowhere an ant looks closer: it leaves what it has visited out of the head and draws from that and the
 * tail; when few of such draws would be kept, too, the fall-back adds up what is left.
 *
 * Why this is exact: each of these three ways to draw yields an unvisited city j with a probability in proportion
 * to w_j, and which of them is taken depends on draws thrown away alone. Resolution: the share of the head 2^-24, a
 * slot 2^-28 of its table, a slot's city 2^-28; a tail of less than 2^-24 of a row is found when an ant looks
 * closer. tests/test_baselines.c tests it by chi-square.
 */
#include <omp.h>
#include <string.h>

#include "base/random.h"
#include "baselines/cpu_colony.h"
#include "baselines/lanes.h"
#include "baselines/rejection.h"
#include "baselines/trails.h"
#include "kernels/registered.h"

enum {
    SIDE_BY_SIDE = 32,  /* ants that a thread has under way */
    GUESSES = 6,        /* draws from the row as it is before the ant looks which cities of the head it has visited */
    MAX_PROPOSALS = 64, /* draws after that before the fall-back */
    MIN_ACCEPTED = 32,  /* one draw in so many must be kept, or the fall-back is cheaper */
    SHARE_BITS = 24,    /* of a random number: head or tail */
    SLOT_BITS = 40      /* the others: which slot, and which city of it */
};

/* A slot of an alias table: its own city where 32 random bits are below `keep`, else the other. */
typedef struct slot {
    uint32_t keep; /* of 2^32 */
    uint16_t own, other;
} slot;

/* Ants under way: what is drawn for all at once, member by member. */
typedef struct ants_under_way {
    uint64_t random[SIDE_BY_SIDE]; /* states of SplitMix64 */
    uint64_t at[SIDE_BY_SIDE];     /* the slot that was drawn */
    uint32_t coin[SIDE_BY_SIDE];   /* which city of it */
    uint32_t city[SIDE_BY_SIDE];   /* where it is */
    uint32_t share[SIDE_BY_SIDE];  /* of the head in that row, of 2^SHARE_BITS */
} __attribute__((aligned(128))) ants_under_way;

/* And what each has for itself. */
typedef struct ant_state {
    float unvisited[HEAD]; /* partial sums of the head's weights, visited ones counting 0 */
    walker walker;
    int left;          /* draws before it looks closer, or adds up the row */
    bool looks_closer; /* draws from `unvisited` */
    int step;          /* cities in the tour */
    int number;        /* of the ant */
    int32_t *tour;     /* [n + 1] */
    size_t edge;       /* of dist, to be added to the length */
    int64_t length;    /* of the tour up to that edge */
} __attribute__((aligned(128))) ant_state;

/* Scratch of a thread. */
typedef struct worker {
    ants_under_way *under_way;
    ant_state *ants; /* [SIDE_BY_SIDE] */
    fall_back_room room;
    float *share;            /* [n]: of the table under construction: a slot's weight in slots */
    uint16_t *small, *large; /* [n]: slots below 1 and from 1 on */
} worker;

typedef struct cpu_alias_colony {
    union {
        cpu_colony common; /* first */
        trails trails;     /* rows are a multiple of LANES long */
    };
    float *tail;     /* [n][stride]: pheromone^alpha * heuristic, 0 for the head and the diagonal */
    slot *slots;     /* [n][HEAD + n]: tables of head and tail; then one an ant, for a city that is sure */
    head *heads;     /* [n] */
    worker *workers; /* [threads] */
} cpu_alias_colony;

/* ---- Construct: a draw and where it leads ---- */

/* a where the mask has ones, b where it has none: a choice without a branch, as no branch could be foretold. */
INLINE uint64_t pick(uint64_t mask, uint64_t a, uint64_t b)
{
    return b ^ ((a ^ b) & mask);
}

/* Draws a slot of its row for each ant, visited cities or not. */
INLINE void draw(const cpu_alias_colony *colony, ants_under_way *all)
{
    const uint64_t n = (uint64_t)colony->common.problem.n;
    uint64_t z[SIDE_BY_SIDE];
    for (int a = 0; a < SIDE_BY_SIDE; a++) all->share[a] = colony->heads[all->city[a]].share;
    for (int a = 0; a < SIDE_BY_SIDE; a++) z[a] = splitmix64(&all->random[a]);
    for (int a = 0; a < SIDE_BY_SIDE; a++) {
        const uint64_t far = -(uint64_t)(z[a] >> SLOT_BITS >= all->share[a]);
        const uint64_t product = (z[a] & ((UINT64_C(1) << SLOT_BITS) - 1)) * pick(far, n, HEAD);
        all->at[a] = all->city[a] * (HEAD + n) + (product >> SLOT_BITS) + (far & HEAD);
        all->coin[a] = (uint32_t)(product >> (SLOT_BITS - 32));
    }
}

/* When draws from the row as it is have failed: leaves what it has visited out of the head. False where that, too,
 * failed, or is not worth while. */
static bool look_closer(const cpu_alias_colony *colony, const head *nearest, ant_state *ant)
{
    static const float kept[] = {1.0f, 0.0f}; /* not by a branch */
    const int n = colony->common.problem.n;
    if (ant->looks_closer) return false;
    float sum = 0.0f;
    for (int k = 0; k < HEAD; k++) {
        sum += nearest->weight[k] * kept[walker_has_been(&ant->walker, nearest->city[k])];
        ant->unvisited[k] = sum;
    }
    ant->looks_closer = true;
    ant->left = MAX_PROPOSALS;
    return draws_are_worthwhile((double)sum, (double)nearest->tail_total, (double)(n - ant->step) / n, MIN_ACCEPTED);
}

/* Draws from what is unvisited of the head and the whole tail, or where that is not worth while from all that is
 * left: a slot of the tail, or `sure`, which is given the city. */
static uint64_t draw_closely(const cpu_alias_colony *colony, const worker *at_hand, int a, uint64_t sure)
{
    const size_t n = (size_t)colony->common.problem.n, i = at_hand->under_way->city[a];
    const head *nearest = &colony->heads[i];
    ant_state *ant = &at_hand->ants[a];
    uint64_t *random = &at_hand->under_way->random[a];
    slot *certain = &colony->slots[sure];
    *certain = (slot){0, 0, (uint16_t)i};
    if (ant->left <= 0 && !look_closer(colony, nearest, ant)) {
        ant->walker.random = *random;
        certain->other =
            (uint16_t)choose_by_scan(&colony->common.problem, i, nearest, colony->tail + i * colony->trails.stride,
                                     &ant->walker, &at_hand->room);
        *random = ant->walker.random;
        return sure;
    }
    const double head_sum = (double)ant->unvisited[HEAD - 1];
    const double r = random_unit(random) * (head_sum + (double)nearest->tail_total);
    const int k = count_at_most(ant->unvisited, (float)r);
    const double x = (r - head_sum) * nearest->slots_by_weight;
    if (k < HEAD) {
        certain->other = nearest->city[k];
        return sure;
    }
    if (!(x > 0.0) || x >= (double)n) return sure; /* by rounding: leads nowhere */
    const uint32_t slot_at = (uint32_t)x;
    at_hand->under_way->coin[a] = (uint32_t)((x - slot_at) * 0x1p32);
    return i * (HEAD + n) + HEAD + slot_at;
}

/* Goes where the draw leads, if the ant has not been there; adds up the length an edge late, when its distance is
 * there. */
INLINE void follow(const cpu_alias_colony *colony, ants_under_way *all, ant_state *ant, int a)
{
    const size_t n = (size_t)colony->common.problem.n, from = all->city[a];
    const int32_t *dist = colony->common.problem.dist;
    const slot at = colony->slots[all->at[a]];
    const size_t city = pick(-(uint64_t)(all->coin[a] < at.keep), at.own, at.other);
    uint32_t *word = &ant->walker.visited[city / 32];
    const uint32_t before = *word;
    const uint64_t fresh = (uint64_t)(before >> city % 32 & 1) - 1; /* all ones, or none */
    *word = before | UINT32_C(1) << city % 32;
    ant->length += dist[ant->edge];
    ant->edge = (from * n + city) & fresh; /* 0 is 0 long */
    __builtin_prefetch(&dist[ant->edge]);
    ant->tour[ant->step] = (int32_t)city;
    ant->step -= (int)fresh;
    ant->left = (int)pick(fresh, GUESSES, (uint64_t)(ant->left - 1));
    ant->looks_closer &= ~fresh;
    all->city[a] = (uint32_t)pick(fresh, city, from);
    __builtin_prefetch(&colony->heads[all->city[a]]);
}

/* ---- Construct: tours ---- */

INLINE void begin_tour(const cpu_alias_colony *colony, const worker *at_hand, int a, int number)
{
    const size_t n = (size_t)colony->common.problem.n;
    ant_state *ant = &at_hand->ants[a];
    walker_begin(&ant->walker, n, cpu_colony_stream(&colony->common, number));
    const size_t city = (size_t)(random_unit(&ant->walker.random) * (double)n);
    at_hand->under_way->random[a] = ant->walker.random;
    at_hand->under_way->city[a] = (uint32_t)city;
    walker_visit(&ant->walker, city);
    ant->number = number;
    ant->tour = cpu_colony_tour(&colony->common, number);
    ant->tour[0] = (int32_t)city;
    ant->step = 1;
    ant->left = GUESSES;
    ant->looks_closer = false;
    ant->edge = 0;
    ant->length = 0;
}

INLINE void close_tour(const cpu_alias_colony *colony, ant_state *ant)
{
    const size_t n = (size_t)colony->common.problem.n;
    const int32_t *dist = colony->common.problem.dist;
    ant->tour[n] = ant->tour[0];
    colony->common.lengths[ant->number] =
        ant->length + dist[ant->edge] + dist[(size_t)ant->tour[n - 1] * n + (size_t)ant->tour[0]];
}

INLINE int next_ant(int *waiting)
{
    int number;
#pragma omp atomic capture
    number = (*waiting)++;
    return number;
}

/* Puts the last ant under way in the place of one that is done, which keeps its memory. */
INLINE void replace(const worker *at_hand, int done, int last)
{
    const ant_state ant = at_hand->ants[done];
    at_hand->ants[done] = at_hand->ants[last];
    at_hand->ants[last] = ant;
    at_hand->under_way->random[done] = at_hand->under_way->random[last];
    at_hand->under_way->city[done] = at_hand->under_way->city[last];
}

/* The tours of up to `window` ants at a time, until no ant is waiting. Returns the steps by the all-zero rule. */
CPU_MULTIVERSION static int64_t build_tours(const cpu_alias_colony *colony, const worker *at_hand, int window,
                                            int *waiting)
{
    const int n = colony->common.problem.n, n_ants = colony->common.params.n_ants;
    const uint64_t sure = (uint64_t)n * (HEAD + (uint64_t)n) + (uint64_t)((at_hand - colony->workers) * SIDE_BY_SIDE);
    ants_under_way *all = at_hand->under_way;
    ant_state *ants = at_hand->ants;
    int64_t zero_weight_steps = 0;
    int count = 0;
    for (int number; count < window && (number = next_ant(waiting)) < n_ants; count++)
        begin_tour(colony, at_hand, count, number);
    while (count > 0) {
        draw(colony, all);
        for (int a = 0; a < count; a++) {
            if (__builtin_expect((ants[a].left <= 0) | ants[a].looks_closer, 0))
                all->at[a] = draw_closely(colony, at_hand, a, sure + (uint64_t)a);
            __builtin_prefetch(&colony->slots[all->at[a]]);
        }
        for (int a = 0; a < count; a++) follow(colony, all, &ants[a], a);
        for (int a = 0; a < count; a++) {
            if (__builtin_expect(ants[a].step < n, 1)) continue;
            close_tour(colony, &ants[a]);
            zero_weight_steps += ants[a].walker.zero_weight_steps;
            const int number = next_ant(waiting);
            if (number < n_ants)
                begin_tour(colony, at_hand, a, number);
            else
                replace(at_hand, a--, --count);
        }
    }
    return zero_weight_steps;
}

static void construct(cpu_alias_colony *colony)
{
    cpu_colony *common = &colony->common;
    const int threads = common->params.threads, each = (common->params.n_ants + threads - 1) / threads;
    int64_t zero_weight_steps = 0;
    int waiting = 0;
    common->iteration++;
#pragma omp parallel num_threads(threads) reduction(+ : zero_weight_steps)
    zero_weight_steps += build_tours(colony, &colony->workers[omp_get_thread_num()],
                                     each < SIDE_BY_SIDE ? each : SIDE_BY_SIDE, &waiting);
    common->zero_weight_steps += zero_weight_steps;
    cpu_colony_keep_best(common);
}

/* ---- Choice ---- */

/* Adds up what the head leaves of a row. */
static void split_row(const cpu_alias_colony *colony, size_t i)
{
    head *nearest = &colony->heads[i];
    float *tail = colony->tail + i * colony->trails.stride;
    split_head(nearest, tail);
    lanes sums = {0};
    for (size_t j = 0; j < colony->trails.stride; j += LANES) sums += *(const lanes *)(tail + j);
    prefix_sums(&sums);
    nearest->tail_total = sums[LANES - 1];
    const double total = (double)nearest->tail_total, head_total = (double)nearest->sum[HEAD - 1];
    nearest->slots_by_weight = total > 0.0 ? colony->common.problem.n / total : 0.0;
    nearest->share = 1 << SHARE_BITS;
    if (total > 0.0) nearest->share = (uint32_t)(head_total / (head_total + total) * (1 << SHARE_BITS) + 0.5);
}

/* A slot's `keep` for a weight of so many slots, 1 at most. */
INLINE uint32_t keep_of(float share)
{
    const double keep = (double)share * 0x1p32;
    return keep < 0x1p32 ? (uint32_t)keep : UINT32_MAX;
}

/* The alias table of `count` weights: slots that weigh less than their share are filled up from one that weighs
 * more. What rounding leaves over keeps its own city if that weighs anything, and if not, takes the last one's that
 * did. city: NULL where weight j is that of city j. `nowhere` is the city of a table without any weight. */
static void fill_slots(const worker *at_hand, const float *weights, const uint16_t *city, size_t count,
                       double by_weight, uint16_t nowhere, slot *slots)
{
    float *share = at_hand->share;
    size_t n_small = 0, n_large = 0;
    for (size_t j = 0; j < count; j++) {
        share[j] = (float)((double)weights[j] * by_weight);
        slots[j].own = city != NULL ? city[j] : (uint16_t)j;
        at_hand->small[n_small] = at_hand->large[n_large] = (uint16_t)j;
        n_small += share[j] < 1.0f;
        n_large += !(share[j] < 1.0f);
    }
    uint16_t other = nowhere;
    while (n_small > 0 && n_large > 0) {
        const size_t small = at_hand->small[--n_small], large = at_hand->large[n_large - 1];
        other = slots[large].own;
        slots[small].keep = keep_of(share[small]);
        slots[small].other = other;
        share[large] -= 1.0f - share[small];
        if (share[large] >= 1.0f) continue;
        n_large--;
        at_hand->small[n_small++] = (uint16_t)large;
    }
    while (n_large > 0) {
        slot *large = &slots[at_hand->large[--n_large]];
        large->keep = UINT32_MAX;
        large->other = large->own;
    }
    while (n_small > 0) {
        const size_t small = at_hand->small[--n_small];
        slots[small].keep = weights[small] > 0.0f ? UINT32_MAX : 0;
        slots[small].other = weights[small] > 0.0f ? slots[small].own : other;
    }
}

static void fill_tables(const cpu_alias_colony *colony, const worker *at_hand, size_t i)
{
    const size_t n = (size_t)colony->common.problem.n;
    const head *nearest = &colony->heads[i];
    slot *slots = colony->slots + i * (HEAD + n);
    const double head_total = (double)nearest->sum[HEAD - 1], by_weight = head_total > 0.0 ? HEAD / head_total : 0.0;
    fill_slots(at_hand, nearest->weight, nearest->city, HEAD, by_weight, (uint16_t)i, slots);
    fill_slots(at_hand, colony->tail + i * colony->trails.stride, NULL, n, nearest->slots_by_weight, (uint16_t)i,
               slots + HEAD);
}

static void compute_choice(const cpu_alias_colony *colony)
{
    const size_t n = (size_t)colony->common.problem.n;
#pragma omp parallel for num_threads(colony->common.params.threads) schedule(static)
    for (size_t i = 0; i < n; i++) {
        trails_weigh(&colony->trails, i, colony->tail + i * colony->trails.stride);
        split_row(colony, i);
        fill_tables(colony, &colony->workers[omp_get_thread_num()], i);
    }
}

/* ---- The colony ---- */

static ab_status run_stage(ab_work *work, int stage)
{
    cpu_alias_colony *colony = (cpu_alias_colony *)work;
    if (stage == AS_CHOICE) compute_choice(colony);
    if (stage == AS_CONSTRUCT) construct(colony);
    if (stage == AS_UPDATE) trails_update(&colony->trails);
    return ab_ok();
}

static void allocate_ants(cpu_alias_colony *colony)
{
    ab_memory *memory = &colony->common.memory;
    const size_t n = (size_t)colony->common.problem.n, count = (size_t)colony->common.params.threads * SIDE_BY_SIDE;
    ants_under_way *all = ab_allocate(memory, (size_t)colony->common.params.threads, sizeof *all);
    ant_state *ants = ab_allocate(memory, count, sizeof *ants);
    char *walkers = ab_allocate(memory, count, walker_bytes(n));
    for (size_t a = 0; a < count && !memory->failed; a++) {
        walker_settle(&ants[a].walker, walkers + a * walker_bytes(n), n);
        colony->workers[a / SIDE_BY_SIDE].ants = ants + a / SIDE_BY_SIDE * SIDE_BY_SIDE;
        colony->workers[a / SIDE_BY_SIDE].under_way = all + a / SIDE_BY_SIDE;
    }
}

static void allocate_scratch(cpu_alias_colony *colony)
{
    ab_memory *memory = &colony->common.memory;
    const size_t n = (size_t)colony->common.problem.n, threads = (size_t)colony->common.params.threads;
    const size_t line = (n + HEAD + 63) / 64 * 64; /* elements per thread: whole cache lines */
    char *rooms = ab_allocate(memory, threads, fall_back_bytes(n));
    float *share = ab_allocate(memory, threads * line, sizeof *share);
    uint16_t *small = ab_allocate(memory, threads * line, sizeof *small);
    uint16_t *large = ab_allocate(memory, threads * line, sizeof *large);
    for (size_t t = 0; t < threads && !memory->failed; t++) {
        worker *owner = &colony->workers[t];
        fall_back_settle(&owner->room, rooms + t * fall_back_bytes(n), n);
        owner->share = share + t * line;
        owner->small = small + t * line;
        owner->large = large + t * line;
    }
}

static ab_status allocate(cpu_alias_colony *colony)
{
    ab_memory *memory = &colony->common.memory;
    const size_t n = (size_t)colony->common.problem.n, threads = (size_t)colony->common.params.threads;
    colony->tail = ab_allocate(memory, n * colony->trails.stride, sizeof(float));
    colony->slots = ab_allocate(memory, n * (HEAD + n) + threads * SIDE_BY_SIDE, sizeof *colony->slots);
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
    const as_problem *problem = &opened->common.problem;
    AB_TRY(allocate(colony));
    for (size_t i = 0; i < (size_t)problem->n; i++) trails_nearest(&colony->trails, i, HEAD, colony->heads[i].city);
    return ab_ok();
}

ab_status cpu_alias(const as_problem *problem, const as_params *params, as_colony **colony)
{
    static const trails_kind kind = {&work_methods, sizeof(cpu_alias_colony), LANES, prepare};
    return trails_open(&kind, problem, params, colony);
}
