/* Snapshots of colonies that no colony made (tests/support/snapshots.h). */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "instances/tsplib.h"
#include "tests/support/snapshots.h"

/* The first two cities become one. */
static void join_two_cities(int n, int32_t *dist)
{
    for (int j = 0; j < n; j++) dist[n + j] = dist[j * n + 1] = dist[j];
    dist[0] = dist[1] = dist[n] = dist[n + 1] = 0;
}

static void draw_pheromone(tsp_snapshot *snapshot, uint64_t *state)
{
    const int n = snapshot->n;
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++)
            snapshot->pheromone[i * n + j] = snapshot->pheromone[j * n + i] =
                (float)pow(10.0, -3.0 - 6.0 * random_below(state, 1000) / 1000.0);
}

/* Swaps cities of a tour, and closes it. */
static void shuffle(int n, int swaps, uint64_t *state, int32_t *tour)
{
    for (int i = 0; i < swaps; i++) {
        const int k = random_below(state, n), l = random_below(state, n), city = tour[k];
        tour[k] = tour[l];
        tour[l] = city;
    }
    tour[n] = tour[0];
}

static int64_t length_of(int n, const int32_t *dist, const int32_t *tour)
{
    int64_t length = 0;
    for (int i = 0; i < n; i++) length += dist[tour[i] * n + tour[i + 1]];
    return length;
}

tsp_snapshot random_snapshot(int n, uint64_t seed)
{
    tsp_instance instance;
    const size_t size = (size_t)n;
    assert_int_equal(tsp_generate(TSP_UNIFORM, n, seed, &instance).code, AB_OK);
    join_two_cities(n, instance.dist);
    tsp_snapshot snapshot = {.n = n,
                             .dist = instance.dist,
                             .pheromone = malloc(size * size * sizeof(float)),
                             .tours = malloc(size * (size + 1) * sizeof(int32_t)),
                             .lengths = malloc(size * sizeof(int64_t))};
    assert_true(snapshot.pheromone && snapshot.tours && snapshot.lengths);
    draw_pheromone(&snapshot, &seed);
    for (int ant = 0; ant < n; ant++) {
        int32_t *tour = snapshot.tours + ant * (n + 1);
        if (ant == 0)
            for (int i = 0; i < n; i++) tour[i] = i;
        else
            memcpy(tour, snapshot.tours + random_below(&seed, ant) * (n + 1), (size + 1) * sizeof *tour);
        shuffle(n, ant == 0 ? 2 * n : 3, &seed, tour);
        snapshot.lengths[ant] = length_of(n, instance.dist, tour);
    }
    return snapshot;
}

void random_snapshot_free(tsp_snapshot *snapshot)
{
    free((void *)snapshot->dist);
    tsp_snapshot_free(snapshot);
}
