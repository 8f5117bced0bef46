/* The walk of tsp/cpu-vectors-nn (cpu_vectors_nn.c explains it). It is compiled three times: for every processor, for
 * processors with BMI2, which takes bits out of a word in one instruction, and for processors with AVX-512. All three
 * give the same tours.
 *
 * It goes in rounds. All ants add up the weights of their candidates. They draw one and go there. Ants whose set is
 * exhausted look at one block for the best city, and ask for the next. Each part is a loop over ants without an
 * unpredictable branch, in which no ant waits for what it has asked for. So a processor works on several ants at once.
 */
#include "base/random.h"
#include "baselines/tsp/cpu_vectors_nn.h"
#include "baselines/tsp/roulette.h"

#define LIKELY(condition) __builtin_expect(condition, 1)

#ifdef __BMI2__
#include <immintrin.h>

/* The bits of a word at the places where `where` has ones, side by side. */
INLINE uint64_t extract(uint64_t word, uint64_t where)
{
    return _pext_u64(word, where);
}
#else
INLINE uint64_t extract(uint64_t word, uint64_t where)
{
    uint64_t extracted = 0;
    for (uint64_t bit = 1; where != 0; bit *= 2, where &= where - 1) extracted |= word & where & (~where + 1) ? bit : 0;
    return extracted;
}
#endif

/* ---- A step to a candidate ---- */

INLINE void ask_for_row(const cpu_vectors_nn_colony *colony, size_t place, size_t n_vectors)
{
    const size_t size = cpu_vectors_nn_row_size(n_vectors);
    const char *first = colony->rows + place * size;
    for (size_t k = 0; k < size; k += 64) __builtin_prefetch(first + k);
}

/* A bit for each unvisited candidate of where the ant is. */
INLINE uint64_t unvisited_candidates(const cpu_vectors_nn_colony *colony, const ant_state *ant, const set_row *here)
{
    uint64_t set = 0;
    for (int k = 0; k < FEW_WORDS; k++)
        set |= extract(ant->left[here->words[k].index], here->words[k].cities) << here->words[k].shift;
    if (LIKELY(here->words[0].more == 0)) return set;
    const set_word *words = colony->more_words + ant->at * colony->n_more;
    for (int k = 0; k < here->words[0].more; k++)
        set |= extract(ant->left[words[k].index], words[k].cities) << words[k].shift;
    return set;
}

INLINE void add_up(const cpu_vectors_nn_colony *colony, ant_state *ant, size_t n_vectors)
{
    const set_row *here = cpu_vectors_nn_row(colony, ant->at, n_vectors);
    const uint64_t unvisited = unvisited_candidates(colony, ant, here);
    lanes sum = {0};
    for (size_t v = 0; v < n_vectors; v++) {
        add_some(&sum, &here->weights[v], (uint16_t)(unvisited >> v * LANES));
        ant->sums[v] = sum;
    }
    sums_along(&sum);
    ant->along = sum;
}

/* Goes to a city, or stays. */
INLINE void go(const cpu_vectors_nn_colony *colony, ant_state *ant, size_t place, int64_t distance, size_t goes)
{
    ant->left[place / WORD] &= ~((uint64_t)goes << place % WORD);
    ant->tour[ant->step] = colony->trails.city[place];
    ant->step += goes;
    ant->length += goes ? distance : 0;
    ant->at = goes ? place : ant->at;
}

/* Draws a candidate and goes there; 0 where rounding points at none, or none is left. A vector that spin finds has in
 * its lane more than those before, and so an unvisited city with a weight. */
INLINE size_t draw(const cpu_vectors_nn_colony *colony, ant_state *ant, size_t n_vectors)
{
    set_row *here = cpu_vectors_nn_row(colony, ant->at, n_vectors);
    const uint64_t random = splitmix64(&ant->random);
    const float x = short_unit((uint32_t)(random >> 32)) * ant->along[LANES - 1];
    const size_t drawn = spin(ant->sums, n_vectors, &ant->along, x, short_unit((uint32_t)random));
    const size_t goes = drawn < n_vectors * LANES, k = drawn % (n_vectors * LANES);
    go(colony, ant, cpu_vectors_nn_places(here, n_vectors)[k], cpu_vectors_nn_distances(here, n_vectors)[k], goes);
    ask_for_row(colony, ant->at, n_vectors);
    return goes;
}

