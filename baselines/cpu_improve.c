/* Local search on the tours of a CPU colony (baselines/cpu_improve.h). */
#include <omp.h>
#include <stdlib.h>

#include "baselines/cpu_improve.h"
#include "tours/search.h"

/* A thread's: cache lines of its own. */
typedef struct searcher {
    search search;
    int32_t *rank; /* [n]: where in the tour a city is */
    ab_memory memory;
} __attribute__((aligned(128))) searcher;

struct cpu_improver {
    const ab_work_methods *own; /* the colony's, without this stage */
    tsp_instance cities;        /* the problem, to read */
    neighbours near;
    searcher *searchers; /* [threads] */
    ab_memory memory;
};

/* ---- The stage ---- */

static bool never(void *context)
{
    (void)context;
    return false;
}

static void improve_tour(cpu_colony *colony, int ant)
{
    const int n = colony->problem.n;
    searcher *mine = &colony->improver->searchers[omp_get_thread_num()];
    int32_t *tour = cpu_colony_tour(colony, ant);
    for (int i = 0; i < n; i++) mine->rank[tour[i]] = i;
    search_load(&mine->search, &colony->improver->near, tour, mine->rank, 0, n, false);
    colony->lengths[ant] -= search_descend(&mine->search);
    search_store(&mine->search, tour, 0, n);
    tour[n] = tour[0];
}

static void improve(cpu_colony *colony)
{
    const bool all = colony->params.improve == TSP_IMPROVE_ALL;
    const int best = all ? 0 : cpu_colony_shortest(colony), end = all ? colony->params.n_ants : best + 1;
#pragma omp parallel for num_threads(colony->params.threads) schedule(dynamic)
    for (int ant = best; ant < end; ant++) improve_tour(colony, ant);
    cpu_colony_keep_best(colony);
}

static ab_status run_stage(ab_work *work, int stage)
{
    cpu_colony *colony = (cpu_colony *)work;
    const ab_work_methods *own = colony->improver->own;
    if (stage != TSP_CONSTRUCT + 1) return own->run_stage(work, stage > TSP_CONSTRUCT ? stage - 1 : stage);
    improve(colony);
    return ab_ok();
}

static void close_colony(ab_work *work)
{
    if (work) ((cpu_colony *)work)->improver->own->close(work);
}

static const ab_work_methods improving_methods = {
    .n_stages = TSP_STAGES + 1,
    .stage_names = {"choice", "construct", "improve", "update"},
    .run_stage = run_stage,
    .close = close_colony,
};

/* ---- Opening, closing ---- */

static ab_status prepare(struct cpu_improver *improver, const tsp_problem *problem, int threads)
{
    /* What takes an instance only reads it. */
    improver->cities = (tsp_instance){.n = problem->n,
                                      .dist = (int32_t *)(uintptr_t)problem->dist,
                                      .points = (tsp_point *)(uintptr_t)problem->points,
                                      .rule = problem->points ? problem->rule : NULL};
    improver->searchers = ab_allocate(&improver->memory, (size_t)threads, sizeof *improver->searchers);
    AB_TRY(ab_memory_status(&improver->memory));
    for (int t = 0; t < threads; t++) {
        searcher *one = &improver->searchers[t];
        one->search.moves = SEARCH_OR_OPT;
        one->search.stops = never;
        one->rank = ab_allocate(&one->memory, (size_t)problem->n, sizeof *one->rank);
        search_allocate(&one->search, &improver->cities, problem->n, &one->memory);
        AB_TRY(ab_memory_status(&one->memory));
    }
    return neighbours_find(&improver->cities, threads, &improver->near, &improver->memory);
}

ab_status cpu_improve_init(cpu_colony *colony)
{
    if (colony->params.improve == TSP_IMPROVE_NONE) return ab_ok();
    colony->improver = calloc(1, sizeof *colony->improver);
    if (!colony->improver) return ab_failed("out of memory");
    colony->improver->own = colony->colony.work.methods;
    colony->colony.work.methods = &improving_methods;
    return prepare(colony->improver, &colony->problem, colony->params.threads);
}

void cpu_improve_free(cpu_colony *colony)
{
    struct cpu_improver *improver = colony->improver;
    if (!improver) return;
    for (int t = 0; improver->searchers && t < colony->params.threads; t++)
        ab_memory_free(&improver->searchers[t].memory);
    ab_memory_free(&improver->memory);
    free(improver);
}
