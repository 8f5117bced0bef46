/* Tours in TSPLIB's files, for tests of instances against published optima. */
#ifndef ANTBENCH_TEST_TOURS_H
#define ANTBENCH_TEST_TOURS_H

#include "instances/tsplib.h"

/* Reads the cities of a file's TOUR_SECTION into tour[n], from 0. Fails the cmocka test unless it is a permutation. */
void read_tour(const char *path, int n, int32_t *tour);

/* Length of the closed tour through tour[0..n-1]. */
int64_t tour_length(const tsp_instance *instance, const int32_t *tour);

#endif
