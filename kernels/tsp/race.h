/* A race of exponential clocks: what the rungs race and race-candidates share, a warp per ant.
 *
 * A step of Ant System as a race: each city j that may be chosen has a clock that rings after an exponentially
 * distributed time whose rate is its weight w_j. The first to ring is j with probability w_j / sum of w. Where a
 * roulette needs a scan, a ballot and a search, a lane needs one product and the warp one minimum: a time's lowest
 * bits are its lane. The warp holds 32 clocks: the near cities of the row, and in rung `race` one for all others
 * together, the tail.
 *
 * A step's critical path is its floor: the row's clocks (shared memory, or the L2 cache where n is large), the visited
 * flags of its cities (shared memory), a warp minimum and a shuffle. What was tried: docs/log/ant-system.md.
 * Resolution: 2^-18 of a time, 2^-24 of what a clock has to run, 2^-32 of a new clock's distribution, 2^-16 of the
 * mean weight of a tail city, 2^-23 of the rest's sum. The clocks themselves: race_clocks.h.
 * Sources: this project; thinning: Lewis & Shedler, Naval Research Logistics 26 (1979); alias tables: Walker, ACM TOMS
 * 3 (1977); sfc32: C. Doty-Humphrey, PractRand.
 */
#ifndef ANTBENCH_TSP_RACE_H
#define ANTBENCH_TSP_RACE_H

#include <math.h>
#include <stdlib.h>

#include "kernels/cuda/warp.h"
#include "kernels/tsp/colony.h"
#include "kernels/tsp/deposit_rows.h"
#include "kernels/tsp/race_clocks.h"

enum {
    RACE_LANES = WARP_SIZE,     /* clocks of a row */
    RACE_TAIL = RACE_LANES - 1, /* the tail's lane, after the near cities' */
    RACE_CLOSE = 12,            /* clocks of a short row: the nearest candidates, and one for all others */
    RACE_FAR = RACE_CLOSE - 1,  /* ... the last */
    RACE_RING = 8 * WARP_SIZE,  /* nearest cities of a row among which the best remaining one is looked for */
    RACE_LIST = 512,            /* cities left from which on an ant keeps a list of them; half with short rows */
    RACE_ROUNDS = 4,            /* of proposals before a step is drawn anew: while a quarter of the cities is left, */
    RACE_LATE_ROUNDS = 1,       /* ... and then */
    RACE_ASKED = 2,             /* proposals of the first round, at first, where they come from memory */
    RACE_MOST_CITIES = 65536 - RACE_LANES,
    RACE_FEW = 4,           /* cities of a lane, once those that are left race each with a clock of its own */
    RACE_ODD = 12,          /* steps of the last 32 that no near city's clock has decided, for that */
    RACE_UNROLL = 2,        /* plain steps in the walk's loop */
    RACE_AT_ONCE = 8,       /* loads in flight of a lane that looks at a whole row */
    RACE_BLOCK_ANTS = 32,   /* most ants of a block; and its warps where it keeps rows, which they load together */
    RACE_STREAMED_BLOCK = 4 /* ants of a block where rows are not in shared memory */
};

/* A rung's own memory. A lane without a near city has n + lane for one, which nobody visits. */
typedef struct race_rows {
    float *mean;          /* [n][RACE_LANES] mean time of a clock, in units of the row's; infinite for weight 0 */
    unsigned short *city; /* [n][RACE_LANES] near cities, nearest first; the last lane is the tail's, if there is one */
    unsigned *alias;      /* [n][stride] of the tail: threshold << 16 | alias; NULL for candidate sets */
    float *close_mean;    /* [n][RACE_CLOSE] of candidate sets, else NULL: short rows */
    unsigned short *close_city; /* ... of cities; the last is n + RACE_FAR */
    unsigned short *ring;       /* [n][RACE_RING] of candidate sets, else NULL: nearest cities, then the row's own, */
    float *ring_weight;         /* [n][RACE_RING] ... what they weigh, */
    float *beyond;     /* [n] ... and the most that any city does that is as far as the last of them, or farther */
    tour_links *links; /* [n][n_ants]; NULL where the best ant alone deposits */
    int n_near;        /* near cities */
} race_rows;

/* ---- Where an ant has been ---- */

/* A byte for each city, and for each lane that has none. */
struct race_visited {
    shared_array<signed char> flags;

    static __host__ __device__ int bytes(int n)
    {
        return ceil_div(n + RACE_LANES, 4) * 4;
    }
    /* All ones for a city that has been visited, else 0. */
    __device__ __forceinline__ unsigned mask(int city) const
    {
        return (unsigned)(int)flags[city];
    }
    __device__ __forceinline__ bool has(int city) const
    {
        return mask(city) != 0;
    }
    /* Of the four cities from 4 i on, a byte each: 1 for those that are left. */
    __device__ __forceinline__ unsigned left(int i, int n) const
    {
        const int beyond = max(4 * (i + 1) - n, 0);
        return ~*reinterpret_cast<const unsigned *>(&flags[4 * i]) & 0x01010101u >> 8 * beyond;
    }
    __device__ __forceinline__ void set(int city, bool is) const
    {
        flags[city] = is ? -1 : 0;
    }
};

