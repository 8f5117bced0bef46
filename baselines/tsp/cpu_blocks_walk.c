/* The walk of tsp/cpu-blocks (cpu_blocks.c explains it and why it is exact). It is compiled for every processor, and
 * once more by cpu_blocks_walk_wide.c for processors with AVX-512. These mask, count lanes and find a word's k-th bit
 * in one instruction each. Both give the same tours.
 *
 * It goes in rounds. Ants that have moved add their rows up. All ants propose a city, and ask for its weight. All
 * decide, and ants that go ask for their rows. Each part is a loop over ants without an unpredictable branch. So a
 * processor works on several ants at once, and waits for none.
 */
#include <string.h>

#include "base/random.h"
#include "baselines/tsp/cpu_blocks.h"
#include "baselines/tsp/roulette.h"

#define LIKELY(condition) __builtin_expect(condition, 1)

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "four words of 16 bits are read as one of 64");

/* ---- Vectors of weights ---- */

#ifdef __AVX512BW__
#include <immintrin.h>

/* The floats of which these are the upper halves. */
INLINE void widen(lanes *floats, const uint16_t *halves)
{
    *floats = (lanes)_mm512_slli_epi32(_mm512_cvtepu16_epi32(*(const __m256i *)halves), 16);
}

/* The place of the k-th set bit, from 0; some place in the word where it has fewer, 0 where it has none. */
INLINE size_t select_bit(uint64_t word, unsigned k)
{
    return _tzcnt_u64(_pdep_u64(UINT64_C(1) << k, word)) % 64;
}
#else
INLINE void widen(lanes *floats, const uint16_t *halves)
{
    typedef uint16_t words __attribute__((vector_size(LANES * sizeof(uint16_t))));
    *floats = (lanes)(__builtin_convertvector(*(const words *)halves, lanes_int) << 16);
}

/* Halves the word again and again. */
INLINE size_t select_bit(uint64_t word, unsigned k)
{
    const size_t any = -(size_t)(word != 0); /* all bits, or none: no place is beyond a word that has no bit */
    size_t place = 0;
    for (unsigned width = 32; width > 0; width /= 2) {
        const unsigned below = (unsigned)__builtin_popcountll(word & ((UINT64_C(1) << width) - 1));
        const bool above = k >= below;
        k -= above ? below : 0;
        word >>= above ? width : 0;
        place += above ? width : 0;
    }
    return place & any;
}
#endif

/* In 0 .. limit - 1; 0 where that is 0. */
INLINE unsigned below(uint32_t random, unsigned limit)
{
    return (unsigned)((uint64_t)random * limit >> 32);
}

