/* Ant System by a race of clocks over all cities, exactly: near cities, 31 or fewer, and a tail (race.h).
 *
 * Stage "choice", a block per row, writes choice_info, the near cities' mean times and the tail's alias table. Stage
 * "update" (deposit_rows.h) is the same launch; it then computes the weights of its new pheromone for the next
 * iteration. Rung race is faster than ds-roulette: a roulette needs a scan, a ballot and a search, but here a lane
 * needs one product, and the warp one minimum.
 *
 * Floor on an H100, n ants: 160 cycles per step where rows fit in shared memory, else 400, and 48 n^2 / (528 x 1.98
 * GHz) by issue. Stage "choice" takes 16 n^2 bytes.
 * Limits: n <= 19000 or so (12 n bytes of shared memory in stage "choice").
 * Measured: docs/log/ant-system.md.
 * Source: this project.
 */
#include <stdlib.h>

#include "kernels/cuda/early_launch.h"
#include "kernels/tsp/race.h"

enum { MOST_WARPS = 8, MOST_NEAR = TSP_RACE_TAIL, BUCKET = 1 << 16 };

/* ---- Stage "choice" ----
 *
 * The alias table is of whole numbers: tail weights in units of 2^-16 of a bucket, so that all sums are exact in 32
 * bits, and 4 bytes per entry. Light cities (at most a bucket) and heavy ones (more) are each numbered, and prefix
 * sums add up their deficits and excesses. Who fills whose bucket follows by binary search, for all cities at once
 * (the sweep of Hübschle-Schneider & Sanders, "Parallel weighted random sampling", ACM TOMS 48, 2022). What is left
 * over by rounding goes to the row's own city, which is always visited. */

static __device__ __forceinline__ unsigned warp_sum_up(unsigned value, int lane)
{
    for (int offset = 1; offset < WARP_SIZE; offset *= 2) {
        const unsigned below = __shfl_up_sync(FULL_WARP, value, (unsigned)offset);
        if (lane >= offset) value += below;
    }
    return value;
}

/* The sum of `value` over the threads before this one, and over all. */
static __device__ unsigned sum_before(unsigned value, shared_array<unsigned> of_warps, unsigned *total)
{
    const int warp = (int)threadIdx.x / WARP_SIZE, lane = (int)threadIdx.x % WARP_SIZE;
    const unsigned upto = warp_sum_up(value, lane);
    unsigned before = upto - value;
    __syncthreads(); /* every thread has read the sums before */
    if (lane == WARP_SIZE - 1) of_warps[warp] = upto;
    __syncthreads();
    *total = 0;
    for (int i = 0; i < (int)blockDim.x / WARP_SIZE; ++i) {
        if (i < warp) before += of_warps[i];
        *total += of_warps[i];
    }
    return before;
}

/* The sum of `value` over the block, the same in all threads. */
static __device__ float block_sum(float value, shared_array<float> of_warps)
{
    const float sum = tsp_race_sum(value);
    __syncthreads();
    if (threadIdx.x % WARP_SIZE == 0) of_warps[threadIdx.x / WARP_SIZE] = sum;
    __syncthreads();
    float all = 0.0f;
    for (int i = 0; i < (int)blockDim.x / WARP_SIZE; ++i) all += of_warps[i];
    return all;
}

