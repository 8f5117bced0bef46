/* What the walks of a race share (race.h): rows, visited flags, tours, and the steps that the race does not decide. */
#ifndef ANTBENCH_TSP_RACE_STEPS_H
#define ANTBENCH_TSP_RACE_STEPS_H

#include <math.h>
#include <stdlib.h>

#ifdef __CUDACC__
#include <cuda_pipeline.h>
#endif

#include "kernels/cuda/warp.h"
#include "kernels/tsp/colony.h"
#include "kernels/tsp/deposit_rows.h"
#include "kernels/tsp/race_clocks.h"

enum {
    TSP_RACE_LANES = WARP_SIZE,         /* number of clocks per row */
    TSP_RACE_TAIL = TSP_RACE_LANES - 1, /* lane of the tail, after the near cities' lanes */
    /* Number of nearest cities of a row among which the best remaining city is searched. */
    TSP_RACE_RING = 8 * WARP_SIZE,
    TSP_RACE_HEAVY = WARP_SIZE, /* number of cities beyond the ring that are looked at with it */
    TSP_RACE_LIST = 512,        /* number of unvisited cities from which on an ant keeps a list of them */
    TSP_RACE_SHORT_LIST = 256,  /* the same beside short rows */
    /* Least number of clocks in a short row, if all ants deposit, and if the best does. */
    TSP_RACE_SHORT_ALL = 18,
    TSP_RACE_SHORT_BEST = 16,
    TSP_RACE_DRAWN = 16, /* arrivals that are drawn ahead, and n / left times a fourth more */
    /* Number of the last 32 steps, not decided by a near city's clock, at which arrivals are drawn ahead. */
    TSP_RACE_ARRIVE = 6,
    /* Rounds of proposals before a step is drawn anew, while a quarter of the cities is unvisited. */
    TSP_RACE_ROUNDS = 4,
    TSP_RACE_LATE_ROUNDS = 1, /* the same for the rest of the tour */
    TSP_RACE_ASKED = 2,       /* number of proposals in the first round, at the start, if they come from memory */
    TSP_RACE_MOST_CITIES = 65536 - TSP_RACE_LANES,
    TSP_RACE_FEW = 4, /* cities per lane, once each unvisited city races with a clock of its own */
    /* Number of the last 32 steps, not decided by a near city's clock, at which that begins. */
    TSP_RACE_ODD = 12,
    TSP_RACE_UNROLL = 2,     /* number of plain steps in the walk's loop */
    TSP_RACE_AT_ONCE = 8,    /* number of loads in flight per lane that looks at a whole row */
    TSP_RACE_LISTED_FEW = 2, /* unvisited cities per lane from which on it has each in registers */
    /* Most ants per block; also the number of warps if the block keeps rows, which they load together. */
    TSP_RACE_BLOCK_ANTS = 32,
    TSP_RACE_STREAMED_BLOCK = 4, /* ants per block if rows are not in shared memory */
    TSP_RACE_CODED_WORDS = 23    /* words of a row in codes (race_coded.h) */
};

/* A rung's own memory. A lane without a near city has the city n + lane, which is never visited. */
typedef struct tsp_race_rows {
    float *mean; /* [n][lanes] mean time of a clock, in units of the row; infinite for weight 0 */
    /* [n][lanes] near cities, nearest first; the last one is the tail's, if there is a tail. */
    unsigned short *city;
    /* [n][stride] alias table of the tail: threshold << 16 | alias; NULL for candidate sets. */
    unsigned *alias;
    unsigned *coded; /* [n][TSP_RACE_CODED_WORDS] rows in codes (race_coded.h); NULL if none are */
    /* [n][TSP_RACE_RING] only for candidate sets: nearest cities, then the row's own. After them [n][TSP_RACE_HEAVY]
     * heavy cities of each row, of which some ant has used the edge. */
    unsigned short *ring;
    float *ring_weight; /* weights of these cities */
    /* [n] no city beyond the ring weighs more, but for the heavy ones. After them [n] factors of the rows' pheromone
     * and weights, which let it evaporate without being written. */
    float *beyond;
    tour_links *links; /* [n][n_ants]; NULL if only the best ant deposits */
    /* [n_ants][TSP_RACE_LIST] not for candidate sets: unvisited cities of ants whose rows are in codes */
    unsigned short *lists;
    int n_near; /* number of near cities */
    int lanes;  /* entries per row: TSP_RACE_LANES, or fewer if rows are short */
} tsp_race_rows;

/* Returns the entries of all rows. */
static inline __host__ __device__ size_t tsp_race_entries(int n)
{
    return (size_t)n * TSP_RACE_LANES;
}

