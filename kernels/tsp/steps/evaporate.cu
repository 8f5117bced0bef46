/* Evaporation: every edge loses the fraction rho of its pheromone (thesis eq. 3.2).
 *
 * The thesis maps each thread of a single tiling block to an edge. One block would leave all but one multiprocessor
 * idle, so the grid covers the matrix, one thread per edge. Bound by memory: 8 bytes per entry. Source: thesis §3.5.3;
 * JPDC §3.3.
 */
#include "kernels/tsp/colony.h"

static __global__ void evaporate(tsp_device colony, float keep)
{
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < (size_t)colony.n * (size_t)colony.stride) colony.pheromone[i] *= keep;
}

extern "C" ab_status AB_GPU(tsp_evaporate)(const tsp_device *colony, float rho)
{
    LAUNCH(evaporate, ceil_div(colony->n * colony->stride, 256), 256, 0)(*colony, 1.0f - rho);
    return AB_LAUNCHED("evaporate");
}
