/* Edge maps from values, and what can be counted in them (images/edge_map.h). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "images/edge_map.h"

void edge_map_threshold_mean(int width, int height, const float *values, uint8_t *map)
{
    const size_t n = (size_t)width * (size_t)height;
    double sum = 0.0; /* equal floats add up without rounding, so that a flat matrix has no edges */
    for (size_t i = 0; i < n; i++) sum += (double)values[i];
    const double mean = sum / (double)n;
    for (size_t i = 0; i < n; i++) map[i] = (double)values[i] > mean;
}

static size_t count_pixels(int width, int height, const uint8_t *map)
{
    size_t count = 0;
    for (size_t i = 0; i < (size_t)width * (size_t)height; i++) count += map[i];
    return count;
}

ab_status edge_map_thickness(int width, int height, const uint8_t *map, double *thickness)
{
    const size_t size = (size_t)width * (size_t)height;
    uint8_t *skeleton = malloc(size);
    if (skeleton == NULL) return ab_failed("out of memory for the skeleton of %d x %d pixels", width, height);
    memcpy(skeleton, map, size);
    const bool thinned = edge_map_thin(width, height, 0, skeleton) >= 0;
    *thickness = (double)count_pixels(width, height, map) / (double)count_pixels(width, height, skeleton);
    free(skeleton);
    return thinned ? ab_ok() : ab_failed("out of memory to thin %d x %d pixels", width, height);
}
