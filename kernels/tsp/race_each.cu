/* Ant System by a race of clocks in which every city has a clock of its own, for instances whose rows all fit in the
 * shared memory of a multiprocessor.
 *
 * A warp is an ant, and lane l has the clocks of cities l, l + 32 and so on, up to eight. Rung race has 31 near cities
 * and a tail, whose rings need a table from the L2 cache. Here is no tail, no table, and no flag: a visited city's
 * clock never rings. Clocks go on from step to step (race.h), and a city is chosen once, so each is drawn once per
 * tour. A step reads n mean times in shared memory. Stages "choice" and "update" are one launch (deposit_rows.h).
 *
 * Floor on an H100: by latency 170 cycles per step: shared memory 40, times and their minimum 35, the warp's minimum
 * 47, a shuffle 32. Rows on their way to 99 multiprocessors, 4 n^2 bytes each, at 5.5 TB/s. d198: 0.017 and 0.003 ms.
 * Limit: 4 n^2 bytes of shared memory, so n <= 240 on an H100.
 * Measured: docs/log/ant-system.md.
 * Source: this project.
 */
#include "kernels/cuda/early_launch.h"
#include "kernels/tsp/race.h"

enum {
    MOST_EACH = 16,                      /* clocks per lane */
    ROW_THREADS = MOST_EACH * WARP_SIZE, /* most threads of a block that weighs a row, one per city */
    MOST_ANTS = 16,                      /* per block; also the warps that load its rows */
    WALK_THREADS = MOST_ANTS * WARP_SIZE,
    CODE_SHIFT = 20,  /* a code is the exponent's lowest five bits and the mantissa's highest three */
    CODE_ENDLESS = 31 << 3, /* the code of an infinite mean time */
    CODE_BASE = 0x70000000  /* the exponent's other bits: code 0 is 2^97, and the exponent of CODE_ENDLESS is 255 */
};
#define CODE_LIMIT 0x1p29f  /* mean times of this or more are infinite in codes: beyond it 1 / (2^97 x) is too small */
#define CODE_UNIT 0x1p-97f  /* what a mean time from a code is multiplied by */
#define IDLE_MEAN 0x1p20f   /* of the idle clock, CODE_LIMIT / 512: all endless clocks together are no faster */
#define WAIT_UNIT 0x1p-64f  /* of waits, so that neither they nor their times leave the range of floats */
#define CODE_SURE 0.8888f   /* a little less than the least bound / mean time, 8/9 */

/* The rung's own memory. */
typedef struct each_rows {
    unsigned char *code; /* [code_count(n)]: [n][row_bytes(n)] bounds of mean times */
    float *heaviest;     /* [n] the unit of a row's rates */
    tour_links *links;   /* [n][n_ants]; NULL if only the best ant deposits */
} each_rows;

static __host__ __device__ int row_bytes(int n)
{
    return ceil_div(n, 4) * 4;
}

/* Lanes without a city read beyond the end of a row, and of the last. Rounded up for copies of 16 bytes. */
static __host__ __device__ int code_count(int n)
{
    return ceil_div((n - 1) * row_bytes(n) + ceil_div(n, (int)WARP_SIZE) * WARP_SIZE, 16) * 16;
}

/* Returns the code of the largest bound that is not above a mean time of at least 1. */
static __device__ __forceinline__ unsigned code_of(float mean)
{
    return mean < CODE_LIMIT ? (unsigned)(__float_as_int(mean) - __float_as_int(1.0f)) >> CODE_SHIFT : CODE_ENDLESS;
}

/* Returns the bound in units of CODE_UNIT; the code is byte number `byte` of a word. */
static __device__ __forceinline__ float bound_of(unsigned word, int byte, unsigned base)
{
    const unsigned there = byte < 3 ? word << (CODE_SHIFT - 8 * byte) : word >> (24 - CODE_SHIFT);
    return __int_as_float((int)((there & 0xffu << CODE_SHIFT) | base));
}

/* ---- Stages "choice" and "update" ---- */