/* Keeps a tour on its way, a city a lane, and writes it 32 cities at a time: the tour itself, where every ant deposits
 * the two neighbours of each city (tour_links), and what the edges add to the length, which is added 32 steps late, so
 * that no step waits. */
struct race_record {
    int *tour;
    int mine = 0;                  /* the latest city whose position is this lane's number modulo 32 */
    int last = 0, before_last = 0; /* the two cities before those that are kept */
    int edge = 0;                  /* of the latest that were written */
    long long length = 0;          /* this lane's part of it, without `edge` */

    __device__ __forceinline__ void begin(int city)
    {
        last = city;
        if (threadIdx.x % WARP_SIZE == 0) tour[0] = city;
    }

    /* The cities of steps begin .. begin + count - 1, from 1 on. */
    __device__ void write(const tsp_device &colony, const race_rows &rows, int ant, int begin, int count)
    {
        const int lane = (int)threadIdx.x % WARP_SIZE, position = begin + lane;
        int from = __shfl_up_sync(FULL_WARP, mine, 1), before = __shfl_up_sync(FULL_WARP, mine, 2);
        if (lane == 0) from = last;
        if (lane < 2) before = lane == 0 ? before_last : last;
        length += edge;
        edge = 0;
        if (lane < count) {
            tour[position] = mine;
            edge = __ldcg(colony.dist + (size_t)from * (size_t)colony.stride + (size_t)mine);
            if (rows.links && position > 1)
                rows.links[(size_t)from * (size_t)colony.n_ants + (size_t)ant] = link_tour(before, mine);
        }
        before_last = count > 1 ? __shfl_sync(FULL_WARP, mine, count - 2) : last;
        last = __shfl_sync(FULL_WARP, mine, count - 1);
    }

    /* The whole tour stands; the neighbours of its first city and of its last are left to write. */
    __device__ void finish(const tsp_device &colony, const race_rows &rows, int ant, unsigned zero_weight_steps)
    {
        const int n = colony.n;
        length += edge;
        for (int offset = WARP_SIZE / 2; offset > 0; offset /= 2) length += __shfl_xor_sync(FULL_WARP, length, offset);
        __syncwarp(FULL_WARP); /* the first lane reads what others wrote */
        if (threadIdx.x % WARP_SIZE != 0) return;
        if (rows.links) {
            rows.links[(size_t)tour[0] * (size_t)colony.n_ants + (size_t)ant] = link_tour(last, tour[1]);
            rows.links[(size_t)last * (size_t)colony.n_ants + (size_t)ant] = link_tour(tour[n - 2], tour[0]);
        }
        finish_tour(colony, ant, tour, last, length, zero_weight_steps);
    }
};

/* ---- A step in which the race says nothing ---- */

/* The cities that are left, once they are few, and some that have been visited since it was filled; ascending. */
struct race_list {
    shared_array<unsigned short> cities;
    int room;   /* for so many */
    int length; /* 0: not yet */

    template <typename Visited> __device__ void fill(int n, int left, Visited visited)
    {
        const int lane = (int)threadIdx.x % WARP_SIZE, fours = ceil_div(n, 4);
        __syncwarp(FULL_WARP); /* other lanes' flags are written, and what was in the list is read */
        for (int first = 0, before = 0; first < fours; first += WARP_SIZE) {
            const unsigned four = first + lane < fours ? visited.left(first + lane, n) : 0;
            unsigned lanes[4];
#pragma unroll
            for (int k = 0; k < 4; ++k) lanes[k] = __ballot_sync(FULL_WARP, four >> 8 * k & 1);
            int at = before;
#pragma unroll
            for (int k = 0; k < 4; ++k) at += __popc(lanes[k] & ((1u << lane) - 1));
#pragma unroll
            for (int k = 0; k < 4; ++k) {
                if (four >> 8 * k & 1) cities[at++] = (unsigned short)(4 * (first + lane) + k);
                before += __popc(lanes[k]);
            }
        }
        length = left;
        __syncwarp(FULL_WARP);
    }
};

/* The all-zero rule (tsp.h). */
template <typename Visited> static __device__ int race_nearest(const tsp_device &colony, int from, Visited visited)
{
    const int *const dist = colony.dist + (size_t)from * (size_t)colony.stride;
    unsigned long long nearest = ~0ull;
    for (int city = (int)threadIdx.x % WARP_SIZE; city < colony.n; city += WARP_SIZE)
        if (!visited.has(city)) nearest = min(nearest, city_key(dist[city], city));
    return (int)(unsigned)warp_min(nearest);
}

/* The best remaining city, if it is one of the row's ring; else -1. Eight cities a lane. A candidate set that is
 * exhausted leaves the best remaining city: the best of the row's ring, its nearest cities, whose weights stage
 * "choice" sets apart, if it weighs more than every city beyond. Else the warp looks at all that are left. */
