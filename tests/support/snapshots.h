/* Snapshots of colonies that no colony made: every test has one in no time, of any size. */
#ifndef ANTBENCH_TEST_SNAPSHOTS_H
#define ANTBENCH_TEST_SNAPSHOTS_H

#include "kernels/tsp/check/snapshot.h"

/* n random cities, of which the first two are one, random tours with their lengths, and symmetric pheromone over six
 * orders of magnitude. Tours are alike, as ants' are: each is that of an earlier ant but for a few cities. Fails the
 * cmocka test without memory. Free with random_snapshot_free. */
tsp_snapshot random_snapshot(int n, uint64_t seed);
void random_snapshot_free(tsp_snapshot *snapshot);

#endif
