/* Ant System with candidate sets by a race of clocks: one clock per candidate, one warp per ant (race.h).
 *
 * Rung cand-block loads the set, then weights, scans and spins. Here a lane has its candidate's mean time in the row,
 * and a warp minimum tells the first clock. If every city of a set is visited, or weighs 0, the warp searches for the
 * best remaining city (tsp.h) itself. It looks at the row's ring, its 256 nearest cities, and at its heavy cities. Then
 * it looks at all cities or, of the last ones, at a list. Stage "choice" writes choice_info, and each row's 32 mean
 * times or their codes (race_coded.h). It also writes the weights of the ring and the most that any other city weighs.
 * Stage "update" does so for the next iteration, but only for edges with a deposit. The rest evaporates by a factor.
 *
 * Floor on an H100, n ants: by latency as race.cu, 46 n^2 / (528 x 1.98 GHz) by issue; choice 12 n^2 bytes. The update
 * of all ants' deposits reads 4 n^2 bytes of links.
 * Limits: sets of 1 to 32 cities. Measured: docs/log/ant-system.md. Source: this project; the rule: thesis §4.4.
 */
#include "kernels/cuda/early_launch.h"
#include "kernels/tsp/race.h"

enum {
    N_THREADS = TSP_RACE_RING, /* a city of the ring a thread */
    N_WARPS = N_THREADS / WARP_SIZE,
    MOST_USED = N_THREADS /* cities beyond the ring that may become heavy in one update */
};

/* Chooses the row's heavy cities among those that it has, unless `none`, and `used`. A warp calls this. The result is a
 * bound of what any other city beyond the ring weighs, if `bound` is one of what all others weigh. */
static __device__ __forceinline__ float choose_heavy(const tsp_race_rows &rows, int n, int row, const float *weights,
                                                     bool none, shared_array<unsigned short> used, int n_used,
                                                     float bound)
{
    const int lane = (int)threadIdx.x % WARP_SIZE, spot = n * TSP_RACE_RING + row * TSP_RACE_HEAVY + lane;
    int city = none ? row : (int)rows.ring[spot];
    float weight = weights[city];
    for (int first = 0; first < n_used; first += WARP_SIZE) {
        const int mine = first + lane < n_used ? (int)used[first + lane] : row;
        const float its_weight = weights[mine];
        for (int i = 0; i < WARP_SIZE && first + i < n_used; ++i) {
            const int other = __shfl_sync(FULL_WARP, mine, i);
            const float other_weight = __shfl_sync(FULL_WARP, its_weight, i);
            if (__any_sync(FULL_WARP, city == other)) continue;
            const int lightest = (int)(warp_min(tsp_race_key(weight, lane)) % WARP_SIZE);
            const float least = __shfl_sync(FULL_WARP, weight, lightest);
            bound = max(bound, min(least, other_weight));
            if (least > 0.0f) AB_PLAN("race-candidates: more heavy cities than a row has room for");
            if (lane == lightest && other_weight > least) {
                city = other;
                weight = other_weight;
            }
        }
    }
    rows.ring[spot] = (unsigned short)city;
    rows.ring_weight[spot] = weight;
    return bound;
}

/* A block a row, and one block more. If somebody deposits, the row's pheromone evaporates by its factor alone, so only
 * edges with a deposit are read and written. All weights of a row are in units of the factor, as choices compare
 * weights of one row. */
