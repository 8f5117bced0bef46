/* Evaporation and deposit with one block per row of the pheromone, for kernels that then compute the row's weights. So
 * stage "update" of an iteration and stage "choice" of the next are one launch, which reads the row once (race.cu,
 * race_candidates.cu).
 *
 * If every ant deposits, the two neighbours of each city in all tours are stored side by side (tour_links). A city's
 * block adds up the deposits on its edges in shared memory, and reads and writes its row once, without atomics in
 * global memory. Amounts are integers in units of n_ants / 2^30 of the best ant's deposit. So sums cannot overflow and
 * do not depend on the order: a seed always gives the same pheromone. If an ant's tour is x times as long as the best,
 * its amount has a relative error of at most x n_ants 2^-31. If only the best ant deposits, a block handles the row of
 * a city of its tour.
 *
 * Floor: 4 n^2 bytes of links and 8 n^2 of pheromone. Measured: docs/log/ant-system.md. Source: this project; in JPDC's
 * terms (§3.3) scatter to gather, but of 2 n_ants entries per row instead of n_ants n.
 */
#ifndef ANTBENCH_TSP_DEPOSIT_ROWS_H
#define ANTBENCH_TSP_DEPOSIT_ROWS_H

#include "kernels/tsp/colony.h"

/* A city's two neighbours in a tour, each with as many bits as TSP_MAX_MATRIX needs. */
typedef unsigned tour_links;

static __device__ __forceinline__ tour_links link_tour(int before, int after)
{
    return (unsigned)before | (unsigned)after << 16;
}

extern "C" {

/* End of stage "improve": writes the links of the tours that it has changed, unless links is NULL. */
ab_status AB_GPU(tsp_link_tours)(const tsp_device *colony, tour_links *links, const tsp_params *params);
}

/* Which ants deposit before a row is weighed. */
typedef enum row_depositors { ROW_NOBODY, ROW_ALL_ANTS, ROW_BEST_ANT } row_depositors;

/* Returns the inverse of the deposit of an ant with a tour of this length. */
static __device__ __forceinline__ float inverse_deposit(long long length)
{
    return (float)(length > 0 ? length : 1);
}

/* The row of a block, one of colony.n rows, and how its pheromone changes. */
template <row_depositors WHO> struct deposit_row {
    enum { AT_ONCE = 4 }; /* loads in flight per thread */
    int city;
    float *pheromone;
    float keep;                /* factor that evaporation leaves */
    float amount = 0.0f;       /* deposit of the best ant, or the unit of all ants' deposits */
    int before = 0, after = 0; /* neighbours of the city in the best ant's tour */
    shared_array<unsigned> deposits;

    /* room: [colony.stride]. Entry j is free again after update(j). */
    __device__ __forceinline__ deposit_row(const tsp_device &colony, const tour_links *links, float left,
                                           shared_array<unsigned> room)
        : city((int)blockIdx.x), keep(left), deposits(room)
    {
        if (WHO != ROW_NOBODY) amount = 1.0f / inverse_deposit((long long)(*colony.iteration_best >> ANT_BITS));
        if (WHO == ROW_BEST_ANT) {
            const int *const tour = colony.tours + (size_t)best_ant(colony) * (size_t)(colony.n + 1);
            const int position = (int)blockIdx.x;
            before = tour[position ? position - 1 : colony.n - 1];
            city = tour[position];
            after = tour[position + 1];
        }
        pheromone = colony.pheromone + (size_t)city * (size_t)colony.stride;
        if (WHO == ROW_ALL_ANTS) add_all(colony, links + (size_t)city * (size_t)colony.n_ants);
    }

    /* Adds up the deposits of all ants on the row's edges. The loads of several ants are in flight together. */
    __device__ __forceinline__ void add_all(const tsp_device &colony, const tour_links *links)
    {
        amount *= (float)colony.n_ants * 0x1p-30f;
        for (int j = (int)threadIdx.x; j < colony.stride; j += (int)blockDim.x) deposits[j] = 0;
        __syncthreads();
        for (int first = (int)threadIdx.x; first < colony.n_ants; first += AT_ONCE * (int)blockDim.x) {
            tour_links link[AT_ONCE];
            long long length[AT_ONCE];
#pragma unroll
            for (int k = 0; k < AT_ONCE; ++k) {
                const int ant = min(first + k * (int)blockDim.x, colony.n_ants - 1);
                link[k] = links[ant];
                length[k] = colony.lengths[ant];
            }
#pragma unroll
            for (int k = 0; k < AT_ONCE; ++k) {
                if (first + k * (int)blockDim.x >= colony.n_ants) break;
                const unsigned units = (unsigned)(1.0f / (inverse_deposit(length[k]) * amount) + 0.5f);
                atomicAdd(&deposits[link[k] & 0xffff], units);
                atomicAdd(&deposits[link[k] >> 16], units);
            }
        }
        __syncthreads();
    }

    /* Returns the deposit on the edge to j in units of `amount`. */
    __device__ __forceinline__ unsigned times(int j) const
    {
        if (WHO == ROW_NOBODY) return 0;
        return WHO == ROW_ALL_ANTS ? deposits[j] : (unsigned)((j == before) + (j == after));
    }

    /* Returns the new pheromone of the edge to j, which had `was`. */
    __device__ __forceinline__ float updated(int j, float was) const
    {
        return WHO == ROW_NOBODY ? was : keep * was + (float)times(j) * amount;
    }

    /* Updates the pheromone of the edge to j and returns it. One thread calls it for each j in [0, stride). */
    __device__ __forceinline__ float update(int j) const
    {
        const float tau = updated(j, pheromone[j]);
        if (WHO != ROW_NOBODY) pheromone[j] = tau;
        return tau;
    }

    /* Does the same for four edges, from j on, a multiple of four. */
    __device__ __forceinline__ float4 update_four(int j) const
    {
        float4 tau = *reinterpret_cast<const float4 *>(pheromone + j);
        tau = {updated(j, tau.x), updated(j + 1, tau.y), updated(j + 2, tau.z), updated(j + 3, tau.w)};
        if (WHO != ROW_NOBODY) *reinterpret_cast<float4 *>(pheromone + j) = tau;
        return tau;
    }
};

/* Called by one block more than there are rows: keeps the best tour so far and resets the iteration's best. */
template <row_depositors WHO> static __device__ __forceinline__ void end_iteration(const tsp_device &colony)
{
    if (threadIdx.x == 0) *next_best(colony) = ~0ull;
    if (WHO != ROW_NOBODY) keep_if_best(colony, best_ant(colony));
}

#endif
