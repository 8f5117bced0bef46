/* Ant System with candidate sets by a race of clocks: one clock per candidate, one warp per ant (race.h).
 *
 * Rung cand-block loads the set, then weights, scans and spins. Here a lane has its candidate's mean time in the row,
 * and a warp minimum tells the first clock. If every city of a set is visited, or weighs 0, the warp searches for the
 * best remaining city (tsp.h) itself. It searches in the row's ring, its 256 nearest cities, then among all cities or,
 * of the last 512, in a list. Stage "choice" writes choice_info, and in the same launch each row's 32 mean times and
 * their codes (race_coded.h). It also writes the weights of the ring's cities and the most that any other city weighs.
 * Stage "update" (deposit_rows.h) is that launch too, for the next iteration.
 *
 * Floor on an H100, n ants: by latency as race.cu, 46 n^2 / (528 x 1.98 GHz) by issue; choice 12 n^2 and update 8 n^2
 * bytes.
 * Limits: sets of 1 to 32 cities.
 * Measured: docs/log/ant-system.md.
 * Source: this project; the rule: thesis §4.4.
 */
#include "kernels/cuda/early_launch.h"
#include "kernels/tsp/race.h"

enum { N_THREADS = TSP_RACE_RING }; /* a city of the ring a thread */

/* A block a row, and one block more. */
template <row_depositors WHO>
static __global__ void __launch_bounds__(N_THREADS)
    weigh_sets(tsp_device colony, tsp_race_rows rows, float alpha, float keep)
{
    const int thread = (int)threadIdx.x;
    SHARED_DYNAMIC(unsigned, deposits, 0, WHO == ROW_ALL_ANTS ? colony.stride : 0);
    SHARED(float, of_warps, N_THREADS / WARP_SIZE);
    await_launch();
    if ((int)blockIdx.x == colony.n) {
        end_iteration<WHO>(colony);
        return;
    }
    const deposit_row<WHO> trail(colony, rows.links, keep, deposits);
    const int row = trail.city, clock = row * TSP_RACE_LANES + thread, place = row * TSP_RACE_RING + thread;
    const size_t base = (size_t)row * (size_t)colony.stride;
    const float *const heuristic = colony.heuristic + base;
    float *const weights = colony.choice_info + base;
    const float least =
        heuristic[rows.ring[(row + 1) * TSP_RACE_RING - 1]]; /* of the ring: 0 where it has all cities */
    float beyond = 0.0f;
    for (int j = thread; j < colony.stride; j += N_THREADS) {
        const float tau = trail.update(j), eta = heuristic[j], weight = (alpha == 1.0f ? tau : powf(tau, alpha)) * eta;
        weights[j] = weight;
        if (eta <= least) beyond = max(beyond, weight);
    }
    beyond = warp_max(beyond);
    if (thread % WARP_SIZE == 0) of_warps[thread / WARP_SIZE] = beyond;
    __syncthreads(); /* all of the row is weighed */
    rows.ring_weight[place] = weights[rows.ring[place]];
    if (thread >= WARP_SIZE) return;
    beyond = warp_max(thread < N_THREADS / WARP_SIZE ? of_warps[thread] : 0.0f);
    if (thread == 0) rows.beyond[row] = beyond;
    const float weight = thread < rows.n_near ? weights[rows.city[clock]] : 0.0f;
    const float unit = tsp_race_sum(weight);
    const float mean = tsp_race_mean(weight, unit);
    if (thread < rows.n_near) rows.mean[clock] = mean;
    if (rows.coded)
        tsp_race_write_codes(rows.coded + row * TSP_RACE_CODED_WORDS, thread,
                             tsp_race_code(colony.n, rows.city[clock], mean));
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
    /* What follows the last row is loaded too. */
    CUDA_TRY(cudaMemset(rows.coded, 0, tsp_race_coded_bytes(problem->n)));
    return tsp_race_write_cities(&rows, problem->n, problem->nn_list);
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
                                          .deposit = deposit,
                                          .weighs_next = true,
                                          .check = check,
                                          .scratch_bytes = scratch_bytes,
                                          .begin = begin};
