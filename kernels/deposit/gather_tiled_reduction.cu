/* deposit/gather-tiled-reduction: deposit/gather-tiled by half the threads. Each looks for an edge and adds to both of
 * its entries, since the matrix is symmetric.
 *
 * JPDC does not say which thread has which edge. Here city i has the edges to the n/2 cities after it, around the
 * circle of all cities. So each pair is met once. For even n, opposite cities are met twice, and the second half idles.
 * Source: JPDC §3.3 ("the number of threads can be divided by two"), Table 4, version 3.
 */
#include "kernels/deposit/trails.h"

template <bool counting> static __global__ void gather_half(dp_device device)
{
    dp_reader<counting> read;
    SHARED_DYNAMIC(int, tile, 0, blockDim.x + 1);
    const int thread = (int)(blockIdx.x * blockDim.x + threadIdx.x), n = device.n, half = n / 2;
    const int city = thread / half, distance = 1 + thread % half, other = (city + distance) % n;
    const float sum = dp_gather_tiled(device, tile, city, other, read);
    if (city < n && (2 * distance != n || city < half)) {
        float *const entry = &device.pheromone[(size_t)city * (size_t)n + (size_t)other];
        float *const mirrored = &device.pheromone[(size_t)other * (size_t)n + (size_t)city];
        *entry = read(entry) + sum;
        *mirrored = read(mirrored) + sum;
    }
    read.tell(device);
}

template <bool counting> static ab_status deposit(const dp_device *device, int block)
{
    const size_t bytes = (size_t)(block + 1) * sizeof(int);
    LAUNCH(gather_half<counting>, ceil_div(device->n * (device->n / 2), block), block, bytes)(*device);
    return AB_LAUNCHED("gather_half");
}

AB_RUNG(deposit_rung, deposit_gather_tiled_reduction) = {.deposit = deposit<false>, .count = deposit<true>};
