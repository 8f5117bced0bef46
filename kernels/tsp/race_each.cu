/* Ant System by a race of clocks in which every city has a clock of its own, for instances whose rows all fit in the
 * shared memory of a multiprocessor.
 *
 * A warp is an ant, and a lane has up to 16 clocks. Rung race has 31 near cities and a tail, whose rings need a table
 * from the L2 cache. Here is no tail, no table, and no flag: what a clock that rang has left is negative, and no
 * negative time wins. Clocks go on from step to step (race.h), and a city is chosen once, so each is drawn once per
 * tour. Stages "choice" and "update" are one launch (deposit_rows.h).
 *
 * Floor on an H100: by latency 170 cycles per step of 7 clocks, 200 of 14 in codes. Of these shared memory takes 40,
 * times and their minimum 35, the warp's minimum 47, a shuffle 32. Rows on their way: 5.5 TB/s. d198: 0.017 and 0.003
 * ms. pcb442: 0.045 and 0.004 ms, without steps in doubt.
 * Limit: floats up to 240 cities on an H100, codes up to 480.
 * Measured: docs/log/ant-system.md.
 * Source: this project.
 */
#include "kernels/cuda/early_launch.h"
#include "kernels/tsp/race.h"

/* Rows are n mean times each: floats if they fit, else codes of 8 bits. A code is a bound, at most 1/9 below the mean
 * time. So a clock runs a little too fast, and its ring counts with probability bound / mean time (thinning): choices
 * are exact. An ant draws in advance which of its next 31 steps are in doubt, one in nine. Only these read the weight,
 * from the L2 cache. The ant goes on meanwhile, and goes back if the ring does not count. Cities that weigh less than
 * 2^-29 of the row's heaviest have one clock together, the idle clock. If it rings, the weights themselves decide.
 *
 * In a tie, once in 2^20 steps of a clock, another clock may be taken for the one that rang. It is drawn anew within 31
 * steps. */

enum {
    MOST_EACH = 16,                      /* clocks per lane */
    ROW_THREADS = MOST_EACH * WARP_SIZE, /* most threads of a block that weighs a row, one per city */
    MOST_FLOATS = 8,                     /* clocks per lane if mean times are floats */
    MOST_ANTS = 16,                      /* per block; also the warps that load its rows */
    WALK_THREADS = MOST_ANTS * WARP_SIZE,
    BLOCK_STEPS = WARP_SIZE - 1, /* steps whose chances are drawn together; a bit is left for the end */
    /* A code is the lowest five bits of a float's exponent, then the highest three of its mantissa. */
    CODE_SHIFT = 20,
    CODE_ENDLESS = 31 << 3, /* the code of an infinite mean time */
    CODE_BASE = 0x70000000  /* the exponent's other bits; so code 0 is 2^97, and the exponent of CODE_ENDLESS is 255 */
};
#define CODE_LIMIT 0x1p29f /* mean times of this or more are endless in codes: 1 / (2^97 x) would be too small */
#define CODE_UNIT 0x1p-97f /* times a mean time from a code */
#define CODE_SURE 0.8888f  /* a little less than the least bound / mean time, 8/9 */
#define IDLE_MEAN 0x1p20f  /* of the idle clock, CODE_LIMIT / ROW_THREADS: all endless clocks together are no faster */
#define LATE 0x1p-8f       /* a later ring than this part of IDLE_MEAN is compared with the idle clock's */

/* The rung's own memory. */
typedef struct each_rows {
    void *mean;        /* [entries(n)]: [n][row_entries(n)] mean times in units of their rows: floats, or bytes */
    float *heaviest;   /* [n] weights; the unit of a row is 1 / heaviest */
    tour_links *links; /* [n][n_ants]; NULL if only the best ant deposits */
} each_rows;

static __host__ __device__ int row_entries(int n)
{
    return ceil_div(n, 4) * 4;
}

/* Lanes without a city read beyond the end of a row, and of the last. Rounded up for copies of 16 bytes. */
static __host__ __device__ int entries(int n)
{
    return ceil_div((n - 1) * row_entries(n) + ceil_div(n, (int)WARP_SIZE) * WARP_SIZE, 16) * 16;
}

/* ---- Codes ---- */

/* Returns the code of the largest bound that is not above a mean time of at least 1. */
static __device__ __forceinline__ unsigned code_of(float mean)
{
    const int bits = __float_as_int(mean) - __float_as_int(1.0f);
    return mean < CODE_LIMIT ? (unsigned)bits >> CODE_SHIFT : (unsigned)CODE_ENDLESS;
}

