/* An order of the cities in which those that lie together follow each other. */
#ifndef ANTBENCH_NEIGHBOURHOODS_H
#define ANTBENCH_NEIGHBOURHOODS_H

#include <stddef.h>

#include "kernels/tsp/tsp.h"

enum { BLOCK = 16 }; /* cities of a block, which lie together */

/* Into city[n], by place. Each `granule` places, a multiple of BLOCK, lie together too. */
ab_status neighbourhoods(const tsp_problem *problem, size_t granule, uint16_t *city);

#endif
