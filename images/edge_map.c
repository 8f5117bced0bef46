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

double edge_map_thickness(int width, int height, const uint8_t *map)
{
    const size_t size = (size_t)width * (size_t)height;
    uint8_t *skeleton = malloc(size);
    if (skeleton == NULL) return NAN;
    memcpy(skeleton, map, size);
    double thickness = NAN;
    if (edge_map_thin(width, height, 0, skeleton) >= 0)
        thickness = (double)count_pixels(width, height, map) / (double)count_pixels(width, height, skeleton);
    free(skeleton);
    return thickness;
}

/* Takes the component of `seed` out of `left`. `stack` has room for every pixel: each is pushed once. */
static void remove_component(int width, int height, size_t seed, uint8_t *left, uint32_t *stack)
{
    size_t depth = 0;
    left[seed] = 0;
    stack[depth++] = (uint32_t)seed;
    while (depth > 0) {
        const int at = (int)stack[--depth], x = at % width, y = at / width;
        for (int ny = y > 0 ? y - 1 : 0; ny <= y + 1 && ny < height; ny++)
            for (int nx = x > 0 ? x - 1 : 0; nx <= x + 1 && nx < width; nx++) {
                const size_t neighbour = (size_t)ny * (size_t)width + (size_t)nx;
                if (!left[neighbour]) continue;
                left[neighbour] = 0;
                stack[depth++] = (uint32_t)neighbour;
            }
    }
}

int edge_map_components(int width, int height, const uint8_t *map)
{
    const size_t size = (size_t)width * (size_t)height;
    uint8_t *left = malloc(size);
    uint32_t *stack = malloc(size * sizeof *stack);
    int components = left != NULL && stack != NULL ? 0 : -1;
    if (components == 0) {
        memcpy(left, map, size);
        for (size_t i = 0; i < size; i++)
            if (left[i]) {
                remove_component(width, height, i, left, stack);
                components++;
            }
    }
    free(left);
    free(stack);
    return components;
}
