/* Snapshots of a colony (kernels/tsp/check/snapshot.h). */
#include <stdlib.h>

#include "kernels/tsp/check/snapshot.h"
#include "kernels/tsp/tsp.h"

static ab_status allocate(tsp_snapshot *snapshot)
{
    const size_t n = (size_t)snapshot->n;
    snapshot->pheromone = malloc(n * n * sizeof *snapshot->pheromone);
    snapshot->tours = malloc(n * (n + 1) * sizeof *snapshot->tours);
    snapshot->lengths = malloc(n * sizeof *snapshot->lengths);
    if (snapshot->pheromone && snapshot->tours && snapshot->lengths) return ab_ok();
    return ab_failed("out of memory: %zu MiB for a colony's pheromone and tours", n * (2 * n + 1) * 4 >> 20);
}

static ab_status run_colony(tsp_colony *colony, tsp_snapshot *snapshot)
{
    tsp_result result = {.tours = snapshot->tours, .lengths = snapshot->lengths};
    for (int i = 0; i < TSP_SNAPSHOT_ITERATIONS; i++) AB_TRY(ab_iterate(&colony->work));
    AB_TRY(colony->methods->read(colony, &result));
    return colony->methods->read_pheromone(colony, snapshot->pheromone);
}

ab_status tsp_snapshot_take(int n, const int32_t *dist, uint64_t seed, tsp_snapshot *snapshot)
{
    const tsp_problem problem = {.n = n, .dist = dist};
    tsp_params params = tsp_default_params(n, TSP_ALL_ANTS);
    params.seed = seed;
    params.threads = 0;
    ab_work *work = NULL;
    AB_TRY(tsp_check_matrix(&problem));
    *snapshot = (tsp_snapshot){.n = n, .dist = dist};
    ab_status status = allocate(snapshot);
    if (status.code == AB_OK) status = ab_find_implementation("tsp/cpu-blocks", AB_CPU)->open(&problem, &params, &work);
    if (status.code == AB_OK) status = run_colony((tsp_colony *)work, snapshot);
    if (work) work->methods->close(work);
    if (status.code != AB_OK) tsp_snapshot_free(snapshot);
    return status;
}

void tsp_snapshot_free(tsp_snapshot *snapshot)
{
    free(snapshot->pheromone);
    free(snapshot->tours);
    free(snapshot->lengths);
    *snapshot = (tsp_snapshot){0};
}
