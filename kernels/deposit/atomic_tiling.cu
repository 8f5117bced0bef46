/* deposit/atomic-tiling: one block per ant. It reads the tour into shared memory in tiles of as many steps as it has
 * threads; then each thread adds to the edge of its step. Every city is read once from global memory, not twice, and a
 * block needs one tile of shared memory for a tour of any length.
 *
 * JPDC names this version "atomic instructions and shared memory" and describes neither (§5.2.1). The tiles are taken
 * from its scatter-to-gather (§3.3). Source: JPDC §3.3, Fig. 4, Table 4, version 1.
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