/* A block a row, and one block more. */
template <row_depositors WHO>
static __global__ void __launch_bounds__(ROW_THREADS)
    weigh_each(tsp_device colony, each_rows rows, float alpha, float keep)
{
    const int n = colony.n, j = (int)threadIdx.x;
    SHARED(unsigned, deposits, WHO == ROW_ALL_ANTS ? ROW_THREADS : 1);
    SHARED(float, of_warps, MOST_EACH);
    await_launch();
    if ((int)blockIdx.x == n) {
        end_iteration<WHO>(colony);
        return;
    }
    const deposit_row<WHO> trail(colony, rows.links, keep, deposits);
    const size_t edge = (size_t)trail.city * (size_t)colony.stride + (size_t)j;
    float weight = 0.0f;
    if (j < colony.stride) {
        const float tau = trail.update(j);
        weight = (alpha == 1.0f ? tau : powf(tau, alpha)) * colony.heuristic[edge];
        colony.choice_info[edge] = weight;
    }
    const float most = warp_max(j < n ? weight : 0.0f);
    if (j % WARP_SIZE == 0) of_warps[j / WARP_SIZE] = most;
    __syncthreads();
    float heaviest = 0.0f;
    for (int i = 0; i < (int)blockDim.x / WARP_SIZE; ++i) heaviest = max(heaviest, of_warps[i]);
    if (j == 0) rows.heaviest[trail.city] = heaviest;
    if (j < row_bytes(n))
        rows.code[trail.city * row_bytes(n) + j] =
            (unsigned char)code_of(tsp_race_mean(j < n ? weight : 0.0f, heaviest));
}

/* ---- The walk ---- */

/* A lane's clocks: what each has left at rate 1, in units of WAIT_UNIT; negative for a visited city and for none. Four
 * clocks are of cities side by side, 128 more from one four to the next. The last one to three are of two cities and of
 * one. */
template <int EACH> struct each_clocks {
    enum { IN_FOURS = EACH / 4 * 4, IN_TWOS = IN_FOURS + EACH % 4 / 2 * 2 };
    float wait[EACH];
    unsigned gone = 0; /* bit k: clock k never rings */

    /* Returns the city of clock k. */
    static __device__ __forceinline__ int city(int k, int lane)
    {
        if (k < IN_FOURS) return k / 4 * 4 * WARP_SIZE + 4 * lane + k % 4;
        if (k < IN_TWOS) return IN_FOURS * WARP_SIZE + 2 * lane + k - IN_FOURS;
        return IN_TWOS * WARP_SIZE + lane;
    }
    /* Loads the bounds of a row, of which `row` is the first byte. */
    static __device__ __forceinline__ void load(shared_array<unsigned char> codes, int row, int lane, unsigned base, float mean[EACH])
    {
        unsigned word[EACH / 4 + 2];
#pragma unroll
        for (int k = 0; k < IN_FOURS; k += 4)
            word[k / 4] = *reinterpret_cast<const unsigned *>(&codes[row + city(k, lane)]);
        if (IN_TWOS > IN_FOURS)
            word[EACH / 4] = *reinterpret_cast<const unsigned short *>(&codes[row + city(IN_FOURS, lane)]);
        if (EACH > IN_TWOS) word[EACH / 4 + 1] = codes[row + city(IN_TWOS, lane)];
#pragma unroll
        for (int k = 0; k < EACH; ++k) mean[k] = bound_of(word[k / 4 + (k >= IN_TWOS)], k >= IN_TWOS ? 0 : k % 4, base);
    }
    __device__ __forceinline__ void begin(int n, int lane)
    {
#pragma unroll
        for (int k = 0; k < EACH; ++k) {
            wait[k] = -1.0f;
            if (city(k, lane) >= n) gone |= 1u << k;
        }
    }
    __device__ __forceinline__ bool is_gone(int k) const
    {
        return gone >> k & 1;
    }
    /* Whether a clock does not ring that should: in a tie it was taken for the one that rang. */
    __device__ __forceinline__ bool is_any_lost() const
    {
        unsigned still = 0;
#pragma unroll
        for (int k = 0; k < EACH; ++k) still |= (unsigned)__float_as_int(wait[k]) >> 31 << k;
        return still != gone;
    }
    /* Draws such clocks anew. */
    template <typename Random> __device__ __forceinline__ void mend(Random &random)
    {
#pragma unroll
        for (int k = 0; k < EACH; ++k) {
            const float fresh = WAIT_UNIT * tsp_race_exponential(random.next());
            if (wait[k] < 0.0f && !is_gone(k)) wait[k] = fresh;
        }
    }
    __device__ __forceinline__ void set(int of, int lane, float to, bool is)
    {
#pragma unroll
        for (int k = 0; k < EACH; ++k)
            if (of == city(k, lane)) {
                wait[k] = to;
                if (is) gone |= 1u << k;
            }
    }
};

