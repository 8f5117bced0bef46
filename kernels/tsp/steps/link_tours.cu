/* Writes the links of tours that stage "improve" has changed, for the deposit by rows (deposit_rows.h). The links of
 * other tours stand as construction left them. */
#include "kernels/tsp/deposit_rows.h"

enum { N_THREADS = 256 };

/* A block an ant, or the best ant alone. */
static __global__ void __launch_bounds__(N_THREADS) link_tours(tsp_device colony, tour_links *links, bool all)
{
    const int ant = all ? (int)blockIdx.x : best_ant(colony), n = colony.n;
    const int *const tour = colony.tours + (size_t)ant * (size_t)(n + 1);
    for (int i = (int)threadIdx.x; i < n; i += N_THREADS)
        links[(size_t)tour[i] * (size_t)colony.n_ants + (size_t)ant] =
            link_tour(tour[i > 0 ? i - 1 : n - 1], tour[i + 1]);
}

extern "C" ab_status AB_GPU(tsp_link_tours)(const tsp_device *colony, tour_links *links, const tsp_params *params)
{
    const bool all = params->improve == TSP_IMPROVE_ALL;
    if (!links) return ab_ok();
    LAUNCH(link_tours, all ? colony->n_ants : 1, N_THREADS, 0)(*colony, links, all);
    return AB_LAUNCHED("link_tours");
}