/* The first of `count` ascending numbers that is more than x; `count` where none is. */
static __device__ __forceinline__ int first_above(shared_array<unsigned> numbers, int count, unsigned x)
{
    int low = 0, high = count;
    while (low < high) {
        const int middle = (low + high) / 2;
        if (numbers[middle] > x)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* Cities in the order of a table's making: first the light ones, then the heavy ones. */
struct alias_order {
    shared_array<unsigned> sum;        /* [n] deficits of the light ones up to each, then excesses of the heavy ones */
    shared_array<unsigned short> city; /* [n] */
    int n_light, n_heavy;
};

/* Numbers light and heavy cities and adds up; each thread has a run of cities. The array part[n] has each city's
 * number of 2^-16 of a bucket, 0 for cities that are not in the tail. */
static __device__ void order_cities(int n, shared_array<unsigned> part, shared_array<unsigned> of_warps,
                                    alias_order *order)
{
    const int chunk = ceil_div(n, (int)blockDim.x) | 1; /* odd: no two threads of a warp in one bank */
    const int begin = min((int)threadIdx.x * chunk, n), end = min(begin + chunk, n);
    unsigned n_light = 0, deficit = 0, excess = 0, all_light, ignored;
    for (int j = begin; j < end; ++j) {
        if (part[j] <= BUCKET) {
            ++n_light;
            deficit += BUCKET - part[j];
        } else {
            excess += part[j] - BUCKET;
        }
    }
    unsigned light = sum_before(n_light, of_warps, &all_light);
    deficit = sum_before(deficit, of_warps, &ignored);
    excess = sum_before(excess, of_warps, &ignored);
    unsigned heavy = all_light + (unsigned)begin - light;
    for (int j = begin; j < end; ++j) {
        if (part[j] <= BUCKET) {
            order->sum[light] = deficit += BUCKET - part[j];
            order->city[light++] = (unsigned short)j;
        } else {
            order->sum[heavy] = excess += part[j] - BUCKET;
            order->city[heavy++] = (unsigned short)j;
        }
    }
    order->n_light = (int)all_light;
    order->n_heavy = n - (int)all_light;
}

static __device__ __forceinline__ unsigned alias_entry(unsigned part, int city, int alias)
{
    return part >= BUCKET ? (unsigned)city : part << 16 | (unsigned)alias; /* a full bucket: the city either way */
}

/* A light city's bucket is filled by the heavy city whose excess reaches beyond the deficits before it. A heavy city
 * fills buckets until its excess is used up, within one of them. The next heavy city then fills up what that took from
 * the first one's own bucket. `nobody` fills what no city does. So the light cities after the bucket in which heavy city
 * h is used up have a filler of number h + 1 or more. */

/* Returns the entry of the heavy city in place p of the order. Notes in `filler`, if the heavy city is the last that is
 * used up in its bucket, who fills the next one. */
static __device__ unsigned fill_heavy(const alias_order &order, int p, int nobody, shared_array<unsigned short> filler)
{
    const int city = order.city[p], n_light = order.n_light, n = n_light + order.n_heavy;
    const int last = first_above(order.sum, n_light, order.sum[p] - 1); /* the first that reaches its sum */
    const unsigned taken = last < n_light ? order.sum[last] - order.sum[p] : 0;
    if (last + 1 < n_light && (p + 1 == n || order.sum[p + 1] > order.sum[last]))
        filler[last + 1] = (unsigned short)(p - n_light + 1);
    return alias_entry(BUCKET - taken, city, p + 1 < n_light + order.n_heavy ? order.city[p + 1] : nobody);
}

/* Makes each light city's filler the largest number up to it; each thread has a run of cities. */
static __device__ void spread_fillers(shared_array<unsigned short> filler, int n_light, shared_array<unsigned> of_warps)
{
    const int warp = (int)threadIdx.x / WARP_SIZE, lane = (int)threadIdx.x % WARP_SIZE;
    const int chunk = ceil_div(n_light, (int)blockDim.x) | 1;
    const int begin = min((int)threadIdx.x * chunk, n_light), end = min(begin + chunk, n_light);
    unsigned most = 0;
    for (int p = begin; p < end; ++p) most = max(most, (unsigned)filler[p]);
    for (int offset = 1; offset < WARP_SIZE; offset *= 2) {
        const unsigned below = __shfl_up_sync(FULL_WARP, most, (unsigned)offset);
        if (lane >= offset) most = max(most, below);
    }
    unsigned before = __shfl_up_sync(FULL_WARP, most, 1);
    if (lane == 0) before = 0;
    __syncthreads(); /* every thread has read the sums before */
    if (lane == WARP_SIZE - 1) of_warps[warp] = most;
    __syncthreads();
    for (int i = 0; i < warp; ++i) before = max(before, of_warps[i]);
    for (int p = begin; p < end; ++p) {
        before = max(before, (unsigned)filler[p]);
        filler[p] = (unsigned short)before;
    }
}

/* Layout of the dynamic shared memory, in bytes. */
static size_t shared_bytes(int stride)
{
    return (size_t)stride * (2 * sizeof(unsigned) + 2 * sizeof(unsigned short));
}

static __device__ __forceinline__ float weigh_edge(float tau, float eta, float alpha)
{
    return (alpha == 1.0f ? tau : powf(tau, alpha)) * eta;
}

/* A block a row, and one block more. */
template <row_depositors WHO>
static __global__ void __launch_bounds__(MOST_WARPS *WARP_SIZE)
    weigh_rows(tsp_device colony, tsp_race_rows rows, float alpha, float keep)
{
    const int n = colony.n, stride = colony.stride, thread = (int)threadIdx.x;
    SHARED_DYNAMIC(unsigned, word, 0, stride); /* deposits; weights, as bits; then parts */
    SHARED_DYNAMIC(unsigned, sum, sizeof(unsigned) * (size_t)stride, stride);
    SHARED_DYNAMIC(unsigned short, city, 2 * sizeof(unsigned) * (size_t)stride, stride);
    SHARED_DYNAMIC(unsigned short, filler, 5 * sizeof(unsigned short) * (size_t)stride, stride);
    SHARED(float, float_sums, MOST_WARPS);
    SHARED(unsigned, sums, MOST_WARPS);
    await_launch();
    if ((int)blockIdx.x == n) {
        end_iteration<WHO>(colony);
        return;
    }
    const deposit_row<WHO> trail(colony, rows.links, keep, word);
    const int row = trail.city;
    const size_t base = (size_t)row * (size_t)stride;
    float total = 0.0f, tail = 0.0f, near_weight = 0.0f;
    for (int j = 4 * thread; j < stride; j += 4 * (int)blockDim.x) {
        const float4 eta = *reinterpret_cast<const float4 *>(colony.heuristic + base + (size_t)j);
        const float4 tau = trail.update_four(j);
        const float4 weight = {weigh_edge(tau.x, eta.x, alpha), weigh_edge(tau.y, eta.y, alpha),
                               weigh_edge(tau.z, eta.z, alpha), weigh_edge(tau.w, eta.w, alpha)};
        *reinterpret_cast<float4 *>(colony.choice_info + base + (size_t)j) = weight;
        *reinterpret_cast<float4 *>(&word[j]) = weight;
        *reinterpret_cast<uint2 *>(&filler[j]) = {0, 0};
        total += (weight.x + weight.y) + (weight.z + weight.w);
    }
    total = block_sum(total, float_sums);
    /* A near city whose clock would be too slow for a code is in the tail. */
    const int clock = row * rows.lanes + thread;
    if (thread < rows.n_near) near_weight = tsp_race_time(word[rows.city[clock]]);
    if (near_weight * TSP_RACE_SLOW < total) near_weight = 0.0f;
    if (near_weight > 0.0f) word[rows.city[clock]] = 0;
    __syncthreads();
    for (int j = thread; j < n; j += (int)blockDim.x) tail += tsp_race_time(word[j]);
    tail = block_sum(tail, float_sums);
    const float unit = tail + tsp_race_sum(near_weight); /* in the first warp, which has the clocks */
    /* A little less than n buckets, so that rounding up many parts does not make more of them. */
    const float n_parts = (float)n * (float)(BUCKET - 1), rate = tail * ((float)n * (float)BUCKET / n_parts);
    if (thread < rows.n_near) rows.mean[clock] = tsp_race_mean(near_weight, unit);
    if (thread == TSP_RACE_TAIL)
        rows.mean[row * rows.lanes + rows.lanes - 1] = tail > 0.0f ? tsp_race_mean(rate, unit) : TSP_RACE_SILENT;
    if (rows.coded && thread < WARP_SIZE)
        tsp_race_write_codes(rows.coded + row * TSP_RACE_CODED_WORDS, thread,
                             thread == TSP_RACE_TAIL
                                 ? tsp_race_tail_code(n, tail > 0.0f ? tsp_race_mean(rate, unit) : TSP_RACE_SILENT)
                                 : tsp_race_code(n, rows.city[clock], tsp_race_mean(near_weight, unit)));
    if (!(tail > 0.0f)) { /* arrivals at the row's own city, which do not count */
        for (int j = thread; j < n; j += (int)blockDim.x) rows.alias[base + (size_t)j] = (unsigned)row;
        return;
    }

    for (int j = thread; j < n; j += (int)blockDim.x)
        word[j] = (unsigned)(tsp_race_time(word[j]) / tail * n_parts + 0.5f);
    __syncthreads();
    alias_order order = {sum, city, 0, 0};
    order_cities(n, word, sums, &order);
    __syncthreads();
    for (int p = order.n_light + thread; p < n; p += (int)blockDim.x)
        rows.alias[base + (size_t)city[p]] = fill_heavy(order, p, row, filler);
    __syncthreads();
    spread_fillers(filler, order.n_light, sums);
    __syncthreads();
    for (int p = thread; p < order.n_light; p += (int)blockDim.x) {
        const int by = filler[p];
        rows.alias[base + (size_t)city[p]] =
            alias_entry(word[city[p]], city[p], by < order.n_heavy ? city[order.n_light + by] : row);
    }
}

/* ---- The rung ---- */

/* Threads of a row's block: a city each as long as there are so many. */
static int row_threads(int n)
{
    return min(ceil_div(n, (int)WARP_SIZE), (int)MOST_WARPS) * WARP_SIZE;
}

static size_t place_rows(void *scratch, int n, int stride, const tsp_params *params, tsp_race_rows *rows)
{
    const int asked = tsp_own<tsp_race_params>(params).near;
    tsp_race_plan plan;
    if (tsp_race_make_plan(n, params, false, &plan).code != AB_OK) plan.lanes = TSP_RACE_LANES;
    const size_t bytes =
        tsp_race_place(scratch, n, stride, params, min(asked ? asked : plan.lanes - 1, n - 1), plan.lanes, true, rows);
    if (plan.in_shared != TSP_RACE_CODED) rows->coded = NULL;
    return bytes;
}

static tsp_race_rows rows_of(const tsp_device *colony, const tsp_params *params)
{
    tsp_race_rows rows;
    place_rows(colony->scratch, colony->n, colony->stride, params, &rows);
    return rows;
}

static size_t scratch_bytes(const tsp_problem *problem, const tsp_params *params)
{
    tsp_race_rows rows;
    return place_rows(NULL, problem->n, ceil_div(problem->n, 32) * 32, params, &rows);
}

static ab_status check(const tsp_problem *problem, const tsp_params *params)
{
    const int n = problem->n;
    const int near = tsp_own<tsp_race_params>(params).near;
    if (near >= TSP_RACE_LANES) return ab_unsupported("needs near <= %d, not %d", MOST_NEAR, near);
    for (const auto kernel : {weigh_rows<ROW_NOBODY>, weigh_rows<ROW_ALL_ANTS>, weigh_rows<ROW_BEST_ANT>})
        AB_TRY(device_allow_shared((const void *)kernel, shared_bytes(ceil_div(n, 32) * 32), -1));
    return tsp_race_check_walk<tsp_race_random, tsp_race_visited, false>(n, params);
}

static ab_status begin(const tsp_device *colony, const tsp_problem *problem, const tsp_params *params)
{
    const tsp_race_rows rows = rows_of(colony, params);
    int32_t *near = NULL;
    AB_TRY(tsp_nearest_neighbours(problem, rows.n_near, &near));
    const ab_status status = tsp_race_write_cities(&rows, problem->n, near);
    free(near);
    return status;
}

template <row_depositors WHO> static ab_status weigh(const tsp_device *colony, const tsp_params *params)
{
    LAUNCH_EARLY(weigh_rows<WHO>, colony->n + 1, row_threads(colony->n), shared_bytes(colony->stride))
    (*colony, rows_of(colony, params), (float)params->alpha, 1.0f - (float)params->rho);
    return AB_LAUNCHED("weigh_rows");
}

static ab_status choice(const tsp_device *colony, const tsp_params *params, unsigned)
{
    return weigh<ROW_NOBODY>(colony, params);
}

static ab_status construct(const tsp_device *colony, const tsp_params *params, unsigned iteration)
{
    return tsp_race_launch_walk<tsp_race_random, tsp_race_visited, false>(colony, rows_of(colony, params), params,
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

AB_OWN_PARAMETERS(tsp_race) = {
    {.name = "near",
     .help = "near cities with a clock of their own, of race; 0: 31",
     .offset = TSP_OWN(tsp_race_params, near),
     .most = 31,
     .shown = AB_SHOWN_SET},
    TSP_RACE_ANTS_PARAMETER,
    TSP_RACE_SHARED_PARAMETER,
    {},
};

AB_RUNG(tsp_rung, tsp_race) = {.construct = construct,
                               .relink = relink,
                               .choice = choice,
                               .resets_best = true,
                               .same_weights = true,
                               .deposit = deposit,
                               .weighs_next = true,
                               .check = check,
                               .scratch_bytes = scratch_bytes,
                               .begin = begin};
