/* A warp per ant, as warp.cu, whose deposits are a kernel of their own: the pheromone update can be timed alone.
 *
 * With part=update a run is only the updates of its iterations, evaporation and deposits, by ants that stay where they
 * were placed: as many atomic additions to as many pixels. With part=all it is a run like any other. The deposits'
 * kernel has a thread per ant. Bound by launches: an iteration has three.
 * Source: this project, for thesis §5.4.4.
 */
#include "kernels/edge_ants/colony.h"

enum { N_THREADS = 128 };

static __global__ void deposit(ea_device colony)
{
    const int ant = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (ant >= colony.n_ants) return;
    const int pixel = colony.position[ant];
    const float amount = colony.visibility[pixel];
    if (amount >= colony.min_visibility) atomicAdd(&colony.next_pheromone[pixel], amount);
}

static ab_status move(const ea_device *colony, unsigned long long seed, int iteration)
{
    if (!colony->only_update) {
        ea_device walking = *colony;
        walking.min_visibility = 2.0f; /* no visibility is so large, so that these ants deposit nothing */
        AB_TRY(AB_GPU(ea_move_by_warp)(&walking, seed, iteration));
    }
    LAUNCH(deposit, ceil_div(colony->n_ants, N_THREADS), N_THREADS, 0)(*colony);
    return AB_LAUNCHED("deposit");
}

AB_RUNG(edge_ants_rung, edge_ants_warp_apart) = {.move = move, .updates_apart = true};
