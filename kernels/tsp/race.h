/* A race of exponential clocks, one warp per ant. The rungs race and race-candidates share it.
 *
 * A step of Ant System is a race. Each possible city j has a clock that rings after an exponentially distributed time
 * with rate w_j, its weight. The first clock to ring is j with probability w_j / sum of w. A roulette needs a scan, a
 * ballot and a search. Here a lane needs one product and the warp one minimum, because the lowest bits of a time are
 * its lane. The warp holds 32 clocks: one per near city of the row, and in rung `race` one for all others, the tail.
 *
 * Floor: a step's critical path is the row's clocks (shared memory, or L2 if n is large), the visited flags (shared
 * memory), a warp minimum and a shuffle. Log: docs/log/ant-system.md. Resolution: 2^-18 of a time, 2^-24 of a clock's
 * rest, 2^-32 of a new clock's distribution, 2^-16 of a tail city's mean weight, 2^-23 of the rest's sum. Sources: this
 * project; thinning: Lewis & Shedler, Naval Research Logistics 26 (1979); alias tables: Walker, ACM TOMS 3 (1977);
 * sfc32: C. Doty-Humphrey, PractRand.
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
    TSP_RACE_LANES = WARP_SIZE,         /* number of clocks per row */
    TSP_RACE_TAIL = TSP_RACE_LANES - 1, /* lane of the tail, after the near cities' lanes */
    TSP_RACE_CLOSE = 12, /* number of clocks of a short row: the nearest candidates, and one for all others */
    TSP_RACE_FAR = TSP_RACE_CLOSE - 1, /* lane of that last clock */
    /* Number of nearest cities of a row among which the best remaining city is searched. */
    TSP_RACE_RING = 8 * WARP_SIZE,
    /* Number of unvisited cities from which on an ant keeps a list of them; half of it with short rows. */
    TSP_RACE_LIST = 512,
    /* Rounds of proposals before a step is drawn anew, while a quarter of the cities is unvisited. */
    TSP_RACE_ROUNDS = 4,
    TSP_RACE_LATE_ROUNDS = 1, /* the same for the rest of the tour */
    TSP_RACE_ASKED = 2,       /* number of proposals in the first round, at the start, if they come from memory */
    TSP_RACE_MOST_CITIES = 65536 - TSP_RACE_LANES,
    TSP_RACE_FEW = 4, /* cities per lane, once each unvisited city races with a clock of its own */
    /* Number of the last 32 steps, not decided by a near city's clock, at which that begins. */
    TSP_RACE_ODD = 12,
    TSP_RACE_UNROLL = 2,  /* number of plain steps in the walk's loop */
    TSP_RACE_AT_ONCE = 8, /* number of loads in flight per lane that looks at a whole row */
    /* Most ants per block; also the number of warps if the block keeps rows, which they load together. */
    TSP_RACE_BLOCK_ANTS = 32,
    TSP_RACE_STREAMED_BLOCK = 4 /* ants per block if rows are not in shared memory */
};

/* A rung's own memory. A lane without a near city has the city n + lane, which is never visited. */
typedef struct tsp_race_rows {
    float *mean; /* [n][TSP_RACE_LANES] mean time of a clock, in units of the row; infinite for weight 0 */
    /* [n][TSP_RACE_LANES] near cities, nearest first; the last lane is the tail's, if there is a tail. */
    unsigned short *city;
    /* [n][stride] alias table of the tail: threshold << 16 | alias; NULL for candidate sets. */
    unsigned *alias;
    float *close_mean;          /* [n][TSP_RACE_CLOSE] short rows, only for candidate sets: mean times */
    unsigned short *close_city; /* [n][TSP_RACE_CLOSE] cities of short rows; the last is n + TSP_RACE_FAR */
    unsigned short *ring;       /* [n][TSP_RACE_RING] only for candidate sets: nearest cities, then the row's own */
    float *ring_weight;         /* [n][TSP_RACE_RING] weights of these cities */
    float *beyond;              /* [n] largest weight of the cities at least as far away as the last of them */
    tour_links *links;          /* [n][n_ants]; NULL if only the best ant deposits */
    int n_near;                 /* number of near cities */
} tsp_race_rows;

/* ---- Visited cities ---- */

/* A byte for each city, and for each lane without a city. */
struct tsp_race_visited {
    shared_array<signed char> flags;

    static __host__ __device__ int bytes(int n)
    {
        return ceil_div(n + TSP_RACE_LANES, 4) * 4;
    }
    /* Returns all ones if the city has been visited, else 0. */
    __device__ __forceinline__ unsigned mask(int city) const
    {
        return (unsigned)(int)flags[city];
    }
    __device__ __forceinline__ bool has(int city) const
    {
        return mask(city) != 0;
    }
    /* Returns a byte for each of four cities from 4 i on: 1 if unvisited. */
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

/* Records a tour while it is built, one city per lane, and writes 32 cities at a time. Writes the tour itself. If every
 * ant deposits, it also writes the two neighbours of each city (tour_links). It adds up the length 32 steps late, so
 * that no step waits. */
struct tsp_race_record {
    int *tour;
    int mine = 0;                  /* latest city whose position is this lane's number modulo 32 */
    int last = 0, before_last = 0; /* the two cities before the recorded ones */
    int edge = 0;                  /* edge to the latest written city */
    long long length = 0;          /* this lane's part of the length, without `edge` */

