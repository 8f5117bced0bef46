/* TSPLIB's distance rules for nodes given by coordinates. */
#ifndef ANTBENCH_DISTANCES_H
#define ANTBENCH_DISTANCES_H

#include <stdint.h>

#include "base/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tsp_point {
    double x, y; /* as in the file; GEO: latitude and longitude as DDD.MM (degrees and minutes) */
} tsp_point;

typedef struct tsp_rule {
    const char *name;  /* EDGE_WEIGHT_TYPE: "EUC_2D" */
    double coordinate; /* the largest magnitude that a coordinate may have */
    /* The distance, a whole number that may be too large for an int32_t. */
    double (*distance)(tsp_point a, tsp_point b);
} tsp_rule;

/* The rule called `name`, or NULL. */
const tsp_rule *tsp_find_rule(const char *name);

/* Allocates and fills dist[n][n]. Errors begin with `path`: AB_BAD_INPUT for a coordinate that the rule does not allow
 * or a distance above INT32_MAX. */
ab_status tsp_compute_distances(const char *path, const tsp_rule *rule, const tsp_point *points, int n, int32_t **dist);

/* The same errors, without the distances. More than TSP_MAX_CITIES points must lie in a box whose corners are not too
 * far apart: pairs are not looked at. */
ab_status tsp_check_distances(const char *path, const tsp_rule *rule, const tsp_point *points, int n);

/* Allocates dist[n][n], all 0. */
ab_status tsp_allocate_distances(int n, int32_t **dist);

#ifdef __cplusplus
}
#endif

#endif
