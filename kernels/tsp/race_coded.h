/* The walk of a race (race.h) whose rows lie in shared memory as codes. A code has 23 bits, the city of a clock and a
 * bound of its mean time.
 *
 * A bound is a little below the mean time, so a clock runs at most 1.6 % too fast. Its ring counts with probability
 * bound / mean time (thinning), so choices are exact. An ant draws in advance which of its next 32 steps are in doubt,
 * less than 2 %. Only these read the row itself, from the L2 cache. Visited flags are a word per city with a bit per
 * ant of the block.
 *
 * Floor: race.h; 28 instructions per step. Limits: n <= 4062, 96 bytes of shared memory per city.
 * Measured: docs/log/ant-system.md. Sources: race.h.
 */
#ifndef ANTBENCH_TSP_RACE_CODED_H
#define ANTBENCH_TSP_RACE_CODED_H

#include "kernels/tsp/race_steps.h"

/* Candidate sets: slower clocks than any code can tell have one clock together, the idle clock, at a bound of their
 * rates that is the same in all rows. If a ring does not count, the unvisited cities race anew by their exact mean
 * times.
 *
 * All cities: lane 0 has the tail's clock. Near cities that are too slow for a code are in the tail (race.cu). If the
 * tail rings, its arrivals are drawn as race_steps.h says, but at the bounds' rates. Only the ring or arrival that
 * decides may be in doubt. If it does not count, all clocks are drawn anew, as nothing has happened. After some such
 * rings the step is drawn among all unvisited cities. */

enum {
    TSP_RACE_CODED_ANTS = 24,     /* most ants per block */
    TSP_RACE_CODED_LIST = 64,     /* number of unvisited cities from which on an ant keeps a list of them */
    TSP_RACE_CODED_CITIES = 4095, /* 12 bits, less the number n, for a city that is always visited */
    TSP_RACE_CODED_GROUP = 8,     /* steps without a look at what lies ahead */
    TSP_RACE_CODED_TRIES = 3,     /* rings that decide but do not count, before a step is drawn anew */
    /* A lane reads 32 bits. From the top: 11 bits of a float, 12 of the city, 9 that are its neighbour's. Shifted down,
     * these are the bound less the bits of BASE, the float 2. */
    TSP_RACE_CODE_BITS = 23,
    TSP_RACE_CODE_BELOW = 32 - TSP_RACE_CODE_BITS,
    TSP_RACE_CODE_EXPONENT = 5, /* bits of the 11 that are of the exponent, so bounds are below 2^33 */
    TSP_RACE_CODE_SHIFT = TSP_RACE_CODE_BELOW - TSP_RACE_CODE_EXPONENT,
    TSP_RACE_CODE_LOW = 21 - TSP_RACE_CODE_SHIFT, /* place of the 11 bits in a bound */
    TSP_RACE_CODE_BASE = 0x40000000,
    TSP_RACE_CODE_LIMIT = TSP_RACE_CODE_BASE + (1 << TSP_RACE_CODE_LOW << 11)
};

#define TSP_RACE_SLOW 0x1p31f /* mean times from this one on have no code */

/* Returns the number that a tail has in place of a city: never visited. */
static inline __host__ __device__ int tsp_race_tail_city(int n)
{
    return n + 1 + WARP_SIZE;
}

/* Returns the factor of mean times in coded rows, so that the least one has room below it for a city's bits. */
static __device__ __forceinline__ float tsp_race_code_scale()
{
    return __int_as_float(TSP_RACE_CODE_BASE + (1 << TSP_RACE_CODE_LOW));
}

/* Returns the code of a city: the largest bound that is not above the mean time, whatever the neighbour's bits are. Of
 * slower clocks, and of an infinite mean time, it is the code of the city n. */
static __device__ __forceinline__ unsigned tsp_race_code(int n, int city, float mean)
{
    const int bits = __float_as_int(tsp_race_code_scale() * mean) - TSP_RACE_CODE_BASE;
    if (bits >= TSP_RACE_CODE_LIMIT - TSP_RACE_CODE_BASE) return (unsigned)n;
    const int below = (((city + 1) << TSP_RACE_CODE_BELOW) - 1) >> TSP_RACE_CODE_SHIFT;
    return (unsigned)(max(bits - below, 0) >> TSP_RACE_CODE_LOW << 12 | city);
}

