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
    MOST_EACH = 8,                       /* clocks per lane */
    ROW_THREADS = MOST_EACH * WARP_SIZE, /* threads of a block that weighs a row, one per city */
    MOST_ANTS = 16,                      /* per block; also the warps that load its rows */
    WALK_THREADS = MOST_ANTS * WARP_SIZE
};

/* The rung's own memory. */
typedef struct each_rows {
    float *mean;       /* [mean_count(n)]: [n][n] mean times in units of their rows; infinite for weight 0 */
    tour_links *links; /* [n][n_ants]; NULL if only the best ant deposits */
} each_rows;

/* Lanes without a city read beyond the end of a row, and of the last. Rounded up for copies of 16 bytes. */
static __host__ __device__ int mean_count(int n)
{
    return ceil_div(n * n + WARP_SIZE, 4) * 4;
}

/* ---- Stages "choice" and "update" ---- */

/* A block a row, and one block more. */
template <row_depositors WHO>
static __global__ void __launch_bounds__(ROW_THREADS)
    weigh_each(tsp_device colony, each_rows rows, float alpha, float keep)
{
    const int j = (int)threadIdx.x;
    SHARED(unsigned, deposits, WHO == ROW_ALL_ANTS ? ROW_THREADS : 1);
    SHARED(float, of_warps, MOST_EACH);
    await_launch();
    if ((int)blockIdx.x == colony.n) {
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
    const float sum = tsp_race_sum(j < colony.n ? weight : 0.0f);
    if (j % WARP_SIZE == 0) of_warps[j / WARP_SIZE] = sum;
    __syncthreads();
    float unit = 0.0f;
    for (int i = 0; i < MOST_EACH; ++i) unit += of_warps[i];
    if (j < colony.n) rows.mean[trail.city * colony.n + j] = tsp_race_mean(weight, unit);
}

/* ---- The walk ---- */

/* A lane's clocks: what each has left at rate 1; infinite for a visited city and for none. */
template <int EACH> struct each_clocks {
    float wait[EACH];

    template <typename Random> __device__ __forceinline__ void draw_anew(Random &random)
    {
#pragma unroll
        for (int k = 0; k < EACH; ++k)
            if (wait[k] < INFINITY) wait[k] = tsp_race_exponential(random.next());
    }
    __device__ __forceinline__ void visit(int city, int lane)
    {
#pragma unroll
        for (int k = 0; k < EACH; ++k)
            if (city == lane + k * WARP_SIZE) wait[k] = INFINITY;
    }
};

/* Chooses among the unvisited cities by their weights in device memory. Mean times resolve no weights below 10^-30 of
 * the row's sum, which may be all that is left. A race in which no clock has rung tells nothing of the clocks, so this
 * is a new one, in units of the heaviest weight. */
template <int EACH, typename Random>
static __device__ int choose_among_light(const tsp_device &colony, int from, int lane, const each_clocks<EACH> &clocks,
                                         Random &random, unsigned &zero_weight_steps)
{
    const size_t row = (size_t)from * (size_t)colony.stride;
    float weight[EACH], heaviest = 0.0f;
    unsigned long long nearest = ~0ull;
    AB_PLAN("race-each: what is left weighs nearly nothing");
#pragma unroll
    for (int k = 0; k < EACH; ++k) {
        const int city = lane + k * WARP_SIZE;
        const bool left = clocks.wait[k] < INFINITY;
        weight[k] = left ? colony.choice_info[row + (size_t)city] : 0.0f;
        heaviest = max(heaviest, weight[k]);
        if (left) nearest = min(nearest, city_key(colony.dist[row + (size_t)city], city));
    }
    const float most = warp_max(heaviest);
    if (!(most > 0.0f)) {
        ++zero_weight_steps;
        return (int)(unsigned)warp_min(nearest);
    }
    unsigned first = TSP_RACE_NEVER;
    int mine = 0;
#pragma unroll
    for (int k = 0; k < EACH; ++k) {
        const unsigned key = tsp_race_key(tsp_race_exponential(random.next()) * tsp_race_mean(weight[k], most), lane);
        if (key < first) mine = lane + k * WARP_SIZE;
        first = min(first, key);
    }
    return __shfl_sync(FULL_WARP, mine, (int)warp_min(first));
}

template <typename Random, int EACH>
static __global__ void __launch_bounds__(WALK_THREADS)
    walk_each(tsp_device colony, each_rows rows, int block_ants, unsigned long long seed, unsigned iteration)
{
    const int n = colony.n, thread = (int)threadIdx.x, warp = thread / WARP_SIZE;
    const int lane = __shfl_sync(FULL_WARP, thread, thread) % WARP_SIZE; /* kept in a register */
    const int ant = (int)blockIdx.x * block_ants + warp;
    SHARED_DYNAMIC(float, means, 0, mean_count(n));
    await_launch();
    tsp_race_load<float>(means, rows.mean, mean_count(n));
    __syncthreads();
    if (warp >= block_ants || ant >= colony.n_ants) return;

    Random random(seed, ant_stream(colony, iteration, ant) * WARP_SIZE + (unsigned)lane);
    tsp_race_rows recorded = {}; /* a record needs the links alone */
    recorded.links = rows.links;
    tsp_race_record record = {.tour = colony.tours + (size_t)ant * (size_t)(n + 1)};
    unsigned zero_weight_steps = 0;
    int from = __shfl_sync(FULL_WARP, min((int)(tsp_race_unit(random.next()) * (float)n), n - 1), 0);
    record.begin(from);
    each_clocks<EACH> clocks;
#pragma unroll
    for (int k = 0; k < EACH; ++k) clocks.wait[k] = lane + k * WARP_SIZE < n ? 0.0f : INFINITY;
    clocks.draw_anew(random);
    clocks.visit(from, lane);

    float mean[EACH], rate[EACH]; /* of the clocks in the row of the city where the ant stands */
    unsigned first;               /* key of the clock that rings first there, */
    int next;                     /* ... and its city */
    const auto race = [&] {
        float time[EACH], least = INFINITY;
        int mine = 0;
#pragma unroll
        for (int k = 0; k < EACH; ++k) mean[k] = means[from * n + lane + k * WARP_SIZE];
#pragma unroll
        for (int k = 0; k < EACH; ++k) time[k] = clocks.wait[k] * mean[k];
#pragma unroll
        for (int k = 0; k < EACH; ++k) least = fminf(least, time[k]);
        first = warp_min(tsp_race_key(least, lane));
#pragma unroll
        for (int k = 0; k < EACH; ++k) { /* while the minimum is on its way */
            rate[k] = tsp_race_reciprocal(mean[k]);
            if (time[k] == least) mine = lane + k * WARP_SIZE;
        }
        next = __shfl_sync(FULL_WARP, mine, (int)first);
    };
    race();

    for (int left = n - 1; left > 0; left -= WARP_SIZE) {
        const int steps = min(left, (int)WARP_SIZE);
        for (int i = 0;; ++i) {
#pragma unroll 1
            for (; i < steps && first < TSP_RACE_LATE; ++i) {
#pragma unroll
                for (int k = 0; k < EACH; ++k) clocks.wait[k] = fabsf(clocks.wait[k] - tsp_race_time(first) * rate[k]);
                clocks.visit(next, lane);
                if (lane == i) record.mine = next;
                from = next;
                race();
            }
            if (i == steps) break;
            from = choose_among_light(colony, from, lane, clocks, random, zero_weight_steps);
            clocks.draw_anew(random);
            clocks.visit(from, lane);
            if (lane == i) record.mine = from;
            race();
        }
        record.write(colony, recorded, ant, n - left, steps);
    }
    record.finish(colony, recorded, ant, zero_weight_steps);
}

/* ---- The rung ---- */

static size_t shared_bytes(int n)
{
    return (size_t)mean_count(n) * sizeof(float);
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
    const size_t links = tsp_race_round_up(shared_bytes(n));
    rows->mean = (float *)scratch;
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
    /* 3 * 10^38 beyond the rows, whose clocks are infinite */
    CUDA_TRY(cudaMemset(rows_of(colony, params).mean, 0x7f, shared_bytes(problem->n)));
    return ab_ok();
}

template <row_depositors WHO> static ab_status weigh(const tsp_device *colony, const tsp_params *params)
{
    LAUNCH_EARLY(weigh_each<WHO>, colony->n + 1, ROW_THREADS, 0)
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
