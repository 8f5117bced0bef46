/* A lower bound for the length of every tour: no tour is shorter.
 *
 * A 1-tree is a tree that spans all cities and one more edge at a leaf of it. A tour less one of its cities is a tree,
 * so the shortest 1-tree of a leaf is no longer than any tour. A potential, added to each edge at a city, lengthens
 * every tour by twice its amount, but changes the tree. Potentials grow at the cities that have more than two edges and
 * fall at leaves, until the tree is nearly a tour (Held and Karp 1970, 1971). Steps become shorter, and a part of each
 * is the step before (Volgenant and Jonker 1982).
 *
 * The steps look at near cities alone. The bound itself is the shortest 1-tree over all pairs of cities, by Prim's
 * algorithm, in exact arithmetic. */
#ifndef ANTBENCH_BOUND_H
#define ANTBENCH_BOUND_H

#include <stdint.h>

#include "instances/tsplib.h"

/* *bound: the least length that a tour may have, in the search's integers; -1 if `seconds` are too few to find one. The
 * instance is a located one. AB_FAILED where there is no memory. */
ab_status bound_find(const tsp_instance *cities, double seconds, int64_t *bound);

#endif