/* Returns the bound, in units of 1 / CODE_UNIT. The code is number `byte` in a word; `base` is CODE_BASE. */
static __device__ __forceinline__ float bound_of(unsigned word, int byte, unsigned base)
{
    const unsigned there = byte < 3 ? word << (CODE_SHIFT - 8 * byte) : word >> (24 - CODE_SHIFT);
    return __int_as_float((int)((there & 0xffu << CODE_SHIFT) | base));
}

/* ---- Stages "choice" and "update" ---- */

/* A block a row, and one block more. */
template <row_depositors WHO, bool CODED>
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
    const float tau = trail.update(j), weight = (alpha == 1.0f ? tau : powf(tau, alpha)) * colony.heuristic[edge];
    colony.choice_info[edge] = weight;
    const float most = warp_max(j < n ? weight : 0.0f);
    if (j % WARP_SIZE == 0) of_warps[j / WARP_SIZE] = most;
    __syncthreads();
    float heaviest = 0.0f;
    for (int i = 0; i < (int)blockDim.x / WARP_SIZE; ++i) heaviest = max(heaviest, of_warps[i]);
    if (j == 0) rows.heaviest[trail.city] = heaviest;
    if (j >= n) return;
    const float mean = tsp_race_mean(weight, heaviest);
    const int at = trail.city * row_entries(n) + j;
    if (CODED)
        ((unsigned char *)rows.mean)[at] = (unsigned char)code_of(mean);
    else
        ((float *)rows.mean)[at] = mean;
}

/* ---- The walk ---- */

/* A lane's clocks: what each has left at rate 1, negative for a visited city and for none. The first clocks are of four
 * cities side by side, and of four more that are 128 further. The last one to three are of two cities and of one. */
template <int EACH, bool CODED> struct each_clocks {
    typedef std::conditional_t<CODED, unsigned char, float> entry;
    enum { IN_FOURS = EACH / 4 * 4, IN_TWOS = EACH / 2 * 2 };
    static constexpr float UNIT = CODED ? 0x1p-64f : 1.0f; /* of waits: so times stay in the range of floats */
    float wait[EACH];
    unsigned gone = 0; /* bit k: clock k never rings */

    /* Returns the city of clock k. */
    static __device__ __forceinline__ int city(int k, int lane)
    {
        if (k < IN_FOURS) return k / 4 * 4 * WARP_SIZE + 4 * lane + k % 4;
        if (k < IN_TWOS) return IN_FOURS * WARP_SIZE + 2 * lane + k - IN_FOURS;
        return IN_TWOS * WARP_SIZE + lane;
    }
    /* Loads the mean times, or bounds, of the row that begins at `row`. */
    static __device__ __forceinline__ void load(shared_array<entry> means, int row, int lane, unsigned base,
                                                float mean[EACH])
    {
#pragma unroll
        for (int k = 0; k < EACH; k += k < IN_FOURS ? 4 : k < IN_TWOS ? 2 : 1) {
            const entry *const at = &means[row + city(k, lane)];
            if constexpr (CODED) {
                const unsigned word = k < IN_FOURS  ? *reinterpret_cast<const unsigned *>(at)
                                      : k < IN_TWOS ? *reinterpret_cast<const unsigned short *>(at)
                                                    : *at;
#pragma unroll
                for (int i = 0; i < 4 && k + i < EACH; ++i)
                    if (k < IN_FOURS || (k < IN_TWOS ? i < 2 : i < 1)) mean[k + i] = bound_of(word, i, base);
            } else if (k < IN_FOURS) {
                const float4 four = *reinterpret_cast<const float4 *>(at);
                mean[k] = four.x;
                mean[k + 1] = four.y;
                mean[k + 2] = four.z;
                mean[k + 3] = four.w;
            } else if (k < IN_TWOS) {
                const float2 two = *reinterpret_cast<const float2 *>(at);
                mean[k] = two.x;
                mean[k + 1] = two.y;
            } else {
                mean[k] = *at;
            }
        }
    }
    __device__ __forceinline__ void begin(int n, int lane)
    {
#pragma unroll
        for (int k = 0; k < EACH; ++k) {
            wait[k] = -1.0f;
            if (city(k, lane) >= n) gone |= 1u << k;
        }
    }
    /* Whether a clock does not ring that should: all at first, later one that a tie has silenced. */
    __device__ __forceinline__ bool is_any_silent() const
    {
        unsigned negative = 0;
#pragma unroll
        for (int k = 0; k < EACH; ++k) negative |= (unsigned)__float_as_int(wait[k]) >> 31 << k;
        return negative != gone;
    }
    template <typename Random> __device__ __forceinline__ void draw_silent(Random &random)
    {
#pragma unroll
        for (int k = 0; k < EACH; ++k) {
            const float fresh = UNIT * tsp_race_exponential(random.next());
            if (wait[k] < 0.0f && !(gone >> k & 1)) wait[k] = fresh;
        }
    }
    __device__ __forceinline__ void set(int of, int lane, float to)
    {
#pragma unroll
        for (int k = 0; k < EACH; ++k)
            if (of == city(k, lane)) wait[k] = to;
    }
    __device__ __forceinline__ void visit(int of, int lane)
    {
        set(of, lane, -1.0f);
#pragma unroll
        for (int k = 0; k < EACH; ++k)
            if (of == city(k, lane)) gone |= 1u << k;
    }
};

