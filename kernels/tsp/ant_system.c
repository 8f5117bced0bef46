/* Ant System's host side, shared by every implementation on every backend (kernels/tsp/tsp.h). */
#include <math.h>
#include <omp.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/tsp/steps/leaves.h"
#include "kernels/tsp/tsp.h"

static const char *const protocol_names[] = {
    [TSP_ALL_ANTS] = "as", [TSP_BEST_ANT] = "as-best", [TSP_MAX_MIN] = "mmas", NULL};

static const char *const improve_names[] = {
    [TSP_IMPROVE_NONE] = "none", [TSP_IMPROVE_BEST] = "best", [TSP_IMPROVE_ALL] = "all", NULL};

#define AT(member) offsetof(tsp_params, member)

/* clang-format off */
const ab_parameter tsp_parameters[] = {
    {.name = "protocol", .help = "who deposits: all ants (as), the iteration's best (as-best), between limits (mmas)",
     .kind = AB_CHOICE, .offset = AT(protocol), .fallback = TSP_BEST_ANT, .choices = protocol_names, .shown = AB_SHOWN},
    {.name = "improve", .help = "tours that local search makes shorter: none, the iteration's best (best) or all",
     .kind = AB_CHOICE, .offset = AT(improve), .choices = improve_names, .shown = AB_SHOWN_SET},
    {.name = "ants", .help = "ants; n: as many as cities", .offset = AT(n_ants), .least = 1, .most = INT32_MAX,
     .word = "n", .shown = AB_SHOWN | AB_FITTED},
    {.name = "threads", .help = "of a CPU implementation; all: all cores", .offset = AT(threads), .least = 1,
     .most = 1024, .fallback = 1, .word = "all", .shown = AB_SHOWN_CPU | AB_FITTED},
    {.name = "nn", .help = "size of the candidate sets; 0: none", .offset = AT(nn), .most = TSP_MAX_MATRIX,
     .shown = AB_SHOWN_SET},
    {.name = "carveout", .help = "shared memory of a GPU, percent of the maximum; -1: the driver's choice",
     .offset = AT(carveout), .least = -1, .most = 100, .fallback = -1, .shown = AB_SHOWN_SET},
    {.name = "alpha", .help = "exponent of the pheromone", .kind = AB_REAL, .offset = AT(alpha), .most = 100,
     .fallback = 1, .shown = AB_SHOWN_SET},
    {.name = "beta", .help = "exponent of the heuristic", .kind = AB_REAL, .offset = AT(beta), .most = 100,
     .fallback = 2, .shown = AB_SHOWN_SET},
    {.name = "rho", .help = "evaporation rate; auto: 0.1 with as-best, 0.5 with as, 0.02 with mmas", .kind = AB_REAL,
     .offset = AT(rho), .least = 1e-9, .most = 1, .word = "auto", .shown = AB_SHOWN_SET},
    {.name = "patience", .help = "of mmas: iterations without a better tour until all edges are equal; 0: never",
     .offset = AT(patience), .most = INT32_MAX, .fallback = 250, .shown = AB_SHOWN_SET},
    {.name = NULL},
};
/* clang-format on */

tsp_params tsp_default_params(int n, tsp_protocol protocol)
{
    tsp_params params = {.seed = 1, .ranks = 1, .exchange = TSP_USUAL_EXCHANGE};
    ab_parameters_default(tsp_parameters, &params);
    params.protocol = protocol;
    params.n_ants = n;
    params.rho = protocol == TSP_BEST_ANT ? 0.1 : protocol == TSP_MAX_MIN ? 0.02 : 0.5;
    return params;
}

const char *tsp_protocol_name(tsp_protocol protocol)
{
    return protocol_names[protocol];
}

int tsp_nearest_unvisited(const tsp_problem *problem, int city, const bool *visited)
{
    int nearest = -1;
    int32_t least = 0;
    for (int j = 0; j < problem->n; j++) {
        if (visited[j]) continue;
        const int32_t distance = tsp_distance(problem, city, j);
        if (nearest >= 0 && distance >= least) continue;
        nearest = j;
        least = distance;
    }
    return nearest;
}

static ab_status measure_nearest_neighbours(const tsp_problem *problem, int64_t *length)
{
    bool *visited = calloc((size_t)problem->n, sizeof *visited);
    if (!visited) return ab_failed("out of memory: the nearest-neighbour tour");
    int city = 0; /* city in which the tour begins */
    visited[city] = true;
    for (int step = 1; step < problem->n; step++) {
        const int next = tsp_nearest_unvisited(problem, city, visited);
        *length += tsp_distance(problem, city, next);
        visited[next] = true;
        city = next;
    }
    *length += tsp_distance(problem, city, 0);
    free(visited);
    return ab_ok();
}

