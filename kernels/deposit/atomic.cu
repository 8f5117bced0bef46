/* deposit/atomic: a thread for each step of each tour, which adds to the edge in both directions. Ants share edges, so
 * every addition is atomic: 2 n_ants n of them. Source: JPDC §3.3 ("a thread per city in an ant's tour"), Fig. 4, Table
 * 4, version 2.
 */
#include "kernels/deposit/trails.h"

static __global__ void deposit_steps(dp_device device)
{
    const int step = (int)(blockIdx.x * blockDim.x + threadIdx.x), ant = (int)blockIdx.y;
    const int *tour = dp_tour(device, ant);
    if (step < device.n) dp_add(device, tour[step], tour[step + 1], dp_amount(device, ant));
}

extern "C" ab_status AB_GPU(dp_deposit_atomic)(const dp_device *device, int block)
{
    LAUNCH(deposit_steps, dim3((unsigned)ceil_div(device->n, block), (unsigned)device->n_ants), block, 0)(*device);
    return AB_LAUNCHED("deposit_steps");
}

AB_RUNG(deposit_rung, deposit_atomic) = {.deposit = AB_GPU(dp_deposit_atomic)};
