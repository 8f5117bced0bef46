/* The pheromone update by rows: what construction leaves for it, and its launcher (deposit_rows.cu). */
#ifndef ANTBENCH_TSP_DEPOSIT_ROWS_H
#define ANTBENCH_TSP_DEPOSIT_ROWS_H

#include "kernels/tsp/colony.h"

/* A city's two neighbours in a tour; as many bits each as AS_MAX_CITIES needs. */
typedef unsigned tour_links;

static __device__ __forceinline__ tour_links link_tour(int before, int after)
{
    return (unsigned)before | (unsigned)after << 16;
}

/* Stage "update" from links [n][n_ants] of the iteration's tours, for either protocol. */
extern "C" ab_status AB_GPU(tsp_deposit_rows)(const tsp_device *colony, const tour_links *links,
                                              const as_params *params);

#endif