INLINE float from_upper_half(uint16_t half)
{
    const uint32_t bits = (uint32_t)half << 16;
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* ---- A step ---- */

INLINE void ask_for_row(const cpu_blocks_colony *colony, const ant_state *ant, size_t n_far)
{
    const char *head = (const char *)&colony->heads[ant->at];
    const size_t bytes = offsetof(row_head, largest) + n_far * LANES * sizeof(uint16_t);
    for (size_t k = 0; k < bytes; k += 64) __builtin_prefetch(head + k);
}

/* Near blocks, and bounds of groups. */
INLINE void add_up(const cpu_blocks_colony *colony, ant_state *ant, size_t n_far)
{
    const row_head *row = &colony->heads[ant->at];
    lanes sum = {0};
    for (size_t k = 0; k < NEAR; k++) {
        add_some(&sum, &row->weight[k], ant->left[row->block[k]]);
        ant->sums[k] = sum;
    }
    for (size_t k = 0; k < n_far; k++) {
        lanes largest;
        widen(&largest, &row->largest[k * LANES]);
        sum += largest * ant->count[k];
        ant->sums[NEAR + k] = sum;
    }
    sums_along(&sum);
    ant->along = sum;
}

/* The place of an unvisited city of a group, if there is one, each as likely as the others. */
INLINE size_t pick_left(const cpu_blocks_colony *colony, const ant_state *ant, size_t group, uint32_t random,
                        bool one_word)
{
    const size_t first = group << colony->shift, end = first + ((size_t)1 << colony->shift);
    uint64_t word;
    memcpy(&word, &ant->left[first], sizeof word);
    if (one_word) {
        word &= colony->group_bits;
        return first * BLOCK + select_bit(word, below(random, (unsigned)__builtin_popcountll(word)));
    }
    unsigned k = below(random, (unsigned)(int)((const float *)ant->count)[group]);
    for (size_t block = first;; block += WORD_BLOCKS) {
        memcpy(&word, &ant->left[block], sizeof word);
        const unsigned here = (unsigned)__builtin_popcountll(word);
        if (k < here || block + WORD_BLOCKS >= end) return block * BLOCK + select_bit(word, k);
        k -= here;
    }
}

/* Draws a near city, which is kept, or a group's bound, and an unvisited city of that. Data, and no branch. */
INLINE void propose(const cpu_blocks_colony *colony, ant_state *ant, size_t n_far, bool one_word)
{
    const row_head *row = &colony->heads[ant->at];
    const uint64_t random = splitmix64(&ant->random), more = splitmix64(&ant->random);
    const float x = short_unit((uint32_t)(random >> 32)) * ant->along[LANES - 1];
    const size_t drawn = spin(ant->sums, NEAR + n_far, &ant->along, x, short_unit((uint32_t)random));
    const size_t near = -(size_t)(drawn < NEAR * BLOCK); /* all bits, or none */
    const size_t vector = drawn / LANES & near, last = colony->n_groups - 1;
    const size_t beyond = (drawn - NEAR * BLOCK) & ~near, group = beyond < last ? beyond : last;
    const size_t far_place = pick_left(colony, ant, group, (uint32_t)more, one_word);
    const size_t near_place = (size_t)row->block[vector] * BLOCK + drawn % LANES;
    const uintptr_t far_weight = (uintptr_t)((const float *)cpu_blocks_far(colony, ant->at) + far_place);
    const uintptr_t near_weight = (uintptr_t)((const float *)&row->weight[vector] + drawn % LANES);
    ant->proposed = (uint32_t)(far_place ^ ((far_place ^ near_place) & near));
    ant->weight = (const float *)(far_weight ^ ((far_weight ^ near_weight) & near));
    ant->least = short_unit((uint32_t)(more >> 32)) * from_upper_half(row->largest[group] & (uint16_t)~near);
    __builtin_prefetch(ant->weight);
}

/* Goes to a city that is left, or stays. */
INLINE void go(const cpu_blocks_colony *colony, ant_state *ant, size_t place, uint32_t moves)
{
    ant->left[place / BLOCK] &= (uint16_t) ~(moves << place % BLOCK);
    ((float *)ant->count)[place / BLOCK >> colony->shift] -= (float)(int)moves;
    ant->tour[ant->step] = colony->city[place];
    ant->step += moves;
    ant->at ^= (ant->at ^ place) & -(size_t)moves;
    ant->draws = (ant->draws + 1) & (int)(moves - 1);
}

/* ---- The fall-back: all unvisited cities ---- */

static size_t nearest_unvisited(const cpu_blocks_colony *colony, const worker *at_hand, const ant_state *ant)
{
    const size_t n = (size_t)colony->common.problem.n;
    for (size_t p = 0; p < n; p++) at_hand->visited[colony->city[p]] = !(ant->left[p / BLOCK] >> p % BLOCK & 1);
    const int nearest = tsp_nearest_unvisited(&colony->common.problem, colony->city[ant->at], at_hand->visited);
    size_t place = 0;
    while (colony->city[place] != nearest) place++;
    return place;
}

static size_t choose_by_scan(const cpu_blocks_colony *colony, const worker *at_hand, ant_state *ant)
{
    const row_head *row = &colony->heads[ant->at];
    const lanes *far = cpu_blocks_far(colony, ant->at);
    const size_t count = NEAR + colony->n_blocks;
    lanes sum = {0};
    for (size_t k = 0; k < count; k++) {
        const size_t block = k < NEAR ? row->block[k] : k - NEAR;
        add_some(&sum, k < NEAR ? &row->weight[k] : &far[block], ant->left[block]);
        at_hand->sums[k] = sum;
    }
    sums_along(&sum);
    if (!(sum[LANES - 1] > 0.0f)) {
        ant->zero_weight_steps++;
        return nearest_unvisited(colony, at_hand, ant);
    }
    for (;;) {
        const uint64_t random = splitmix64(&ant->random);
        const float x = short_unit((uint32_t)(random >> 32)) * sum[LANES - 1];
        const size_t drawn = spin(at_hand->sums, count, &sum, x, short_unit((uint32_t)random)), k = drawn / LANES;
        if (k < count) return (k < NEAR ? row->block[k] : k - NEAR) * BLOCK + drawn % LANES;
    }
}

/* Whether it has moved. */
INLINE uint32_t decide(const cpu_blocks_colony *colony, const worker *at_hand, ant_state *ant)
{
    const uint32_t left = ant->left[ant->proposed / BLOCK] >> ant->proposed % BLOCK & 1;
    const uint32_t moves = (ant->least < *ant->weight) & left;
    go(colony, ant, ant->proposed, moves);
    if (LIKELY(ant->draws < MAX_DRAWS)) return moves;
    go(colony, ant, choose_by_scan(colony, at_hand, ant), 1);
    return 1;
}

/* ---- The walk ---- */

/* Without those that have been everywhere. */
static int keep_under_way(ant_state **ants, int count, size_t n)
{
    int kept = 0;
    for (int a = 0; a < count; a++) {
        ants[kept] = ants[a];
        kept += ants[a]->step < n;
    }
    return kept;
}

INLINE void walk(const cpu_blocks_colony *colony, const worker *at_hand, int count, size_t n_far, bool one_word)
{
    const size_t n = (size_t)colony->common.problem.n;
    ant_state *ants[SIDE_BY_SIDE], *moved[SIDE_BY_SIDE];
    for (int a = 0; a < count; a++) ants[a] = moved[a] = &at_hand->ants[a];
    int n_moved = count = keep_under_way(ants, count, n);
    while (count > 0) {
        bool ended = false;
        for (int a = 0; a < n_moved; a++) add_up(colony, moved[a], n_far);
        for (int a = 0; a < count; a++) propose(colony, ants[a], n_far, one_word);
        n_moved = 0;
        for (int a = 0; a < count; a++) {
            moved[n_moved] = ants[a];
            n_moved += (int)decide(colony, at_hand, ants[a]);
            ended |= ants[a]->step == n;
        }
        for (int a = 0; a < n_moved; a++) ask_for_row(colony, moved[a], n_far);
        if (LIKELY(!ended)) continue;
        count = keep_under_way(ants, count, n);
        n_moved = keep_under_way(moved, n_moved, n);
    }
}

/* With a constant number of vectors, sums stay in registers. */
CPU_MULTIVERSION void cpu_blocks_walk(const cpu_blocks_colony *colony, const worker *at_hand, int count)
{
    switch (1 << colony->shift <= WORD_BLOCKS ? (colony->n_groups + LANES - 1) / LANES : 0) {
    case 1:
        walk(colony, at_hand, count, 1, true);
        break;
    case 2:
        walk(colony, at_hand, count, 2, true);
        break;
    case 3:
        walk(colony, at_hand, count, 3, true);
        break;
    case 4:
        walk(colony, at_hand, count, 4, true);
        break;
    case 5:
        walk(colony, at_hand, count, 5, true);
        break;
    default:
        walk(colony, at_hand, count, MAX_FAR, false);
        break;
    }
}
