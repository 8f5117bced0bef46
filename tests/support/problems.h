/* Problems for tests, without files. */
#ifndef ANTBENCH_TEST_PROBLEMS_H
#define ANTBENCH_TEST_PROBLEMS_H

#include "kernels/tsp/tsp.h"

/* n cities at random on a side x side grid, EUC_2D distances; a small side gives duplicate cities. One (n, side, seed)
 * gives one problem on every machine. Free with free_problem. */
tsp_problem random_problem(int n, int side, uint64_t seed);
void free_problem(tsp_problem *problem);

/* The next of a sequence of random numbers in [0, 1). */
double test_random(uint64_t *state);

/* Fails the cmocka test unless tour[n + 1] is a closed tour through every city once, and `length` is its length. */
void assert_tour(const tsp_problem *problem, const int32_t *tour, int64_t length);

#endif