/* Returns the code of a tail of this mean time. The bound of a slow one is far below. */
static __device__ __forceinline__ unsigned tsp_race_tail_code(int n, float mean)
{
    return tsp_race_code(n, tsp_race_tail_city(n), min(mean, TSP_RACE_SLOW));
}

/* Writes a row's codes side by side. A warp calls this, with a code per lane. */
static __device__ __forceinline__ void tsp_race_write_codes(unsigned *coded, int lane, unsigned code)
{
    unsigned word = 0;
    for (int k = 0; k < 3; ++k) { /* a word has parts of at most three codes */
        const int from = lane * WARP_SIZE / TSP_RACE_CODE_BITS + k,
                  shift = from * TSP_RACE_CODE_BITS - lane * WARP_SIZE;
        const unsigned other = __shfl_sync(FULL_WARP, code, from);
        if (from < WARP_SIZE && shift < WARP_SIZE) word |= shift < 0 ? other >> -shift : other << shift;
    }
    if (lane < TSP_RACE_CODED_WORDS) coded[lane] = word;
}

/* Returns an array in the device's memory as one that functions take. */
static __device__ __forceinline__ shared_array<unsigned short> tsp_race_array(unsigned short *data, int count)
{
#ifdef __CUDACC__
    (void)count;
    return data;
#else
    return {data, "list", count};
#endif
}

/* A bit for each ant of the block in a word for each city, then for one that is always visited, for each lane, and for
 * the tail. */
struct tsp_race_bits {
    shared_array<unsigned> words;
    unsigned bit;

    __device__ __forceinline__ bool has(int city) const
    {
        return words[city] & bit;
    }
    /* Returns a byte for each of four cities from 4 i on: 1 if unvisited. Whatever follows the last city is visited. */
    __device__ __forceinline__ unsigned left(int i, int) const
    {
        const uint4 four = *reinterpret_cast<const uint4 *>(&words[4 * i]);
        return (four.x & bit ? 0 : 1u) | (four.y & bit ? 0 : 1u << 8) | (four.z & bit ? 0 : 1u << 16) |
               (four.w & bit ? 0 : 1u << 24);
    }
    __device__ __forceinline__ void set(int city, bool) const
    {
        mark(4 * (unsigned)city);
    }
    /* Marks the city of this number times 4. Other ants have other bits of the word. */
    __device__ __forceinline__ void mark(unsigned city4) const
    {
        atomicOr(reinterpret_cast<unsigned *>(reinterpret_cast<char *>(&words[0]) + city4), bit);
    }
};

/* Layout of the dynamic shared memory in bytes: the flags, 16 bytes that the first lane reads, the rows, the lists. */
struct tsp_race_coded_layout {
    size_t rows, lists, bytes;

    __host__ __device__ tsp_race_coded_layout(int n, int block_ants)
    {
        rows = (size_t)ceil_div(tsp_race_tail_city(n) + 1, 4) * 16 + 16;
        lists = rows + tsp_race_coded_bytes(n);
        bytes = lists + (size_t)block_ants * TSP_RACE_CODED_LIST * sizeof(unsigned short);
    }
};