    __device__ __forceinline__ void begin(int city)
    {
        last = city;
        if (threadIdx.x % WARP_SIZE == 0) tour[0] = city;
    }

    /* Writes the cities of steps begin .. begin + count - 1, counted from 1. */
    __device__ void write(const tsp_device &colony, const tsp_race_rows &rows, int ant, int begin, int count)
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

    /* Finishes a complete tour: writes the neighbours of its first and last city. */
    __device__ void finish(const tsp_device &colony, const tsp_race_rows &rows, int ant, unsigned zero_weight_steps)
    {
        const int n = colony.n;
        length += edge;
        for (int offset = WARP_SIZE / 2; offset > 0; offset /= 2) length += __shfl_xor_sync(FULL_WARP, length, offset);
        __syncwarp(FULL_WARP); /* the first lane reads what other lanes wrote */
        if (threadIdx.x % WARP_SIZE != 0) return;
        if (rows.links) {
            rows.links[(size_t)tour[0] * (size_t)colony.n_ants + (size_t)ant] = link_tour(last, tour[1]);
            rows.links[(size_t)last * (size_t)colony.n_ants + (size_t)ant] = link_tour(tour[n - 2], tour[0]);
        }
        finish_tour(colony, ant, tour, last, length, zero_weight_steps);
    }
};

/* ---- Steps that the race does not decide ---- */

/* The unvisited cities, ascending, once they are few. It may include cities that were visited after it was filled. */
struct tsp_race_list {
    shared_array<unsigned short> cities;
    int room;   /* number of cities that fit */
    int length; /* number of cities; 0: not filled yet */

    template <typename Visited> __device__ void fill(int n, int left, Visited visited)
    {
        const int lane = (int)threadIdx.x % WARP_SIZE, fours = ceil_div(n, 4);
        __syncwarp(FULL_WARP); /* other lanes' flags are written, and the old list is read */
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
template <typename Visited> static __device__ int tsp_race_nearest(const tsp_device &colony, int from, Visited visited)
{
    const int *const dist = colony.dist + (size_t)from * (size_t)colony.stride;
    unsigned long long nearest = ~0ull;
    for (int city = (int)threadIdx.x % WARP_SIZE; city < colony.n; city += WARP_SIZE)
        if (!visited.has(city)) nearest = min(nearest, city_key(dist[city], city));
    return (int)(unsigned)warp_min(nearest);
}

/* Returns the best remaining city if it is in the row's ring, else -1. Each lane looks at eight cities. This is for a
 * candidate set whose cities are all visited. The ring has the row's nearest cities, and stage "choice" stores their
 * weights. The result is valid if it weighs more than every city beyond the ring. Otherwise the warp looks at all
 * unvisited cities. */
template <typename Visited> static __device__ int tsp_race_in_ring(const tsp_race_rows &rows, int from, Visited visited)
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
    unsigned best = TSP_RACE_NEVER;
#pragma unroll
    for (int i = 0; i < 8; ++i) {
        const float left = visited.has((int)city[i]) ? 0.0f : weight[i];
        if (left > heaviest || (left == heaviest && city[i] < best)) best = city[i];
        heaviest = max(heaviest, left);
    }
    const float most = warp_max(heaviest);
    const int first = (int)warp_min(heaviest == most ? best : TSP_RACE_NEVER);
    if (most > beyond) AB_PLAN("race-candidates: the best is in the ring");
    if (!(most > beyond)) AB_PLAN("race-candidates: the best may be beyond the ring");
    return most > beyond ? first : -1;
}

/* A lane's view of the unvisited cities. */
struct tsp_race_view {
    float sum = 0.0f, heaviest = 0.0f; /* sum of weights, and largest weight */
    int best;                          /* first city of the largest weight */