template <typename Visited> static __device__ int race_in_ring(const race_rows &rows, int from, Visited visited)
{
    const int lane = (int)threadIdx.x % WARP_SIZE;
    const uint4 pairs = __ldcg(reinterpret_cast<const uint4 *>(rows.ring) + (from * WARP_SIZE + lane));
    const float4 low = __ldcg(reinterpret_cast<const float4 *>(rows.ring_weight) + 2 * (from * WARP_SIZE + lane));
    const float4 high =
        __ldcg(reinterpret_cast<const float4 *>(rows.ring_weight) + (2 * (from * WARP_SIZE + lane) + 1));
    const float beyond = __ldcg(rows.beyond + from);
    const unsigned city[8] = {pairs.x & 0xffff, pairs.x >> 16, pairs.y & 0xffff, pairs.y >> 16,
                              pairs.z & 0xffff, pairs.z >> 16, pairs.w & 0xffff, pairs.w >> 16};
    const float weight[8] = {low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w};
    float heaviest = 0.0f;
    unsigned best = RACE_NEVER;
#pragma unroll
    for (int i = 0; i < 8; ++i) {
        const float left = visited.has((int)city[i]) ? 0.0f : weight[i];
        if (left > heaviest || (left == heaviest && city[i] < best)) best = city[i];
        heaviest = max(heaviest, left);
    }
    const float most = warp_max(heaviest);
    const int first = (int)warp_min(heaviest == most ? best : RACE_NEVER);
    return most > beyond ? first : -1;
}

/* What a lane sees of the cities that are left. */
struct race_view {
    float sum = 0.0f, heaviest = 0.0f; /* weights */
    int best;                          /* the first of the heaviest */

    __device__ __forceinline__ void add(int city, bool left, float weight)
    {
        if (!left) weight = 0.0f;
        sum += weight;
        if (weight > heaviest) best = city;
        heaviest = max(heaviest, weight);
    }
};

/* Chooses among all that are left, `left` of them: by the random proportional rule, or the best (tsp.h). Each lane looks
 * at every 32nd of the list, or every 32nd four of all cities; by the rule a lane is drawn first, by what its cities
 * weigh, and then one of these. Nothing branches, so that loads are in flight together: what need not be loaded is the
 * weight of the city itself, which is visited. */
template <bool BEST, typename Random, typename Visited>
static __device__ int race_rest(const tsp_device &colony, int from, int left, Visited visited, race_list &list,
                                Random &random, unsigned &zero_weight_steps)
{
    enum { FOURS_AT_ONCE = RACE_AT_ONCE / 2 };
    const int n = colony.n, lane = (int)threadIdx.x % WARP_SIZE, fours = ceil_div(n, 4);
    const float *const row = colony.choice_info + (size_t)from * (size_t)colony.stride;
    const bool listed = left <= list.room;
    race_view view = {.best = n};
    if (listed && (list.length == 0 || 3 * left < 2 * list.length)) list.fill(n, left, visited);
    for (int first = lane; listed && first < list.length; first += RACE_AT_ONCE * WARP_SIZE) {
        int city[RACE_AT_ONCE];
        float weight[RACE_AT_ONCE];
#pragma unroll
        for (int i = 0; i < RACE_AT_ONCE; ++i)
            city[i] = first + i * WARP_SIZE < list.length ? (int)list.cities[first + i * WARP_SIZE] : from;
#pragma unroll
        for (int i = 0; i < RACE_AT_ONCE; ++i) weight[i] = __ldcg(row + city[i]);
#pragma unroll
        for (int i = 0; i < RACE_AT_ONCE; ++i) view.add(city[i], !visited.has(city[i]), weight[i]);
    }
    for (int first = lane; !listed && first < fours; first += FOURS_AT_ONCE * WARP_SIZE) {
        unsigned is_left[FOURS_AT_ONCE];
        float4 weight[FOURS_AT_ONCE];
#pragma unroll
        for (int i = 0; i < FOURS_AT_ONCE; ++i)
            is_left[i] = first + i * WARP_SIZE < fours ? visited.left(first + i * WARP_SIZE, n) : 0;
#pragma unroll
        for (int i = 0; i < FOURS_AT_ONCE; ++i)
            weight[i] = __ldcg(reinterpret_cast<const float4 *>(row) + (is_left[i] ? first + i * WARP_SIZE : from / 4));
#pragma unroll
        for (int i = 0; i < FOURS_AT_ONCE; ++i) {
            const int city = 4 * (first + i * WARP_SIZE);
            view.add(city, is_left[i] & 1, weight[i].x);
            view.add(city + 1, is_left[i] >> 8 & 1, weight[i].y);
            view.add(city + 2, is_left[i] >> 16 & 1, weight[i].z);
            view.add(city + 3, is_left[i] >> 24, weight[i].w);
        }
    }
    const float most = warp_max(BEST ? view.heaviest : view.sum);
    if (!(most > 0.0f)) {
        ++zero_weight_steps;
        return race_nearest(colony, from, visited);
    }
    if (BEST) return (int)warp_min(view.heaviest == most ? (unsigned)view.best : RACE_NEVER);
    const unsigned lane_key = race_key(race_exponential(random.next()) * race_mean(view.sum, most), lane);
    const int lucky = (int)(warp_min(lane_key) % WARP_SIZE);
    const int count = listed ? ceil_div(list.length, (int)WARP_SIZE) : 4 * ceil_div(fours, (int)WARP_SIZE);
    unsigned key = RACE_NEVER;
    for (int k = lane; k - lane < count; k += WARP_SIZE) { /* the k-th city at which the lane looked */
        const int at = listed ? lucky + k * WARP_SIZE : 4 * (lucky + k / 4 * WARP_SIZE) + k % 4;
        const int city = at >= (listed ? list.length : n) ? from : listed ? (int)list.cities[at] : at;
        const float weight = visited.has(city) ? 0.0f : row[city];
        const unsigned other = race_key(race_exponential(random.next()) * race_mean(weight, most), lane);
        if (other < key) view.best = city;
        key = min(key, other);
    }
    return __shfl_sync(FULL_WARP, view.best, (int)warp_min(key));
}