/* Builds the tour of an ant, whose number in the block is `warp`. The arrays lie as the layout says. */
template <bool CANDIDATES, typename Random>
static __device__ __forceinline__ void
tsp_race_coded_tour(const tsp_device &colony, const tsp_race_rows &rows, const tsp_race_coded_layout &layout,
                    shared_array<unsigned> words, shared_array<unsigned char> bytes, shared_array<unsigned short> lists,
                    int warp, int lane, int ant, unsigned long long seed, unsigned iteration)
{
    const int n = colony.n;
    const tsp_race_bits visited = {words, 1u << warp};
    const int slot = CANDIDATES ? lane : (lane + TSP_RACE_TAIL) % WARP_SIZE; /* of the lane's clock; lane 0: the tail */
    const int begin = slot * TSP_RACE_CODE_BITS - TSP_RACE_CODE_BELOW + WARP_SIZE; /* of the lane's 32 bits, from -32 */
    const unsigned my_word = (unsigned)layout.rows + 4 * (unsigned)(begin / WARP_SIZE) - 4;
    const unsigned my_turn = __shfl_sync(FULL_WARP, (unsigned)begin % WARP_SIZE, lane);
    const unsigned base = __shfl_sync(FULL_WARP, n > TSP_RACE_CODED_CITIES ? 0 : TSP_RACE_CODE_BASE, lane);
    const unsigned nowhere = __shfl_sync(FULL_WARP, 4 * (unsigned)(n + 1 + lane), lane); /* marked if no clock rang */
    const float scale = tsp_race_code_scale(), limit = __int_as_float(TSP_RACE_CODE_LIMIT);
    const float idle_mean = limit / (float)WARP_SIZE, long_time = 0x1p-8f * idle_mean;
    const unsigned late = (unsigned)__float_as_int(long_time);
    const float sure = 1.0f / (1.0f + 1.001f * 0x1p-23f * (1 << TSP_RACE_CODE_LOW)); /* least bound / mean time */

    Random random(seed, ant_stream(colony, iteration, ant) * WARP_SIZE + (unsigned)lane);
    tsp_race_list list = {lists + warp * TSP_RACE_CODED_LIST, TSP_RACE_CODED_LIST, 0};
    if (!CANDIDATES) {
        list.cities = tsp_race_array(rows.lists + (size_t)ant * TSP_RACE_LIST, TSP_RACE_LIST);
        list.room = TSP_RACE_LIST;
    }
    tsp_race_record record = {.tour = colony.tours + (size_t)ant * (size_t)(n + 1)};
    tsp_race_rows unlinked = rows; /* the block links its tours together */
    unlinked.links = NULL;
    unsigned zero_weight_steps = 0;

    /* Cities are counted times 4, as the offsets of their flags. */
    unsigned city, flags; /* of the lane's clock */
    float mean;           /* its bound */
    const auto load = [&](unsigned row) {
        const unsigned at = row * TSP_RACE_CODED_WORDS + my_word;
        const unsigned code = __funnelshift_r(*reinterpret_cast<const unsigned *>(&bytes[at]),
                                              *reinterpret_cast<const unsigned *>(&bytes[at + 4]), my_turn);
        city = code >> (TSP_RACE_CODE_BELOW - 2) & 0x3ffc;
        flags = *reinterpret_cast<const unsigned *>(&bytes[city]);
        mean = __int_as_float((int)((code >> TSP_RACE_CODE_SHIFT) + base));
    };
    unsigned last =
        4 * __shfl_sync(FULL_WARP, min((unsigned)(tsp_race_unit(random.next()) * (float)n), (unsigned)n - 1), 0);
    record.begin((int)last / 4);
    if (lane == 0) visited.mark(last);
    __syncwarp(FULL_WARP);
    load(last);
    float wait = tsp_race_exponential(random.next());

    int odd = 0; /* number of the last 32 steps that no near city's clock decided */
    for (int left = n - 1; left > 0; left -= WARP_SIZE) {
        if (!CANDIDATES && odd >= TSP_RACE_ODD && left <= TSP_RACE_FEW * WARP_SIZE) {
            tsp_race_finish(colony, unlinked, lane, ant, (int)last / 4, left, visited, list, record, random,
                            zero_weight_steps);
            break;
        }
        odd = 0;
        const int steps = min(left, (int)WARP_SIZE);
        /* Of this lane's step: the time of the clock that rings, a chance that the ring counts, the idle clock. */
        const float spare = tsp_race_exponential(random.next()), chance = tsp_race_unit(random.next());
        const float idle = CANDIDATES ? tsp_race_exponential(random.next()) * idle_mean : INFINITY;
        const unsigned doubt = __ballot_sync(FULL_WARP, chance > sure || idle < long_time);
        unsigned mine = TSP_RACE_NEVER, first; /* mine: city of this lane's step, once it is made */
        /* Makes a step and returns true, if a clock rings before the idle one can. Takes the new clock's time from a
         * lane of `times`. `is_mine`: it is this lane's step. */
        const auto step = [&](float times, int lane_of_time, bool is_mine) -> bool {
            __syncwarp(FULL_WARP);
            const bool out = flags & visited.bit;
            unsigned key = tsp_race_key(fabsf(wait) * mean, lane);
            if (out) key = TSP_RACE_NEVER;
            const float rate = tsp_race_reciprocal_now(mean);
            first = warp_min(key);
            const unsigned next = __shfl_sync(FULL_WARP, city, (int)first);
            const float fresh = __shfl_sync(FULL_WARP, times, lane_of_time);
            if (CANDIDATES ? first >= late : first % WARP_SIZE == 0) return false;
            const bool rang = key == first;
            const unsigned marked = rang ? city : nowhere;
            load(next);
            visited.mark(marked);
            if (!out) wait -= tsp_race_time(first) * rate;
            wait = rang ? fresh : wait;
            if (is_mine) mine = next;
            return true;
        };
        /* Makes steps from i up to `stop`. Returns false if a step before it is not decided. In a group of steps
         * nothing depends on i. */
        const auto walk = [&](int i, int stop) -> bool {
            for (; i + TSP_RACE_CODED_GROUP <= stop; i += TSP_RACE_CODED_GROUP) {
                const float times = __shfl_sync(FULL_WARP, spare, lane + i);
                const int place = lane - i;
#pragma unroll
                for (int k = 0; k < TSP_RACE_CODED_GROUP; ++k)
                    if (!step(times, k, place == k)) return false;
            }
#pragma unroll 1
            for (; i < stop; ++i)
                if (!step(spare, i, lane == i)) return false;
            return true;
        };
        /* Draws arrivals of the tail, which has rung, one per lane. Returns which is the first at an unvisited city,
         * and each lane's city in `proposed`. Returns WARP_SIZE if a near city's clock rings before it, and -1 if no
         * arrival of some rounds is at an unvisited city. `near_rate` is 0 for a lane without an unvisited city. */
        const auto tail = [&](int from, int still, float near_rate, float rate, int &proposed) -> int {
            const int rounds = 4 * still > n ? TSP_RACE_ROUNDS : TSP_RACE_LATE_ROUNDS;
            float near = 0.0f, all = 0.0f;
            for (int round = 0; round < rounds; ++round) {
                const unsigned long long drawn = (unsigned long long)random.next() * (unsigned)n;
                const unsigned bucket = (unsigned)(drawn >> 32), fraction = (unsigned)drawn >> 16;
                const unsigned entry = __ldcg(rows.alias + ((unsigned)from * (unsigned)colony.stride + bucket));
                unsigned near_rings = 0;
                if (still) { /* a branch, because otherwise the compiler waits for the entry here */
                    if (round == 0) {
                        near = tsp_race_sum(near_rate);
                        all = near + __shfl_sync(FULL_WARP, rate, 0);
                    }
                    near_rings =
                        __ballot_sync(FULL_WARP, (tsp_race_unit(random.next()) * all < near) & (round + lane > 0));
                }
                proposed = (int)(fraction < entry >> 16 ? bucket : entry & 0xffff);
                const unsigned unvisited = __ballot_sync(FULL_WARP, !visited.has(proposed));
                if (!(near_rings | unvisited)) continue;
                const int arrival = __ffs((int)(near_rings | unvisited)) - 1;
                return near_rings >> arrival & 1 ? (int)WARP_SIZE : arrival;
            }
            return -1;
        };
        /* Makes step i among all cities, if a ring is in doubt or it is the tail's. All rates are the bounds'. If the
         * ring that decides does not count, the race goes on with new clocks for all. */
        const auto undecided = [&](int from, int i, int still) -> int {
            float luck = __shfl_sync(FULL_WARP, chance, i), fresh = __shfl_sync(FULL_WARP, spare, i);
            for (int tries = 0; tries < TSP_RACE_CODED_TRIES; ++tries) {
                const unsigned key = flags & visited.bit ? TSP_RACE_NEVER : tsp_race_key(fabsf(wait) * mean, lane);
                const float rate = tsp_race_reciprocal(mean);
                first = warp_min(key);
                if (key != TSP_RACE_NEVER) wait = fabsf(wait) - tsp_race_time(first) * rate;
                if (key == first) wait = fresh;
                int who = (int)(first % WARP_SIZE), proposed = n;
                if (who == 0) {
                    const float near_rate = key == TSP_RACE_NEVER || lane == 0 ? 0.0f : rate;
                    const int arrival = tail(from, still, near_rate, rate, proposed);
                    if (arrival < 0) break;
                    if (arrival >= WARP_SIZE) {
                        const float time = near_rate > 0.0f ? fabsf(wait) * mean : INFINITY;
                        who = (int)(warp_min(tsp_race_key(time, lane)) % WARP_SIZE);
                        wait = tsp_race_exponential(random.next());
                    } else {
                        proposed = __shfl_sync(FULL_WARP, proposed, arrival);
                    }
                }
                const int near = (int)__shfl_sync(FULL_WARP, city, who) / 4, next = who == 0 ? proposed : near;
                const float bound = __shfl_sync(FULL_WARP, mean, who);
                bool counts = luck <= sure && (who != 0 || bound < TSP_RACE_SLOW);
                if (!__any_sync(FULL_WARP, counts)) {
                    const float exact = __ldcg(rows.mean + (from * TSP_RACE_LANES + slot));
                    counts = luck * scale * __shfl_sync(FULL_WARP, exact, who) <= bound;
                    if (!counts) AB_PLAN("race: a ring that does not count");
                }
                if (__any_sync(FULL_WARP, counts)) return next;
                wait = tsp_race_exponential(random.next());
                fresh = tsp_race_exponential(random.next());
                luck = __shfl_sync(FULL_WARP, tsp_race_unit(random.next()), 0);
            }
            wait = tsp_race_exponential(random.next());
            return tsp_race_rest<false>(colony, from, still, visited, list, random, zero_weight_steps);
        };
        /* Returns the row where step i begins. */
        const auto row_of = [&](int i) -> unsigned {
            __syncwarp(FULL_WARP);
            const unsigned before = __shfl_sync(FULL_WARP, mine, i - 1);
            return i > 0 ? before : last;
        };
        for (int i = 0; i < steps; ++i) {
            const unsigned ahead = doubt & FULL_WARP << i;
            const int stop = ahead ? min(__ffs((int)ahead) - 1, steps) : steps;
            first = 0;
            if (walk(i, stop)) {
                if (stop == steps) break;
                i = stop;
            } else {
                i = __popc(__ballot_sync(FULL_WARP, mine != TSP_RACE_NEVER));
                load(row_of(i)); /* again, so that the walk need not keep a row for each way out */
            }

            const int from = (int)row_of(i) / 4;
            int next = -1;
            if (CANDIDATES) {
                if (first < late) {
                    AB_PLAN("race-candidates: a step in doubt");
                    first = warp_min(flags & visited.bit ? TSP_RACE_NEVER : tsp_race_key(fabsf(wait) * mean, lane));
                }
                if (first != TSP_RACE_NEVER || __any_sync(FULL_WARP, city == 4 * (unsigned)n)) {
                    const int entry = from * TSP_RACE_LANES + lane, to = __ldcg(rows.city + entry);
                    const float exact = scale * __ldcg(rows.mean + entry), idle_now = __shfl_sync(FULL_WARP, idle, i);
                    /* The ring of a clock, or the idle clock's for one lane */
                    const bool is_idle = !(tsp_race_time(first) < idle_now);
                    const int who = (int)(__shfl_sync(FULL_WARP, is_idle ? random.next() : first, 0) % WARP_SIZE);
                    const float other_chance = __shfl_sync(FULL_WARP, tsp_race_unit(random.next()), 0);
                    const float luck = is_idle ? other_chance : __shfl_sync(FULL_WARP, chance, i);
                    const float bound = is_idle ? limit : __shfl_sync(FULL_WARP, mean, who);
                    const float time = tsp_race_exponential(random.next()) * exact;
                    const bool out = to >= n || visited.has(to);
                    const float truth = __shfl_sync(FULL_WARP, out ? INFINITY : exact, who);
                    if (luck * truth <= bound && !(is_idle && truth < limit)) {
                        AB_PLAN("race-candidates: a ring that counts");
                        first = (unsigned)who;
                    } else {
                        AB_PLAN("race-candidates: exact clocks race anew");
                        first = warp_min(out ? TSP_RACE_NEVER : tsp_race_key(time, lane));
                    }
                    if (is_idle) AB_PLAN("race-candidates: the idle clock rings");
                    const int chosen = __shfl_sync(FULL_WARP, to, (int)first);
                    if (first < TSP_RACE_WEIGHTLESS) next = chosen;
                }
                wait = tsp_race_exponential(random.next());
                if (next < 0 && (left - i) * (TSP_RACE_RING / 4) > n) next = tsp_race_in_ring(rows, n, from, visited);
                if (next < 0)
                    next = tsp_race_rest<true>(colony, from, left - i, visited, list, random, zero_weight_steps);
            } else {
                ++odd;
                next = undecided(from, i, left - i);
            }
            if (lane == 0) visited.mark(4 * (unsigned)next);
            if (lane == i) mine = 4 * (unsigned)next;
            load(4 * (unsigned)next);
        }
        last = __shfl_sync(FULL_WARP, mine, steps - 1);
        record.mine = (int)mine / 4;
        record.write(colony, unlinked, ant, n - left, steps);
    }
    record.finish(colony, unlinked, ant, zero_weight_steps);
}