    __device__ __forceinline__ void add(int city, bool left, float weight)
    {
        if (!left) weight = 0.0f;
        sum += weight;
        if (weight > heaviest) best = city;
        heaviest = max(heaviest, weight);
    }
};

/* Chooses among all `left` unvisited cities: by the random proportional rule, or the best one (tsp.h). Each lane looks
 * at every 32nd entry of the list, or at every 32nd group of four cities. The rule first draws a lane in proportion to
 * the sum of its cities, then a city of the lane. The code has no branch, so that loads are in flight together. All
 * lanes make as many turns: if they did not, the compiler would guard each later warp instruction of the kernel. */
template <bool BEST, typename Random, typename Visited>
static __device__ int tsp_race_rest(const tsp_device &colony, int from, int left, Visited visited, tsp_race_list &list,
                                    Random &random, unsigned &zero_weight_steps)
{
    enum { FOURS_AT_ONCE = TSP_RACE_AT_ONCE / 2 };
    const int n = colony.n, lane = (int)threadIdx.x % WARP_SIZE, fours = ceil_div(n, 4);
    const float *const row = colony.choice_info + (size_t)from * (size_t)colony.stride;
    const bool listed = left <= list.room;
    tsp_race_view view = {.best = n};
    if (listed)
        AB_PLAN("race: what is left, from a list");
    else
        AB_PLAN("race: what is left, among all cities");
    if (listed && (list.length == 0 || 3 * left < 2 * list.length)) list.fill(n, left, visited);
    for (int base = 0; listed && base < list.length; base += TSP_RACE_AT_ONCE * WARP_SIZE) {
        const int first = base + lane;
        int city[TSP_RACE_AT_ONCE];
        float weight[TSP_RACE_AT_ONCE];
#pragma unroll
        for (int i = 0; i < TSP_RACE_AT_ONCE; ++i)
            city[i] = first + i * WARP_SIZE < list.length ? (int)list.cities[first + i * WARP_SIZE] : from;
#pragma unroll
        for (int i = 0; i < TSP_RACE_AT_ONCE; ++i) weight[i] = __ldcg(row + city[i]);
#pragma unroll
        for (int i = 0; i < TSP_RACE_AT_ONCE; ++i) view.add(city[i], !visited.has(city[i]), weight[i]);
    }
    for (int base = 0; !listed && base < fours; base += FOURS_AT_ONCE * WARP_SIZE) {
        const int first = base + lane;
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
        return tsp_race_nearest(colony, from, visited);
    }
    if (BEST) return (int)warp_min(view.heaviest == most ? (unsigned)view.best : TSP_RACE_NEVER);
    const unsigned lane_key = tsp_race_key(tsp_race_exponential(random.next()) * tsp_race_mean(view.sum, most), lane);
    const int lucky = (int)(warp_min(lane_key) % WARP_SIZE);
    const int count = listed ? ceil_div(list.length, (int)WARP_SIZE) : 4 * ceil_div(fours, (int)WARP_SIZE);
    unsigned key = TSP_RACE_NEVER;
    for (int k = lane; k - lane < count; k += WARP_SIZE) { /* k-th city that the lane looks at */
        const int at = listed ? lucky + k * WARP_SIZE : 4 * (lucky + k / 4 * WARP_SIZE) + k % 4;
        const int city = at >= (listed ? list.length : n) ? from : listed ? (int)list.cities[at] : at;
        const float weight = visited.has(city) ? 0.0f : row[city];
        const unsigned other = tsp_race_key(tsp_race_exponential(random.next()) * tsp_race_mean(weight, most), lane);
        if (other < key) view.best = city;
        key = min(key, other);
    }
    return __shfl_sync(FULL_WARP, view.best, (int)warp_min(key));
}

static __device__ __forceinline__ float tsp_race_sum(float value)
{
    for (int offset = WARP_SIZE / 2; offset > 0; offset /= 2) value += __shfl_xor_sync(FULL_WARP, value, offset);
    return value;
}

/* A lane's clock in a row. */
struct tsp_race_clock {
    float mean;
    int city;
};

/* Handles a ring of the clock of all far candidates. It rings for one of them in proportion to its weight, visited or
 * not (thinning). If that candidate is visited, all unvisited candidates race anew, each with a clock of its own.
 * Returns -1 if no city is left. */
template <typename Random, typename Visited>
static __device__ __forceinline__ int tsp_race_far(const tsp_race_rows &rows, int from, int lane, Visited visited,
                                                   Random &random)
{
    const int entry = from * TSP_RACE_LANES + lane, city = __ldcg(rows.city + entry);
    const float mean = __ldcg(rows.mean + entry);
    const unsigned rings = tsp_race_key(tsp_race_exponential(random.next()) * mean, lane);
    const unsigned again = tsp_race_key(tsp_race_exponential(random.next()) * mean, lane);
    const unsigned is_out = visited.mask(city);
    unsigned first = warp_min(lane >= TSP_RACE_FAR ? rings : TSP_RACE_NEVER);
    const bool counts = first < TSP_RACE_WEIGHTLESS && !__shfl_sync(FULL_WARP, is_out, (int)first % WARP_SIZE);
    if (counts)
        AB_PLAN("race-candidates: the far clock's first city counts");
    else
        AB_PLAN("race-candidates: all candidates that are left race anew");
    if (!counts) first = warp_min(max(again, is_out));
    return first < TSP_RACE_WEIGHTLESS ? __shfl_sync(FULL_WARP, city, (int)first % WARP_SIZE) : -1;
}

/* Why the tail is exact. Its rate T includes visited cities. If it rings first, the warp draws several tail cities at
 * once from the row's alias table. They are the tail's successive arrivals. Arrivals at visited cities do not count
 * (thinning of a Poisson process). The first arrival at an unvisited city wins, unless a near city's clock rings before
 * it. Between two arrivals this happens with probability N / (N + T), where N is the rate of the unvisited near cities.
 * Which of them rings does not depend on the time. After some rounds with only visited cities, the step is drawn anew
 * from the sum over all unvisited cities (tsp_race_rest). This keeps the distribution: the first arrival that counts
 * does not depend on the number of arrivals before it. After a step that no near city's clock decides, all clocks are
 * drawn anew. */

/* Handles a ring of the tail. Draws its arrivals, one per lane, until one is at an unvisited city or a near city's
 * clock rings before it. For each arrival but the first, the clock does so with the same probability. The first round
 * has `asked` arrivals, later rounds 32. Returns -1 if some rounds have not decided. Computations that do not need the
 * table's entries run while these are loaded; so *fresh is a new time for each lane's clock. */
template <typename Random, typename Visited>
static __device__ __forceinline__ int tsp_race_tail(const tsp_device &colony, const tsp_race_rows &rows, int lane,
                                                    int from, tsp_race_clock clock, unsigned key, int left, int asked,
                                                    Visited visited, Random &random, float *fresh)
{
    const unsigned *const alias = rows.alias + (size_t)from * (size_t)colony.stride;
    const unsigned near_key = lane == TSP_RACE_TAIL ? TSP_RACE_NEVER : key;
    const int rounds = 4 * left > colony.n ? TSP_RACE_ROUNDS : TSP_RACE_LATE_ROUNDS;
    float near = 0.0f, all = 0.0f;
    for (int round = 0; round < rounds; ++round, asked = WARP_SIZE) {
        const unsigned long long drawn = (unsigned long long)random.next() * (unsigned)colony.n;
        const unsigned bucket = (unsigned)(drawn >> 32), fraction = (unsigned)drawn >> 16;
        /* No branch: lanes without an entry load the first one. */
        const unsigned entry = __ldcg(alias + (lane < asked ? bucket : 0));
        unsigned near_rings = 0;
        if (asked) { /* a branch, because otherwise the compiler waits for the entry here */
            if (round == 0) {
                const float rate = tsp_race_reciprocal(clock.mean);
                *fresh = tsp_race_exponential(random.next());
                near = tsp_race_sum(near_key < TSP_RACE_WEIGHTLESS ? rate : 0.0f);
                all = near + __shfl_sync(FULL_WARP, rate, TSP_RACE_TAIL);
            }
            near_rings = __ballot_sync(FULL_WARP, (tsp_race_unit(random.next()) * all < near) & (round + lane > 0));
        }
        const int proposal = (int)(fraction < entry >> 16 ? bucket : entry & 0xffff);
        if (asked < WARP_SIZE) AB_PLAN("race: a few proposals at first");
        const unsigned unvisited = __ballot_sync(FULL_WARP, !visited.has(proposal));
        const unsigned decided = (near_rings | unvisited) & (FULL_WARP >> (WARP_SIZE - asked));
        if (!decided) continue;
        const int arrival = __ffs((int)decided) - 1;
        if (near_rings >> arrival & 1) return __shfl_sync(FULL_WARP, clock.city, (int)warp_min(near_key));
        return __shfl_sync(FULL_WARP, proposal, arrival);
    }
    return -1;
}

/* ---- End of a tour ---- */

/* Races all unvisited cities, at most TSP_RACE_FEW per lane, each with a clock of its own. Its rate is the weight
 * itself. A city is chosen once, so its clock is drawn once. The instruction that inverts a weight treats weights below
 * 2^-126 as 0. If no time is less than 10^30, this may matter: then tsp_race_rest draws the step, and all clocks are
 * drawn anew. */
template <typename Random, typename Visited>
static __device__ void tsp_race_finish(const tsp_device &colony, const tsp_race_rows &rows, int lane, int ant, int from,
                                       int left, Visited visited, tsp_race_list &list, tsp_race_record &record,
                                       Random &random, unsigned &zero_weight_steps)
{
    const int n = colony.n;
    AB_PLAN("race: the last cities have a clock each");
    int city[TSP_RACE_FEW];
    float wait[TSP_RACE_FEW], weight[TSP_RACE_FEW];
    list.fill(n, left, visited);
#pragma unroll
    for (int k = 0; k < TSP_RACE_FEW; ++k) {
        const int at = lane + k * WARP_SIZE;
        city[k] = at < left ? (int)list.cities[at] : from;
        wait[k] = at < left ? tsp_race_exponential(random.next()) : INFINITY;
    }
    const auto go = [&](int i, int next) {
#pragma unroll
        for (int k = 0; k < TSP_RACE_FEW; ++k)
            if (city[k] == next) wait[k] = INFINITY;
        if (lane == 0) visited.set(next, true);
        if (lane == i) record.mine = next;
        from = next;
    };
    for (; left > 0; left -= WARP_SIZE) {
        const int steps = min(left, (int)WARP_SIZE);
        for (int i = 0;; ++i) {
#pragma unroll TSP_RACE_UNROLL
            for (; i < steps; ++i) {
                __syncwarp(FULL_WARP);
                const unsigned base = (unsigned)from * (unsigned)colony.stride;
                float least = INFINITY;
                int mine = from;
#pragma unroll
                for (int k = 0; k < TSP_RACE_FEW; ++k)
                    weight[k] = __ldcg(colony.choice_info + (base + (unsigned)city[k]));
#pragma unroll
                for (int k = 0; k < TSP_RACE_FEW; ++k) {
                    const float time = wait[k] * tsp_race_reciprocal(weight[k]);
                    if (time < least) mine = city[k];
                    least = min(time, least);
                }
                const unsigned first = warp_min(tsp_race_key(least, lane));
                const int next = __shfl_sync(FULL_WARP, mine, (int)first);
                if (first >= TSP_RACE_LATE) break;
#pragma unroll
                for (int k = 0; k < TSP_RACE_FEW; ++k) wait[k] = fabsf(wait[k] - tsp_race_time(first) * weight[k]);
                go(i, next);
            }
            if (i == steps) break;
            __syncwarp(FULL_WARP);
            const int next = tsp_race_rest<false>(colony, from, left - i, visited, list, random, zero_weight_steps);
            __syncwarp(FULL_WARP);
#pragma unroll
            for (int k = 0; k < TSP_RACE_FEW; ++k)
                if (wait[k] < INFINITY) wait[k] = tsp_race_exponential(random.next());
            go(i, next);
        }
        record.write(colony, rows, ant, n - left, steps);
    }
}

/* ---- The walk ----
 *
 * Clocks continue from step to step. An exponential time has no memory: when one clock rings, the rest of each other
 * clock is again exponentially distributed. So a lane keeps the time that its clock has left at rate 1. After each step
 * it subtracts the elapsed time multiplied by the old rate, and continues with the next row's rate. Only the clock that
 * rang is drawn anew. This takes one random number per step, and each lane draws one for 32 steps.
 *
 * If most steps at the end of a tour are decided by the tail, the last cities have a clock each (tsp_race_finish).
 * Candidate sets whose rows do not fit in shared memory may keep their 11 nearest cities there, and one clock for all
 * others (tsp_race_far). */

/* Returns the entries of all rows. */
static inline __host__ __device__ size_t tsp_race_entries(int n)
{
    return (size_t)n * TSP_RACE_LANES;
}

/* Returns the entries of all short rows, rounded up for copies of 16 bytes. */
static inline __host__ __device__ size_t tsp_race_close_entries(int n)
{
    return (size_t)ceil_div(n * TSP_RACE_CLOSE, 8) * 8;
}

/* Which rows are kept in shared memory. The rest is read through the L1 cache. */
typedef enum tsp_race_share { TSP_RACE_NOTHING, TSP_RACE_CITIES, TSP_RACE_SHORT, TSP_RACE_ROWS } tsp_race_share;

/* How a walk is launched. */
typedef struct tsp_race_plan {
    int block_ants; /* ants per block; each ant is a warp */
    tsp_race_share in_shared;
    bool cached; /* true if the alias tables fit in the L2 cache; else they come from memory */
} tsp_race_plan;

/* Layout of the dynamic shared memory in bytes: the rows' means, their cities, each ant's flags, the lists. */
struct tsp_race_layout {
    size_t cities, flags, lists, bytes;
    int list; /* number of cities in a list */

