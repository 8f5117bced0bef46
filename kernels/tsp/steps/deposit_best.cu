/* Deposit by the iteration's best ant alone, the rule of MAX-MIN Ant System that the thesis takes over.
 *
 * As in the thesis, one block per ant checks whether its ant is the best and only that one deposits. So no addition
 * needs to be atomic: a tour has each directed edge once. For n = 2 the two edges are the same one, and only then are
 * both directions of one edge written twice; thread 0 does that alone. Source: thesis §3.5.3.
 */
#include "kernels/tsp/colony.h"

static __device__ void add_both(const tsp_device &colony, int from, int to, float amount)
{
    colony.pheromone[(size_t)from * (size_t)colony.stride + (size_t)to] += amount;
    colony.pheromone[(size_t)to * (size_t)colony.stride + (size_t)from] += amount;
}

static __global__ void deposit_best(tsp_device colony)
{
    const int ant = (int)blockIdx.x;
    if (tour_key(colony.lengths[ant], ant) != *colony.iteration_best) return;
    const int *tour = colony.tours + (size_t)ant * (size_t)(colony.n + 1);
    const float amount = 1.0f / (float)(colony.lengths[ant] > 0 ? colony.lengths[ant] : 1);
    const int n_edges = colony.n == 2 ? 1 : colony.n, times = colony.n == 2 ? 2 : 1;
    for (int i = (int)threadIdx.x; i < n_edges; i += (int)blockDim.x)
        add_both(colony, tour[i], tour[i + 1], amount * (float)times);
    keep_if_best(colony, ant);
}

extern "C" ab_status AB_GPU(tsp_deposit_best)(const tsp_device *colony)
{
    LAUNCH(deposit_best, colony->n_ants, 128, 0)(*colony);
    return AB_LAUNCHED("deposit_best");
}
