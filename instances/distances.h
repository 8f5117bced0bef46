/* TSPLIB's distance rules for nodes given by coordinates. */
#ifndef ANTBENCH_DISTANCES_H
#define ANTBENCH_DISTANCES_H

#include <math.h>
#include <stdint.h>

#include "base/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tsp_point {
    double x, y; /* coordinates as in the file; GEO: latitude and longitude as DDD.MM (degrees and minutes) */
} tsp_point;

/* A place in space: on a sphere around the origin, or, with z = 0, on a plane. */
typedef struct tsp_place {
    double x, y, z; /* in any unit */
} tsp_place;

typedef struct tsp_rule {
    const char *name;  /* EDGE_WEIGHT_TYPE: "EUC_2D" */
    double coordinate; /* the largest magnitude that a coordinate may have */
    /* The distance, a whole number that may be too large for an int32_t. */
    double (*distance)(tsp_point a, tsp_point b);
} tsp_rule;

/* The least and the greatest coordinates. */
void tsp_find_box(const tsp_point *points, int n, tsp_point *low, tsp_point *high);

/* The rule called `name`, or NULL. */
const tsp_rule *tsp_find_rule(const char *name);

/* Allocates and fills dist[n][n]. Errors begin with `path`: AB_BAD_INPUT for a coordinate that the rule does not allow
 * or a distance above INT32_MAX. */
ab_status tsp_compute_distances(const char *path, const tsp_rule *rule, const tsp_point *points, int n, int32_t **dist);

/* The same errors, without the distances. More than TSP_MAX_CITIES points must lie in a box whose corners are not too
 * far apart: pairs are not looked at. */
ab_status tsp_check_distances(const char *path, const tsp_rule *rule, const tsp_point *points, int n);

/* The way over the sphere between two places on it, by the chord: rounded to a whole number. */
static inline int64_t tsp_arc(double radius, tsp_place a, tsp_place b)
{
    const double x = a.x - b.x, y = a.y - b.y, z = a.z - b.z;
    const double half = sqrt(x * x + y * y + z * z) / (2.0 * radius);
    return (int64_t)(2.0 * radius * asin(half < 1.0 ? half : 1.0) + 0.5);
}

/* Allocates dist[n][n], all 0. */
ab_status tsp_allocate_distances(int n, int32_t **dist);

#ifdef __cplusplus
}
#endif

#endif
