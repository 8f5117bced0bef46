/* Opening and closing a CPU colony (baselines/cpu_open.h). */
#include <omp.h>
#include <stdlib.h>

#include "baselines/cpu_improve.h"
#include "baselines/cpu_open.h"

static int resolve_threads(int threads, int n_ants)
{
    const int wanted = threads > 0 ? threads : omp_get_num_procs();
    return wanted < n_ants ? wanted : n_ants;
}

ab_status cpu_colony_init(cpu_colony *colony, const tsp_problem *problem, const tsp_params *params, int threads)
{
    AB_TRY(tsp_check(problem, params));
    const size_t n = (size_t)problem->n, n_ants = (size_t)params->n_ants;
    colony->problem = *problem;
    colony->params = *params;
    colony->params.threads = colony->colony.work.threads = resolve_threads(threads, params->n_ants);
    colony->best_length = colony->best_before = INT64_MAX;
    colony->tours = ab_allocate(&colony->memory, n_ants * (n + 1), sizeof *colony->tours);
    colony->lengths = ab_allocate(&colony->memory, n_ants, sizeof *colony->lengths);
    colony->best_tour = ab_allocate(&colony->memory, n + 1, sizeof *colony->best_tour);
    colony->links = ab_allocate(&colony->memory, n_ants * n, sizeof *colony->links);
    AB_TRY(ab_memory_status(&colony->memory));
    return cpu_improve_init(colony);
}

void cpu_colony_close(ab_work *work)
{
    if (work == NULL) return;
    cpu_improve_free((cpu_colony *)work);
    ab_memory_free(&((cpu_colony *)work)->memory);
    free(work);
}
