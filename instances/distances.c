/* TSPLIB's distance rules: "The distance functions" of TSPLIB 95 (Reinelt).
 *
 * The published optima hold for exactly these integers, so everything is done in double and rounded as TSPLIB rounds:
 * nint(x) is floor(x + 0.5) for the x >= 0 that occur here. Keep -std=c11, under which gcc does not fuse a
 * multiplication and an addition: x*x + y*y has the same bits on every machine.
 */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/lookup.h"
#include "base/memory.h"
#include "instances/distances.h"
#include "instances/tsplib.h"

static double squared_length(tsp_point a, tsp_point b)
{
    double x = a.x - b.x, y = a.y - b.y;
    return x * x + y * y;
}

static double nint(double x)
{
    return floor(x + 0.5);
}

static double euc_2d(tsp_point a, tsp_point b)
{
    return nint(sqrt(squared_length(a, b)));
}

static double ceil_2d(tsp_point a, tsp_point b)
{
    return ceil(sqrt(squared_length(a, b)));
}

static double man_2d(tsp_point a, tsp_point b)
{
    return nint(fabs(a.x - b.x) + fabs(a.y - b.y));
}

static double max_2d(tsp_point a, tsp_point b)
{
    return fmax(nint(fabs(a.x - b.x)), nint(fabs(a.y - b.y)));
}

/* Pseudo-Euclidean: the tenth of the squared length, rounded so that the triangle inequality holds. */
static double att(tsp_point a, tsp_point b)
{
    double exact = sqrt(squared_length(a, b) / 10.0), rounded = nint(exact);
    return rounded < exact ? rounded + 1.0 : rounded;
}

/* DDD.MM to radians. TSPLIB's text says nint for the degrees, but its optima need them truncated; PI is TSPLIB's. */
static double geo_radians(double coordinate)
{
    const double pi = 3.141592;
    double degrees = trunc(coordinate), minutes = coordinate - degrees;
    return pi * (degrees + 5.0 * minutes / 3.0) / 180.0;
}

static double geo(tsp_point a, tsp_point b)
{
    const double earth_radius_km = 6378.388;
    double a_latitude = geo_radians(a.x), b_latitude = geo_radians(b.x);
    double q1 = cos(geo_radians(a.y) - geo_radians(b.y));
    double q2 = cos(a_latitude - b_latitude), q3 = cos(a_latitude + b_latitude);
    /* Within acos' domain even when rounded: (1 + q1) + (1 - q1) never rounds to more than 2. */
    double cosine = 0.5 * ((1.0 + q1) * q2 - (1.0 - q1) * q3);
    return floor(earth_radius_km * acos(cosine) + 1.0);
}

void tsp_find_box(const tsp_point *points, int n, tsp_point *low, tsp_point *high)
{
    *low = *high = points[0];
    for (int i = 1; i < n; i++) {
        *low = (tsp_point){fmin(low->x, points[i].x), fmin(low->y, points[i].y)};
        *high = (tsp_point){fmax(high->x, points[i].x), fmax(high->y, points[i].y)};
    }
}

const tsp_rule *tsp_find_rule(const char *name)
{
    static const tsp_rule rules[] = {{"EUC_2D", INFINITY, euc_2d}, {"CEIL_2D", INFINITY, ceil_2d},
                                     {"MAN_2D", INFINITY, man_2d}, {"MAX_2D", INFINITY, max_2d},
                                     {"ATT", INFINITY, att},       {"GEO", 180.0, geo}};
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++)
        if (strcmp(rules[i].name, name) == 0) return &rules[i];
    return NULL;
}

ab_status tsp_allocate_distances(int n, int32_t **dist)
{
    size_t cells = (size_t)n * (size_t)n;
    *dist = ab_allocate_block(cells, sizeof **dist);
    if (*dist == NULL) return ab_failed("no memory for %d x %d distances (%zu MiB)", n, n, cells * sizeof **dist >> 20);
    return ab_ok();
}

static ab_status check_coordinates(const char *path, const tsp_rule *rule, const tsp_point *points, int n)
{
    for (int i = 0; i < n; i++)
        if (fabs(points[i].x) > rule->coordinate || fabs(points[i].y) > rule->coordinate)
            return ab_bad_input("%s: node %d: %s coordinates are at most %g, not %g %g", ab_short_path(path), i + 1,
                                rule->name, rule->coordinate, points[i].x, points[i].y);
    return ab_ok();
}

/* `dist` may be NULL: then the distances are checked, and not kept. */
static ab_status fill_distances(const char *path, const tsp_rule *rule, const tsp_point *points, int n, int32_t *dist)
{
    for (int i = 0; i < n; i++) {
        for (int j = i + 1; j < n; j++) {
            double distance = rule->distance(points[i], points[j]);
            if (!(distance <= INT32_MAX))
                return ab_bad_input("%s: the distance between nodes %d and %d is %g, which does not fit in 32 bits",
                                    ab_short_path(path), i + 1, j + 1, distance);
            if (dist == NULL) continue;
            dist[(size_t)i * (size_t)n + (size_t)j] = (int32_t)distance;
            dist[(size_t)j * (size_t)n + (size_t)i] = (int32_t)distance;
        }
    }
    return ab_ok();
}

/* Whether no distance between points can be too large: the diagonal of the box around them is not. No two of them are
 * farther apart than that, but for GEO, where no distance is too large at all; rounding does not change the order. */
static bool surely_fit(const tsp_rule *rule, const tsp_point *points, int n)
{
    tsp_point lowest, highest;
    tsp_find_box(points, n, &lowest, &highest);
    return rule->distance(lowest, highest) <= INT32_MAX;
}

ab_status tsp_check_distances(const char *path, const tsp_rule *rule, const tsp_point *points, int n)
{
    AB_TRY(check_coordinates(path, rule, points, n));
    if (surely_fit(rule, points, n)) return ab_ok();
    if (n <= TSP_MAX_CITIES) return fill_distances(path, rule, points, n, NULL);
    return ab_bad_input("%s: nodes are so far apart that distances may not fit in 32 bits", ab_short_path(path));
}

ab_status tsp_compute_distances(const char *path, const tsp_rule *rule, const tsp_point *points, int n, int32_t **dist)
{
    AB_TRY(check_coordinates(path, rule, points, n));
    AB_TRY(tsp_allocate_distances(n, dist));
    ab_status status = fill_distances(path, rule, points, n, *dist);
    if (status.code != AB_OK) {
        free(*dist);
        *dist = NULL;
    }
    return status;
}
