/* Moves that a local search has left (kernels/tsp/check/improved.h). */
#include <stdlib.h>

#include "kernels/tsp/check/improved.h"

ab_status tsp_improved_open(const tsp_problem *problem, tsp_improved_lists *lists)
{
    const int count = problem->n - 1 < TSP_IMPROVED_NEAR + 1 ? problem->n - 1 : TSP_IMPROVED_NEAR + 1;
    *lists = (tsp_improved_lists){.n = problem->n, .count = count};
    lists->where = malloc((size_t)problem->n * sizeof *lists->where);
    if (!lists->where) return ab_failed("out of memory: %d cities", problem->n);
    return tsp_nearest_neighbours(problem, count, &lists->near);
}

void tsp_improved_close(tsp_improved_lists *lists)
{
    free(lists->near);
    free(lists->where);
    *lists = (tsp_improved_lists){0};
}

/* Whether there is one that takes out the edge from tour[i] to the next city, or, with step -1, to the one before. */
static bool has_move(const tsp_problem *problem, const tsp_improved_lists *lists, const int32_t *tour, int i, int step)
{
    const int n = lists->n, city = tour[i], next = tour[(i + step + n) % n];
    const int32_t *near = lists->near + (size_t)city * (size_t)lists->count;
    const int64_t edge = tsp_distance(problem, city, next);
    const int32_t last = tsp_distance(problem, city, near[lists->count - 1]);
    for (int k = 0; k < lists->count; k++) {
        const int32_t to = tsp_distance(problem, city, near[k]);
        if (to >= edge || (lists->count > TSP_IMPROVED_NEAR && to == last)) return false;
        const int after = tour[(lists->where[near[k]] + step + n) % n];
        if (edge + tsp_distance(problem, near[k], after) > to + (int64_t)tsp_distance(problem, next, after))
            return true;
    }
    return false;
}

/* Whether every list of so many cities has b as a near city of a. */
static bool is_near(const tsp_problem *problem, const tsp_improved_lists *lists, int a, int b)
{
    const int32_t *near = lists->near + (size_t)a * (size_t)lists->count;
    const int32_t last = tsp_distance(problem, a, near[lists->count - 1]);
    for (int k = 0; k < lists->count; k++)
        if (near[k] == b) return lists->count <= TSP_IMPROVED_NEAR || tsp_distance(problem, a, b) < last;
    return false;
}

/* True if carrying the cities from tour[i] on, `length` against `step`, makes the tour shorter. The first comes
 * beside a near city `to`, and the last beside the city beyond `to` on that side. */
static bool carrying_pays(const tsp_problem *problem, const tsp_improved_lists *lists, const int32_t *tour, int i,
                          int step, int length, int to, int side)
{
    const int n = lists->n, city = tour[i], next = tour[(i + step + n) % n];
    const int last = tour[(i - (length - 1) * step + n) % n], behind = tour[(i - length * step + n) % n];
    const int other = tour[(lists->where[to] + side + n) % n];
    const int64_t first = (int64_t)tsp_distance(problem, city, next) - tsp_distance(problem, city, to);
    const int64_t second = first + tsp_distance(problem, to, other) - tsp_distance(problem, last, other);
    if (first <= 0 || second <= 0 || !is_near(problem, lists, other, last)) return false;
    return second + tsp_distance(problem, last, behind) > tsp_distance(problem, next, behind);
}

/* Whether the city is among the `length` that are carried. */
static bool is_carried(const tsp_improved_lists *lists, int i, int step, int length, int city)
{
    const int n = lists->n, back = ((i - lists->where[city]) * step + n) % n;
    return back < length;
}

static bool has_carried(const tsp_problem *problem, const tsp_improved_lists *lists, const int32_t *tour, int i,
                        int step)
{
    const int n = lists->n, city = tour[i];
    const int32_t *near = lists->near + (size_t)city * (size_t)lists->count;
    for (int length = 1; length <= TSP_IMPROVED_CARRIED && length <= n - 3; length++)
        for (int k = 0; k < lists->count; k++)
            for (int side = -1; side <= 1; side += 2) {
                const int other = tour[(lists->where[near[k]] + side + n) % n];
                if (is_carried(lists, i, step, length, near[k]) || is_carried(lists, i, step, length, other)) continue;
                if (is_near(problem, lists, city, near[k]) &&
                    carrying_pays(problem, lists, tour, i, step, length, near[k], side))
                    return true;
            }
    return false;
}

int tsp_improved_count_carried(const tsp_problem *problem, const tsp_improved_lists *lists, const int32_t *tour)
{
    int left = 0;
    for (int i = 0; i < lists->n; i++) lists->where[tour[i]] = i;
    for (int i = 0; i < lists->n; i++)
        left += has_carried(problem, lists, tour, i, 1) || has_carried(problem, lists, tour, i, -1);
    return left;
}

int tsp_improved_count_left(const tsp_problem *problem, const tsp_improved_lists *lists, const int32_t *tour)
{
    int left = 0;
    for (int i = 0; i < lists->n; i++) lists->where[tour[i]] = i;
    for (int i = 0; i < lists->n; i++)
        left += has_move(problem, lists, tour, i, 1) || has_move(problem, lists, tour, i, -1);
    return left;
}