/* The same where there is no matrix. */
static ab_status measure_by_leaves(const tsp_problem *problem, int64_t *length)
{
    tsp_leaves leaves;
    ab_memory memory = {0};
    uint32_t *left = ab_allocate(&memory, (size_t)problem->n / LEAF + 1, sizeof *left);
    ab_status status = tsp_leaves_make(problem, &leaves);
    if (status.code == AB_OK) status = ab_memory_status(&memory);
    if (status.code == AB_OK) {
        int city = 0;
        tsp_leaves_fill(&leaves, problem->n, left);
        for (int step = 0; step < problem->n; step++) {
            left[leaves.place[city] / LEAF] &= ~(UINT32_C(1) << leaves.place[city] % LEAF);
            const int next = step < problem->n - 1 ? tsp_leaves_nearest(problem, &leaves, city, left) : 0;
            *length += tsp_distance(problem, city, next);
            city = next;
        }
    }
    tsp_leaves_free(&leaves);
    ab_memory_free(&memory);
    return status;
}

ab_status tsp_initial_pheromone(const tsp_problem *problem, double rho, double *initial)
{
    int64_t length = 0;
    AB_TRY(problem->dist ? measure_nearest_neighbours(problem, &length) : measure_by_leaves(problem, &length));
    *initial = 1.0 / (rho * (length > 0 ? (double)length : 1.0));
    return ab_ok();
}

double tsp_power(double x, double exponent)
{
    if (exponent == 1.0) return x;
    if (exponent == 2.0) return x * x;
    return pow(x, exponent);
}

void tsp_heuristic(const tsp_problem *problem, double beta, float *heuristic)
{
    const size_t n = (size_t)problem->n;
#pragma omp parallel for schedule(static)
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            heuristic[i * n + j] = i == j ? 0.0f : (float)tsp_power(1.0 / (problem->dist[i * n + j] + 0.1), beta);
}

ab_status tsp_check(const tsp_problem *problem, const tsp_params *params)
{
    if (problem->n < 2) return ab_unsupported("needs n >= 2, n is %d", problem->n);
    if (problem->n > TSP_MAX_SPARSE) return ab_unsupported("needs n <= %d, n is %d", TSP_MAX_SPARSE, problem->n);
    AB_TRY(ab_parameters_check(tsp_parameters, params));
    if (params->n_ants == 0 || params->rho == 0.0) return ab_bad_input("ants and rho must be more than 0");
    return ab_ok();
}

ab_status tsp_check_matrix(const tsp_problem *problem)
{
    if (problem->n > TSP_MAX_MATRIX) return ab_unsupported("needs n <= %d, n is %d", TSP_MAX_MATRIX, problem->n);
    if (problem->dist) return ab_ok();
    return ab_unsupported("needs all distances, which an instance of %d cities comes without", problem->n);
}

ab_status tsp_check_no_limits(const tsp_params *params)
{
    if (params->protocol != TSP_MAX_MIN) return ab_ok();
    return ab_unsupported("needs protocol as or as-best: the limits of mmas are for pheromone on all edges");
}

ab_status tsp_check_workers(const tsp_problem *problem, int workers)
{
    if (workers & (workers - 1)) return ab_bad_input("workers must be a power of two, not %d", workers);
    if (problem->n <= TSP_MAX_TILES * workers) return ab_ok();
    return ab_unsupported("needs n <= %d (one tabu bit per tile of %d cities in a 32-bit register), n is %d",
                          TSP_MAX_TILES * workers, workers, problem->n);
}

/* ---- Candidate sets ---- */

ab_status tsp_check_candidates(const tsp_problem *problem)
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

/* The nearest cities so far, a heap from the moment on that there are `most`. A key is a distance with the city below it,
 * so that the order of the keys is the order of the list. */
typedef struct nearest {
    uint64_t *heap;
    int count, most;
} nearest;

static void consider(const tsp_problem *problem, int city, int other, nearest *near)
{
    if (other == city) return;
    const uint64_t key = (uint64_t)tsp_distance(problem, city, other) << 32 | (uint32_t)other;
    if (near->count < near->most) {
        near->heap[near->count++] = key;
        for (int k = near->most / 2 - 1; near->count == near->most && k >= 0; k--) sift_down(near->heap, near->most, k);
    } else if (key < near->heap[0]) {
        near->heap[0] = key;
        sift_down(near->heap, near->most, 0);
    }
}

static bool may_have(const tsp_problem *problem, int city, const tsp_box *box, const nearest *near)
{
    return near->count < near->most || (uint64_t)tsp_box_distance(problem, city, box) << 32 < near->heap[0];
}