/* Chooses among the unvisited cities by their weights in device memory, if nothing but the idle clock has rung. It counts
 * if the ring is for one of the cities that are endless in codes; then one of them is chosen. Else all race anew, which
 * is as good: the clocks that have not rung have no memory. Mean times are in units of the heaviest weight. */
template <typename Random> struct light_choice {
    Random random;
    int city;
    bool is_of_zero_weight;
};
template <int EACH, typename Random>
static __device__ __attribute__((noinline)) light_choice<Random>
choose_among_light(const float *weights, const int *dist, float unit, int lane, unsigned gone, unsigned endless,
                   Random random)
{
    float weight[EACH], light = 0.0f, heaviest = 0.0f;
    unsigned long long nearest = ~0ull;
    AB_PLAN("race-each: the idle clock rings");
#pragma unroll
    for (int k = 0; k < EACH; ++k) {
        const int city = each_clocks<EACH>::city(k, lane);
        const bool left = !(gone >> k & 1);
        weight[k] = left ? __ldcg(weights + city) : 0.0f;
        if (endless >> k & 1) light += weight[k];
        if (left) nearest = min(nearest, city_key(dist[city], city));
    }
    const float luck = __shfl_sync(FULL_WARP, tsp_race_unit(random.next()), 0) * unit;
    light = __shfl_sync(FULL_WARP, tsp_race_sum(light), 0);
    const bool counts = luck <= light * IDLE_MEAN;
    if (counts) AB_PLAN("race-each: what is left weighs nearly nothing");
#pragma unroll
    for (int k = 0; k < EACH; ++k) {
        if (counts && !(endless >> k & 1)) weight[k] = 0.0f;
        heaviest = max(heaviest, weight[k]);
    }
    const float most = warp_max(heaviest);
    if (!(most > 0.0f)) {
        return {random, (int)(unsigned)warp_min(nearest), true};
    }
    unsigned first = TSP_RACE_NEVER;
    int mine = 0;
#pragma unroll
    for (int k = 0; k < EACH; ++k) {
        const unsigned key = tsp_race_key(tsp_race_exponential(random.next()) * tsp_race_mean(weight[k], most), lane);
        if (key < first) mine = each_clocks<EACH>::city(k, lane);
        first = min(first, key);
    }
    const int city = __shfl_sync(FULL_WARP, mine, (int)warp_min(first));
    return {random, city, false};
}

