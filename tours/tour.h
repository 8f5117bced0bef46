/* Tours: how long one is, and writing it, as TSPLIB's files have it or as a table. */
#ifndef ANTBENCH_TOUR_H
#define ANTBENCH_TOUR_H

#include <stddef.h>
#include <stdint.h>

#include "instances/tsplib.h"

/* Between two cities, by the instance's own rule, or as its real distances are scaled. The instance is a located one, or
 * has its distances. */
static inline int64_t tour_distance(const tsp_instance *cities, int a, int b)
{
    if (cities->dist) return cities->dist[(size_t)a * (size_t)cities->n + (size_t)b];
    if (cities->sphere) return tsp_arc(cities->radius, cities->sphere[a], cities->sphere[b]);
    return (int64_t)cities->rule->distance(cities->points[a], cities->points[b]);
}

enum { TOUR_INVALID = -1, TOUR_NO_MEMORY = -2 };

/* Returns the length of the closed tour through the cities tour[n], numbered from 0. Returns TOUR_INVALID if it does
 * not visit each city once, TOUR_NO_MEMORY if memory is too short to tell. */
int64_t tour_measure(const tsp_instance *cities, const int32_t *tour);

/* The real length of a closed tour through the cities of a table, in its unit. */
double tour_measure_real(const tsp_table *table, const int32_t *tour, int n);

/* AB_FAILED where a tour could not be written to this path: before hours of searching, not after them. Nothing is
 * changed. */
ab_status tour_check_path(const char *path);

/* Writes the cities tour[n], numbered from 0, as a tour numbered from 1. After a crash the file is either the old one
 * or the new one. name and comment are one line each. "-" is standard output, whose errors its stream keeps. Returns
 * AB_FAILED with "path: the system's reason". */
ab_status tour_write(const char *path, const char *name, const char *comment, const int32_t *tour, int n);

/* The same of a table: its rows as they are, in the order of the tour from the first row on, below its header. */
ab_status tour_write_rows(const char *path, const tsp_table *table, const int32_t *tour, int n);

#endif
