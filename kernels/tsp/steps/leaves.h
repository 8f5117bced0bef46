/* Cities in leaves of 32 that lie together, so that the nearest of those that are left is found without a look at
 * all.
 *
 * The cities follow each other along Hilbert's curve; 32 of them are a leaf, 32 leaves a group, each with the box
 * around its points. Which cities are left is a bit each, a word a leaf. No city of a box is nearer than the box's
 * own nearest point, by every rule on a plane: rounding does not change an order. Where there are no points
 * (tsp_problem) the cities follow by their numbers, and no box is far.
 */
#ifndef ANTBENCH_TSP_LEAVES_H
#define ANTBENCH_TSP_LEAVES_H

#include "base/memory.h"
#include "kernels/tsp/tsp.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { LEAF = 32 /* cities of a leaf, and leaves of a group */ };

typedef struct tsp_box {
    tsp_point low, high;
} tsp_box;

typedef struct tsp_leaves {
    int n_leaves, n_groups;
    int32_t *city;   /* [n]: the cities in the order of their places */
    int32_t *place;  /* [n]: of each city; place / LEAF is its leaf */
    tsp_box *boxes;  /* [n_leaves]; zeroed where there are no points */
    tsp_box *groups; /* [n_groups] */
    ab_memory memory;
} tsp_leaves;

/* Makes them; free them in every case. AB_FAILED or AB_UNSUPPORTED where there is no memory. */
ab_status tsp_leaves_make(const tsp_problem *problem, tsp_leaves *leaves);
void tsp_leaves_free(tsp_leaves *leaves); /* accepts a zeroed one */

/* Sets left[n_leaves]: every city. Bit place % LEAF of word place / LEAF is a city's. */
void tsp_leaves_fill(const tsp_leaves *leaves, int n, uint32_t *left);

/* No city in the box is nearer to `from`. */
int32_t tsp_box_distance(const tsp_problem *problem, int from, const tsp_box *box);

/* The nearest city to `from` that is left, the lowest index among equals; -1 where none is. */
int tsp_leaves_nearest(const tsp_problem *problem, const tsp_leaves *leaves, int from, const uint32_t *left);

#ifdef __cplusplus
}
#endif
#endif
