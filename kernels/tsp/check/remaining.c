/* Steps within and beyond candidate sets (kernels/tsp/check/remaining.h). */
#include <omp.h>
#include <string.h>

#include "kernels/tsp/check/remaining.h"
#include "kernels/tsp/check/tolerances.h"

enum { MANY = 100 /* tours from which on they are checked on all cores */ };

/* A product of two floats, and a power of one with the usual exponents. */
static const double of_float = 1e-6;

static double weigh(const tsp_remaining *of, const float *pheromone, int from, int to)
{
    const double eta = 1.0 / (tsp_distance(of->problem, from, to) + 0.1);
    return tsp_power((double)pheromone[to], of->params->alpha) * tsp_power(eta, of->params->beta);
}

/* The best remaining city: the largest weight, the lowest index among equals. */
static ab_status check_best(tsp_remaining *of, int from, int to, const bool *visited)
{
    const int n = of->problem->n;
    if (of->looks < n) return ab_ok();
    of->looks -= n;
    const float *pheromone = of->row(of->context, from);
    const double weight = weigh(of, pheromone, from, to);
    double largest = 0.0;
    int best = -1, equal = -1;
    for (int city = 0; city < n; ++city) {
        if (visited[city]) continue;
        const double here = weigh(of, pheromone, from, city);
        if (here > largest) best = city, largest = here;
        if (equal < 0 && here == weight) equal = city;
    }
    if (largest <= TSP_VERIFY_LEAST_WEIGHT) return ab_ok();
    if (weight < largest * (1.0 - of_float))
        return ab_failed("city %d follows city %d and weighs %g; the best remaining city is %d, which weighs %g", to,
                         from, weight, best, largest);
    if (equal != to) return ab_failed("city %d follows city %d, and city %d weighs the same", to, from, equal);
    return ab_ok();
}

static ab_status check_step(tsp_remaining *of, int from, int to, const bool *visited)
{
    const tsp_problem *problem = of->problem;
    const int32_t *set = problem->nn_list + (size_t)from * (size_t)problem->nn;
    int left = 0, member = 0;
    for (int k = 0; k < problem->nn; ++k) {
        left += !visited[set[k]];
        member |= set[k] == to;
    }
    if (member) return ab_ok();
    if (left == 0) return check_best(of, from, to, visited);
    if (of->looks < problem->nn) return ab_ok();
    of->looks -= problem->nn;
    const float *pheromone = of->row(of->context, from);
    for (int k = 0; k < problem->nn; ++k)
        if (!visited[set[k]] && weigh(of, pheromone, from, set[k]) > TSP_VERIFY_LEAST_WEIGHT)
            return ab_failed("city %d follows city %d, whose candidate %d is left", to, from, set[k]);
    return ab_ok();
}

static ab_status check_tour(tsp_remaining *of, const int32_t *tour, bool *visited)
{
    const int n = of->problem->n;
    memset(visited, 0, (size_t)n * sizeof *visited);
    for (int i = 0; i + 1 < n; ++i) {
        visited[tour[i]] = true;
        const ab_status status = check_step(of, tour[i], tour[i + 1], visited);
        if (status.code != AB_OK) return ab_failed("step %d: %.450s", i + 1, status.reason);
    }
    return ab_ok();
}

ab_status tsp_remaining_check(const tsp_remaining *of, const int32_t *tours, int n_ants, bool *visited)
{
    const size_t n = (size_t)of->problem->n;
    ab_first_failure first = {0};
#pragma omp parallel if (n_ants >= MANY)
    {
        tsp_remaining mine = *of;
        mine.looks /= omp_get_num_threads();
        if (mine.looks < of->problem->n) mine.looks = of->problem->n;
#pragma omp for schedule(static)
        for (int ant = 0; ant < n_ants; ++ant) {
            const int32_t *tour = tours + (size_t)ant * (n + 1);
            const ab_status status = check_tour(&mine, tour, visited + (size_t)omp_get_thread_num() * n);
            ab_keep_first(&first, (size_t)ant, &status);
        }
    }
    if (first.status.code == AB_OK) return ab_ok();
    return ab_failed("ant %zu, %.450s", first.index, first.status.reason);
}
