/* Edge maps: [height][width] of 0 and 1, how they are made from a pheromone matrix, thinned, and judged.
 */
#ifndef ANTBENCH_EDGE_MAP_H
#define ANTBENCH_EDGE_MAP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* 1 where the value is above the mean of all (thesis §5.5.2), into map[height][width]. */
void edge_map_threshold_mean(int width, int height, const float *values, uint8_t *map);

/* ---- Thinning by Guo & Hall, "Parallel thinning with two-subiteration algorithms", CACM 32(3), 1989, algorithm A1 */

/* Tables for the centre of each 3x3 neighbourhood in sub-iteration 0 and 1: table[s][index] is 0 or 1. The index is
 * thesis Fig. 6.4's, column by column. Its bits are 256 top left, 128 left, 64 bottom left, 32 top, 16 centre, 8
 * bottom, 4 top right, 2 right, 1 bottom right. The tables are computed from the published conditions. Sub-iteration 0,
 * the paper's odd one, removes edges from the north and east, sub-iteration 1 from the south and west. */
void guo_hall_tables(uint8_t tables[2][512]);

/* Thins in place: `passes` times both sub-iterations, or until nothing changes for passes 0. Pixels outside are 0.
 * Returns the passes that changed a pixel, or -1 when out of memory. Never changes the number of components or
 * holes. */
int edge_map_thin(int width, int height, int passes, uint8_t *map);

/* ---- Judging a map against known edges ---- */

typedef struct edge_quality {
    double precision; /* share of found pixels within `radius` of a true one; 1 when none is found */
    double recall;    /* share of true pixels within `radius` of a found one; 1 without true pixels */
    double f;         /* their harmonic mean */
    double pratt;     /* Pratt's figure of merit: sum over found of 1/(1 + d^2/9), over max(found, true) */
    int found, truth; /* pixels */
} edge_quality;

/* Compares `found` with `truth`, both [height][width], by Euclidean distance <= radius pixels. AB_FAILED when out of
 * memory. */
ab_status edge_map_compare(int width, int height, const uint8_t *found, const uint8_t *truth, double radius,
                           edge_quality *quality);

/* The same F for the radius EDGE_MAP_NEAR, which takes in the 8 neighbours and no other pixel, ten times as fast.
 * `scratch` has 2 * width * height bytes. */
#define EDGE_MAP_NEAR 1.5
double edge_map_near_f(int width, int height, const uint8_t *found, const uint8_t *truth, uint8_t *scratch);

/* Finds the best F over thresholds. A map has the values above t. t is the smallest value or one of the quantiles 1/n
 * .. (n-1)/n, with n = `thresholds` >= 1. With `thin`, each map is first thinned to convergence. *threshold is the best
 * t, the smallest among equals. The values are finite. */
ab_status edge_map_best_f(int width, int height, const float *values, const uint8_t *truth, double radius,
                          int thresholds, bool thin, edge_quality *best, double *threshold);

/* Mean thickness of the edges in pixels: pixels of the map over pixels of its skeleton (thinned to convergence); NAN
 * for an empty map. AB_FAILED when out of memory. */
ab_status edge_map_thickness(int width, int height, const uint8_t *map, double *thickness);

#ifdef __cplusplus
}
#endif
#endif