static __device__ __forceinline__ float race_sum(float value)
{
    for (int offset = WARP_SIZE / 2; offset > 0; offset /= 2) value += __shfl_xor_sync(FULL_WARP, value, offset);
    return value;
}

/* A lane's clock of a row. */
struct race_clock {
    float mean;
    int city;
};

/* The clock of all far candidates has rung first. It rings for one of them in proportion to its weight, visited or not
 * (thinning); where that one is visited, all candidates that are left race anew, each with a clock of its own. -1 where
 * none is left. */
template <typename Random, typename Visited>
static __device__ __forceinline__ int race_far(const race_rows &rows, int from, int lane, Visited visited,
                                               Random &random)
{
    const int entry = from * RACE_LANES + lane, city = __ldcg(rows.city + entry);
    const float mean = __ldcg(rows.mean + entry);
    const unsigned rings = race_key(race_exponential(random.next()) * mean, lane);
    const unsigned again = race_key(race_exponential(random.next()) * mean, lane);
    const unsigned is_out = visited.mask(city);
    unsigned first = warp_min(lane >= RACE_FAR ? rings : RACE_NEVER);
    const bool counts = first < RACE_WEIGHTLESS && !__shfl_sync(FULL_WARP, is_out, (int)first % WARP_SIZE);
    if (!counts) first = warp_min(max(again, is_out));
    return first < RACE_WEIGHTLESS ? __shfl_sync(FULL_WARP, city, (int)first % WARP_SIZE) : -1;
}

/* Why the tail is exact. Its rate T counts visited cities too. Where it rings first the warp draws some tail cities at
 * once from the row's alias table. They are the tail's successive arrivals; those at visited cities do not count
 * (thinning of a Poisson process), and the first of the others wins unless a near city's clock rings before it:
 * between two arrivals it does so with probability N / (N + T), N being the rate of the near cities that are left, and
 * which of them does not depend on when. After some rounds with visited cities alone the step is thrown away and drawn
 * anew by adding up all cities that are left (race_rest). That keeps the distribution: which arrival is the first that
 * counts does not depend on how many before it do not. After a step that no near city's clock has decided all clocks
 * are drawn anew. */

/* The tail has rung first: its arrivals, a lane each, until one is at an unvisited city or a near city's
 * clock rings before it, for which each arrival but the first has the same probability. The first round has `asked` of
 * them, others 32. -1 where some rounds have not decided. What does not need the table's entries is done while they are on
 * their way: also *fresh, a new time for each lane's clock. */
template <typename Random, typename Visited>
static __device__ __forceinline__ int race_tail(const tsp_device &colony, const race_rows &rows, int lane, int from,
                                                race_clock clock, unsigned key, int left, int asked, Visited visited,
                                                Random &random, float *fresh)
{
    const unsigned *const alias = rows.alias + (size_t)from * (size_t)colony.stride;
    const unsigned near_key = lane == RACE_TAIL ? RACE_NEVER : key;
    const int rounds = 4 * left > colony.n ? RACE_ROUNDS : RACE_LATE_ROUNDS;
    float near = 0.0f, all = 0.0f;
    for (int round = 0; round < rounds; ++round, asked = WARP_SIZE) {
        const unsigned long long drawn = (unsigned long long)random.next() * (unsigned)colony.n;
        const unsigned bucket = (unsigned)(drawn >> 32), fraction = (unsigned)drawn >> 16;
        const unsigned entry = __ldcg(alias + (lane < asked ? bucket : 0)); /* no branch: others read the first */
        unsigned near_rings = 0;
        if (asked) { /* which it is: a branch, as the compiler would wait for the entry before this */
            if (round == 0) {
                const float rate = race_reciprocal(clock.mean);
                *fresh = race_exponential(random.next());
                near = race_sum(near_key < RACE_WEIGHTLESS ? rate : 0.0f);
                all = near + __shfl_sync(FULL_WARP, rate, RACE_TAIL);
            }
            near_rings = __ballot_sync(FULL_WARP, (race_unit(random.next()) * all < near) & (round + lane > 0));
        }
        const int proposal = (int)(fraction < entry >> 16 ? bucket : entry & 0xffff);
        const unsigned unvisited = __ballot_sync(FULL_WARP, !visited.has(proposal));
        const unsigned decided = (near_rings | unvisited) & (FULL_WARP >> (WARP_SIZE - asked));
        if (!decided) continue;
        const int arrival = __ffs((int)decided) - 1;
        if (near_rings >> arrival & 1) return __shfl_sync(FULL_WARP, clock.city, (int)warp_min(near_key));
        return __shfl_sync(FULL_WARP, proposal, arrival);
    }
    return -1;
}

/* ---- The end of a tour ---- */

/* All cities that are left, RACE_FEW a lane at most, each with a clock of its own, whose rate is the weight itself: as a city
 * is chosen once, a clock is drawn once. A weight below 2^-126 is none to the instruction that inverts it: where no time is
 * less than 10^30, so that it might matter, the step is drawn by race_rest, and all clocks anew. */
