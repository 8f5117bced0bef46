/* Does every step of a tour follow the rule for candidate sets? (tests/support/candidate_steps.h) */
#include <stdlib.h>
#include <string.h>

#include "tests/support/candidate_steps.h"

void candidate_choice(const tsp_problem *problem, const tsp_params *params, const float *pheromone, double *choice)
{
    const size_t n = (size_t)problem->n;
    for (size_t k = 0; k < n * n; k++)
        choice[k] = tsp_power(pheromone[k], params->alpha) * tsp_power(1.0 / (problem->dist[k] + 0.1), params->beta);
}

/* What the rule needs to know of one step. */
typedef struct step {
    bool candidate;        /* an unvisited candidate has a weight */
    bool chosen_candidate; /* and the chosen city is such a one */
    double largest;        /* choice of an unvisited city */
    int first_equal;       /* the unvisited city of lowest index that weighs exactly what the chosen one does */
} step;

static step look_around(const tsp_problem *problem, const double *choice, const bool *visited, int city, int chosen)
{
    const int32_t *list = problem->nn_list + (size_t)city * (size_t)problem->nn;
    const double *row = choice + (size_t)city * (size_t)problem->n;
    step s = {.first_equal = -1};
    for (int k = 0; k < problem->nn; k++) {
        if (visited[list[k]] || !(row[list[k]] > 0.0)) continue;
        s.candidate = true;
        if (list[k] == chosen) s.chosen_candidate = true;
    }
    for (int j = 0; j < problem->n; j++) {
        if (visited[j]) continue;
        if (row[j] > s.largest) s.largest = row[j];
        if (s.first_equal < 0 && row[j] == row[chosen]) s.first_equal = j;
    }
    return s;
}

static ab_status check_step(const tsp_problem *problem, const double *choice, double tolerance, const bool *visited,
                            int city, int chosen, candidate_steps *counts)
{
    const step s = look_around(problem, choice, visited, city, chosen);
    const double weight = choice[(size_t)city * (size_t)problem->n + (size_t)chosen];
    if (s.candidate) {
        counts->from_set++;
        return s.chosen_candidate ? ab_ok()
                                  : ab_failed("from %d to %d, which is no candidate with a weight", city, chosen);
    }
    if (!(s.largest > 0.0)) {
        const int nearest = tsp_nearest_unvisited(problem, city, visited);
        counts->all_zero++;
        return chosen == nearest ? ab_ok() : ab_failed("from %d to %d, the nearest is %d", city, chosen, nearest);
    }
    counts->best++;
    if (!(weight >= s.largest * (1.0 - tolerance)))
        return ab_failed("from %d to %d, which weighs %g and not %g", city, chosen, weight, s.largest);
    if (s.first_equal != chosen)
        return ab_failed("from %d to %d, which weighs the same as %d", city, chosen, s.first_equal);
    return ab_ok();
}

static ab_status check_tour(const tsp_problem *problem, const double *choice, double tolerance, const int32_t *tour,
                            bool *visited, candidate_steps *counts)
{
    const int n = problem->n;
    memset(visited, 0, (size_t)n * sizeof *visited);
    for (int k = 0; k < n; k++) {
        if (tour[k] < 0 || tour[k] >= n || visited[tour[k]]) return ab_failed("position %d: not a tour", k);
        if (k > 0) {
            const ab_status status = check_step(problem, choice, tolerance, visited, tour[k - 1], tour[k], counts);
            if (status.code != AB_OK) return ab_failed("step %d: %.400s", k, status.reason);
        }
        visited[tour[k]] = true;
    }
    return tour[n] == tour[0] ? ab_ok() : ab_failed("not closed");
}

ab_status check_candidate_steps(const tsp_problem *problem, const double *choice, double tolerance,
                                const int32_t *tours, int n_ants, candidate_steps *counts)
{
    const size_t n = (size_t)problem->n;
    bool *visited = malloc(n * sizeof *visited);
    ab_status status = visited != NULL ? ab_ok() : ab_failed("out of memory");
    memset(counts, 0, sizeof *counts);
    for (int ant = 0; status.code == AB_OK && ant < n_ants; ant++) {
        status = check_tour(problem, choice, tolerance, tours + (size_t)ant * (n + 1), visited, counts);
        if (status.code != AB_OK) status = ab_failed("ant %d, %.400s", ant, status.reason);
    }
    free(visited);
    return status;
}
