/* The walk of a race (race.h) for few cities, whose rows lie in shared memory beside masks of what has been visited.
 *
 * In other walks a step loads a row, then the flags of its cities. Here each ant has a mask for each row, a byte per
 * candidate, so both are loaded together. If the ant visits a city, it marks the city in the rows that have it: two
 * rows per lane, while the warp waits for its minimum. The lowest bits of a time are its city, so the minimum tells the
 * next row without a shuffle. Such a key has room for times from 2^-14 to 2^18, resolved to 2^-18. A step that no such
 * time decides reads the row itself, from the L2 cache. So does one at a city that more than 63 rows have.
 *
 * Floor: 105 cycles per step: shared memory 30, the key 20, the warp's minimum 45, the address of the next row 10.
 * Limits: n <= 512; 320 bytes of shared memory per city, and 35 per ant and city.
 * Measured: docs/log/ant-system.md. Sources: race.h.
 */
#ifndef ANTBENCH_TSP_RACE_MASKED_H
#define ANTBENCH_TSP_RACE_MASKED_H

#include "kernels/cuda/early_launch.h"
#include "kernels/tsp/race_steps.h"

enum {
    TSP_RACE_MASKED_CITIES = 512,
    TSP_RACE_MASKED_ANTS = 16, /* most ants per block, and number of its warps, which load rows together */
    TSP_RACE_MASKED_MARK = TSP_RACE_MASKED_CITIES - 1, /* bits of a key that are its city */
    TSP_RACE_MASKED_SHIFT = 4,                         /* a key has a time's bits, less the bits of 2^-14, times 2^4 */
    TSP_RACE_MASKED_BASE = (127 - 14) << 23
};
#define TSP_RACE_MASKED_LEAST 0x1p-14f       /* added to all times of a step */
#define TSP_RACE_MASKED_MOST 0x1.fffffep+17f /* a later time is not resolved */
#define TSP_RACE_MASKED_LATE 0xfffffe00u     /* least key of such a time */

/* The rows that have a city: what the ant marks when it visits the city. They follow the cities of all rows. */
struct tsp_race_reverse {
    unsigned *two;        /* [n][TSP_RACE_LANES] two entries each: row * TSP_RACE_LANES + lane, or the city's flag */
    unsigned *more_begin; /* [n + 1] */
    unsigned short *more; /* more entries for cities that need them, from more_begin[city] on */

    __host__ __device__ tsp_race_reverse(unsigned *first, int n)
        : two(first), more_begin(two + tsp_race_entries(n)), more((unsigned short *)(more_begin + n + 1))
    {
    }
};

/* Returns the address that follows the cities of all rows. */
static inline __host__ __device__ unsigned *tsp_race_after_cities(const tsp_race_rows &rows, int n)
{
    return (unsigned *)(rows.city + tsp_race_entries(n));
}

/* Returns the bytes that follow the cities of all rows. */
static inline size_t tsp_race_reverse_bytes(int n)
{
    if (n > TSP_RACE_MASKED_CITIES) return 0;
    return tsp_race_entries(n) * (sizeof(unsigned) + sizeof(unsigned short)) + (size_t)(n + 1) * sizeof(unsigned);
}

/* Layout of the dynamic shared memory in bytes: the rows' means, the entries of tsp_race_reverse, the rows' cities. Then
 * follow each ant's masks with flags after them (tsp_race_visited), its tour and its list. */
struct tsp_race_masked_layout {
    size_t entries, cities, masks, tours, lists, bytes;

    __host__ __device__ tsp_race_masked_layout(int n, int block_ants)
    {
        const size_t ants = (size_t)block_ants;
        entries = tsp_race_entries(n) * sizeof(float);
        cities = entries + tsp_race_entries(n) * sizeof(unsigned);
        masks = cities + tsp_race_entries(n) * sizeof(unsigned short);
        tours = masks + ants * (size_t)of_ant(n);
        lists = tours + ants * (size_t)ceil_div(n, 4) * 4 * sizeof(unsigned short);
        bytes = lists + ants * TSP_RACE_LIST * sizeof(unsigned short);
    }
    /* Returns the bytes of an ant's masks and flags. */
    static __host__ __device__ int of_ant(int n)
    {
        return (int)tsp_race_entries(n) + tsp_race_visited::bytes(n);
    }
};