template <typename Random, typename Visited>
static __device__ void race_finish(const tsp_device &colony, const race_rows &rows, int lane, int ant, int from,
                                   int left, Visited visited, race_list &list, race_record &record, Random &random,
                                   unsigned &zero_weight_steps)
{
    const int n = colony.n;
    int city[RACE_FEW];
    float wait[RACE_FEW], weight[RACE_FEW];
    list.fill(n, left, visited);
#pragma unroll
    for (int k = 0; k < RACE_FEW; ++k) {
        const int at = lane + k * WARP_SIZE;
        city[k] = at < left ? (int)list.cities[at] : from;
        wait[k] = at < left ? race_exponential(random.next()) : INFINITY;
    }
    const auto go = [&](int i, int next) {
#pragma unroll
        for (int k = 0; k < RACE_FEW; ++k)
            if (city[k] == next) wait[k] = INFINITY;
        if (lane == 0) visited.set(next, true);
        if (lane == i) record.mine = next;
        from = next;
    };
    for (; left > 0; left -= WARP_SIZE) {
        const int steps = min(left, (int)WARP_SIZE);
        for (int i = 0;; ++i) {
#pragma unroll RACE_UNROLL
            for (; i < steps; ++i) {
                __syncwarp(FULL_WARP);
                const unsigned base = (unsigned)from * (unsigned)colony.stride;
                float least = INFINITY;
                int mine = from;
#pragma unroll
                for (int k = 0; k < RACE_FEW; ++k) weight[k] = __ldcg(colony.choice_info + (base + (unsigned)city[k]));
#pragma unroll
                for (int k = 0; k < RACE_FEW; ++k) {
                    const float time = wait[k] * race_reciprocal(weight[k]);
                    if (time < least) mine = city[k];
                    least = min(time, least);
                }
                const unsigned first = warp_min(race_key(least, lane));
                const int next = __shfl_sync(FULL_WARP, mine, (int)first);
                if (first >= RACE_LATE) break;
#pragma unroll
                for (int k = 0; k < RACE_FEW; ++k) wait[k] = fabsf(wait[k] - race_time(first) * weight[k]);
                go(i, next);
            }
            if (i == steps) break;
            __syncwarp(FULL_WARP);
            const int next = race_rest<false>(colony, from, left - i, visited, list, random, zero_weight_steps);
            __syncwarp(FULL_WARP);
#pragma unroll
            for (int k = 0; k < RACE_FEW; ++k)
                if (wait[k] < INFINITY) wait[k] = race_exponential(random.next());
            go(i, next);
        }
        record.write(colony, rows, ant, n - left, steps);
    }
}

/* ---- The walk ----
 *
 * Clocks go on from step to step. An exponential time has no memory: what a clock still has to run when another rings
 * is distributed as at first, whoever rang and when. So a lane keeps how long it would have to run at rate 1, takes
 * off what has passed times its rate, and goes on with the next row's rate. Only the clock that rang is drawn anew:
 * one random number per step, of which each lane draws one for 32 steps.
 *
 * The last cities of a tour whose steps mostly end in the tail have a clock each (race_finish). Candidate sets whose
 * rows do not fit in shared memory may have their 11 nearest cities there and one clock for all others (race_far). */

/* Entries of all rows. */
static inline __host__ __device__ size_t race_entries(int n)
{
    return (size_t)n * RACE_LANES;
}

/* The same of short rows, to be copied 16 bytes at a time. */
static inline __host__ __device__ size_t race_close_entries(int n)
{
    return (size_t)ceil_div(n * RACE_CLOSE, 8) * 8;
}

/* What of the rows is kept in shared memory; the rest comes through the L1 cache. */
typedef enum race_share { RACE_NOTHING, RACE_CITIES, RACE_SHORT, RACE_ROWS } race_share;

/* How a walk is launched. */
typedef struct race_plan {
    int block_ants; /* ants, which are warps, of a block */
    race_share in_shared;
    bool cached; /* the alias tables fit in the L2 cache; else they come from memory */
} race_plan;

/* Layout of the dynamic shared memory, in bytes: the rows' means, their cities, the flags of each ant, the lists. */
struct race_layout {
    size_t cities, flags, lists, bytes;
    int list; /* cities of one */

    __host__ __device__ race_layout(int n, race_plan plan)
    {
        const size_t entries = plan.in_shared == RACE_SHORT ? race_close_entries(n) : race_entries(n);
        const size_t ants = (size_t)plan.block_ants;
        cities = plan.in_shared >= RACE_SHORT ? entries * sizeof(float) : 0;
        flags = cities + (plan.in_shared == RACE_NOTHING ? 0 : entries * sizeof(unsigned short));
        lists = flags + ants * (size_t)race_visited::bytes(n);
        list = plan.in_shared == RACE_SHORT ? RACE_LIST / 2 : RACE_LIST;
        bytes = lists + ants * (size_t)list * sizeof(unsigned short);
    }
};

