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

#include "kernels/tsp/race_arrivals.h"
#include "kernels/tsp/race_coded.h"
#include "kernels/tsp/race_masked.h"
#include "kernels/tsp/race_steps.h"

/* ---- The walk ----
 *
 * Clocks continue from step to step. An exponential time has no memory: when one clock rings, the rest of each other
 * clock is again exponentially distributed. So a lane keeps the time that its clock has left at rate 1. After each step
 * it subtracts the elapsed time multiplied by the old rate, and continues with the next row's rate. Only the clock that
 * rang is drawn anew. This takes one random number per step, and each lane draws one for 32 steps.
 *
 * If many steps are decided by the tail, its arrivals may be drawn ahead (race_arrivals.h).
 * If most steps at the end of a tour are decided by the tail, the last cities have a clock each (tsp_race_finish).
 * Rows that do not fit in shared memory may be kept there in codes (race_coded.h). */

/* Which rows are kept in shared memory. The rest is read through the L1 cache. A short row has the clocks of fewer near
 * cities, as many as fit, and all others are in the tail. */
typedef enum tsp_race_share {
    TSP_RACE_NOTHING,
    TSP_RACE_ROWS,
    TSP_RACE_SHORT,
    TSP_RACE_CODED,
    TSP_RACE_MASKED
} tsp_race_share;

/* How a walk is launched. */
typedef struct tsp_race_plan {
    int block_ants; /* ants per block; each ant is a warp */
    tsp_race_share in_shared;
    int lanes;     /* entries per row */
    bool cached;   /* true if the alias tables fit in the L2 cache; else they come from memory */
    bool arrivals; /* true if the tail's arrivals are drawn ahead */
} tsp_race_plan;

/* Returns the entries in shared memory. After short rows each lane has an entry without a city. */
static inline __host__ __device__ size_t tsp_race_shared_entries(int n, tsp_race_plan plan)
{
    if (plan.in_shared == TSP_RACE_SHORT) return (size_t)ceil_div(n * plan.lanes + WARP_SIZE, 8) * 8;
    return plan.in_shared == TSP_RACE_ROWS ? tsp_race_entries(n) : 0;
}

/* Layout of the dynamic shared memory in bytes: the rows' means, their cities, each ant's flags, the lists. */
struct tsp_race_layout {
    size_t cities, flags, lists, bytes;

    __host__ __device__ tsp_race_layout(int n, tsp_race_plan plan)
    {
        const size_t entries = tsp_race_shared_entries(n, plan);
        const size_t list = plan.in_shared == TSP_RACE_SHORT ? TSP_RACE_SHORT_LIST : TSP_RACE_LIST;
        const size_t ants = (size_t)plan.block_ants;
        cities = entries * sizeof(float);
        flags = cities + entries * sizeof(unsigned short);
        lists = flags + ants * (size_t)tsp_race_visited::bytes(n);
        bytes = lists + ants * list * sizeof(unsigned short);
    }
};

