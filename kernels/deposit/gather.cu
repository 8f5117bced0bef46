/* deposit/gather, "scatter to gather": one thread for each of the n^2 entries. It goes through all tours and looks for
 * its edge. No other thread writes the entry, so no addition is atomic. 2 n_ants n loads per thread, 2 n^4 in all; a
 * compiler may keep the city that two steps share. Source: JPDC §3.3, Fig. 5, Table 4, version 5.
 */
#include "kernels/deposit/trails.h"

template <typename Reader>
static __device__ __forceinline__ int count_crossings(const int *tour, int n, int city, int other, Reader &read)
{
    int crossings = 0;
    for (int step = 0; step < n; ++step) crossings += dp_is_edge(read(&tour[step]), read(&tour[step + 1]), city, other);
    return crossings;
}

template <bool counting> static __global__ void gather(dp_device device)
{
    dp_reader<counting> read;
    const int entry = (int)(blockIdx.x * blockDim.x + threadIdx.x), n = device.n;
    if (entry >= n * n) return;
    float sum = 0.0f;
    for (int ant = 0; ant < device.n_ants; ++ant)
        sum +=
            (float)count_crossings(dp_tour(device, ant), n, entry / n, entry % n, read) * dp_amount(device, ant, read);
    device.pheromone[entry] = read(&device.pheromone[entry]) + sum;
    read.tell(device);
}

template <bool counting> static ab_status deposit(const dp_device *device, int block)
{
    LAUNCH(gather<counting>, ceil_div(device->n * device->n, block), block, 0)(*device);
    return AB_LAUNCHED("gather");
}

AB_RUNG(deposit_rung, deposit_gather) = {.deposit = deposit<false>, .count = deposit<true>};