/* Copies `count` elements, 16 bytes at a time: to and from such a boundary, and as many as make it up. */
template <typename T> static __device__ __forceinline__ void race_load(shared_array<T> to, const T *from, int count)
{
    enum { EACH = 16 / sizeof(T) };
#pragma unroll 4
    for (int i = (int)threadIdx.x * EACH; i < count; i += (int)blockDim.x * EACH)
        *reinterpret_cast<uint4 *>(&to[i]) = *reinterpret_cast<const uint4 *>(from + i);
}

template <typename Random, typename Visited, race_share IN_SHARED, bool CANDIDATES>
static __global__ void __launch_bounds__(RACE_BLOCK_ANTS *WARP_SIZE)
    race_walk(tsp_device colony, race_rows rows, race_plan plan, unsigned long long seed, unsigned iteration)
{
    const int n = colony.n, thread = (int)threadIdx.x, warp = thread / WARP_SIZE;
    const int lane = __shfl_sync(FULL_WARP, thread, thread) % WARP_SIZE; /* so that no step computes it again */
    const int entries = IN_SHARED == RACE_SHORT ? (int)race_close_entries(n) : (int)race_entries(n);
    const int n_means = IN_SHARED >= RACE_SHORT ? entries : 0;
    const int n_cities = IN_SHARED == RACE_NOTHING ? 0 : entries;
    const race_layout layout(n, plan);
    SHARED_DYNAMIC(float, means, 0, n_means);
    SHARED_DYNAMIC(unsigned short, cities, layout.cities, n_cities);
    SHARED_DYNAMIC(signed char, flags, layout.flags, plan.block_ants *race_visited::bytes(n));
    SHARED_DYNAMIC(unsigned short, lists, layout.lists, plan.block_ants *layout.list);
    const int ant = (int)blockIdx.x * plan.block_ants + warp;
    const Visited visited = {flags + warp * race_visited::bytes(n)};

    race_load<float>(means, IN_SHARED == RACE_SHORT ? rows.close_mean : rows.mean, n_means);
    race_load<unsigned short>(cities, IN_SHARED == RACE_SHORT ? rows.close_city : rows.city, n_cities);
    for (int i = 4 * thread; i < plan.block_ants * race_visited::bytes(n); i += 4 * (int)blockDim.x)
        *reinterpret_cast<unsigned *>(&flags[i]) = 0;
    __syncthreads();
    if (warp >= plan.block_ants || ant >= colony.n_ants) return;

    const float *my_means = rows.mean + lane;
    const unsigned short *my_cities = rows.city + lane;
#ifdef __CUDACC__
    if (IN_SHARED != RACE_ROWS) asm volatile("" : "+l"(my_means), "+l"(my_cities)); /* not loaded again in each step */
#endif
    const bool idle = IN_SHARED == RACE_SHORT && lane >= RACE_CLOSE; /* a lane whose clock never rings */
    const int close = min(lane, (int)RACE_FAR);
    const Visited mine = {visited.flags + (idle ? lane - close : 0)}; /* so that no two lanes share a flag */
    const auto clock_of = [&](int row) -> race_clock {
        if (IN_SHARED == RACE_SHORT) return {means[row * RACE_CLOSE + close], cities[row * RACE_CLOSE + close]};
        const unsigned entry = (unsigned)(row * RACE_LANES + lane);
        return {IN_SHARED == RACE_ROWS ? means[entry] : __ldg(my_means + row * RACE_LANES),
                IN_SHARED == RACE_NOTHING ? __ldg(my_cities + row * RACE_LANES) : cities[entry]};
    };
    Random random(seed, ant_stream(colony, iteration, ant) * WARP_SIZE + (unsigned)lane);
    race_list list = {lists + warp * layout.list, layout.list, 0};
    race_record record = {.tour = colony.tours + (size_t)ant * (size_t)(n + 1)};
    unsigned zero_weight_steps = 0;

    int from = __shfl_sync(FULL_WARP, min((int)(race_unit(random.next()) * (float)n), n - 1), 0), left = n - 1;
    record.begin(from);
    if (lane == 0) visited.set(from, true);
    race_clock clock = clock_of(from);
    float wait = idle ? INFINITY : race_exponential(random.next());

    int odd = 0; /* steps of the last 32 that no near city's clock has decided */
    for (; left > 0; left -= WARP_SIZE) {
        if (!CANDIDATES && odd >= RACE_ODD && left <= RACE_FEW * WARP_SIZE) {
            race_finish(colony, rows, lane, ant, from, left, visited, list, record, random, zero_weight_steps);
            break;
        }
        odd = 0;
        const float spare = race_exponential(random.next()); /* of the clock that rings in the step of this lane */
        const int asked = plan.cached ? (int)WARP_SIZE : min(RACE_ASKED + RACE_ASKED * n / left, (int)WARP_SIZE);
        for (int i = 0;; ++i) {
            unsigned key = 0;
#pragma unroll RACE_UNROLL
            for (; i < WARP_SIZE; ++i) { /* steps that a near city's clock decides */
                __syncwarp(FULL_WARP);
                key = max(race_key(fabsf(wait) * clock.mean, lane), mine.mask(clock.city));
                const float rate = CANDIDATES ? race_reciprocal_now(clock.mean) : 0.0f;
                const unsigned first = warp_min(key);
                const int next = __shfl_sync(FULL_WARP, clock.city, (int)first);
                const float fresh = __shfl_sync(FULL_WARP, spare, i);
                if (IN_SHARED == RACE_SHORT ? first % WARP_SIZE == RACE_FAR
                    : CANDIDATES            ? first >= RACE_WEIGHTLESS
                                            : first % WARP_SIZE == RACE_TAIL)
                    break;
                const race_clock ahead = clock_of(next);
                const bool rang = key == first, out = key == RACE_NEVER;
                if (!out) wait -= race_time(first) * (CANDIDATES ? rate : race_reciprocal(clock.mean));
                wait = rang ? fresh : wait;
                mine.set(clock.city, rang || out);
                if (lane == i) record.mine = next;
                clock = ahead;
                from = next;
            }
            if (i == WARP_SIZE || i == left) break;
            int next = -1;
            ++odd;
            if (CANDIDATES) {
                if (IN_SHARED == RACE_SHORT) next = race_far(rows, from, lane, visited, random);
                wait = idle ? INFINITY : race_exponential(random.next());
                if (next < 0 && (left - i) * (RACE_RING / 4) > n) next = race_in_ring(rows, from, visited);
            } else {
                next = race_tail(colony, rows, lane, from, clock, key, left - i, asked, visited, random, &wait);
            }
            if (next < 0)
                next = race_rest<CANDIDATES>(colony, from, left - i, visited, list, random, zero_weight_steps);
            clock = clock_of(next);
            __syncwarp(FULL_WARP);
            if (lane == 0) visited.set(next, true);
            if (lane == i) record.mine = next;
            from = next;
        }
        record.write(colony, rows, ant, n - left, min(left, (int)WARP_SIZE));
    }
    record.finish(colony, rows, ant, zero_weight_steps);
}