/* A city that was chosen by weights in device memory. */
template <typename Random> struct light_choice {
    Random random;
    int city;
    bool is_weightless;
};

/* Chooses among the unvisited cities by their weights in device memory, if no clock has rung but the idle one. Its ring
 * counts if it is of a city that is endless in codes; then one of these is chosen. If not, all cities race anew. So
 * does a row of floats if all that is left weighs less than 10^-30 of the heaviest. A race in which no clock has
 * rung tells nothing of the clocks.
 *
 * It has no `static`: nvcc gives a static function that it does not inline a name with a hash of the folder. The hash of
 * the kernels would differ between builds. */
template <int EACH, bool CODED, typename Random>
__device__ __attribute__((noinline)) light_choice<Random>
choose_among_light(const float *weights, const int *dist, float row_heaviest, int lane, unsigned gone, unsigned endless,
                   Random random)
{
    typedef each_clocks<EACH, CODED> clocks;
    float weight[EACH], light = 0.0f, heaviest = 0.0f;
    unsigned long long nearest = ~0ull;
    AB_PLAN("race-each: what is left weighs nearly nothing");
#pragma unroll
    for (int k = 0; k < EACH; ++k) {
        const int city = clocks::city(k, lane);
        const bool left = !(gone >> k & 1);
        weight[k] = left ? weights[city] : 0.0f;
        if (endless >> k & 1) light += weight[k];
        if (left) nearest = min(nearest, city_key(dist[city], city));
    }
    if (CODED) {
        light = __shfl_sync(FULL_WARP, tsp_race_sum(light), 0);
        const float luck = __shfl_sync(FULL_WARP, tsp_race_unit(random.next()), 0);
        const bool counts = luck * row_heaviest <= light * IDLE_MEAN;
        if (counts) AB_PLAN("race-each: a ring of the idle clock that counts");
#pragma unroll
        for (int k = 0; k < EACH; ++k)
            if (counts && !(endless >> k & 1)) weight[k] = 0.0f;
    }
#pragma unroll
    for (int k = 0; k < EACH; ++k) heaviest = max(heaviest, weight[k]);
    const float most = warp_max(heaviest);
    if (!(most > 0.0f)) return {random, (int)(unsigned)warp_min(nearest), true};
    unsigned first = TSP_RACE_NEVER;
    int mine = 0;
#pragma unroll
    for (int k = 0; k < EACH; ++k) {
        const unsigned key = tsp_race_key(tsp_race_exponential(random.next()) * tsp_race_mean(weight[k], most), lane);
        if (key < first) mine = clocks::city(k, lane);
        first = min(first, key);
    }
    const int city = __shfl_sync(FULL_WARP, mine, (int)warp_min(first));
    return {random, city, false};
}