/* Returns the bytes of all rows in codes and a word more, which a lane reads, rounded up for copies of 16 bytes. */
static inline __host__ __device__ size_t tsp_race_coded_bytes(int n)
{
    return (size_t)ceil_div(n * TSP_RACE_CODED_WORDS + 1, 4) * 4 * sizeof(unsigned);
}

/* Copies `count` elements, 16 bytes at a time. Both addresses must be aligned to 16 bytes, and the size must be a
 * multiple of it. */
template <typename T> static __device__ __forceinline__ void tsp_race_load(shared_array<T> to, const T *from, int count)
{
    enum { EACH = 16 / sizeof(T) };
#pragma unroll 4
    for (int i = (int)threadIdx.x * EACH; i < count; i += (int)blockDim.x * EACH)
        *reinterpret_cast<uint4 *>(&to[i]) = *reinterpret_cast<const uint4 *>(from + i);
}

/* The same, but the copies may be under way until the thread calls tsp_race_loaded. */
template <typename T> static __device__ __forceinline__ void tsp_race_ask(shared_array<T> to, const T *from, int count)
{
#ifdef __CUDACC__
    enum { EACH = 16 / sizeof(T) };
#pragma unroll 4
    for (int i = (int)threadIdx.x * EACH; i < count; i += (int)blockDim.x * EACH)
        __pipeline_memcpy_async(&to[i], from + i, 16);
#else
    tsp_race_load(to, from, count);
#endif
}