/* Leaves that may have one of the nearest, from the city's own on. */
static void consider_leaves(const tsp_problem *problem, const tsp_leaves *leaves, int city, nearest *near)
{
    const int own = leaves->place[city] / (LEAF * LEAF);
    for (int i = 0; i < leaves->n_groups; i++) {
        const int group = (own + i) % leaves->n_groups;
        if (!may_have(problem, city, &leaves->groups[group], near)) continue;
        for (int leaf = group * LEAF; leaf < (group + 1) * LEAF && leaf < leaves->n_leaves; leaf++)
            for (int k = leaf * LEAF; k < (leaf + 1) * LEAF && k < problem->n; k++)
                if (k % LEAF || may_have(problem, city, &leaves->boxes[leaf], near))
                    consider(problem, city, leaves->city[k], near);
                else
                    break;
    }
}

/* One city's candidate set: a heap of the nn nearest so far, then sorted in place. */
static void find_nearest(const tsp_problem *problem, const tsp_leaves *leaves, int city, int nn, uint64_t *heap,
                         int32_t *list)
{
    nearest near = {heap, 0, nn};
    if (problem->dist)
        for (int j = 0; j < problem->n; j++) consider(problem, city, j, &near);
    else
        consider_leaves(problem, leaves, city, &near);
    for (int k = nn - 1; k >= 0; k--) {
        list[k] = (int32_t)(heap[0] & UINT32_MAX);
        heap[0] = heap[k];
        sift_down(heap, k, 0);
    }
}

ab_status tsp_nearest_neighbours(const tsp_problem *problem, int nn, int32_t **nn_list)
{
    const size_t n = (size_t)problem->n, length = (size_t)nn;
    if (nn < 1 || nn > problem->n - 1)
        return ab_bad_input("a candidate set has 1 to n - 1 = %d cities, not %d", problem->n - 1, nn);
    int32_t *list = malloc(n * length * sizeof *list);
    uint64_t *heaps = malloc((size_t)omp_get_max_threads() * length * sizeof *heaps);
    tsp_leaves leaves = {0};
    ab_status status = list && heaps ? ab_ok() : ab_failed("out of memory");
    if (status.code == AB_OK && !problem->dist) status = tsp_leaves_make(problem, &leaves);
    if (status.code != AB_OK) {
        free(list);
        free(heaps);
        tsp_leaves_free(&leaves);
        return status;
    }
#pragma omp parallel for schedule(static)
    for (int city = 0; city < problem->n; city++)
        find_nearest(problem, &leaves, city, nn, heaps + (size_t)omp_get_thread_num() * length,
                     list + (size_t)city * length);
    free(heaps);
    tsp_leaves_free(&leaves);
    *nn_list = list;
    return ab_ok();
}

/* ---- Pheromone on some edges ---- */

ab_status tsp_edges_allocate(int n, size_t count, tsp_edges *edges)
{
    *edges = (tsp_edges){.first = calloc((size_t)n + 1, sizeof *edges->first),
                         .city = calloc(count + 1, sizeof *edges->city),
                         .pheromone = calloc(count + 1, sizeof *edges->pheromone)};
    return edges->first && edges->city && edges->pheromone ? ab_ok() : ab_failed("out of memory: %zu edges", count);
}

void tsp_edges_free(tsp_edges *edges)
{
    free(edges->first);
    free(edges->city);
    free(edges->pheromone);
    *edges = (tsp_edges){0};
}

void tsp_edges_spread_row(const tsp_edges *edges, int n, size_t i, float *row)
{
    for (int j = 0; j < n; j++) row[j] = edges->background;
    for (size_t k = edges->first[i]; k < edges->first[i + 1]; k++) row[edges->city[k]] = edges->pheromone[k];
}

void tsp_edges_spread(const tsp_edges *edges, int n, float *pheromone)
{
    for (size_t i = 0; i < (size_t)n; i++) tsp_edges_spread_row(edges, n, i, pheromone + i * (size_t)n);
}

ab_status tsp_edges_gather(const float *pheromone, int n, tsp_edges *edges)
{
    const size_t cities = (size_t)n;
    float background = pheromone[1];
    size_t count = 0;
    for (size_t k = 0; k < cities * cities; k++)
        if (k % (cities + 1) != 0 && pheromone[k] < background) background = pheromone[k];
    for (size_t k = 0; k < cities * cities; k++) count += k % (cities + 1) != 0 && pheromone[k] != background;
    AB_TRY(tsp_edges_allocate(n, count, edges));
    edges->background = background;
    for (size_t i = 0, at = 0; i < cities; edges->first[++i] = at)
        for (size_t j = 0; j < cities; j++) {
            if (i == j || pheromone[i * cities + j] == background) continue;
            edges->city[at] = (int32_t)j;
            edges->pheromone[at++] = pheromone[i * cities + j];
        }
    return ab_ok();
}