template <typename Random, int EACH, bool CODED>
static __global__ void __launch_bounds__(WALK_THREADS, 1)
    walk_each(tsp_device colony, each_rows rows, int block_ants, unsigned long long seed, unsigned iteration)
{
    typedef typename each_clocks<EACH, CODED>::entry entry;
    const int n = colony.n, stride = row_entries(n), thread = (int)threadIdx.x, warp = thread / WARP_SIZE;
    /* By shuffles: so they are kept in registers. */
    const int lane = __shfl_sync(FULL_WARP, thread, thread) % WARP_SIZE;
    const unsigned base = __shfl_sync(FULL_WARP, n > ROW_THREADS ? 0u : CODE_BASE + 0u, lane);
    const int ant = (int)blockIdx.x * block_ants + warp;
    SHARED_DYNAMIC(entry, means, 0, entries(n));
    await_launch();
    tsp_race_load<entry>(means, (const entry *)rows.mean, entries(n));
    __syncthreads();
    if (!__any_sync(FULL_WARP, warp < block_ants && ant < colony.n_ants)) return;

    Random random(seed, ant_stream(colony, iteration, ant) * WARP_SIZE + (unsigned)lane);
    tsp_race_rows recorded = {}; /* a record needs the links alone */
    recorded.links = rows.links;
    tsp_race_record record = {.tour = colony.tours + (size_t)ant * (size_t)(n + 1)};
    unsigned zero_weight_steps = 0;
    int from = __shfl_sync(FULL_WARP, min((int)(tsp_race_unit(random.next()) * (float)n), n - 1), 0);
    record.begin(from);
    each_clocks<EACH, CODED> clocks;
    clocks.begin(n, lane);
    clocks.visit(from, lane);

    float mean[EACH], rate[EACH]; /* of the clocks in the row of the city where the ant stands */
    unsigned least;               /* time of the lane's clock that rings first there, as bits, */
    int mine;                     /* ... and its number above the 16 bits of its city */
    unsigned first;               /* key of the clock that rings first of all, */
    int next;                     /* ... and its city */
    const auto race = [&] {
        unsigned time[EACH];
        least = TSP_RACE_NEVER;
        mine = 0;
        clocks.load(means, from * stride, lane, base, mean);
#pragma unroll
        for (int k = 0; k < EACH; ++k) time[k] = (unsigned)__float_as_int(clocks.wait[k] * mean[k]);
#pragma unroll
        for (int k = 0; k < EACH; ++k) least = min(least, time[k]);
        first = warp_min(tsp_race_key(tsp_race_time(least), lane));
#pragma unroll
        for (int k = 0; k < EACH; ++k) { /* while the minimum is on its way */
            rate[k] = tsp_race_reciprocal(mean[k]);
            if (time[k] == least) mine = clocks.city(k, lane) | k << 16;
        }
        next = __shfl_sync(FULL_WARP, mine & 0xffff, (int)first);
    };
    /* Lets time pass. */
    const auto pass = [&](float time) {
#pragma unroll
        for (int k = 0; k < EACH; ++k) clocks.wait[k] -= time * rate[k];
    };
    /* Lets the time of the first ring pass, and a little more for the clock that rang, which becomes negative. */
    const auto ring = [&] {
        const bool rang = first % WARP_SIZE == (unsigned)lane;
        pass(rang ? tsp_race_time(least) * (1.0f + 0x1p-20f) : tsp_race_time(first & ~(WARP_SIZE - 1u)));
        return rang;
    };
    const float long_time = CODED ? LATE * IDLE_MEAN / CODE_UNIT * clocks.UNIT : tsp_race_time(TSP_RACE_LATE);
    const unsigned late = (unsigned)__float_as_int(long_time);

    for (int left = n - 1; left > 0; left -= BLOCK_STEPS) {
        const int steps = min(left, (int)BLOCK_STEPS);
        const unsigned end = 1u << steps;
        /* Of this lane's step: a chance that the ring counts, the idle clock's time. Returns the steps in doubt. */
        float chance = 0.0f, idle = long_time;
        const auto draw = [&]() -> unsigned {
            if (!CODED) return end;
            chance = tsp_race_unit(random.next());
            idle = tsp_race_exponential(random.next()) * (long_time / LATE);
            return __ballot_sync(FULL_WARP, chance > CODE_SURE || idle < long_time) | end;
        };
        unsigned doubt = draw();
        if (__any_sync(FULL_WARP, clocks.is_any_silent())) {
            clocks.draw_silent(random);
            race();
        }
        for (unsigned step = 1;;) { /* a bit */
            const auto go = [&](bool rang) {
                if (rang) clocks.gone |= 1u << (mine >> 16);
                if (step == 1u << lane) record.mine = next;
                from = next;
                step <<= 1;
            };
#pragma unroll 1
            while (!(doubt & step) && first < late) {
                go(ring());
                race();
            }
            if (step == end) break;
            const int i = __ffs((int)step) - 1;
            const float idle_now = __shfl_sync(FULL_WARP, idle, i), luck = __shfl_sync(FULL_WARP, chance, i);
            if (!__any_sync(FULL_WARP, tsp_race_time(first) < idle_now)) {
                const size_t row = (size_t)from * (size_t)colony.stride;
                unsigned endless = 0;
#pragma unroll
                for (int k = 0; k < EACH; ++k)
                    if (mean[k] == INFINITY) endless |= 1u << k;
                const auto chosen =
                    choose_among_light<EACH, CODED>(colony.choice_info + row, colony.dist + row, rows.heaviest[from],
                                                    lane, clocks.gone, endless, random);
                random = chosen.random;
                zero_weight_steps += chosen.is_weightless;
                next = chosen.city;
                if (CODED) pass(idle_now);
                clocks.visit(next, lane);
                go(false);
            } else if (CODED) {
                AB_PLAN("race-each: a step in doubt");
                const unsigned code = (unsigned)means[from * stride + next];
                const float bound = bound_of(code, 0, base);
                const bool sure = __any_sync(FULL_WARP, luck * bound_of(code + 1, 0, base) <= bound);
                float heaviest = 0.0f, weight = 0.0f;
                if (!sure) {
                    heaviest = rows.heaviest[from];
                    weight = colony.choice_info[(size_t)from * (size_t)colony.stride + (size_t)next];
                }
                /* The ant goes on while the weight is on its way, as most rings count. */
                const int here = from, there = next;
                const unsigned gone = clocks.gone;
                go(ring());
                race();
                if (__any_sync(FULL_WARP, luck * heaviest <= weight * (bound * CODE_UNIT))) continue;
                AB_PLAN("race-each: a ring that does not count");
                from = here;
                clocks.gone = gone;
                clocks.set(there, lane, clocks.UNIT * tsp_race_exponential(random.next()));
                step >>= 1;
                doubt = draw();
            }
            race();
        }
        record.write(colony, recorded, ant, n - left, steps);
    }
    record.finish(colony, recorded, ant, zero_weight_steps);
}

