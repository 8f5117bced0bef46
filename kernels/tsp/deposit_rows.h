/* The pheromone update by rows: what construction leaves for it, and its launchers (deposit_rows.cu). */
#ifndef ANTBENCH_TSP_DEPOSIT_ROWS_H
#define ANTBENCH_TSP_DEPOSIT_ROWS_H

#include "kernels/tsp/colony.h"

/* A city's two neighbours in a tour; as many bits each as AS_MAX_CITIES needs. */
typedef unsigned tour_links;

static __device__ __forceinline__ tour_links link_tour(int before, int after)
{
    return (unsigned)before | (unsigned)after << 16;
}

extern "C" {

/* The end of stage "improve": writes the links of the tours that it has changed, unless links is NULL. */
ab_status AB_GPU(tsp_link_tours)(const tsp_device *colony, tour_links *links, const as_params *params);

/* Stage "update", for protocols as and as-best. links [n][n_ants] are those of the iteration's tours; NULL where the
 * best ant alone deposits. */
ab_status AB_GPU(tsp_deposit_rows)(const tsp_device *colony, const tour_links *links, const as_params *params);
}

#endif
