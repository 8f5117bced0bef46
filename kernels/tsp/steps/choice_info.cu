/* choice_info[i][j] = pheromone[i][j]^alpha * heuristic[i][j], once per iteration, before construction.
 *
 * One thread per entry in blocks of 256, as JPDC §3.2.1 and §5.1.1. JPDC raises the distance to beta here with __powf;
 * it never changes, so eta^beta is computed once, on the host and in double. Bound by memory: 12 bytes an entry.
 * Source: JPDC §3.2.1; thesis §3.5.
 */
#include "kernels/tsp/colony.h"

static __global__ void choice_info(tsp_device colony, float alpha)
{
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= (size_t)colony.n * (size_t)colony.stride) return;
    const float tau = colony.pheromone[i];
    colony.choice_info[i] = (alpha == 1.0f ? tau : powf(tau, alpha)) * colony.heuristic[i];
}

extern "C" ab_status AB_GPU(tsp_choice_info)(const tsp_device *colony, float alpha)
{
    LAUNCH(choice_info, ceil_div(colony->n * colony->stride, 256), 256, 0)(*colony, alpha);
    return AB_LAUNCHED("choice_info");
}