/* Whether an unvisited candidate has a weight. */
INLINE bool has_candidate(const ant_state *ant)
{
    return ant->along[LANES - 1] > 0.0f;
}

/* ---- A step to the best remaining city ---- */

INLINE const float *largest_of(const cpu_vectors_nn_colony *colony, const ant_state *ant)
{
    return colony->largest + ant->at * colony->n_bounds;
}

INLINE void ask_for_bounds(const cpu_vectors_nn_colony *colony, const ant_state *ant)
{
    for (size_t k = 0; k < colony->n_bounds; k += LANES) __builtin_prefetch(largest_of(colony, ant) + k);
}

INLINE size_t first_of_block(const cpu_vectors_nn_colony *colony, const ant_state *ant)
{
    return ant->at * colony->trails.stride + ant->block * BLOCK;
}

/* Chooses, among the blocks not yet looked at, the block that may have the largest weight. Returns whether it may
 * hold the best city. */
INLINE bool choose_block(const cpu_vectors_nn_colony *colony, ant_state *ant)
{
    const lanes *bounds = (const lanes *)ant->bounds;
    lanes most = bounds[0];
    for (size_t v = 1; v < colony->n_bounds / LANES; v++) keep_larger(&most, &bounds[v]);
    const float largest = largest_lane(most);
    size_t v = 0;
    while (!lanes_that_are(&bounds[v], largest)) v++;
    ant->block = v * LANES + (size_t)__builtin_ctz(lanes_that_are(&bounds[v], largest));
    __builtin_prefetch(colony->trails.pheromone + first_of_block(colony, ant));
    __builtin_prefetch(colony->trails.heuristic + first_of_block(colony, ant));
    return largest > 0.0f && largest >= ant->best_weight;
}

/* Whether there is a block to look at. */
INLINE bool begin_to_look(const cpu_vectors_nn_colony *colony, ant_state *ant)
{
    const lanes *largest = (const lanes *)largest_of(colony, ant);
    for (size_t v = 0; v < colony->n_bounds / LANES; v++)
        keep_where_any((lanes *)ant->bounds + v, &largest[v], ant->left + v * LANES * BLOCK / WORD);
    ant->best_weight = 0.0f;
    return choose_block(colony, ant);
}

/* The lowest city among equals. */
INLINE void look(const cpu_vectors_nn_colony *colony, ant_state *ant)
{
    const trails *all = &colony->trails;
    const size_t first = first_of_block(colony, ant), place = ant->block * BLOCK;
    const double alpha = colony->common.params.alpha;
    for (unsigned left = (uint16_t)(ant->left[place / WORD] >> place % WORD); left != 0; left &= left - 1) {
        const uint32_t k = (uint32_t)__builtin_ctz(left), seen = (uint32_t)place + k;
        const float weight = trails_choice(all->pheromone[first + k], all->heuristic[first + k], alpha);
        const bool lower = weight == ant->best_weight && weight > 0.0f && all->city[seen] < all->city[ant->best_place];
        if (!(weight > ant->best_weight || lower)) continue;
        ant->best_weight = weight;
        ant->best_place = seen;
    }
    ant->bounds[ant->block] = 0.0f;
}

static size_t nearest_unvisited(const cpu_vectors_nn_colony *colony, const worker *at_hand, const ant_state *ant)
{
    const trails *all = &colony->trails;
    for (size_t p = 0; p < (size_t)all->common.problem.n; p++)
        at_hand->visited[all->city[p]] = !(ant->left[p / WORD] >> p % WORD & 1);
    return all->place[tsp_nearest_unvisited(&all->common.problem, all->city[ant->at], at_hand->visited)];
}

