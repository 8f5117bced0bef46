/* What stage "improve" must leave: tours that 2-opt can hardly make shorter. If it is repeated until it finds no move,
 * neither 2-opt nor Or-opt may make them shorter.
 *
 * Don't-look bits leave a few moves out: a city is looked at again only if an edge at it has changed. So after one run
 * nearly every city, not every city, must be without a move. Only near cities that every list of this length has are
 * tried: cities strictly nearer than the first one beyond.
 */
#ifndef ANTBENCH_TSP_IMPROVED_H
#define ANTBENCH_TSP_IMPROVED_H

#include "kernels/tsp/tsp.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    TSP_IMPROVED_NEAR = 7,   /* no stage has shorter lists */
    TSP_IMPROVED_CARRIED = 3 /* cities that an Or-opt carries at most */
};

/* The share of cities that may be left with a move, beside a few. Tours of nearest neighbours have a move at a sixth
 * of their cities or more. After the stage, d198, a280, pcb442 and clusters have one at 0.3 % of them, and one tour
 * at 4 %. */
#define TSP_IMPROVED_MOST_LEFT 0.10
enum { TSP_IMPROVED_FEW = 2 };

typedef struct tsp_improved_lists {
    int n, count;
    int32_t *near;  /* [n][count]: the nearest, nearest first */
    int32_t *where; /* [n]: scratch */
} tsp_improved_lists;

/* Makes the lists; free them in every case. */
ab_status tsp_improved_open(const tsp_problem *problem, tsp_improved_lists *lists);
void tsp_improved_close(tsp_improved_lists *lists); /* accepts a zeroed one */

/* Cities of the closed tour [n + 1] at which a 2-opt with an edge to a near city would make it shorter. */
int tsp_improved_count_left(const tsp_problem *problem, const tsp_improved_lists *lists, const int32_t *tour);

/* The number of cities at which a move of Or-opt makes the tour shorter: one to three cities are carried to beside a
 * near city. Both new edges are in lists and shorter than an edge that goes, so that every stage tries these moves. */
int tsp_improved_count_carried(const tsp_problem *problem, const tsp_improved_lists *lists, const int32_t *tour);

#ifdef __cplusplus
}
#endif
#endif
