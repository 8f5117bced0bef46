/* What an instance is, without its distances, with coordinates or without. Inside instances/ only. */
#ifndef ANTBENCH_DESCRIBE_H
#define ANTBENCH_DESCRIBE_H

#include "instances/tsplib.h"

/* How much of an instance is wanted. */
typedef enum tsp_wanted {
    TSP_DESCRIBED, /* what it is: all is read and checked, dist is NULL */
    TSP_LOCATED,   /* points and rule; dist where weights are EXPLICIT */
    TSP_DISTANCES  /* dist */
} tsp_wanted;

/* tsp_read, tsp_describe and tsp_locate of a file. */
ab_status tsp_read_file(const char *path, tsp_wanted wanted, tsp_instance *instance);

/* tsp_generate, but for what is not wanted: described, nothing is generated; sha256 is that of dist, or empty. Located,
 * there are up to TSP_MAX_LOCATED cities. */
ab_status tsp_generate_wanted(tsp_kind kind, int n, uint64_t seed, tsp_wanted wanted, tsp_instance *instance);

/* Reads the coordinates of a CSV file. The caller frees *points, which is NULL after an error: AB_BAD_INPUT "file:line:
 * ..." or for more than `most` cities, AB_FAILED for what cannot be read. */
ab_status tsp_read_coordinates(const char *path, int most, tsp_point **points, int *n);

#endif