template <typename Random, typename Visited, tsp_race_share IN_SHARED, bool CANDIDATES, bool ARRIVALS>
static __global__ void __launch_bounds__(TSP_RACE_BLOCK_ANTS *WARP_SIZE)
    tsp_race_walk(tsp_device colony, tsp_race_rows rows, tsp_race_plan plan, unsigned long long seed,
                  unsigned iteration)
{
    const int n = colony.n, thread = (int)threadIdx.x, warp = thread / WARP_SIZE;
    /* Computed once, so that no step computes it again. */
    const int lane = __shfl_sync(FULL_WARP, thread, thread) % WARP_SIZE;
    enum {
        IS_SHARED = IN_SHARED != TSP_RACE_NOTHING,
        LIST = IN_SHARED == TSP_RACE_SHORT ? TSP_RACE_SHORT_LIST : TSP_RACE_LIST
    };
    const int entries = IS_SHARED ? (int)tsp_race_shared_entries(n, plan) : 0;
    const tsp_race_layout layout(n, plan);
    SHARED_DYNAMIC(float, means, 0, entries);
    SHARED_DYNAMIC(unsigned short, cities, layout.cities, entries);
    SHARED_DYNAMIC(signed char, flags, layout.flags, plan.block_ants *tsp_race_visited::bytes(n));
    SHARED_DYNAMIC(unsigned short, lists, layout.lists, plan.block_ants *LIST);
    const int ant = (int)blockIdx.x * plan.block_ants + warp;
    const Visited visited = {flags + warp * tsp_race_visited::bytes(n)};

    tsp_race_load<float>(means, rows.mean, entries);
    tsp_race_load<unsigned short>(cities, rows.city, entries);
    for (int i = 4 * thread; i < plan.block_ants * tsp_race_visited::bytes(n); i += 4 * (int)blockDim.x)
        *reinterpret_cast<unsigned *>(&flags[i]) = 0;
    __syncthreads();
    if (warp >= plan.block_ants || ant >= colony.n_ants) return;

    const float *my_means = rows.mean + lane;
    const unsigned short *my_cities = rows.city + lane;
#ifdef __CUDACC__
    /* Keeps these pointers in registers instead of loading them in each step. */
    if (!IS_SHARED) asm volatile("" : "+l"(my_means), "+l"(my_cities));
#endif
    /* A lane's entry is number `slot` of a row, or the same in all rows. */
    int slot = lane, lanes = TSP_RACE_LANES;
    if (IN_SHARED == TSP_RACE_SHORT) {
        const bool has_clock = lane < plan.lanes - 1 || lane == TSP_RACE_TAIL;
        lanes = __shfl_sync(FULL_WARP, has_clock ? plan.lanes : 0, lane);
        slot = __shfl_sync(FULL_WARP, has_clock ? min(lane, plan.lanes - 1) : n * plan.lanes + lane, lane);
    }
    const auto clock_of = [&](int row) -> tsp_race_clock {
        const unsigned entry = (unsigned)(row * lanes + slot);
        if (IS_SHARED) return {means[entry], cities[entry]};
        return {__ldg(my_means + row * TSP_RACE_LANES), __ldg(my_cities + row * TSP_RACE_LANES)};
    };
    Random random(seed, ant_stream(colony, iteration, ant) * WARP_SIZE + (unsigned)lane);
    tsp_race_list list = {lists + warp * LIST, LIST, 0};
    tsp_race_record record = {.tour = colony.tours + (size_t)ant * (size_t)(n + 1)};
    unsigned zero_weight_steps = 0;

    int from = __shfl_sync(FULL_WARP, min((int)(tsp_race_unit(random.next()) * (float)n), n - 1), 0), left = n - 1;
    record.begin(from);
    if (lane == 0) visited.set(from, true);
    tsp_race_clock clock = clock_of(from);
    float wait = tsp_race_exponential(random.next());

    tsp_race_arrival arrival = {};
    bool arriving = false;
    const auto tail_of = [&](int row) -> float {
        if (IN_SHARED == TSP_RACE_SHORT) return means[row * plan.lanes + plan.lanes - 1];
        const unsigned entry = (unsigned)(row * TSP_RACE_LANES + TSP_RACE_TAIL);
        return IS_SHARED ? means[entry] : __ldg(rows.mean + entry);
    };

    int odd = 0; /* number of the last 32 steps that no near city's clock decided */
    for (; left > 0; left -= WARP_SIZE) {
        if (!CANDIDATES && odd >= TSP_RACE_ODD && left <= TSP_RACE_FEW * WARP_SIZE) {
            tsp_race_finish(colony, rows, lane, ant, from, left, visited, list, record, random, zero_weight_steps);
            break;
        }
        const bool arrive = ARRIVALS && odd >= TSP_RACE_ARRIVE;
        odd = 0;
        const float spare = tsp_race_exponential(random.next()); /* for the clock that rings in this lane's step */
        const int asked =
            plan.cached ? (int)WARP_SIZE : min(TSP_RACE_ASKED + TSP_RACE_ASKED * n / left, (int)WARP_SIZE);
        int i = 0;
        if (ARRIVALS && arrive) {
            AB_PLAN("race: arrivals drawn ahead");
            const int steps = min(left, (int)WARP_SIZE);
            i = tsp_race_arrive(colony, rows, lane, left, steps, spare, arriving, visited, random, clock_of, tail_of,
                                &from, &clock, &wait, &arrival, &record, &odd);
            arriving = i == steps;
        }
        if (ARRIVALS && !(arrive && arriving)) { /* a new clock for the tail */
            const float tail = tsp_race_exponential(random.next());
            if (lane == TSP_RACE_TAIL) wait = tail;
            arriving = false;
        }
        for (;; ++i) {
            unsigned key = 0;
#pragma unroll TSP_RACE_UNROLL
            for (; i < WARP_SIZE; ++i) { /* steps that a near city's clock decides */
                __syncwarp(FULL_WARP);
                key = max(tsp_race_key(fabsf(wait) * clock.mean, lane), visited.mask(clock.city));
                const float rate = CANDIDATES ? tsp_race_reciprocal_now(clock.mean) : 0.0f;
                const unsigned first = warp_min(key);
                const int next = __shfl_sync(FULL_WARP, clock.city, (int)first);
                const float fresh = __shfl_sync(FULL_WARP, spare, i);
                if (CANDIDATES ? first >= TSP_RACE_WEIGHTLESS : first % WARP_SIZE == TSP_RACE_TAIL) break;
                const tsp_race_clock ahead = clock_of(next);
                const bool rang = key == first, out = key == TSP_RACE_NEVER;
                if (!out) wait -= tsp_race_time(first) * (CANDIDATES ? rate : tsp_race_reciprocal(clock.mean));
                wait = rang ? fresh : wait;
                visited.set(clock.city, rang || out);
                if (lane == i) record.mine = next;
                clock = ahead;
                from = next;
            }
            if (i == WARP_SIZE || i == left) break;
            int next = -1;
            ++odd;
            if (CANDIDATES) {
                wait = tsp_race_exponential(random.next());
                if ((left - i) * (TSP_RACE_RING / 4) > n) next = tsp_race_in_ring(rows, n, from, visited);
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
static inline size_t tsp_race_place(void *scratch, int n, int stride, const tsp_params *params, int n_near, int lanes,
                                    bool tail, tsp_race_rows *rows)
{
    const size_t entries = tsp_race_entries(n), matrix = (size_t)n * (size_t)stride;
    const size_t city = tsp_race_round_up(entries * sizeof(float)),
                 alias = city + tsp_race_round_up(entries * sizeof(short) + (tail ? 0 : tsp_race_reverse_bytes(n)));
    const size_t coded = alias + (tail ? tsp_race_round_up(matrix * sizeof(unsigned)) : 0);
    const size_t ring = coded + tsp_race_round_up(tsp_race_coded_bytes(n));
    const size_t in_rings = (size_t)n * (TSP_RACE_RING + TSP_RACE_HEAVY);
    const size_t ring_weight = ring + (tail ? 0 : tsp_race_round_up(in_rings * sizeof(short)));
    const size_t beyond = ring_weight + (tail ? 0 : tsp_race_round_up(in_rings * sizeof(float)));
    const size_t links = beyond + (tail ? 0 : tsp_race_round_up(2 * (size_t)n * sizeof(float)));
    rows->n_near = n_near;
    rows->lanes = lanes;
    rows->mean = (float *)scratch;
    rows->city = (unsigned short *)((char *)scratch + city);
    rows->alias = tail ? (unsigned *)((char *)scratch + alias) : NULL;
    rows->coded = (unsigned *)((char *)scratch + coded);
    rows->ring = tail ? NULL : (unsigned short *)((char *)scratch + ring);
    rows->ring_weight = tail ? NULL : (float *)((char *)scratch + ring_weight);
    rows->beyond = tail ? NULL : (float *)((char *)scratch + beyond);
    rows->links = params->protocol == TSP_ALL_ANTS ? (tour_links *)((char *)scratch + links) : NULL;
    const size_t n_ants = (size_t)params->n_ants;
    const size_t lists = links + (rows->links ? tsp_race_round_up((size_t)n * n_ants * sizeof(tour_links)) : 0);
    rows->lists = tail ? (unsigned short *)((char *)scratch + lists) : NULL;
    return lists + (tail ? n_ants * TSP_RACE_LIST * sizeof(short) : 0);
}

static inline ab_status tsp_race_upload(const tsp_race_rows *rows, size_t entries, const float *mean,
                                        const unsigned short *cities)
{
    CUDA_TRY(cudaMemcpy(rows->mean, mean, entries * sizeof *mean, cudaMemcpyHostToDevice));
    CUDA_TRY(cudaMemcpy(rows->city, cities, entries * sizeof *cities, cudaMemcpyHostToDevice));
    return ab_ok();
}

/* Writes the cities of each row, and what follows the last row in codes, which is loaded too. */
static inline ab_status tsp_race_write_cities(const tsp_race_rows *rows, int n, const int32_t *near)
{
    const size_t entries = tsp_race_entries(n);
    unsigned short *cities = (unsigned short *)malloc(entries * sizeof *cities);
    float *mean = (float *)malloc(entries * sizeof *mean);
    ab_status status = cities && mean ? ab_ok() : ab_failed("out of memory: %zu entries of near cities", entries);
    for (size_t i = 0; i < entries && status.code == AB_OK; ++i) {
        const size_t lanes = (size_t)rows->lanes, row = i / lanes, k = i % lanes, n_near = (size_t)rows->n_near;
        if (row >= (size_t)n) /* of a lane without a clock */
            cities[i] = (unsigned short)((size_t)n + (i - (size_t)n * lanes) % TSP_RACE_LANES);
        else if (k < n_near)
            cities[i] = (unsigned short)near[row * n_near + k];
        else
            cities[i] = (unsigned short)((size_t)n + (k == lanes - 1 ? (size_t)TSP_RACE_TAIL : k));
        mean[i] = INFINITY;
    }
    if (status.code == AB_OK) status = tsp_race_upload(rows, entries, mean, cities);
    free(cities);
    free(mean);
    AB_TRY(status);
    if (rows->coded) CUDA_TRY(cudaMemset(rows->coded, 0, tsp_race_coded_bytes(n)));
    return ab_ok();
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

static inline size_t tsp_race_shared_bytes(int n, tsp_race_plan plan)
{
    return plan.in_shared == TSP_RACE_MASKED  ? tsp_race_masked_layout(n, plan.block_ants).bytes
           : plan.in_shared == TSP_RACE_CODED ? tsp_race_coded_layout(n, plan.block_ants).bytes
                                              : tsp_race_layout(n, plan).bytes;
}

/* `allowed`: bytes that a block may take; 0: what the device has. */
static inline ab_status tsp_race_fits_shared(int n, tsp_race_plan plan, int allowed, bool *fits)
{
    int device = 0, most = 0;
    CUDA_TRY(cudaGetDevice(&device));
    CUDA_TRY(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
    *fits = tsp_race_shared_bytes(n, plan) <= (size_t)(allowed && allowed < most ? allowed : most);
    return ab_ok();
}

/* Makes a plan for short rows, with as many clocks per row as fit. */
static inline ab_status tsp_race_shorten(int n, int allowed, tsp_race_plan *plan)
{
    int device = 0, most = 0;
    CUDA_TRY(cudaGetDevice(&device));
    CUDA_TRY(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
    plan->in_shared = TSP_RACE_SHORT;
    plan->lanes = 0;
    const int room = (allowed && allowed < most ? allowed : most) - 8 * (int)(sizeof(float) + sizeof(short));
    const int taken = (int)tsp_race_layout(n, *plan).bytes;
    plan->lanes = min(max(room - taken, 0) / (n * (int)(sizeof(float) + sizeof(short))), (int)TSP_RACE_LANES);
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

/* Chooses the plan. Rows are in shared memory if all fit and no block size was asked for. If they do not fit, `race`
 * keeps short rows there, if these have enough clocks. Otherwise candidate sets, and `race` if all ants deposit, keep
 * codes there (race_coded.h). */
static inline ab_status tsp_race_make_plan(int n, const tsp_params *params, bool candidates, tsp_race_plan *plan)
{
    const int asked = tsp_own<tsp_race_params>(params).block_ants, allowed = tsp_own<tsp_race_params>(params).shared;
    int device = 0, cache = 0;
    bool fits = false;
    CUDA_TRY(cudaGetDevice(&device));
    CUDA_TRY(cudaDeviceGetAttribute(&cache, cudaDevAttrL2CacheSize, device));
    const bool cached = (size_t)n * (size_t)n * sizeof(unsigned) <= (size_t)cache;
    *plan = (tsp_race_plan){
        .block_ants = 0, .in_shared = TSP_RACE_ROWS, .lanes = TSP_RACE_LANES, .cached = cached, .arrivals = false};
    if (asked == 0 && candidates && n <= TSP_RACE_MASKED_CITIES) {
        plan->in_shared = TSP_RACE_MASKED;
        AB_TRY(tsp_race_even_block(params->n_ants, TSP_RACE_MASKED_ANTS, &plan->block_ants));
        AB_TRY(tsp_race_fits_shared(n, *plan, allowed, &fits));
        if (fits) return ab_ok();
        plan->in_shared = TSP_RACE_ROWS;
    }
    AB_TRY(tsp_race_even_block(params->n_ants, TSP_RACE_BLOCK_ANTS, &plan->block_ants));
    if (asked == 0) AB_TRY(tsp_race_fits_shared(n, *plan, allowed, &fits));
    if (fits) return ab_ok();
    const bool best = params->protocol != TSP_ALL_ANTS;
    const bool all_near = asked == 0 && !candidates && tsp_own<tsp_race_params>(params).near == 0;
    plan->arrivals = !candidates && best && cached;
    if (all_near) {
        AB_TRY(tsp_race_shorten(n, allowed, plan));
        if (plan->lanes >= (best ? TSP_RACE_SHORT_BEST : TSP_RACE_SHORT_ALL) && plan->lanes <= n) return ab_ok();
        plan->lanes = TSP_RACE_LANES;
    }
    if (tsp_race_tail_city(n) <= TSP_RACE_CODED_CITIES && (all_near ? !best : asked == 0 && candidates)) {
        plan->in_shared = TSP_RACE_CODED;
        AB_TRY(tsp_race_even_block(params->n_ants, TSP_RACE_CODED_ANTS, &plan->block_ants));
        AB_TRY(tsp_race_fits_shared(n, *plan, allowed, &fits));
        if (fits) return ab_ok();
    }
    plan->in_shared = TSP_RACE_NOTHING;
    plan->block_ants = asked ? asked : TSP_RACE_STREAMED_BLOCK;
    return ab_ok();
}

/* For the host backend, which keeps what was taken. */
template <bool CANDIDATES> static inline void tsp_race_name_plan(tsp_race_plan plan, const tsp_params *params)
{
    if constexpr (CANDIDATES) {
        if (plan.in_shared == TSP_RACE_MASKED) AB_PLAN("race-candidates: rows in shared memory with masks");
        if (plan.in_shared == TSP_RACE_ROWS) AB_PLAN("race-candidates: rows in shared memory");
        if (plan.in_shared == TSP_RACE_CODED) AB_PLAN("race-candidates: rows in shared memory as codes");
        if (plan.in_shared == TSP_RACE_NOTHING) AB_PLAN("race-candidates: streamed rows");
    } else {
        if (plan.in_shared == TSP_RACE_ROWS) AB_PLAN("race: rows in shared memory");
        if (plan.in_shared == TSP_RACE_CODED) AB_PLAN("race: rows in shared memory as codes");
        if (plan.in_shared == TSP_RACE_SHORT) AB_PLAN("race: short rows in shared memory");
        if (plan.in_shared == TSP_RACE_NOTHING) AB_PLAN("race: streamed rows");
        if (plan.cached) AB_PLAN("race: alias tables in the L2 cache");
        if (!plan.cached) AB_PLAN("race: alias tables in memory");
    }
    if (plan.block_ants * 2 <= params->n_ants && plan.in_shared != TSP_RACE_NOTHING)
        AB_PLAN("race: rows in shared memory of several blocks");
}

template <typename Random, typename Visited, bool CANDIDATES> static auto tsp_race_walk_of(tsp_race_plan plan)
{
    if constexpr (!CANDIDATES) {
        if (plan.in_shared == TSP_RACE_SHORT)
            return plan.arrivals ? tsp_race_walk<Random, Visited, TSP_RACE_SHORT, false, true>
                                 : tsp_race_walk<Random, Visited, TSP_RACE_SHORT, false, false>;
        if (plan.arrivals) return tsp_race_walk<Random, Visited, TSP_RACE_NOTHING, false, true>;
    }
    return plan.in_shared == TSP_RACE_ROWS ? tsp_race_walk<Random, Visited, TSP_RACE_ROWS, CANDIDATES, false>
                                           : tsp_race_walk<Random, Visited, TSP_RACE_NOTHING, CANDIDATES, false>;
}

template <typename Random, typename Visited, bool CANDIDATES>
static ab_status tsp_race_check_walk(int n, const tsp_params *params)
{
    tsp_race_plan plan;
    if (n > TSP_RACE_MOST_CITIES) return ab_unsupported("needs n <= %d, not %d", TSP_RACE_MOST_CITIES, n);
    AB_TRY(tsp_race_make_plan(n, params, CANDIDATES, &plan));
    const void *walk = (const void *)tsp_race_walk_of<Random, Visited, CANDIDATES>(plan);
    if constexpr (CANDIDATES)
        if (plan.in_shared == TSP_RACE_MASKED) walk = (const void *)tsp_race_walk_masked<Random>;
    if (plan.in_shared == TSP_RACE_CODED) walk = (const void *)tsp_race_walk_coded<Random, CANDIDATES>;
    return device_allow_shared(walk, tsp_race_shared_bytes(n, plan), params->carveout);
}

template <typename Random, typename Visited, bool CANDIDATES>
static ab_status tsp_race_launch_plan(const tsp_device *colony, tsp_race_rows rows, tsp_race_plan plan,
                                      const tsp_params *params, unsigned iteration)
{
    const int blocks = ceil_div(colony->n_ants, plan.block_ants);
    const size_t bytes = tsp_race_shared_bytes(colony->n, plan);
    tsp_race_name_plan<CANDIDATES>(plan, params);
    if constexpr (CANDIDATES) {
        if (plan.in_shared == TSP_RACE_MASKED) {
            LAUNCH_EARLY(tsp_race_walk_masked<Random>, blocks, TSP_RACE_MASKED_ANTS * WARP_SIZE, bytes)
            (*colony, rows, plan.block_ants, params->seed, iteration);
            return AB_LAUNCHED("tsp_race_walk_masked");
        }
    }
    if (plan.in_shared == TSP_RACE_CODED) {
        const auto walk = tsp_race_walk_coded<Random, CANDIDATES>;
        LAUNCH(walk, blocks, TSP_RACE_CODED_ANTS * WARP_SIZE, bytes)
        (*colony, rows, plan.block_ants, params->seed, iteration);
        return AB_LAUNCHED("tsp_race_walk_coded");
    }
    const auto walk = tsp_race_walk_of<Random, Visited, CANDIDATES>(plan);
    const int warps = plan.in_shared != TSP_RACE_NOTHING ? (int)TSP_RACE_BLOCK_ANTS : plan.block_ants;
    LAUNCH(walk, blocks, warps * WARP_SIZE, bytes)
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
