/* Snapshots of a colony. An operation that is one stage of an iteration is opened with a snapshot. So the stage is
 * timed on the data of a run, not on equal numbers everywhere. */
#ifndef ANTBENCH_TSP_SNAPSHOT_H
#define ANTBENCH_TSP_SNAPSHOT_H

#include <stdint.h>

#include "base/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Number of iterations before a snapshot. At rho = 0.5 they leave a thirty-second of the initial pheromone. So the
 * pheromone comes from the ants and spans orders of magnitude, and tours share edges as in a run. */
enum { TSP_SNAPSHOT_ITERATIONS = 5 };

/* What a colony of n ants on n cities has in memory after an iteration in which every ant deposited. */
typedef struct tsp_snapshot {
    int n;               /* cities, and ants */
    const int32_t *dist; /* [n][n], the instance's */
    float *pheromone;    /* [n][n], symmetric, more than 0 */
    int32_t *tours;      /* [n][n + 1], closed */
    int64_t *lengths;    /* [n] */
} tsp_snapshot;

/* Runs tsp/cpu-blocks with JPDC's parameters (section 4.1: n ants, alpha 1, beta 2, rho 0.5, every ant deposits) on all
 * cores; one seed gives one snapshot, whatever their number. AB_UNSUPPORTED where tsp/cpu-blocks is. Free with
 * tsp_snapshot_free. */
ab_status tsp_snapshot_take(int n, const int32_t *dist, uint64_t seed, tsp_snapshot *snapshot);
void tsp_snapshot_free(tsp_snapshot *snapshot); /* accepts a zeroed one */

#ifdef __cplusplus
}
#endif
#endif
