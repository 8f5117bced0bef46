/* deposit/evaporate-rows: deposit/atomic with evaporation mapped to rows of the matrix, a tiling block for each.
 *
 * The block's threads go along the row, blockDim.x entries at a time. Against a thread for each entry (trails.cu) there
 * are as many blocks as cities, and in each the last threads idle where the row ends.
 * Source: thesis §3.5.3 ("map each row of the pheromone matrix to a tiling thread block").
 */
#include "kernels/deposit/trails.h"

static __global__ void evaporate_rows(dp_device device, float keep)
{
    float *const row = device.pheromone + (size_t)blockIdx.x * (size_t)device.n;
    for (int i = (int)threadIdx.x; i < device.n; i += (int)blockDim.x) row[i] *= keep;
}

static ab_status evaporate(const dp_device *device, int block, float keep)
{
    LAUNCH(evaporate_rows, device->n, block, 0)(*device, keep);
    return AB_LAUNCHED("evaporate_rows");
}

AB_RUNG(deposit_rung, deposit_evaporate_rows) = {.deposit = AB_GPU(dp_deposit_atomic), .evaporate = evaporate};
