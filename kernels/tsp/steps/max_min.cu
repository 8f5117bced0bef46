/* Stage "update" of MAX-MIN Ant System: evaporation, one ant's deposit and the limits of the pheromone (max_min.h).
 *
 * One block keeps the best tour, decides what the iteration does and writes, for each city, its two neighbours in the
 * tour that deposits. Then one block per row reads and writes the pheromone once, so that nothing is atomic. Floor: 8
 * n^2 bytes and two launches. For pr2392 it is 46 MB from and to the L2 cache at about 5 TB/s, 0.009 ms. Source:
 * Stützle & Hoos 2000; the mapping is as in deposit_rows.h.
 */
#include "kernels/tsp/colony.h"
#include "kernels/tsp/max_min.h"

enum { PLAN_THREADS = 1024, MOST_THREADS = 256 };

/* Run by one block. */
static __global__ void __launch_bounds__(PLAN_THREADS)
    plan_update(tsp_device colony, tsp_max_min *plan, int2 *links, double rho, int patience, unsigned iteration)
{
    const int ant = (int)(*colony.iteration_best & ((1u << ANT_BITS) - 1)), n = colony.n;
    const bool better = tour_key(colony.lengths[ant], 0) < *colony.best;
    __syncthreads(); /* every thread has compared */
    keep_if_best(colony, ant);
    if (threadIdx.x == 0) {
        const long long best = (long long)(*colony.best >> ANT_BITS);
        plan->step = tsp_max_min_go_on(&plan->course, (int64_t)iteration + 1, better, patience);
        const long long length = plan->step == TSP_MAX_MIN_BEST_SO_FAR ? best : colony.lengths[ant];
        const tsp_max_min_limits limits = tsp_max_min_limits_of(n, rho, best);
        plan->least = (float)(plan->step == TSP_MAX_MIN_RESTART ? limits.most : limits.least);
        plan->most = (float)limits.most;
        plan->amount = 1.0f / (float)(length > 0 ? length : 1);
    }
    __syncthreads();
    const int *const tour =
        plan->step == TSP_MAX_MIN_BEST_SO_FAR ? colony.best_tour : colony.tours + (size_t)ant * (size_t)(n + 1);
    for (int i = (int)threadIdx.x; i < n; i += PLAN_THREADS)
        links[tour[i]] = make_int2(tour[i > 0 ? i - 1 : n - 1], tour[i + 1]);
}

static __global__ void __launch_bounds__(MOST_THREADS)
    limit_rows(tsp_device colony, const tsp_max_min *plan, const int2 *links, float keep)
{
    const float least = plan->least, most = plan->most, amount = plan->amount;
    const int2 link = links[blockIdx.x];
    float *const row = colony.pheromone + (size_t)blockIdx.x * (size_t)colony.stride;
    for (int j = (int)threadIdx.x; j < colony.n; j += (int)blockDim.x) {
        const float tau = keep * row[j] + (float)((j == link.x) + (j == link.y)) * amount;
        row[j] = fminf(fmaxf(tau, least), most);
    }
}

extern "C" ab_status AB_GPU(tsp_limit_trails)(const tsp_device *colony, tsp_max_min *plan, int2 *links,
                                              const tsp_params *params, unsigned iteration)
{
    LAUNCH(plan_update, 1, PLAN_THREADS, 0)(*colony, plan, links, params->rho, params->patience, iteration);
    AB_TRY(AB_LAUNCHED("plan_update"));
    LAUNCH(limit_rows, colony->n, min(ceil_div(colony->n, 128) * 32, (int)MOST_THREADS), 0)
    (*colony, plan, links, 1.0f - (float)params->rho);
    return AB_LAUNCHED("limit_rows");
}