/* Writes the neighbours of each city in the tours of the block's ants side by side. So a sector of memory is written by
 * several ants at once. The room has the block's ants for each city. All threads of the block call this. */
static __device__ __forceinline__ void tsp_race_link_block(const tsp_device &colony, tour_links *links,
                                                           shared_array<tour_links> room, int block_ants)
{
    enum { AT_ONCE = 8 };
    const int n = colony.n, warp = (int)threadIdx.x / WARP_SIZE, lane = (int)threadIdx.x % WARP_SIZE;
    const int first = (int)blockIdx.x * block_ants, ants = min(block_ants, colony.n_ants - first);
    __syncthreads(); /* all tours are built, so the rows' memory is free */
    if (__any_sync(FULL_WARP, warp < ants)) {
        const int *const tour = colony.tours + (size_t)(first + warp) * (size_t)(n + 1);
        int last = tour[n - 1], next[AT_ONCE + 1]; /* latest city, and cities of the next positions */
        for (int begin = 0; begin < n; begin += AT_ONCE * WARP_SIZE) {
#pragma unroll
            for (int k = 0; k <= AT_ONCE; ++k) next[k] = tour[min(begin + k * WARP_SIZE + lane, n)];
#pragma unroll
            for (int k = 0; k < AT_ONCE; ++k) {
                const int before = __shfl_up_sync(FULL_WARP, next[k], 1),
                          after = __shfl_down_sync(FULL_WARP, next[k], 1);
                const int beyond = __shfl_sync(FULL_WARP, next[k + 1], 0);
                const tour_links both = link_tour(lane > 0 ? before : last, lane < WARP_SIZE - 1 ? after : beyond);
                if (begin + k * WARP_SIZE + lane < n) room[next[k] * ants + warp] = both;
                last = __shfl_sync(FULL_WARP, next[k], WARP_SIZE - 1);
            }
        }
    }
    __syncthreads();
#pragma unroll 8
    for (int city = warp; city < n; city += TSP_RACE_CODED_ANTS)
        if (lane < ants)
            links[(size_t)city * (size_t)colony.n_ants + (size_t)(first + lane)] = room[city * ants + lane];
}

