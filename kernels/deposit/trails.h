/* What the GPU implementations of deposit share: the device memory, evaporation, and opening it around a rung. */
#ifndef ANTBENCH_DEPOSIT_TRAILS_H
#define ANTBENCH_DEPOSIT_TRAILS_H

#include "kernels/cuda/device_memory.h"
#include "kernels/deposit/deposit.h"

/* Passed to kernels by value. A tour is filled up with -1, no city, to whole tiles of `block` steps (JPDC §3.3:
 * "padding to the ant tour array"). */
typedef struct dp_device {
    int n, n_ants;
    int pitch;                 /* cities of a padded tour: a multiple of the block, and 1 */
    const int *tours;          /* [n_ants][pitch], closed */
    const long long *lengths;  /* [n_ants] */
    float *pheromone;          /* [n][n] */
    unsigned long long *loads; /* [1]: loads of global memory so far, of deposits that count them; else NULL */
} dp_device;

/* A strategy, as registry.def names it. */
typedef struct deposit_rung {
    /* Stage "deposit", in blocks of `block` threads: enqueues it on the default stream. */
    ab_status (*deposit)(const dp_device *device, int block);
    /* Stage "evaporate" likewise: every entry times `keep`. NULL: a thread an entry. */
    ab_status (*evaporate)(const dp_device *device, int block, float keep) = NULL;
    /* The same kernel as deposit's, which besides adds its loads to device->loads. NULL: they are not counted. */
    ab_status (*count)(const dp_device *device, int block) = NULL;
} deposit_rung;

extern "C" ab_status AB_GPU(deposit_open)(const deposit_rung *rung, const tsp_snapshot *snapshot,
                                          const dp_params *params, dp_trails **opened);

/* deposit_rung.deposit of deposit/atomic. */
extern "C" ab_status AB_GPU(dp_deposit_atomic)(const dp_device *device, int block);

static __device__ __forceinline__ const int *dp_tour(const dp_device &device, int ant)
{
    return device.tours + (size_t)ant * (size_t)device.pitch;
}

/* How a thread reads global memory: every read of a kernel that can count goes through one of these. */
template <bool counting> struct dp_reader {
    unsigned long long loads = 0; /* so far */

    template <typename T> __device__ __forceinline__ T operator()(const T *place)
    {
        if (counting) ++loads;
        return *place;
    }

    /* At the end of a thread. */
    __device__ __forceinline__ void tell(const dp_device &device) const
    {
        if (counting) atomicAdd(device.loads, loads);
    }
};

/* What an ant adds to an edge: 1/length, and 1 where duplicate cities make the length 0. */
template <typename Reader = dp_reader<false>>
static __device__ __forceinline__ float dp_amount(const dp_device &device, int ant, Reader &&read = Reader())
{
    const long long length = read(&device.lengths[ant]);
    return 1.0f / (float)(length > 0 ? length : 1);
}

/* Adds to an edge in both directions, which other threads may do at the same time. */
static __device__ __forceinline__ void dp_add(const dp_device &device, int from, int to, float amount)
{
    atomicAdd(&device.pheromone[(size_t)from * (size_t)device.n + (size_t)to], amount);
    atomicAdd(&device.pheromone[(size_t)to * (size_t)device.n + (size_t)from], amount);
}

/* Whether a step of a tour goes along the edge of two cities, in either direction. */
static __device__ __forceinline__ bool dp_is_edge(int from, int to, int city, int other)
{
    return (from == city && to == other) || (from == other && to == city);
}

/* Run by the whole block. After all threads have left the previous tile it copies the cities of the next one to
 * shared memory. A tile has `blockDim.x` steps from step `first` on, so one city more. */
template <typename Reader = dp_reader<false>>
static __device__ __forceinline__ void dp_load_tile(shared_array<int> tile, const int *tour, int first,
                                                    Reader &&read = Reader())
{
    const int thread = (int)threadIdx.x, block = (int)blockDim.x;
    __syncthreads();
    tile[thread] = read(&tour[first + thread]);
    if (thread == 0) tile[block] = read(&tour[first + block]);
    __syncthreads();
}

/* Run by the whole block: what all ants together add to the edge of two cities. */
template <typename Reader>
static __device__ __forceinline__ float dp_gather_tiled(const dp_device &device, shared_array<int> tile, int city,
                                                        int other, Reader &read)
{
    float sum = 0.0f;
    for (int ant = 0; ant < device.n_ants; ++ant) {
        int crossings = 0;
        for (int first = 0; first < device.n; first += (int)blockDim.x) {
            dp_load_tile(tile, dp_tour(device, ant), first, read);
            for (int i = 0; i < (int)blockDim.x; ++i) crossings += dp_is_edge(tile[i], tile[i + 1], city, other);
        }
        sum += (float)crossings * dp_amount(device, ant, read);
    }
    return sum;
}

#endif