static __device__ __forceinline__ void tsp_race_loaded()
{
#ifdef __CUDACC__
    __pipeline_commit();
    __pipeline_wait_prior(0);
#endif
}

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
    int edge = 0;                  /* edge to the latest written city, which no step waits for */
    int n_edges = 0;               /* number of lanes with such an edge */
    long long length = 0;          /* this lane's part of the length, without `edge` */

    __device__ __forceinline__ void begin(int city)
    {
        last = city;
        if (threadIdx.x % WARP_SIZE == 0) tour[0] = city;
    }

    /* Writes the cities of steps begin .. begin + count - 1, counted from 1. Fewer than 32 are a tour's last. */
    __device__ void write(const tsp_device &colony, const tsp_race_rows &rows, int ant, int begin, int count)
    {
        const int lane = (int)threadIdx.x % WARP_SIZE, position = begin + lane;
        int from = __shfl_up_sync(FULL_WARP, mine, 1), before = __shfl_up_sync(FULL_WARP, mine, 2);
        if (lane == 0) from = last;
        if (lane < 2) before = lane == 0 ? before_last : last;
#ifdef __CUDACC__
        asm volatile("" : "+r"(edge)); /* otherwise the compiler widens it where it is loaded, and waits there */
#endif
        length += edge;
        edge = __ldcg(colony.dist + (size_t)from * (size_t)colony.stride + (size_t)(lane < count ? mine : from));
        n_edges = count;
        if (lane < count) {
            tour[position] = mine;
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
        if ((int)threadIdx.x % WARP_SIZE < n_edges) length += edge;
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

    /* Fills the list, or takes out what has been visited since. */
    template <typename Visited> __device__ void fill(int n, int left, Visited visited)
    {
        const int lane = (int)threadIdx.x % WARP_SIZE, fours = ceil_div(n, 4);
        __syncwarp(FULL_WARP); /* other lanes' flags are written, and the old list is read */
        for (int first = 0, before = 0; first < length; first += WARP_SIZE) {
            const int city = first + lane < length ? (int)cities[first + lane] : -1;
            const bool stays = city >= 0 && !visited.has(city);
            const unsigned lanes = __ballot_sync(FULL_WARP, stays);
            __syncwarp(FULL_WARP); /* the 32 entries are read */
            if (stays) cities[before + __popc(lanes & ((1u << lane) - 1))] = (unsigned short)city;
            before += __popc(lanes);
        }
        for (int first = 0, before = 0; length == 0 && first < fours; first += WARP_SIZE) {
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

/* Returns the best remaining city if it is in the row's ring or one of its heavy cities, else -1. Each lane looks at
 * eight cities of the ring and a heavy one. This is for a candidate set whose cities are all visited. The ring has the
 * row's nearest cities, and stages "choice" and "update" store their weights. The result is valid if it weighs more
 * than every other city can. Otherwise the warp looks at all unvisited cities. */
template <typename Visited>
static __device__ int tsp_race_in_ring(const tsp_race_rows &rows, int n, int from, Visited visited)
{
    const int lane = (int)threadIdx.x % WARP_SIZE;
    const uint4 pairs = __ldcg(reinterpret_cast<const uint4 *>(rows.ring) + (from * WARP_SIZE + lane));
    const float4 low = __ldcg(reinterpret_cast<const float4 *>(rows.ring_weight) + 2 * (from * WARP_SIZE + lane));
    const float4 high =
        __ldcg(reinterpret_cast<const float4 *>(rows.ring_weight) + (2 * (from * WARP_SIZE + lane) + 1));
    const int heavy = n * TSP_RACE_RING + from * TSP_RACE_HEAVY + lane;
    const float beyond = __ldcg(rows.beyond + from), heavy_weight = __ldcg(rows.ring_weight + heavy);
    const unsigned heavy_city = __ldcg(rows.ring + heavy);
    const unsigned city[8] = {pairs.x & 0xffff, pairs.x >> 16, pairs.y & 0xffff, pairs.y >> 16,
                              pairs.z & 0xffff, pairs.z >> 16, pairs.w & 0xffff, pairs.w >> 16};
    const float weight[8] = {low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w};
    float heaviest = visited.has((int)heavy_city) ? 0.0f : heavy_weight;
    unsigned best = heaviest > 0.0f ? heavy_city : TSP_RACE_NEVER;
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
    return __any_sync(FULL_WARP, most > beyond) ? first : -1;
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
    enum { FOURS_AT_ONCE = TSP_RACE_AT_ONCE / 2, LISTED_AT_ONCE = TSP_RACE_AT_ONCE / 2 };
    const int n = colony.n, lane = (int)threadIdx.x % WARP_SIZE, fours = ceil_div(n, 4);
    const float *const row = colony.choice_info + (size_t)from * (size_t)colony.stride;
    const bool listed = left <= list.room;
    tsp_race_view view = {.best = n};
    if (listed)
        AB_PLAN("race: what is left, from a list");
    else
        AB_PLAN("race: what is left, among all cities");
    if (listed && (list.length == 0 || 3 * left < 2 * list.length)) list.fill(n, left, visited);
    const bool few =
        listed && (list.room <= TSP_RACE_LISTED_FEW * WARP_SIZE || list.length <= TSP_RACE_LISTED_FEW * WARP_SIZE);
    int few_city[TSP_RACE_LISTED_FEW];
    float few_weight[TSP_RACE_LISTED_FEW];
    if (few) {
#pragma unroll
        for (int i = 0; i < TSP_RACE_LISTED_FEW; ++i) {
            const int at = lane + i * WARP_SIZE;
            few_city[i] = at < list.length ? (int)list.cities[at] : from;
            few_weight[i] = __ldcg(row + few_city[i]);
        }
#pragma unroll
        for (int i = 0; i < TSP_RACE_LISTED_FEW; ++i) {
            if (visited.has(few_city[i])) few_weight[i] = 0.0f;
            view.add(few_city[i], true, few_weight[i]);
        }
    }
    for (int base = 0; listed && !few && base < list.length; base += LISTED_AT_ONCE * WARP_SIZE) {
        const int first = base + lane;
        int city[LISTED_AT_ONCE];
        float weight[LISTED_AT_ONCE];
#pragma unroll
        for (int i = 0; i < LISTED_AT_ONCE; ++i) {
            city[i] = first + i * WARP_SIZE < list.length ? (int)list.cities[first + i * WARP_SIZE] : from;
            weight[i] = __ldcg(row + city[i]);
        }
        if (left) { /* a branch, because otherwise the compiler waits for each weight in turn */
#pragma unroll
            for (int i = 0; i < LISTED_AT_ONCE; ++i) view.add(city[i], !visited.has(city[i]), weight[i]);
        }
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
    unsigned key = TSP_RACE_NEVER;
    if (few) { /* all cities race at once */
#pragma unroll
        for (int i = 0; i < TSP_RACE_LISTED_FEW; ++i) {
            const float mean = tsp_race_mean(few_weight[i], most);
            const unsigned other = tsp_race_key(tsp_race_exponential(random.next()) * mean, lane);
            if (other < key) view.best = few_city[i];
            key = min(key, other);
        }
        return __shfl_sync(FULL_WARP, view.best, (int)warp_min(key));
    }
    const unsigned lane_key = tsp_race_key(tsp_race_exponential(random.next()) * tsp_race_mean(view.sum, most), lane);
    const int lucky = (int)(warp_min(lane_key) % WARP_SIZE);
    const int count = listed ? ceil_div(list.length, (int)WARP_SIZE) : 4 * ceil_div(fours, (int)WARP_SIZE);
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

#endif