template <typename Random, bool CANDIDATES>
static __global__ void __launch_bounds__(TSP_RACE_CODED_ANTS *WARP_SIZE)
    tsp_race_walk_coded(tsp_device colony, tsp_race_rows rows, int block_ants, unsigned long long seed,
                        unsigned iteration)
{
    const int n = colony.n, thread = (int)threadIdx.x, warp = thread / WARP_SIZE;
    /* By shuffles, here and below: otherwise the compiler makes these again in each step. */
    const int lane = __shfl_sync(FULL_WARP, thread, thread) % WARP_SIZE;
    const tsp_race_coded_layout layout(n, block_ants);
    SHARED_DYNAMIC(unsigned, words, 0, layout.rows / sizeof(unsigned));
    SHARED_DYNAMIC(unsigned, coded, layout.rows, tsp_race_coded_bytes(n) / sizeof(unsigned));
    SHARED_DYNAMIC(unsigned short, lists, layout.lists, block_ants *TSP_RACE_CODED_LIST);
    SHARED_DYNAMIC(unsigned char, bytes, 0, layout.lists);
    SHARED_DYNAMIC(tour_links, room, 0, layout.lists / sizeof(tour_links));
    const int ant = (int)blockIdx.x * block_ants + warp;

    tsp_race_ask<unsigned>(coded, rows.coded, (int)(tsp_race_coded_bytes(n) / sizeof(unsigned)));
    for (int i = thread; i < (int)(layout.rows / sizeof(unsigned)); i += (int)blockDim.x)
        words[i] = i < n || i == tsp_race_tail_city(n) ? 0 : FULL_WARP;
    tsp_race_loaded();
    __syncthreads();
    if (__any_sync(FULL_WARP, warp < block_ants && ant < colony.n_ants))
        tsp_race_coded_tour<CANDIDATES, Random>(colony, rows, layout, words, bytes, lists, warp, lane, ant, seed,
                                                iteration);
    if (rows.links) tsp_race_link_block(colony, rows.links, room, block_ants);
}

#endif