/* Writes a tour from shared memory, its length and, if all ants deposit, its links. */
static __device__ __forceinline__ void tsp_race_write_tour(const tsp_device &colony, const tsp_race_rows &rows, int ant,
                                                           shared_array<unsigned short> cities,
                                                           unsigned zero_weight_steps)
{
    enum { AT_ONCE = 8 };
    const int n = colony.n, lane = (int)threadIdx.x % WARP_SIZE;
    int *const tour = colony.tours + (size_t)ant * (size_t)(n + 1);
    long long length = 0;
    __syncwarp(FULL_WARP);
    for (int begin = 0; begin < n; begin += AT_ONCE * WARP_SIZE) {
        int city[AT_ONCE], edge[AT_ONCE], after[AT_ONCE];
#pragma unroll
        for (int k = 0; k < AT_ONCE; ++k) { /* all edges are on their way together */
            const int i = min(begin + k * WARP_SIZE + lane, n - 1);
            city[k] = cities[i];
            after[k] = cities[i + 1 < n ? i + 1 : 0];
            edge[k] = __ldcg(colony.dist + (size_t)city[k] * (size_t)colony.stride + (size_t)after[k]);
        }
#pragma unroll
        for (int k = 0; k < AT_ONCE; ++k) {
            const int i = begin + k * WARP_SIZE + lane;
            if (i >= n) continue;
            const int before = cities[i > 0 ? i - 1 : n - 1];
            length += edge[k];
            tour[i] = city[k];
            if (rows.links)
                rows.links[(size_t)city[k] * (size_t)colony.n_ants + (size_t)ant] = link_tour(before, after[k]);
        }
    }
    for (int offset = WARP_SIZE / 2; offset > 0; offset /= 2) length += __shfl_xor_sync(FULL_WARP, length, offset);
    if (lane != 0) return;
    tour[n] = cities[0];
    count_tour(colony, ant, length, zero_weight_steps);
}

