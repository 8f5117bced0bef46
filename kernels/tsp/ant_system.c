/* Ant System's host side, shared by every implementation on every backend (kernels/tsp/tsp.h). */
#include <math.h>
#include <omp.h>
#include <stddef.h>
#include <stdlib.h>

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

/* ---- Candidate sets ---- */

ab_status as_check_candidates(const as_problem *problem)
{
    if (problem->nn == 0) return ab_unsupported("needs a candidate set");
    if (problem->nn < 1 || problem->nn > problem->n - 1 || problem->nn_list == NULL)
        return ab_bad_input("a candidate set has 1 to n - 1 = %d cities, not %d", problem->n - 1, problem->nn);
    return ab_ok();
}

/* Moves the key in the hole down a heap, largest key first, until none below it is larger. */
static void sift_down(uint64_t *heap, int count, int hole)
{
    const uint64_t key = heap[hole];
    for (int child = 2 * hole + 1; child < count; child = 2 * hole + 1) {
        if (child + 1 < count && heap[child + 1] > heap[child]) child++;
        if (heap[child] <= key) break;
        heap[hole] = heap[child];
        hole = child;
    }
    heap[hole] = key;
}

/* One city's candidate set: a heap of the nn nearest so far, then sorted in place. A key is a distance with the city
 * below it, so that the order of the keys is the order of the list. */
static void find_nearest(const as_problem *problem, int city, int nn, uint64_t *heap, int32_t *list)
{
    const int32_t *dist = problem->dist + (size_t)city * (size_t)problem->n;
    int count = 0;
    for (int j = 0; j < problem->n; j++) {
        const uint64_t key = (uint64_t)dist[j] << 32 | (uint32_t)j;
        if (j == city) continue;
        if (count < nn) {
            heap[count++] = key;
            for (int k = nn / 2 - 1; count == nn && k >= 0; k--) sift_down(heap, nn, k);
        } else if (key < heap[0]) {
            heap[0] = key;
            sift_down(heap, nn, 0);
        }
    }
    for (int k = nn - 1; k >= 0; k--) {
        list[k] = (int32_t)(heap[0] & UINT32_MAX);
        heap[0] = heap[k];
        sift_down(heap, k, 0);
    }
}

ab_status as_nearest_neighbours(const as_problem *problem, int nn, int32_t **nn_list)
{
    const size_t n = (size_t)problem->n, length = (size_t)nn;
    if (nn < 1 || nn > problem->n - 1)
        return ab_bad_input("a candidate set has 1 to n - 1 = %d cities, not %d", problem->n - 1, nn);
    int32_t *list = malloc(n * length * sizeof *list);
    uint64_t *heaps = malloc((size_t)omp_get_max_threads() * length * sizeof *heaps);
    if (list == NULL || heaps == NULL) {
        free(list);
        free(heaps);
        return ab_failed("out of memory");
    }
#pragma omp parallel for schedule(static)
    for (int city = 0; city < problem->n; city++)
        find_nearest(problem, city, nn, heaps + (size_t)omp_get_thread_num() * length, list + (size_t)city * length);
    free(heaps);
    *nn_list = list;
    return ab_ok();
}
