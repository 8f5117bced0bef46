/* What an instance is, without its distances, with coordinates or without. Inside instances/ only. */
#ifndef ANTBENCH_DESCRIBE_H
#define ANTBENCH_DESCRIBE_H

#include "instances/tsplib.h"

/* How much of an instance is wanted. */
typedef enum tsp_wanted {
    TSP_DESCRIBED, /* what it is: all is read and checked, dist is NULL */
    TSP_LOCATED,   /* points and rule; dist where weights are EXPLICIT */
    TSP_REAL,      /* the same for a tour: of a table its real distances */
    TSP_DISTANCES  /* dist */
} tsp_wanted;

static inline bool tsp_wants_points(tsp_wanted wanted)
{
    return wanted == TSP_LOCATED || wanted == TSP_REAL;
}

/* tsp_read, tsp_describe and tsp_locate of a file; tsp_locate_real, by this metric, of "-" too. */
ab_status tsp_read_file(const char *path, tsp_wanted wanted, tsp_metric metric, tsp_instance *instance);

/* Works as tsp_generate, but leaves out what is not wanted. A described instance is not generated; sha256 is the digest
 * of dist, or empty. A located one may have up to TSP_MAX_LOCATED cities. */
ab_status tsp_generate_wanted(tsp_kind kind, int n, uint64_t seed, tsp_wanted wanted, tsp_instance *instance);

/* Reads a table, of `most` cities at most, from text[size] of the file at `path`. The caller frees *table, which is NULL
 * after an error: AB_BAD_INPUT "file:line: ...", AB_FAILED where there is no memory. Rows lie in `text`, which stays the
 * caller's unless it becomes table->bytes. */
ab_status tsp_table_read(const char *path, const char *text, size_t size, tsp_metric metric, int most,
                         tsp_table **table, int *n);

/* Gives an instance that has a table what a search needs of it: points and rule, or sphere and radius; and the scale. */
ab_status tsp_table_place(tsp_instance *instance);

#endif
