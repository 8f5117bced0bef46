/* An order of the cities in which those that lie together follow each other (baselines/neighbourhoods.h). */
#include <stdlib.h>

#include "baselines/neighbourhoods.h"

typedef struct keyed {
    int32_t key;
    uint16_t city;
} keyed;

static int by_key(const void *a, const void *b)
{
    const keyed *one = a, *other = b;
    if (one->key != other->key) return one->key < other->key ? -1 : 1;
    return (one->city > other->city) - (one->city < other->city);
}

static int farthest_from(const tsp_problem *problem, const keyed *cities, size_t count, int from)
{
    int farthest = from;
    for (size_t k = 0; k < count; k++)
        if (tsp_distance(problem, from, cities[k].city) > tsp_distance(problem, from, farthest))
            farthest = cities[k].city;
    return farthest;
}

/* Halves the cities, those nearer to one of two far ones from those nearer to the other, and each half again until it
 * is a block. Granules are whole. */
static void put_in_order(const tsp_problem *problem, keyed *cities, size_t count, size_t granule)
{
    if (count <= BLOCK) return;
    const int one = farthest_from(problem, cities, count, cities[0].city);
    const int other = farthest_from(problem, cities, count, one);
    for (size_t k = 0; k < count; k++)
        cities[k].key = tsp_distance(problem, cities[k].city, one) - tsp_distance(problem, cities[k].city, other);
    qsort(cities, count, sizeof *cities, by_key);
    const size_t whole = count > granule ? granule : BLOCK;
    const size_t half = (count / 2 + whole - 1) / whole * whole;
    put_in_order(problem, cities, half, granule);
    put_in_order(problem, cities + half, count - half, granule);
}

ab_status neighbourhoods(const tsp_problem *problem, size_t granule, uint16_t *city)
{
    const size_t n = (size_t)problem->n;
    keyed *cities = malloc(n * sizeof *cities);
    if (cities == NULL) return ab_failed("out of memory");
    for (size_t k = 0; k < n; k++) cities[k] = (keyed){0, (uint16_t)k};
    put_in_order(problem, cities, n, granule);
    for (size_t k = 0; k < n; k++) city[k] = cities[k].city;
    free(cities);
    return ab_ok();
}
