/* Crosses tours: gives one the better parts of another (edge assembly: Nagata and Kobayashi 1997, 2013).
 *
 * The edges in which two tours differ form rings, of an edge of each tour in turn. To exchange one ring's edges leaves
 * paths of the one tour, which new edges join. Where they join to several closed tours, the smallest is joined to
 * another by an exchange of two edges. What makes the tour shorter is kept. So each place of it becomes as good as the
 * better of both, however many places there are. */
#ifndef ANTBENCH_CROSS_H
#define ANTBENCH_CROSS_H

#include <stdint.h>

#include "base/memory.h"
#include "tours/neighbours.h"

typedef struct cross_tour {
    int32_t *at, *where; /* [n] the city at each position, and the position of each city */
    int64_t length;
} cross_tour;

typedef struct crossing crossing; /* what a thread needs for it */

/* Allocates what a thread needs. */
crossing *crossing_allocate(const tsp_instance *cities, const neighbours *near, ab_memory *memory);

/* Takes the order at[n] as it stands there, with its length. */
void cross_tour_number(cross_tour *tour, int n, int64_t length);

/* Makes a tour shorter by parts of another, each tried with that probability; returns by how much. */
int64_t cross(crossing *with, cross_tour *tour, const cross_tour *other, double probability, uint64_t *random);

#endif
