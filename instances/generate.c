/* Random instances in the style of the DIMACS TSP challenge (Johnson & McGeoch): stand-ins for TSPLIB files that are
 * not there. One seed gives one instance on every machine, so all coordinates are drawn in integer arithmetic. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/digest.h"
#include "base/random.h"
#include "instances/describe.h"
#include "instances/distances.h"

enum { SIDE = 1000000 };

/* Normal with mean 0 and this standard deviation, as the sum of 12 uniform numbers (Irwin-Hall: their variance is 1):
 * Box-Muller needs logarithms, whose last bits differ between C libraries. Never beyond 6 standard deviations. */
static int64_t next_normal(uint64_t *state, int64_t deviation)
{
    int64_t sum = -6 * (INT64_C(1) << 32);
    for (int i = 0; i < 12; i++) sum += (int64_t)(splitmix64(state) >> 32);
    return sum * deviation / (INT64_C(1) << 32);
}

static void draw_uniform(uint64_t *state, tsp_point *points, int n)
{
    for (int i = 0; i < n; i++) {
        points[i].x = (double)random_below(state, SIDE);
        points[i].y = (double)random_below(state, SIDE);
    }
}

/* Every city lies around one of n/100 uniform centres, with a standard deviation that keeps the density independent of
 * n. Some lie outside of the square, as in the challenge. */
static ab_status draw_clustered(uint64_t *state, tsp_point *points, int n)
{
    const int n_centres = n < 100 ? 1 : n / 100;
    const int64_t deviation = (int64_t)((double)SIDE / sqrt(n));
    tsp_point *centres = malloc((size_t)n_centres * sizeof *centres);
    if (centres == NULL) return ab_failed("no memory for %d centres", n_centres);
    draw_uniform(state, centres, n_centres);
    for (int i = 0; i < n; i++) {
        const tsp_point centre = centres[random_below(state, n_centres)];
        points[i].x = centre.x + (double)next_normal(state, deviation);
        points[i].y = centre.y + (double)next_normal(state, deviation);
    }
    free(centres);
    return ab_ok();
}

static ab_status draw_points(tsp_kind kind, int n, uint64_t seed, tsp_point **points)
{
    *points = malloc((size_t)n * sizeof **points);
    if (*points == NULL) return ab_failed("no memory for %d cities", n);
    if (kind == TSP_CLUSTERED) return draw_clustered(&seed, *points, n);
    draw_uniform(&seed, *points, n);
    return ab_ok();
}

/* Fills in what is wanted beside the name. */
static ab_status draw_instance(tsp_kind kind, uint64_t seed, tsp_wanted wanted, tsp_instance *instance)
{
    const int n = instance->n;
    AB_TRY(draw_points(kind, n, seed, &instance->points));
    if (tsp_wants_points(wanted)) return ab_ok();
    AB_TRY(tsp_compute_distances("generated", instance->rule, instance->points, n, &instance->dist));
    sha256_hex(instance->dist, (size_t)n * (size_t)n * sizeof *instance->dist, instance->sha256);
    free(instance->points);
    instance->points = NULL;
    return ab_ok();
}

ab_status tsp_generate_wanted(tsp_kind kind, int n, uint64_t seed, tsp_wanted wanted, tsp_instance *instance)
{
    const int most = tsp_wants_points(wanted) ? TSP_MAX_LOCATED : TSP_MAX_CITIES;
    *instance = (tsp_instance){0};
    if (n < 1 || n > most) return ab_bad_input("a generated instance has 1 to %d cities, not %d", most, n);
    *instance = (tsp_instance){.edge_weight_type = "EUC_2D", .rule = tsp_find_rule("EUC_2D"), .n = n, .stand_in = true};
    snprintf(instance->name, sizeof instance->name, "%c%d", kind == TSP_CLUSTERED ? 'c' : 'u', n);
    if (wanted == TSP_DESCRIBED) return ab_ok();
    const ab_status status = draw_instance(kind, seed, wanted, instance);
    if (status.code != AB_OK) tsp_free(instance);
    return status;
}

ab_status tsp_generate(tsp_kind kind, int n, uint64_t seed, tsp_instance *instance)
{
    return tsp_generate_wanted(kind, n, seed, TSP_DISTANCES, instance);
}