template <row_depositors WHO>
static __global__ void __launch_bounds__(N_THREADS)
    weigh_sets(tsp_device colony, tsp_race_rows rows, float alpha, float keep)
{
    const int n = colony.n, thread = (int)threadIdx.x, lane = thread % WARP_SIZE;
    SHARED_DYNAMIC(unsigned, deposits, 0, WHO == ROW_ALL_ANTS ? colony.stride : 0);
    SHARED(float, of_warps, N_WARPS);
    SHARED(unsigned short, used, MOST_USED);
    SHARED(int, n_used, 1);
    release_launch();
    await_launch();
    if ((int)blockIdx.x == n) {
        end_iteration<WHO>(colony);
        return;
    }
    const deposit_row<WHO> trail(colony, rows.links, keep, deposits);
    if (thread == 0) n_used[0] = 0;
    __syncthreads();
    const int row = trail.city, clock = row * TSP_RACE_LANES + thread, spot = row * TSP_RACE_RING + thread;
    const size_t base = (size_t)row * (size_t)colony.stride;
    const float *const heuristic = colony.heuristic + base;
    float *const weights = colony.choice_info + base;
    const float least =
        heuristic[rows.ring[(row + 1) * TSP_RACE_RING - 1]]; /* of the ring: 0 where it has all cities */
    const float factor = (WHO == ROW_NOBODY ? 1.0f : keep) * rows.beyond[n + row];
    /* The row is written anew before its factor makes weights 2^40 times as large as they are. */
    const bool anew = WHO == ROW_NOBODY || factor < exp2f(-40.0f / max(alpha, 1.0f));
    const float amount = anew ? trail.amount : trail.amount / factor;
    if (anew && WHO != ROW_NOBODY) AB_PLAN("race-candidates: a row of pheromone is written anew");
    const auto power = [&](float x) { return alpha == 1.0f ? x : powf(x, alpha); };
    float beyond = 0.0f;
    for (int j = thread; j < colony.stride; j += N_THREADS) {
        const unsigned times = trail.times(j);
        if (!anew && times == 0) continue;
        const float was = trail.pheromone[j], tau = (anew ? factor * was : was) + (float)times * amount;
        const float eta = heuristic[j], weight = power(tau) * eta;
        if (tau != was) trail.pheromone[j] = tau;
        weights[j] = weight;
        if (!(eta <= least)) continue;
        const int at = times == 0 ? (int)MOST_USED : atomicAdd(&n_used[0], 1);
        if (at < MOST_USED)
            used[at] = (unsigned short)j;
        else
            beyond = max(beyond, weight);
    }
    __syncwarp(FULL_WARP);
    beyond = warp_max(beyond);
    if (lane == 0) of_warps[thread / WARP_SIZE] = beyond;
    __syncthreads(); /* all of the row is weighed */
    rows.ring_weight[spot] = weights[rows.ring[spot]];
    if (thread >= 2 * WARP_SIZE) return;
    if (thread >= WARP_SIZE) {
        beyond = warp_max(lane < N_WARPS ? of_warps[lane] : 0.0f);
        if (!anew) beyond = max(beyond, rows.beyond[row]);
        beyond = choose_heavy(rows, n, row, weights, anew, used, min(n_used[0], (int)MOST_USED), beyond);
        if (lane == 0) rows.beyond[row] = beyond;
        if (lane == 0) rows.beyond[n + row] = anew ? 1.0f : factor;
        return;
    }
    const float weight = thread < rows.n_near ? weights[rows.city[clock]] : 0.0f;
    const float unit = tsp_race_sum(weight);
    const float mean = tsp_race_mean(weight, unit);
    if (thread < rows.n_near) rows.mean[clock] = mean;
    if (rows.coded)
        tsp_race_write_codes(rows.coded + row * TSP_RACE_CODED_WORDS, thread, tsp_race_code(n, rows.city[clock], mean));
}

static tsp_race_rows rows_of(const tsp_device *colony, const tsp_params *params)
{
    tsp_race_rows rows;
    tsp_race_place(colony->scratch, colony->n, colony->stride, params, colony->nn, TSP_RACE_LANES, false, &rows);
    return rows;
}

static size_t scratch_bytes(const tsp_problem *problem, const tsp_params *params)
{
    tsp_race_rows rows;
    return tsp_race_place(NULL, problem->n, ceil_div(problem->n, 32) * 32, params, problem->nn, TSP_RACE_LANES, false,
                          &rows);
}

static ab_status check(const tsp_problem *problem, const tsp_params *params)
{
    AB_TRY(tsp_check_candidates(problem));
    if (problem->nn > TSP_RACE_LANES)
        return ab_unsupported("needs sets of at most %d, not %d", TSP_RACE_LANES, problem->nn);
    const size_t bytes = (size_t)ceil_div(problem->n, 32) * 32 * sizeof(unsigned);
    AB_TRY(device_allow_shared((const void *)weigh_sets<ROW_ALL_ANTS>, bytes, -1));
    return tsp_race_check_walk<tsp_race_random, tsp_race_visited, true>(problem->n, params);
}