template <typename Random, int EACH>
static __global__ void __launch_bounds__(WALK_THREADS)
    walk_each(tsp_device colony, each_rows rows, int block_ants, unsigned long long seed, unsigned iteration)
{
    const int n = colony.n, stride = row_bytes(n), thread = (int)threadIdx.x, warp = thread / WARP_SIZE;
    const int lane = __shfl_sync(FULL_WARP, thread, thread) % WARP_SIZE; /* kept in a register */
    const int ant = (int)blockIdx.x * block_ants + warp;
    const unsigned base = __shfl_sync(FULL_WARP, n > ROW_THREADS ? 0u : CODE_BASE, lane); /* kept in a register */
    SHARED_DYNAMIC(unsigned char, codes, 0, code_count(n));
    await_launch();
    tsp_race_load<unsigned char>(codes, rows.code, code_count(n));
    __syncthreads();
    if (!__any_sync(FULL_WARP, warp < block_ants && ant < colony.n_ants)) return;

    Random random(seed, ant_stream(colony, iteration, ant) * WARP_SIZE + (unsigned)lane);
    tsp_race_rows recorded = {}; /* a record needs the links alone */
    recorded.links = rows.links;
    tsp_race_record record = {.tour = colony.tours + (size_t)ant * (size_t)(n + 1)};
    unsigned zero_weight_steps = 0;
    int from = __shfl_sync(FULL_WARP, min((int)(tsp_race_unit(random.next()) * (float)n), n - 1), 0);
    record.begin(from);
    each_clocks<EACH> clocks;
    clocks.begin(n, lane);
    clocks.mend(random);
    clocks.set(from, lane, -1.0f, true);

    float mean[EACH], rate[EACH]; /* of the clocks in the row of the city where the ant stands: bounds */
    unsigned least;               /* time of the lane's clock that rings first there, as bits */
    int mine;                     /* ... its number, and its city in the lower 16 bits */
    unsigned first;               /* key of the clock that rings first of all */
    int next;                     /* ... and its city */
    const auto race = [&] {
        float time[EACH];
        least = TSP_RACE_NEVER;
        mine = 0;
        clocks.load(codes, from * stride, lane, base, mean);
#pragma unroll
        for (int k = 0; k < EACH; ++k) time[k] = clocks.wait[k] * mean[k];
#pragma unroll
        for (int k = 0; k < EACH; ++k) least = min(least, (unsigned)__float_as_int(time[k]));
        first = warp_min(tsp_race_key(tsp_race_time(least), lane));
#pragma unroll
        for (int k = 0; k < EACH; ++k) { /* while the minimum is on its way */
            rate[k] = tsp_race_reciprocal(mean[k]);
            if ((unsigned)__float_as_int(time[k]) == least) mine = clocks.city(k, lane) | k << 16;
        }
        next = __shfl_sync(FULL_WARP, mine & 0xffff, (int)first);
    };
    /* Lets the time of the ring pass. The clock that rang is negative then. */
    const auto pass = [&](float passed) {
#pragma unroll
        for (int k = 0; k < EACH; ++k) clocks.wait[k] -= passed * rate[k];
    };
    const auto ring = [&] {
        const bool rang = first % WARP_SIZE == (unsigned)lane;
        pass(rang ? tsp_race_time(least) * (1.0f + 0x1p-20f) : tsp_race_time(first & ~(WARP_SIZE - 1u)));
        return rang;
    };
    const auto go = [&](int i) {
        if (ring()) clocks.gone |= 1u << (mine >> 16);
        if (lane == i) record.mine = next;
        from = next;
    };
    const float long_time = 0x1p-8f * IDLE_MEAN * (WAIT_UNIT / CODE_UNIT);
    const unsigned late = (unsigned)__float_as_int(long_time);
    race();

    for (int left = n - 1; left > 0; left -= WARP_SIZE) {
        const int steps = min(left, (int)WARP_SIZE);
        /* Of this lane's step: a chance that the ring counts, the time of the idle clock. */
        float chance, idle;
        const auto draw = [&] {
            chance = tsp_race_unit(random.next());
            idle = tsp_race_exponential(random.next()) * (0x1p8f * long_time);
            return __ballot_sync(FULL_WARP, chance > CODE_SURE || idle < long_time);
        };
        unsigned doubt = draw();
        bool lost = __any_sync(FULL_WARP, clocks.is_any_lost());
        for (int i = 0; i < steps;) {
            const unsigned ahead = doubt & FULL_WARP << i;
            const int stop = lost ? i : ahead ? min(__ffs((int)ahead) - 1, steps) : steps;
#pragma unroll 1
            for (; i < stop && first < late; ++i) {
                go(i);
                race();
            }
            if (i == steps) break;
            if (lost) {
                AB_PLAN("race-each: clocks that a tie has lost");
                lost = false;
                clocks.mend(random);
            } else {
                AB_PLAN("race-each: a step in doubt");
                const float idle_now = __shfl_sync(FULL_WARP, idle, i), luck = __shfl_sync(FULL_WARP, chance, i);
                const bool near_rings = __any_sync(FULL_WARP, tsp_race_time(first) < idle_now);
                if (!near_rings) {
                    unsigned endless = 0;
#pragma unroll
                    for (int k = 0; k < EACH; ++k)
                        if (mean[k] == INFINITY) endless |= 1u << k;
                    const size_t row = (size_t)from * (size_t)colony.stride;
                    const auto chosen = choose_among_light<EACH>(colony.choice_info + row, colony.dist + row, __ldcg(rows.heaviest + from), lane, clocks.gone, endless, random);
                    random = chosen.random;
                    zero_weight_steps += chosen.is_of_zero_weight;
                    next = chosen.city;
                    pass(idle_now);
                    clocks.set(next, lane, -1.0f, true);
                    if (lane == i) record.mine = next;
                    from = next;
                    ++i;
                } else if (__any_sync(FULL_WARP, luck * __ldcg(rows.heaviest + from) <=
                           __ldcg(colony.choice_info + (size_t)from * (size_t)colony.stride + (size_t)next) *
                               (bound_of(codes[from * stride + next], 0, CODE_BASE) * CODE_UNIT))) {
                    go(i++);
                } else {
                    AB_PLAN("race-each: a ring that does not count");
                    const float fresh = WAIT_UNIT * tsp_race_exponential(random.next());
                    ring();
                    clocks.set(next, lane, fresh, false);
                    doubt = draw();
                }
            }
            race();
        }
        record.write(colony, recorded, ant, n - left, steps);
    }
    record.finish(colony, recorded, ant, zero_weight_steps);
}

