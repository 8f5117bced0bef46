/* Moves that a local search has left (kernels/tsp/check/improved.h). */
#include <stdlib.h>

#include "kernels/tsp/check/improved.h"

ab_status improved_open(const as_problem *problem, improved_lists *lists)
{
    const int count = problem->n - 1 < IMPROVED_NEAR + 1 ? problem->n - 1 : IMPROVED_NEAR + 1;
    *lists = (improved_lists){.n = problem->n, .count = count};
    lists->where = malloc((size_t)problem->n * sizeof *lists->where);
    if (!lists->where) return ab_failed("out of memory: %d cities", problem->n);
    return as_nearest_neighbours(problem, count, &lists->near);
}

void improved_close(improved_lists *lists)
{
    free(lists->near);
    free(lists->where);
    *lists = (improved_lists){0};
}

/* Whether there is one that takes out the edge from tour[i] to the next city, or, with step -1, to the one before. */
static bool has_move(const as_problem *problem, const improved_lists *lists, const int32_t *tour, int i, int step)
{
    const int n = lists->n, city = tour[i], next = tour[(i + step + n) % n];
    const int32_t *near = lists->near + (size_t)city * (size_t)lists->count;
    const int64_t edge = as_distance(problem, city, next);
    const int32_t last = as_distance(problem, city, near[lists->count - 1]);
    for (int k = 0; k < lists->count; k++) {
        const int32_t to = as_distance(problem, city, near[k]);
        if (to >= edge || (lists->count > IMPROVED_NEAR && to == last)) return false;
        const int after = tour[(lists->where[near[k]] + step + n) % n];
        if (edge + as_distance(problem, near[k], after) > to + (int64_t)as_distance(problem, next, after)) return true;
    }
    return false;
}

int improved_count_left(const as_problem *problem, const improved_lists *lists, const int32_t *tour)
{
    int left = 0;
    for (int i = 0; i < lists->n; i++) lists->where[tour[i]] = i;
    for (int i = 0; i < lists->n; i++)
        left += has_move(problem, lists, tour, i, 1) || has_move(problem, lists, tour, i, -1);
    return left;
}
