/* Real distances as whole numbers, for a search that has these alone (instances/tsplib.h). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "instances/describe.h"

/* The power of two that brings a length near to 2^30: its distances are as fine then as 32 bits have them. */
static double fine_scale(double length, int finest)
{
    int exponent;
    if (length == 0.0) return 1.0;
    frexp(length, &exponent);
    return ldexp(1.0, 30 - exponent < finest ? 30 - exponent : finest);
}

/* In a square whose side is below 2^30, no two points are farther apart than 2^31. */
static ab_status place_on_plane(tsp_instance *instance)
{
    tsp_table *table = instance->table;
    const int finest = 1000; /* near to where the power of two would be infinite */
    tsp_point low, high;
    tsp_find_box(table->points, instance->n, &low, &high);
    table->scale = fine_scale(fmax(high.x - low.x, high.y - low.y), finest);
    instance->points = malloc((size_t)instance->n * sizeof *instance->points);
    if (instance->points == NULL) return ab_failed("no memory for %d cities", instance->n);
    for (int i = 0; i < instance->n; i++)
        instance->points[i] =
            (tsp_point){(table->points[i].x - low.x) * table->scale, (table->points[i].y - low.y) * table->scale};
    instance->rule = tsp_find_rule("EUC_2D");
    strcpy(instance->edge_weight_type, "plane");
    return ab_ok();
}

/* The angle that no two places on a sphere of radius 1 are farther apart than, by the box around them. */
static double widest_angle(const tsp_place *sphere, int n)
{
    tsp_place low = sphere[0], high = low;
    for (int i = 1; i < n; i++) {
        low = (tsp_place){fmin(low.x, sphere[i].x), fmin(low.y, sphere[i].y), fmin(low.z, sphere[i].z)};
        high = (tsp_place){fmax(high.x, sphere[i].x), fmax(high.y, sphere[i].y), fmax(high.z, sphere[i].z)};
    }
    const double chord = hypot(hypot(high.x - low.x, high.y - low.y), high.z - low.z);
    return 2.0 * asin(fmin(chord / 2.0, 1.0));
}

/* On a sphere so large that distances are below 2^30. */
static ab_status place_on_sphere(tsp_instance *instance)
{
    tsp_table *table = instance->table;
    const int finest = 50; /* as fine as doubles on a sphere of radius 1 are */
    const double radian = 3.14159265358979323846 / 180.0;
    tsp_place *sphere = instance->sphere = calloc((size_t)instance->n, sizeof *sphere);
    if (sphere == NULL) return ab_failed("no memory for %d cities", instance->n);
    for (int i = 0; i < instance->n; i++) {
        const double up = table->points[i].x * radian, along = table->points[i].y * radian;
        sphere[i] = (tsp_place){cos(up) * cos(along), cos(up) * sin(along), sin(up)};
    }
    const double radius = instance->radius = fine_scale(widest_angle(sphere, instance->n), finest);
    for (int i = 0; i < instance->n; i++)
        sphere[i] = (tsp_place){radius * sphere[i].x, radius * sphere[i].y, radius * sphere[i].z};
    table->scale = radius / TSP_EARTH_KM;
    strcpy(instance->edge_weight_type, "geo");
    return ab_ok();
}

ab_status tsp_table_place(tsp_instance *instance)
{
    return instance->table->geo ? place_on_sphere(instance) : place_on_plane(instance);
}