/* ---- The rung ---- */

static size_t shared_bytes(int n)
{
    return (size_t)code_count(n);
}

/* Calls back with a constant: the clocks that a lane needs. */
template <int EACH = 1, typename Then> static ab_status with_clocks(int n, Then then)
{
    if constexpr (EACH < MOST_EACH)
        if (n > EACH * WARP_SIZE) return with_clocks<EACH + 1>(n, then);
    return then(std::integral_constant<int, EACH>());
}

/* Places the rung's memory and returns its size in bytes. */
static size_t place(void *scratch, int n, const tsp_params *params, each_rows *rows)
{
    const size_t heaviest = tsp_race_round_up(shared_bytes(n));
    const size_t links = heaviest + tsp_race_round_up((size_t)n * sizeof(float));
    rows->code = (unsigned char *)scratch;
    rows->heaviest = (float *)((char *)scratch + heaviest);
    rows->links = params->protocol == TSP_ALL_ANTS ? (tour_links *)((char *)scratch + links) : NULL;
    return links + (rows->links ? (size_t)n * (size_t)params->n_ants * sizeof(tour_links) : 0);
}

static each_rows rows_of(const tsp_device *colony, const tsp_params *params)
{
    each_rows rows;
    place(colony->scratch, colony->n, params, &rows);
    return rows;
}

static size_t scratch_bytes(const tsp_problem *problem, const tsp_params *params)
{
    each_rows rows;
    return place(NULL, problem->n, params, &rows);
}

static ab_status check(const tsp_problem *problem, const tsp_params *params)
{
    const int n = problem->n;
    if (n > ROW_THREADS) return ab_unsupported("needs n <= %d, not %d", (int)ROW_THREADS, n);
    return with_clocks(n, [&](auto each) {
        return device_allow_shared((const void *)walk_each<tsp_race_random, each.value>, shared_bytes(n),
                                   params->carveout);
    });
}

static ab_status begin(const tsp_device *colony, const tsp_problem *problem, const tsp_params *params)
{
    CUDA_TRY(cudaMemset(rows_of(colony, params).code, 0, shared_bytes(problem->n)));
    return ab_ok();
}

template <row_depositors WHO> static ab_status weigh(const tsp_device *colony, const tsp_params *params)
{
    LAUNCH_EARLY(weigh_each<WHO>, colony->n + 1, colony->stride, 0)
    (*colony, rows_of(colony, params), (float)params->alpha, 1.0f - (float)params->rho);
    return AB_LAUNCHED("weigh_each");
}

static ab_status choice(const tsp_device *colony, const tsp_params *params, unsigned)
{
    return weigh<ROW_NOBODY>(colony, params);
}

static ab_status construct(const tsp_device *colony, const tsp_params *params, unsigned iteration)
{
    int block_ants = 0;
    AB_TRY(tsp_race_even_block(params->n_ants, MOST_ANTS, &block_ants));
    return with_clocks(colony->n, [&](auto each) {
        const auto walk = walk_each<tsp_race_random, each.value>;
        LAUNCH_EARLY(walk, ceil_div(colony->n_ants, block_ants), WALK_THREADS, shared_bytes(colony->n))
        (*colony, rows_of(colony, params), block_ants, params->seed, iteration);
        return AB_LAUNCHED("walk_each");
    });
}

static ab_status relink(const tsp_device *colony, const tsp_params *params, unsigned)
{
    return AB_GPU(tsp_link_tours)(colony, rows_of(colony, params).links, params);
}

static ab_status deposit(const tsp_device *colony, const tsp_params *params, unsigned)
{
    return params->protocol == TSP_ALL_ANTS ? weigh<ROW_ALL_ANTS>(colony, params) : weigh<ROW_BEST_ANT>(colony, params);
}

AB_RUNG(tsp_rung, tsp_race_each) = {.construct = construct,
                                    .relink = relink,
                                    .choice = choice,
                                    .resets_best = true,
                                    .same_weights = true,
                                    .deposit = deposit,
                                    .weighs_next = true,
                                    .check = check,
                                    .scratch_bytes = scratch_bytes,
                                    .begin = begin};
