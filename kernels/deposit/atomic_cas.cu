/* deposit/atomic-cas: deposit/atomic for cards without an atomic addition of floats, such as a Tesla C1060.
 *
 * One thread per step of each tour adds to its edge in both directions, by a loop of compare-and-swap on the bits. It
 * reads the entry and writes the sum, until no other thread has written in between. Bound by the atomics: at least two
 * loads and two swaps per step. Source: JPDC §3.3, version 2; JSC §5.1.2 ("the lack of atomic operation support … for
 * floating point operations").
 */
#include "kernels/deposit/trails.h"

static __device__ __forceinline__ void add_by_swaps(float *entry, float amount)
{
    unsigned *const bits = (unsigned *)entry;
    unsigned seen = *bits, before;
    do {
        before = seen;
        seen = atomicCAS(bits, before, (unsigned)__float_as_int(__int_as_float((int)before) + amount));
    } while (seen != before);
}

static __global__ void deposit_by_swaps(dp_device device)
{
    const int step = (int)(blockIdx.x * blockDim.x + threadIdx.x), ant = (int)blockIdx.y;
    if (step >= device.n) return;
    const int *tour = dp_tour(device, ant);
    const size_t from = (size_t)tour[step], to = (size_t)tour[step + 1], n = (size_t)device.n;
    const float amount = dp_amount(device, ant);
    add_by_swaps(&device.pheromone[from * n + to], amount);
    add_by_swaps(&device.pheromone[to * n + from], amount);
}

static ab_status deposit(const dp_device *device, int block)
{
    LAUNCH(deposit_by_swaps, dim3((unsigned)ceil_div(device->n, block), (unsigned)device->n_ants), block, 0)(*device);
    return AB_LAUNCHED("deposit_by_swaps");
}

AB_RUNG(deposit_rung, deposit_atomic_cas) = {.deposit = deposit};