/* ---- The host's side ---- */

static inline size_t race_round_up(size_t bytes)
{
    return (bytes + 255) / 256 * 256;
}

/* Where a rung's rows lie in its scratch memory, and how many bytes they are. */
static inline size_t race_place(void *scratch, int n, int stride, const as_params *params, int n_near, bool tail,
                                race_rows *rows)
{
    const size_t entries = race_entries(n), matrix = (size_t)n * (size_t)stride;
    const size_t city = race_round_up(entries * sizeof(float)), alias = city + race_round_up(entries * sizeof(short));
    const size_t close_mean = alias + (tail ? race_round_up(matrix * sizeof(unsigned)) : 0);
    const size_t close_city = close_mean + (tail ? 0 : race_round_up(race_close_entries(n) * sizeof(float)));
    const size_t ring = close_city + (tail ? 0 : race_round_up(race_close_entries(n) * sizeof(short)));
    const size_t in_rings = (size_t)n * RACE_RING;
    const size_t ring_weight = ring + (tail ? 0 : race_round_up(in_rings * sizeof(short)));
    const size_t beyond = ring_weight + (tail ? 0 : race_round_up(in_rings * sizeof(float)));
    const size_t links = beyond + (tail ? 0 : race_round_up((size_t)n * sizeof(float)));
    rows->n_near = n_near;
    rows->mean = (float *)scratch;
    rows->city = (unsigned short *)((char *)scratch + city);
    rows->alias = tail ? (unsigned *)((char *)scratch + alias) : NULL;
    rows->close_mean = tail ? NULL : (float *)((char *)scratch + close_mean);
    rows->close_city = tail ? NULL : (unsigned short *)((char *)scratch + close_city);
    rows->ring = tail ? NULL : (unsigned short *)((char *)scratch + ring);
    rows->ring_weight = tail ? NULL : (float *)((char *)scratch + ring_weight);
    rows->beyond = tail ? NULL : (float *)((char *)scratch + beyond);
    rows->links = params->protocol == AS_ALL_ANTS ? (tour_links *)((char *)scratch + links) : NULL;
    return links + (rows->links ? (size_t)n * (size_t)params->n_ants * sizeof(tour_links) : 0);
}

static inline ab_status race_upload(const race_rows *rows, size_t entries, const float *mean,
                                    const unsigned short *cities)
{
    CUDA_TRY(cudaMemcpy(rows->mean, mean, entries * sizeof *mean, cudaMemcpyHostToDevice));
    CUDA_TRY(cudaMemcpy(rows->city, cities, entries * sizeof *cities, cudaMemcpyHostToDevice));
    return ab_ok();
}

/* Writes the cities of each row. */
static inline ab_status race_write_cities(const race_rows *rows, int n, const int32_t *near)
{
    const size_t entries = race_entries(n);
    unsigned short *cities = (unsigned short *)malloc(entries * sizeof *cities);
    float *mean = (float *)malloc(entries * sizeof *mean);
    ab_status status = cities && mean ? ab_ok() : ab_failed("out of memory: %zu entries of near cities", entries);
    for (size_t i = 0; i < entries && status.code == AB_OK; ++i) {
        const size_t row = i / RACE_LANES, k = i % RACE_LANES, n_near = (size_t)rows->n_near;
        cities[i] = (unsigned short)(k < n_near ? near[row * n_near + k] : n + (int32_t)k);
        mean[i] = INFINITY;
    }
    if (status.code == AB_OK) status = race_upload(rows, entries, mean, cities);
    free(cities);
    free(mean);
    return status;
}

