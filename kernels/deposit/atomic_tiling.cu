/* deposit/atomic-tiling: a block an ant, which reads its tour into shared memory, a tile of as many steps as threads
 * after the other; then each thread adds to the edge of its step. Every city is read once from global memory, not
 * twice, and no more than one tile is in a block's way, however long the tour.
 *
 * JPDC names this version "atomic instructions and shared memory" and describes neither (§5.2.1): the tiles are those
 * of its scatter-to-gather (§3.3). Source: JPDC §3.3, Fig. 4, Table 4, version 1.
 */
#include "kernels/deposit/trails.h"

static __global__ void deposit_tiles(dp_device device)
{
    SHARED_DYNAMIC(int, tile, 0, blockDim.x + 1);
    const int ant = (int)blockIdx.x, thread = (int)threadIdx.x;
    const float amount = dp_amount(device, ant);
    for (int first = 0; first < device.n; first += (int)blockDim.x) {
        dp_load_tile(tile, dp_tour(device, ant), first);
        if (first + thread < device.n) dp_add(device, tile[thread], tile[thread + 1], amount);
    }
}

static ab_status deposit(const dp_device *device, int block)
{
    LAUNCH(deposit_tiles, device->n_ants, block, (size_t)(block + 1) * sizeof(int))(*device);
    return AB_LAUNCHED("deposit_tiles");
}

AB_RUNG(deposit_rung, deposit_atomic_tiling) = {.deposit = deposit};