/* Rings: as many nearest cities as there are. */
static ab_status write_rings(const tsp_race_rows *rows, const tsp_problem *problem)
{
    const size_t n = (size_t)problem->n, known = (size_t)min(problem->n - 1, (int)TSP_RACE_RING);
    int32_t *near = NULL;
    AB_TRY(tsp_nearest_neighbours(problem, (int)known, &near));
    unsigned short *const ring = (unsigned short *)malloc(n * TSP_RACE_RING * sizeof *ring);
    cudaError_t error = cudaSuccess;
    for (size_t i = 0; ring && i < n * TSP_RACE_RING; ++i) {
        const size_t row = i / TSP_RACE_RING, k = i % TSP_RACE_RING;
        ring[i] = (unsigned short)(k < known ? (size_t)near[row * known + k] : row);
    }
    if (ring) error = cudaMemcpy(rows->ring, ring, n * TSP_RACE_RING * sizeof *ring, cudaMemcpyHostToDevice);
    const bool made = ring != NULL;
    free(ring);
    free(near);
    CUDA_TRY(error);
    return made ? ab_ok() : ab_failed("out of memory: %zu rings", n);
}

static ab_status begin(const tsp_device *colony, const tsp_problem *problem, const tsp_params *params)
{
    const tsp_race_rows rows = rows_of(colony, params);
    AB_TRY(write_rings(&rows, problem));
    float *const ones = (float *)malloc((size_t)problem->n * sizeof *ones);
    if (!ones) return ab_failed("out of memory: %d factors", problem->n);
    for (int i = 0; i < problem->n; ++i) ones[i] = 1.0f;
    const cudaError_t error =
        cudaMemcpy(rows.beyond + problem->n, ones, (size_t)problem->n * sizeof *ones, cudaMemcpyHostToDevice);
    free(ones);
    CUDA_TRY(error);
    AB_TRY(tsp_race_write_cities(&rows, problem->n, problem->nn_list));
    return tsp_race_write_reverse(&rows, problem->n, problem->nn_list);
}

/* Writes what a walk by this plan reads. */
template <row_depositors WHO>
static ab_status weigh_for(const tsp_device *colony, const tsp_params *params, tsp_race_plan plan)
{
    const size_t bytes = WHO == ROW_ALL_ANTS ? (size_t)colony->stride * sizeof(unsigned) : 0;
    tsp_race_rows rows = rows_of(colony, params);
    if (plan.in_shared != TSP_RACE_CODED) rows.coded = NULL;
    LAUNCH_EARLY(weigh_sets<WHO>, colony->n + 1, N_THREADS, bytes)
    (*colony, rows, (float)params->alpha, 1.0f - (float)params->rho);
    return AB_LAUNCHED("weigh_sets");
}

template <row_depositors WHO> static ab_status weigh(const tsp_device *colony, const tsp_params *params)
{
    tsp_race_plan plan;
    AB_TRY(tsp_race_make_plan(colony->n, params, true, &plan));
    return weigh_for<WHO>(colony, params, plan);
}

static ab_status choice(const tsp_device *colony, const tsp_params *params, unsigned)
{
    return weigh<ROW_NOBODY>(colony, params);
}

static const float *factors(const tsp_device *colony, const tsp_params *params)
{
    return rows_of(colony, params).beyond + colony->n;
}

static ab_status construct(const tsp_device *colony, const tsp_params *params, unsigned iteration)
{
    return tsp_race_launch_walk<tsp_race_random, tsp_race_visited, true>(colony, rows_of(colony, params), params,
                                                                         iteration);
}

static ab_status relink(const tsp_device *colony, const tsp_params *params, unsigned)
{
    return AB_GPU(tsp_link_tours)(colony, rows_of(colony, params).links, params);
}

static ab_status deposit(const tsp_device *colony, const tsp_params *params, unsigned)
{
    return params->protocol == TSP_ALL_ANTS ? weigh<ROW_ALL_ANTS>(colony, params) : weigh<ROW_BEST_ANT>(colony, params);
}

AB_OWN_PARAMETERS(tsp_race_candidates) = {TSP_RACE_ANTS_PARAMETER, TSP_RACE_SHARED_PARAMETER, {}};

AB_RUNG(tsp_rung, tsp_race_candidates) = {.construct = construct,
                                          .relink = relink,
                                          .choice = choice,
                                          .resets_best = true,
                                          .same_weights = true,
                                          .factors = factors,
                                          .deposit = deposit,
                                          .weighs_next = true,
                                          .check = check,
                                          .scratch_bytes = scratch_bytes,
                                          .begin = begin};