/* Ants of a block so that, a block a multiprocessor, all multiprocessors have as many ants. */
static inline ab_status race_even_block(int n_ants, int *block_ants)
{
    int device = 0, multiprocessors = 0;
    CUDA_TRY(cudaGetDevice(&device));
    CUDA_TRY(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
    const int rounds = ceil_div(n_ants, multiprocessors * RACE_BLOCK_ANTS);
    *block_ants = ceil_div(n_ants, multiprocessors * rounds);
    return ab_ok();
}

static inline ab_status race_fits_shared(int n, race_plan plan, bool *fits)
{
    int device = 0, most = 0;
    CUDA_TRY(cudaGetDevice(&device));
    CUDA_TRY(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
    *fits = race_layout(n, plan).bytes <= (size_t)most;
    return ab_ok();
}

/* What rungs of clocks have for themselves. */
typedef struct race_params {
    int block_ants; /* ants of a block whose rows come from the cache; 0: rows in shared memory if they fit */
    int near;       /* of race: near cities with a clock of their own; 0: all that there is room for */
} race_params;

#define RACE_ANTS_PARAMETER                                                                                            \
    {                                                                                                                  \
        .name = "block-ants",                                                                                          \
        .help = "ants of a block of race, whose rows come from the cache; 0: rows in shared memory",                   \
        .offset = AS_OWN(race_params, block_ants), .most = 32, .shown = AB_SHOWN_SET                                   \
    }

/* Rows in shared memory where they all fit, and nobody asked for blocks of a certain size. Of candidate sets else
 * short rows, if they fit and every ant deposits, as there the far clock seldom rings first (docs/log/ant-system.md, 18); or
 * the rows' cities. */
static inline ab_status race_make_plan(int n, const as_params *params, bool candidates, race_plan *plan)
{
    const int asked = as_own<race_params>(params).block_ants;
    int device = 0, cache = 0;
    bool fits = false;
    CUDA_TRY(cudaGetDevice(&device));
    CUDA_TRY(cudaDeviceGetAttribute(&cache, cudaDevAttrL2CacheSize, device));
    const bool cached = (size_t)n * (size_t)n * sizeof(unsigned) <= (size_t)cache;
    *plan = (race_plan){.block_ants = 0, .in_shared = RACE_ROWS, .cached = cached};
    AB_TRY(race_even_block(params->n_ants, &plan->block_ants));
    if (asked == 0) AB_TRY(race_fits_shared(n, *plan, &fits));
    if (fits) return ab_ok();
    plan->in_shared = RACE_SHORT;
    if (asked == 0 && candidates && params->protocol == AS_ALL_ANTS) AB_TRY(race_fits_shared(n, *plan, &fits));
    if (fits) return ab_ok();
    plan->in_shared = RACE_CITIES;
    if (asked == 0 && candidates) AB_TRY(race_fits_shared(n, *plan, &fits));
    if (fits) return ab_ok();
    plan->in_shared = RACE_NOTHING;
    plan->block_ants = asked ? asked : RACE_STREAMED_BLOCK;
    return ab_ok();
}

template <typename Random, typename Visited, bool CANDIDATES> static auto race_walk_of(race_plan plan)
{
    if constexpr (CANDIDATES) {
        if (plan.in_shared == RACE_SHORT) return race_walk<Random, Visited, RACE_SHORT, CANDIDATES>;
        if (plan.in_shared == RACE_CITIES) return race_walk<Random, Visited, RACE_CITIES, CANDIDATES>;
    }
    return plan.in_shared == RACE_ROWS ? race_walk<Random, Visited, RACE_ROWS, CANDIDATES>
                                       : race_walk<Random, Visited, RACE_NOTHING, CANDIDATES>;
}

template <typename Random, typename Visited, bool CANDIDATES>
static ab_status race_check_walk(int n, const as_params *params)
{
    race_plan plan;
    if (n > RACE_MOST_CITIES) return ab_unsupported("needs n <= %d, not %d", RACE_MOST_CITIES, n);
    AB_TRY(race_make_plan(n, params, CANDIDATES, &plan));
    return device_allow_shared((const void *)race_walk_of<Random, Visited, CANDIDATES>(plan),
                               race_layout(n, plan).bytes, params->carveout);
}

template <typename Random, typename Visited, bool CANDIDATES>
static ab_status race_launch_plan(const tsp_device *colony, race_rows rows, race_plan plan, const as_params *params,
                                  unsigned iteration)
{
    const auto walk = race_walk_of<Random, Visited, CANDIDATES>(plan);
    const int warps = plan.in_shared != RACE_NOTHING ? (int)RACE_BLOCK_ANTS : plan.block_ants;
    LAUNCH(walk, ceil_div(colony->n_ants, plan.block_ants), warps * WARP_SIZE, race_layout(colony->n, plan).bytes)
    (*colony, rows, plan, params->seed, iteration);
    return AB_LAUNCHED("race_walk");
}

template <typename Random, typename Visited, bool CANDIDATES>
static ab_status race_launch_walk(const tsp_device *colony, race_rows rows, const as_params *params, unsigned iteration)
{
    race_plan plan;
    AB_TRY(race_make_plan(colony->n, params, CANDIDATES, &plan));
    return race_launch_plan<Random, Visited, CANDIDATES>(colony, rows, plan, params, iteration);
}

#endif