INLINE void go_to_best(const cpu_vectors_nn_colony *colony, const worker *at_hand, ant_state *ant, size_t n_vectors)
{
    const tsp_problem *problem = &colony->common.problem;
    const uint16_t *city = colony->trails.city;
    const bool none = !(ant->best_weight > 0.0f);
    const size_t place = none ? nearest_unvisited(colony, at_hand, ant) : ant->best_place;
    ant->zero_weight_steps += none;
    ant->length += *ant->edge;
    ant->edge = problem->dist + (size_t)city[ant->at] * (size_t)problem->n + city[place];
    __builtin_prefetch(ant->edge);
    go(colony, ant, place, 0, 1);
    ask_for_row(colony, ant->at, n_vectors);
}

/* ---- The walk ---- */

/* Ants of a kind. Those that stay in a group while it is gone through move up. */
typedef struct group {
    ant_state *ants[SIDE_BY_SIDE];
    int count;
} group;

INLINE void join(group *joined, ant_state *ant, size_t whether)
{
    joined->ants[joined->count] = ant;
    joined->count += (int)whether;
}

/* Ants that look for the best city look at one block each. Ants that have found it join the walkers, or have come home.
 */
INLINE void look_around(const cpu_vectors_nn_colony *colony, const worker *at_hand, group *lookers, group *walkers,
                        size_t n_vectors)
{
    const int count = lookers->count;
    lookers->count = 0;
    for (int a = 0; a < count; a++) {
        ant_state *ant = lookers->ants[a];
        look(colony, ant);
        const bool goes_on = choose_block(colony, ant);
        join(lookers, ant, goes_on);
        if (goes_on) continue;
        go_to_best(colony, at_hand, ant, n_vectors);
        join(walkers, ant, ant->step < (size_t)colony->common.problem.n);
    }
}

/* Takes up the ants that were exhausted a round ago; their bounds have arrived by now. */
INLINE void begin_to_look_around(const cpu_vectors_nn_colony *colony, const worker *at_hand, group *exhausted,
                                 group *lookers, group *walkers, size_t n_vectors)
{
    for (int a = 0; a < exhausted->count; a++) {
        ant_state *ant = exhausted->ants[a];
        const bool looks = begin_to_look(colony, ant);
        join(lookers, ant, looks);
        if (looks) continue;
        go_to_best(colony, at_hand, ant, n_vectors);
        join(walkers, ant, ant->step < (size_t)colony->common.problem.n);
    }
    exhausted->count = 0;
}

INLINE void take_step(const cpu_vectors_nn_colony *colony, group *walkers, group *exhausted, size_t n_vectors)
{
    const int count = walkers->count;
    walkers->count = 0;
    for (int a = 0; a < count; a++) add_up(colony, walkers->ants[a], n_vectors);
    for (int a = 0; a < count; a++) {
        ant_state *ant = walkers->ants[a];
        const size_t goes = draw(colony, ant, n_vectors);
        join(walkers, ant, goes & (ant->step < (size_t)colony->common.problem.n));
        if (LIKELY(goes != 0)) continue;
        join(walkers, ant, has_candidate(ant));
        join(exhausted, ant, !has_candidate(ant));
        ask_for_bounds(colony, ant);
    }
}

INLINE void walk(const cpu_vectors_nn_colony *colony, const worker *at_hand, int count, size_t n_vectors)
{
    group walkers = {.count = 0}, exhausted = {.count = 0}, lookers = {.count = 0};
    for (int a = 0; a < count; a++) join(&walkers, &at_hand->ants[a], 1);
    while (walkers.count + exhausted.count + lookers.count > 0) {
        look_around(colony, at_hand, &lookers, &walkers, n_vectors);
        begin_to_look_around(colony, at_hand, &exhausted, &lookers, &walkers, n_vectors);
        take_step(colony, &walkers, &exhausted, n_vectors);
    }
}

void cpu_vectors_nn_walk(const cpu_vectors_nn_colony *colony, const worker *at_hand, int count)
{
    if (colony->n_vectors == 2)
        walk(colony, at_hand, count, 2);
    else
        walk(colony, at_hand, count, MAX_VECTORS);
}