template <typename Random>
static __global__ void __launch_bounds__(TSP_RACE_MASKED_ANTS *WARP_SIZE, 1)
    tsp_race_walk_masked(tsp_device colony, tsp_race_rows rows, int block_ants, unsigned long long seed,
                         unsigned iteration)
{
    const int n = colony.n, thread = (int)threadIdx.x, warp = thread / WARP_SIZE, count = (int)tsp_race_entries(n);
    const int lane = __shfl_sync(FULL_WARP, thread, thread) % WARP_SIZE; /* kept in a register */
    const int ant = (int)blockIdx.x * block_ants + warp;
    const tsp_race_masked_layout layout(n, block_ants);
    const tsp_race_reverse reverse(tsp_race_after_cities(rows, n), n);
    SHARED_DYNAMIC(float, means, 0, count);
    SHARED_DYNAMIC(unsigned, entries, layout.entries, count);
    SHARED_DYNAMIC(unsigned short, cities, layout.cities, count);
    SHARED_DYNAMIC(signed char, all_masks, layout.masks, block_ants *tsp_race_masked_layout::of_ant(n));
    SHARED_DYNAMIC(unsigned char, bytes, 0, layout.masks);
    SHARED_DYNAMIC(unsigned short, tours, layout.tours, block_ants *ceil_div(n, 4) * 4);
    SHARED_DYNAMIC(unsigned short, lists, layout.lists, block_ants *TSP_RACE_LIST);

    release_launch();
    tsp_race_ask<unsigned>(entries, reverse.two, count);
    tsp_race_ask<unsigned short>(cities, rows.city, count);
    static_assert(TSP_RACE_MASKED_CITIES <= TSP_RACE_MASKED_ANTS * WARP_SIZE, "a thread for each city");
    const bool many = thread < n && reverse.more_begin[thread] < reverse.more_begin[thread + 1];
    for (int i = 4 * thread; i < block_ants * tsp_race_masked_layout::of_ant(n); i += 4 * (int)blockDim.x)
        *reinterpret_cast<unsigned *>(&all_masks[i]) = 0;
    await_launch();
    tsp_race_ask<float>(means, rows.mean, count);
    const bool has_ant = __any_sync(FULL_WARP, warp < block_ants && ant < colony.n_ants);
    Random random;
    if (has_ant) random = Random(seed, ant_stream(colony, iteration, ant) * WARP_SIZE + (unsigned)lane);
    tsp_race_loaded();
    __syncthreads();
    for (int k = 0; many && k < TSP_RACE_LANES; ++k) means[thread * TSP_RACE_LANES + k] = INFINITY;
    __syncthreads();
    if (!has_ant) return;

    const shared_array<signed char> masks = all_masks + warp * tsp_race_masked_layout::of_ant(n);
    const shared_array<unsigned short> tour = tours + warp * ceil_div(n, 4) * 4;
    const tsp_race_visited visited = {masks + count};
    tsp_race_list list = {lists + warp * TSP_RACE_LIST, TSP_RACE_LIST, 0};
    unsigned zero_weight_steps = 0;

    float mean;           /* of the lane's clock in the row of the city where the ant stands */
    unsigned city, entry; /* the clock's city; two rows that have the city where the ant stands */
    unsigned out;         /* all ones if the clock's city has been visited, else 0 */
    /* Returns where in `means`, in bytes, the lane's clock is in the row of a key's city. */
    const unsigned my_place = __shfl_sync(FULL_WARP, lane * (unsigned)sizeof(float), lane);
    const unsigned to_entries = __shfl_sync(FULL_WARP, (unsigned)layout.entries, lane);
    const auto place_of = [&](unsigned key) -> unsigned {
        enum { ROW = TSP_RACE_LANES * sizeof(float) };
        return (key * ROW & TSP_RACE_MASKED_MARK * ROW) | my_place;
    };
    const auto load = [&](unsigned place) {
        mean = *reinterpret_cast<const float *>(&bytes[place]);
        out = (unsigned)(int)masks[place / sizeof(float)];
        city = *reinterpret_cast<const unsigned short *>(&bytes[(unsigned)layout.cities + place / 2]);
        entry = *reinterpret_cast<const unsigned *>(&bytes[to_entries + place]);
    };
    const auto mark = [&](unsigned which) { masks[which] = -1; };

    int from = __shfl_sync(FULL_WARP, min((int)(tsp_race_unit(random.next()) * (float)n), n - 1), 0), left = n - 1;
    int mine = from; /* city of the position that is this lane's number modulo 32 */
    if (lane == 0) tour[0] = (unsigned short)from;
    load(place_of((unsigned)from));
    float wait = tsp_race_exponential(random.next());

    for (; left > 0; left -= WARP_SIZE) {
        const float spare = tsp_race_exponential(random.next()); /* for the clock that rings in this lane's step */
        for (int i = 0;; ++i) {
            float rate = 0.0f;
#pragma unroll 2
            for (; i < WARP_SIZE; ++i) { /* steps that a time in the key's range decides */
                __syncwarp(FULL_WARP);
                const float time = fminf(fabsf(wait) * mean + TSP_RACE_MASKED_LEAST, TSP_RACE_MASKED_MOST);
                const unsigned bits = ((unsigned)__float_as_int(time) << TSP_RACE_MASKED_SHIFT) -
                                      ((unsigned)TSP_RACE_MASKED_BASE << TSP_RACE_MASKED_SHIFT);
                const unsigned key = (bits & ~(unsigned)TSP_RACE_MASKED_MARK) | city | out;
                const unsigned first = warp_min(key);
                const float fresh = __shfl_sync(FULL_WARP, spare, i);
                rate = tsp_race_reciprocal_now(mean);
                mark(entry & 0xffff);
                mark(entry >> 16);
                __syncwarp(FULL_WARP);
                const unsigned place = place_of(first);
                const bool rang = key == first, gone = out;
                if (first >= TSP_RACE_MASKED_LATE) break;
                load(place);
                from = (int)(first % TSP_RACE_MASKED_CITIES);
                const float passed = __int_as_float((int)(first >> TSP_RACE_MASKED_SHIFT) + TSP_RACE_MASKED_BASE) -
                                     TSP_RACE_MASKED_LEAST;
                if (!gone) wait -= passed * rate;
                wait = rang ? fresh : wait;
                if (lane == i) mine = from;
            }
            if (i == WARP_SIZE || i == left) break;
            float exact = mean;
            if (!__any_sync(FULL_WARP, mean < INFINITY)) {
                const unsigned end = reverse.more_begin[from + 1];
                unsigned k = reverse.more_begin[from] + (unsigned)lane;
                exact = __ldcg(rows.mean + (from * TSP_RACE_LANES + lane));
                if (__any_sync(FULL_WARP, k < end)) AB_PLAN("race-candidates: a city that many rows have");
                for (; __any_sync(FULL_WARP, k < end); k += WARP_SIZE)
                    if (k < end) mark(reverse.more[k]);
                __syncwarp(FULL_WARP);
            }
            const unsigned key = out ? TSP_RACE_NEVER : tsp_race_key(fabsf(wait) * exact, lane), first = warp_min(key);
            const float fresh = __shfl_sync(FULL_WARP, spare, i);
            int next = -1;
            if (first < TSP_RACE_WEIGHTLESS) {
                AB_PLAN("race-candidates: a late step");
                if (!out) wait -= tsp_race_time(first) * tsp_race_reciprocal(exact);
                if (key == first) wait = fresh;
                next = (int)__shfl_sync(FULL_WARP, city, (int)first);
            } else {
                wait = tsp_race_exponential(random.next());
                if ((left - i) * (TSP_RACE_RING / 4) > n) next = tsp_race_in_ring(rows, n, from, visited);
                if (next < 0)
                    next = tsp_race_rest<true>(colony, from, left - i, visited, list, random, zero_weight_steps);
            }
            from = next;
            __syncwarp(FULL_WARP);
            if (lane == i) mine = from;
            load(place_of((unsigned)from));
        }
        if (lane < left) tour[n - left + lane] = (unsigned short)mine;
    }
    tsp_race_write_tour(colony, rows, ant, tour, zero_weight_steps);
}