    __host__ __device__ tsp_race_layout(int n, tsp_race_plan plan)
    {
        const size_t entries = plan.in_shared == TSP_RACE_SHORT ? tsp_race_close_entries(n) : tsp_race_entries(n);
        const size_t ants = (size_t)plan.block_ants;
        cities = plan.in_shared >= TSP_RACE_SHORT ? entries * sizeof(float) : 0;
        flags = cities + (plan.in_shared == TSP_RACE_NOTHING ? 0 : entries * sizeof(unsigned short));
        lists = flags + ants * (size_t)tsp_race_visited::bytes(n);
        list = plan.in_shared == TSP_RACE_SHORT ? TSP_RACE_LIST / 2 : TSP_RACE_LIST;
        bytes = lists + ants * (size_t)list * sizeof(unsigned short);
    }
};

/* Copies `count` elements, 16 bytes at a time. Both addresses must be aligned to 16 bytes, and the size must be a
 * multiple of it. */
template <typename T> static __device__ __forceinline__ void tsp_race_load(shared_array<T> to, const T *from, int count)
{
    enum { EACH = 16 / sizeof(T) };
#pragma unroll 4
    for (int i = (int)threadIdx.x * EACH; i < count; i += (int)blockDim.x * EACH)
        *reinterpret_cast<uint4 *>(&to[i]) = *reinterpret_cast<const uint4 *>(from + i);
}

template <typename Random, typename Visited, tsp_race_share IN_SHARED, bool CANDIDATES>
static __global__ void __launch_bounds__(TSP_RACE_BLOCK_ANTS *WARP_SIZE)
    tsp_race_walk(tsp_device colony, tsp_race_rows rows, tsp_race_plan plan, unsigned long long seed,
                  unsigned iteration)
{
    const int n = colony.n, thread = (int)threadIdx.x, warp = thread / WARP_SIZE;
    /* Computed once, so that no step computes it again. */
    const int lane = __shfl_sync(FULL_WARP, thread, thread) % WARP_SIZE;
    const int entries = IN_SHARED == TSP_RACE_SHORT ? (int)tsp_race_close_entries(n) : (int)tsp_race_entries(n);
    const int n_means = IN_SHARED >= TSP_RACE_SHORT ? entries : 0;
    const int n_cities = IN_SHARED == TSP_RACE_NOTHING ? 0 : entries;
    const tsp_race_layout layout(n, plan);
    SHARED_DYNAMIC(float, means, 0, n_means);
    SHARED_DYNAMIC(unsigned short, cities, layout.cities, n_cities);
    SHARED_DYNAMIC(signed char, flags, layout.flags, plan.block_ants *tsp_race_visited::bytes(n));
    SHARED_DYNAMIC(unsigned short, lists, layout.lists, plan.block_ants *layout.list);
    const int ant = (int)blockIdx.x * plan.block_ants + warp;
    const Visited visited = {flags + warp * tsp_race_visited::bytes(n)};

    tsp_race_load<float>(means, IN_SHARED == TSP_RACE_SHORT ? rows.close_mean : rows.mean, n_means);
    tsp_race_load<unsigned short>(cities, IN_SHARED == TSP_RACE_SHORT ? rows.close_city : rows.city, n_cities);
    for (int i = 4 * thread; i < plan.block_ants * tsp_race_visited::bytes(n); i += 4 * (int)blockDim.x)
        *reinterpret_cast<unsigned *>(&flags[i]) = 0;
    __syncthreads();
    if (warp >= plan.block_ants || ant >= colony.n_ants) return;

    const float *my_means = rows.mean + lane;
    const unsigned short *my_cities = rows.city + lane;
#ifdef __CUDACC__
    /* Keeps these pointers in registers instead of loading them in each step. */
    if (IN_SHARED != TSP_RACE_ROWS) asm volatile("" : "+l"(my_means), "+l"(my_cities));
#endif
    /* True for a lane whose clock never rings. */
    const bool idle = IN_SHARED == TSP_RACE_SHORT && lane >= TSP_RACE_CLOSE;
    const int close = min(lane, (int)TSP_RACE_FAR);
    const Visited mine = {visited.flags + (idle ? lane - close : 0)}; /* each lane has a flag of its own */
    const auto clock_of = [&](int row) -> tsp_race_clock {
        if (IN_SHARED == TSP_RACE_SHORT)
            return {means[row * TSP_RACE_CLOSE + close], cities[row * TSP_RACE_CLOSE + close]};
        const unsigned entry = (unsigned)(row * TSP_RACE_LANES + lane);
        return {IN_SHARED == TSP_RACE_ROWS ? means[entry] : __ldg(my_means + row * TSP_RACE_LANES),
                IN_SHARED == TSP_RACE_NOTHING ? __ldg(my_cities + row * TSP_RACE_LANES) : cities[entry]};
    };
    Random random(seed, ant_stream(colony, iteration, ant) * WARP_SIZE + (unsigned)lane);
    tsp_race_list list = {lists + warp * layout.list, layout.list, 0};
    tsp_race_record record = {.tour = colony.tours + (size_t)ant * (size_t)(n + 1)};
    unsigned zero_weight_steps = 0;

    int from = __shfl_sync(FULL_WARP, min((int)(tsp_race_unit(random.next()) * (float)n), n - 1), 0), left = n - 1;
    record.begin(from);
    if (lane == 0) visited.set(from, true);
    tsp_race_clock clock = clock_of(from);
    float wait = idle ? INFINITY : tsp_race_exponential(random.next());

    int odd = 0; /* number of the last 32 steps that no near city's clock decided */
    for (; left > 0; left -= WARP_SIZE) {
        if (!CANDIDATES && odd >= TSP_RACE_ODD && left <= TSP_RACE_FEW * WARP_SIZE) {
            tsp_race_finish(colony, rows, lane, ant, from, left, visited, list, record, random, zero_weight_steps);
            break;
        }
        odd = 0;
        const float spare = tsp_race_exponential(random.next()); /* for the clock that rings in this lane's step */
        const int asked =
            plan.cached ? (int)WARP_SIZE : min(TSP_RACE_ASKED + TSP_RACE_ASKED * n / left, (int)WARP_SIZE);
        for (int i = 0;; ++i) {
            unsigned key = 0;
#pragma unroll TSP_RACE_UNROLL
            for (; i < WARP_SIZE; ++i) { /* steps that a near city's clock decides */
                __syncwarp(FULL_WARP);
                key = max(tsp_race_key(fabsf(wait) * clock.mean, lane), mine.mask(clock.city));
                const float rate = CANDIDATES ? tsp_race_reciprocal_now(clock.mean) : 0.0f;
                const unsigned first = warp_min(key);
                const int next = __shfl_sync(FULL_WARP, clock.city, (int)first);
                const float fresh = __shfl_sync(FULL_WARP, spare, i);
                if (IN_SHARED == TSP_RACE_SHORT ? first % WARP_SIZE == TSP_RACE_FAR
                    : CANDIDATES                ? first >= TSP_RACE_WEIGHTLESS
                                                : first % WARP_SIZE == TSP_RACE_TAIL)
                    break;
                const tsp_race_clock ahead = clock_of(next);
                const bool rang = key == first, out = key == TSP_RACE_NEVER;
                if (!out) wait -= tsp_race_time(first) * (CANDIDATES ? rate : tsp_race_reciprocal(clock.mean));
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
                if (IN_SHARED == TSP_RACE_SHORT) next = tsp_race_far(rows, from, lane, visited, random);
                wait = idle ? INFINITY : tsp_race_exponential(random.next());
                if (next < 0 && (left - i) * (TSP_RACE_RING / 4) > n) next = tsp_race_in_ring(rows, from, visited);
            } else {
                next = tsp_race_tail(colony, rows, lane, from, clock, key, left - i, asked, visited, random, &wait);
            }
            if (next < 0)
                next = tsp_race_rest<CANDIDATES>(colony, from, left - i, visited, list, random, zero_weight_steps);
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

/* ---- Host side ---- */

static inline size_t tsp_race_round_up(size_t bytes)
{
    return (bytes + 255) / 256 * 256;
}

/* Places a rung's rows in its scratch memory and returns their size in bytes. */
static inline size_t tsp_race_place(void *scratch, int n, int stride, const tsp_params *params, int n_near, bool tail,
                                    tsp_race_rows *rows)
{
    const size_t entries = tsp_race_entries(n), matrix = (size_t)n * (size_t)stride;
    const size_t city = tsp_race_round_up(entries * sizeof(float)),
                 alias = city + tsp_race_round_up(entries * sizeof(short));
    const size_t close_mean = alias + (tail ? tsp_race_round_up(matrix * sizeof(unsigned)) : 0);
    const size_t close_city = close_mean + (tail ? 0 : tsp_race_round_up(tsp_race_close_entries(n) * sizeof(float)));
    const size_t ring = close_city + (tail ? 0 : tsp_race_round_up(tsp_race_close_entries(n) * sizeof(short)));
    const size_t in_rings = (size_t)n * TSP_RACE_RING;
    const size_t ring_weight = ring + (tail ? 0 : tsp_race_round_up(in_rings * sizeof(short)));
    const size_t beyond = ring_weight + (tail ? 0 : tsp_race_round_up(in_rings * sizeof(float)));
    const size_t links = beyond + (tail ? 0 : tsp_race_round_up((size_t)n * sizeof(float)));
    rows->n_near = n_near;
    rows->mean = (float *)scratch;
    rows->city = (unsigned short *)((char *)scratch + city);
    rows->alias = tail ? (unsigned *)((char *)scratch + alias) : NULL;
    rows->close_mean = tail ? NULL : (float *)((char *)scratch + close_mean);
    rows->close_city = tail ? NULL : (unsigned short *)((char *)scratch + close_city);
    rows->ring = tail ? NULL : (unsigned short *)((char *)scratch + ring);
    rows->ring_weight = tail ? NULL : (float *)((char *)scratch + ring_weight);
    rows->beyond = tail ? NULL : (float *)((char *)scratch + beyond);
    rows->links = params->protocol == TSP_ALL_ANTS ? (tour_links *)((char *)scratch + links) : NULL;
    return links + (rows->links ? (size_t)n * (size_t)params->n_ants * sizeof(tour_links) : 0);
}

static inline ab_status tsp_race_upload(const tsp_race_rows *rows, size_t entries, const float *mean,
                                        const unsigned short *cities)
{
    CUDA_TRY(cudaMemcpy(rows->mean, mean, entries * sizeof *mean, cudaMemcpyHostToDevice));
    CUDA_TRY(cudaMemcpy(rows->city, cities, entries * sizeof *cities, cudaMemcpyHostToDevice));
    return ab_ok();
}

/* Writes the cities of each row. */
static inline ab_status tsp_race_write_cities(const tsp_race_rows *rows, int n, const int32_t *near)
{
    const size_t entries = tsp_race_entries(n);
    unsigned short *cities = (unsigned short *)malloc(entries * sizeof *cities);
    float *mean = (float *)malloc(entries * sizeof *mean);
    ab_status status = cities && mean ? ab_ok() : ab_failed("out of memory: %zu entries of near cities", entries);
    for (size_t i = 0; i < entries && status.code == AB_OK; ++i) {
        const size_t row = i / TSP_RACE_LANES, k = i % TSP_RACE_LANES, n_near = (size_t)rows->n_near;
        cities[i] = (unsigned short)(k < n_near ? near[row * n_near + k] : n + (int32_t)k);
        mean[i] = INFINITY;
    }
    if (status.code == AB_OK) status = tsp_race_upload(rows, entries, mean, cities);
    free(cities);
    free(mean);
    return status;
}

/* Chooses the number of ants per block, at most `most`, so that, with one block per multiprocessor, all multiprocessors
 * have the same number of ants. */
static inline ab_status tsp_race_even_block(int n_ants, int most, int *block_ants)
{
    int device = 0, multiprocessors = 0;
    CUDA_TRY(cudaGetDevice(&device));
    CUDA_TRY(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
    const int rounds = ceil_div(n_ants, multiprocessors * most);
    *block_ants = ceil_div(n_ants, multiprocessors * rounds);
    return ab_ok();
}

/* `allowed`: bytes that a block may take; 0: what the device has. */
static inline ab_status tsp_race_fits_shared(int n, tsp_race_plan plan, int allowed, bool *fits)
{
    int device = 0, most = 0;
    CUDA_TRY(cudaGetDevice(&device));
    CUDA_TRY(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
    *fits = tsp_race_layout(n, plan).bytes <= (size_t)(allowed && allowed < most ? allowed : most);
    return ab_ok();
}

/* Parameters of the rungs with clocks. */
typedef struct tsp_race_params {
    int block_ants; /* ants per block if rows come from the cache; 0: rows in shared memory if they fit */
    int near;       /* only race: near cities with a clock of their own; 0: as many as fit */
    int shared;     /* most bytes of shared memory for a block's rows; 0: as many as the device has */
} tsp_race_params;

#define TSP_RACE_ANTS_PARAMETER                                                                                        \
    {                                                                                                                  \
        .name = "block-ants",                                                                                          \
        .help = "ants of a block of race, whose rows come from the cache; 0: rows in shared memory",                   \
        .offset = TSP_OWN(tsp_race_params, block_ants), .most = 32, .shown = AB_SHOWN_SET                              \
    }
/* Parameters that treat small instances like large ones. */
#define TSP_RACE_SHARED_PARAMETER                                                                                      \
    {                                                                                                                  \
        .name = "shared", .help = "bytes of shared memory for the rows of race, at most; 0: what the device has",      \
        .offset = TSP_OWN(tsp_race_params, shared), .most = 1 << 20, .shown = AB_SHOWN_SET                             \
    }

/* Chooses the plan. Rows are in shared memory if all fit and no block size was asked for. Otherwise candidate sets use
 * short rows if these fit and every ant deposits, because then the far clock seldom rings first
 * (docs/log/ant-system.md, 18). Otherwise they keep the rows' cities there. */
static inline ab_status tsp_race_make_plan(int n, const tsp_params *params, bool candidates, tsp_race_plan *plan)
{
    const int asked = tsp_own<tsp_race_params>(params).block_ants, allowed = tsp_own<tsp_race_params>(params).shared;
    int device = 0, cache = 0;
    bool fits = false;
    CUDA_TRY(cudaGetDevice(&device));
    CUDA_TRY(cudaDeviceGetAttribute(&cache, cudaDevAttrL2CacheSize, device));
    const bool cached = (size_t)n * (size_t)n * sizeof(unsigned) <= (size_t)cache;
    *plan = (tsp_race_plan){.block_ants = 0, .in_shared = TSP_RACE_ROWS, .cached = cached};
    AB_TRY(tsp_race_even_block(params->n_ants, TSP_RACE_BLOCK_ANTS, &plan->block_ants));
    if (asked == 0) AB_TRY(tsp_race_fits_shared(n, *plan, allowed, &fits));
    if (fits) return ab_ok();
    plan->in_shared = TSP_RACE_SHORT;
    if (asked == 0 && candidates && params->protocol == TSP_ALL_ANTS)
        AB_TRY(tsp_race_fits_shared(n, *plan, allowed, &fits));
    if (fits) return ab_ok();
    plan->in_shared = TSP_RACE_CITIES;
    if (asked == 0 && candidates) AB_TRY(tsp_race_fits_shared(n, *plan, allowed, &fits));
    if (fits) return ab_ok();
    plan->in_shared = TSP_RACE_NOTHING;
    plan->block_ants = asked ? asked : TSP_RACE_STREAMED_BLOCK;
    return ab_ok();
}

/* For the host backend, which keeps what was taken. */
template <bool CANDIDATES> static inline void tsp_race_name_plan(tsp_race_plan plan, const tsp_params *params)
{
    if constexpr (CANDIDATES) {
        if (plan.in_shared == TSP_RACE_ROWS) AB_PLAN("race-candidates: rows in shared memory");
        if (plan.in_shared == TSP_RACE_SHORT) AB_PLAN("race-candidates: short rows in shared memory");
        if (plan.in_shared == TSP_RACE_CITIES) AB_PLAN("race-candidates: the rows' cities in shared memory");
        if (plan.in_shared == TSP_RACE_NOTHING) AB_PLAN("race-candidates: streamed rows");
    } else {
        if (plan.in_shared == TSP_RACE_ROWS) AB_PLAN("race: rows in shared memory");
        if (plan.in_shared == TSP_RACE_NOTHING) AB_PLAN("race: streamed rows");
        if (plan.cached) AB_PLAN("race: alias tables in the L2 cache");
        if (!plan.cached) AB_PLAN("race: alias tables in memory");
    }
    if (plan.block_ants * 2 <= params->n_ants && plan.in_shared != TSP_RACE_NOTHING)
        AB_PLAN("race: rows in shared memory of several blocks");
}

template <typename Random, typename Visited, bool CANDIDATES> static auto tsp_race_walk_of(tsp_race_plan plan)
{
    if constexpr (CANDIDATES) {
        if (plan.in_shared == TSP_RACE_SHORT) return tsp_race_walk<Random, Visited, TSP_RACE_SHORT, CANDIDATES>;
        if (plan.in_shared == TSP_RACE_CITIES) return tsp_race_walk<Random, Visited, TSP_RACE_CITIES, CANDIDATES>;
    }
    return plan.in_shared == TSP_RACE_ROWS ? tsp_race_walk<Random, Visited, TSP_RACE_ROWS, CANDIDATES>
                                           : tsp_race_walk<Random, Visited, TSP_RACE_NOTHING, CANDIDATES>;
}

template <typename Random, typename Visited, bool CANDIDATES>
static ab_status tsp_race_check_walk(int n, const tsp_params *params)
{
    tsp_race_plan plan;
    if (n > TSP_RACE_MOST_CITIES) return ab_unsupported("needs n <= %d, not %d", TSP_RACE_MOST_CITIES, n);
    AB_TRY(tsp_race_make_plan(n, params, CANDIDATES, &plan));
    return device_allow_shared((const void *)tsp_race_walk_of<Random, Visited, CANDIDATES>(plan),
                               tsp_race_layout(n, plan).bytes, params->carveout);
}

template <typename Random, typename Visited, bool CANDIDATES>
static ab_status tsp_race_launch_plan(const tsp_device *colony, tsp_race_rows rows, tsp_race_plan plan,
                                      const tsp_params *params, unsigned iteration)
{
    const auto walk = tsp_race_walk_of<Random, Visited, CANDIDATES>(plan);
    tsp_race_name_plan<CANDIDATES>(plan, params);
    const int warps = plan.in_shared != TSP_RACE_NOTHING ? (int)TSP_RACE_BLOCK_ANTS : plan.block_ants;
    LAUNCH(walk, ceil_div(colony->n_ants, plan.block_ants), warps * WARP_SIZE, tsp_race_layout(colony->n, plan).bytes)
    (*colony, rows, plan, params->seed, iteration);
    return AB_LAUNCHED("tsp_race_walk");
}

template <typename Random, typename Visited, bool CANDIDATES>
static ab_status tsp_race_launch_walk(const tsp_device *colony, tsp_race_rows rows, const tsp_params *params,
                                      unsigned iteration)
{
    tsp_race_plan plan;
    AB_TRY(tsp_race_make_plan(colony->n, params, CANDIDATES, &plan));
    return tsp_race_launch_plan<Random, Visited, CANDIDATES>(colony, rows, plan, params, iteration);
}

#endif
