/* The nearest cities of each city, and tours to begin a search with. Both are guides for a search: where
 * distances follow coordinates, cities are near by these, on a sphere in space, on a flat map for GEO. */
#ifndef ANTBENCH_NEIGHBOURS_H
#define ANTBENCH_NEIGHBOURS_H

#include "base/memory.h"
#include "instances/tsplib.h"

enum { NEIGHBOURS = 7, NEIGHBOURS_MOST = 8 };

typedef struct neighbours {
    int count;        /* number per city, at most NEIGHBOURS_MOST */
    int per_quadrant; /* number of each quadrant around a city, as far as there are so many */
    int32_t *city;    /* [n][count] */
} neighbours;

/* Finds the NEIGHBOURS nearest of each city, or n - 1, nearest first. A k-d tree (Bentley 1975) takes O(n log n), a
 * matrix O(n^2), on `threads` threads. AB_FAILED where there is no memory. Free the memory in every case. */
ab_status neighbours_find(const tsp_instance *cities, int threads, neighbours *near, ab_memory *memory);

/* Finds NEIGHBOURS_MOST of each city: the two nearest of each quadrant around it, then the nearest others (Johnson and
 * McGeoch 1997). So a city of a cluster has neighbours outside of it. On a sphere and in a matrix all are the nearest. */
ab_status neighbours_find_around(const tsp_instance *cities, int threads, neighbours *near, ab_memory *memory);

/* order[n]: the cities along Hilbert's curve, whose tour is about 25 % longer than the shortest (Platzman and Bartholdi
 * 1989); as they are numbered where there is a matrix. */
ab_status order_along_curve(const tsp_instance *cities, int32_t *order);

/* Makes an order a greedy tour (Bentley 1992), about 16 % longer than the shortest. It repeatedly takes the shortest
 * edge between near cities that closes no ring and gives no city a third edge. It repeats this with the ends of the
 * paths alone, and at last joins the paths in the order of their first cities. Returns AB_FAILED if there is no memory. */
ab_status order_greedily(const tsp_instance *cities, const neighbours *near, int32_t *order);

#endif
