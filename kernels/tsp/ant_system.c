/* Ant System's host side, shared by every implementation on every backend (kernels/tsp/tsp.h). */
#include <math.h>
#include <stddef.h>

#include "kernels/tsp/tsp.h"

as_params as_default_params(int n, as_protocol protocol)
{
    const as_params params = {
        .protocol = protocol,
        .alpha = 1.0,
        .beta = 2.0,
        .rho = protocol == AS_BEST_ANT ? 0.1 : 0.5,
        .n_ants = n,
        .seed = 1,
        .threads = 1,
        .carveout = -1,
    };
    return params;
}

const char *as_protocol_name(as_protocol protocol)
{
    return protocol == AS_BEST_ANT ? "as-best" : "as";
}

int as_nearest_unvisited(const as_problem *problem, int city, const bool *visited)
{
    const int32_t *dist = problem->dist + (size_t)city * (size_t)problem->n;
    int nearest = -1;
    for (int j = 0; j < problem->n; j++)
        if (!visited[j] && (nearest < 0 || dist[j] < dist[nearest])) nearest = j;
    return nearest;
}

static int64_t nearest_neighbour_length(const as_problem *problem)
{
    bool visited[AS_MAX_CITIES] = {true}; /* city 0, where the tour begins */
    int64_t length = 0;
    int city = 0;
    for (int step = 1; step < problem->n; step++) {
        const int next = as_nearest_unvisited(problem, city, visited);
        length += problem->dist[(size_t)city * (size_t)problem->n + (size_t)next];
        visited[next] = true;
        city = next;
    }
    return length + problem->dist[(size_t)city * (size_t)problem->n];
}

double as_initial_pheromone(const as_problem *problem, double rho)
{
    const int64_t length = nearest_neighbour_length(problem);
    return 1.0 / (rho * (length > 0 ? (double)length : 1.0));
}

double as_power(double x, double exponent)
{
    if (exponent == 1.0) return x;
    if (exponent == 2.0) return x * x;
    return pow(x, exponent);
}

ab_status as_check(const as_problem *problem, const as_params *params)
{
    if (problem->n < 2) return ab_unsupported("needs n >= 2, n is %d", problem->n);
    if (problem->n > AS_MAX_CITIES) return ab_unsupported("needs n <= %d, n is %d", AS_MAX_CITIES, problem->n);
    if (params->protocol != AS_ALL_ANTS && params->protocol != AS_BEST_ANT)
        return ab_bad_input("protocol is neither as nor as-best");
    /* Written so that NaN fails. */
    if (!(params->alpha >= 0.0 && params->alpha <= 100.0))
        return ab_bad_input("alpha must be between 0 and 100, is %g", params->alpha);
    if (!(params->beta >= 0.0 && params->beta <= 100.0))
        return ab_bad_input("beta must be between 0 and 100, is %g", params->beta);
    if (!(params->rho > 0.0 && params->rho <= 1.0))
        return ab_bad_input("rho must be above 0 and at most 1, is %g", params->rho);
    if (params->n_ants < 1) return ab_bad_input("n_ants must be at least 1, is %d", params->n_ants);
    if (params->threads < 0 || params->threads > 1024)
        return ab_bad_input("threads must be between 0 and 1024, is %d", params->threads);
    if (params->carveout < -1 || params->carveout > 100)
        return ab_bad_input("carveout must be between -1 and 100 percent, is %d", params->carveout);
    return ab_ok();
}