/* Writes which rows have each city. */
static inline ab_status tsp_race_write_reverse(const tsp_race_rows *rows, int n, const int32_t *near)
{
    const size_t size = tsp_race_reverse_bytes(n), n_near = (size_t)rows->n_near;
    if (size == 0) return ab_ok();
    unsigned *const made = (unsigned *)calloc(1, size);
    int *const counts = (int *)calloc((size_t)n + 1, sizeof *counts);
    ab_status status = made && counts ? ab_ok() : ab_failed("out of memory: the rows of %d cities", n);
    if (status.code == AB_OK) {
        enum { MOST = 2 * TSP_RACE_LANES - 1 }; /* the last entry is the city's flag */
        const tsp_race_reverse reverse(made, n);
        for (size_t i = 0; i < (size_t)n * n_near; ++i) ++counts[near[i]];
        for (int i = 0; i < n; ++i)
            reverse.more_begin[i + 1] = reverse.more_begin[i] + (unsigned)max(counts[i] - (int)MOST, 0);
        for (int i = 0; i < n * TSP_RACE_LANES; ++i) { /* no entry: flags that stand for no city */
            const unsigned flags = (unsigned)(n * TSP_RACE_LANES), none = flags + (unsigned)(n + i % TSP_RACE_LANES);
            const bool last = i % TSP_RACE_LANES == TSP_RACE_LANES - 1;
            reverse.two[i] = none | (last ? flags + (unsigned)(i / TSP_RACE_LANES) : none) << 16;
        }
        memset(counts, 0, (size_t)n * sizeof *counts);
        for (size_t i = 0; i < (size_t)n * n_near; ++i) {
            const int city = near[i], k = counts[city]++;
            const unsigned entry = (unsigned)(i / n_near * TSP_RACE_LANES + i % n_near);
            unsigned *const two = reverse.two + city * TSP_RACE_LANES + k % TSP_RACE_LANES;
            if (k >= MOST)
                reverse.more[reverse.more_begin[city] + (unsigned)(k - MOST)] = (unsigned short)entry;
            else
                *two = k < TSP_RACE_LANES ? (*two & 0xffff0000u) | entry : (*two & 0xffffu) | entry << 16;
        }
        const cudaError_t error = cudaMemcpy(tsp_race_after_cities(*rows, n), made, size, cudaMemcpyHostToDevice);
        if (error != cudaSuccess) status = ab_failed("%s", cudaGetErrorString(error));
    }
    free(made);
    free(counts);
    return status;
}

#endif