/* ---- The rung ---- */

/* Calls back with constants: the clocks that a lane needs, and whether rows are in codes. */
template <int EACH = 1, typename Then> static ab_status with_clocks(int n, bool coded, Then then)
{
    if constexpr (EACH < MOST_EACH)
        if (n > EACH * WARP_SIZE) return with_clocks<EACH + 1>(n, coded, then);
    if constexpr (EACH <= MOST_FLOATS)
        if (!coded) return then(std::integral_constant<int, EACH>(), std::false_type());
    return then(std::integral_constant<int, EACH>(), std::true_type());
}

static size_t shared_bytes(int n, bool coded)
{
    return (size_t)entries(n) * (coded ? 1 : sizeof(float));
}

/* Rows are in codes if floats do not fit. */
static ab_status choose_codes(int n, const tsp_params *params, bool *coded)
{
    const int allowed = tsp_own<tsp_race_params>(params).shared;
    int device = 0, most = 0;
    CUDA_TRY(cudaGetDevice(&device));
    CUDA_TRY(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
    if (allowed && allowed < most) most = allowed;
    *coded = n > MOST_FLOATS * WARP_SIZE || shared_bytes(n, false) > (size_t)most;
    return ab_ok();
}

/* Places the rung's memory, which has room for floats, and returns its size in bytes. */
static size_t place(void *scratch, int n, const tsp_params *params, each_rows *rows)
{
    const size_t heaviest = tsp_race_round_up(shared_bytes(n, n > MOST_FLOATS * WARP_SIZE));
    const size_t links = heaviest + tsp_race_round_up((size_t)n * sizeof(float));
    rows->mean = scratch;
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
    bool coded = false;
    if (n > ROW_THREADS) return ab_unsupported("needs n <= %d, not %d", (int)ROW_THREADS, n);
    AB_TRY(choose_codes(n, params, &coded));
    return with_clocks(n, coded, [&](auto each, auto is_coded) {
        return device_allow_shared((const void *)walk_each<tsp_race_random, each.value, is_coded.value>,
                                   shared_bytes(n, coded), params->carveout);
    });
}

static ab_status begin(const tsp_device *colony, const tsp_problem *problem, const tsp_params *params)
{
    const int n = problem->n;
    CUDA_TRY(cudaMemset(rows_of(colony, params).mean, 0, shared_bytes(n, n > MOST_FLOATS * WARP_SIZE)));
    return ab_ok();
}

template <row_depositors WHO> static ab_status weigh(const tsp_device *colony, const tsp_params *params)
{
    bool coded = false;
    AB_TRY(choose_codes(colony->n, params, &coded));
    const auto kernel = coded ? weigh_each<WHO, true> : weigh_each<WHO, false>;
    LAUNCH_EARLY(kernel, colony->n + 1, colony->stride, 0)
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
    bool coded = false;
    AB_TRY(tsp_race_even_block(params->n_ants, MOST_ANTS, &block_ants));
    AB_TRY(choose_codes(colony->n, params, &coded));
    return with_clocks(colony->n, coded, [&](auto each, auto is_coded) {
        const auto walk = walk_each<tsp_race_random, each.value, is_coded.value>;
        LAUNCH_EARLY(walk, ceil_div(colony->n_ants, block_ants), WALK_THREADS, shared_bytes(colony->n, coded))
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

AB_OWN_PARAMETERS(tsp_race_each) = {TSP_RACE_SHARED_PARAMETER, {}};

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
