/* deposit/gather-tiled: deposit/gather, but the threads of a block load the tours together, in tiles of as many cities
 * as they are, and look for their edges in shared memory. 2 n^4 / block loads from global memory. Source: JPDC §3.3,
 * Fig. 5, Table 4, version 4.
 */
#include "kernels/deposit/trails.h"

/* Threads beyond the last entry load with the others; no step is of a city like theirs. */
template <bool counting> static __global__ void gather_tiled(dp_device device)
{
    dp_reader<counting> read;
    SHARED_DYNAMIC(int, tile, 0, blockDim.x + 1);
    const int entry = (int)(blockIdx.x * blockDim.x + threadIdx.x), n = device.n;
    const float sum = dp_gather_tiled(device, tile, entry / n, entry % n, read);
    if (entry < n * n) device.pheromone[entry] = read(&device.pheromone[entry]) + sum;
    read.tell(device);
}

template <bool counting> static ab_status deposit(const dp_device *device, int block)
{
    const size_t bytes = (size_t)(block + 1) * sizeof(int);
    LAUNCH(gather_tiled<counting>, ceil_div(device->n * device->n, block), block, bytes)(*device);
    return AB_LAUNCHED("gather_tiled");
}

AB_RUNG(deposit_rung, deposit_gather_tiled) = {.deposit = deposit<false>, .count = deposit<true>};
