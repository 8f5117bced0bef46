/* Choices beside their probabilities (kernels/tsp/check/chances.h). */
#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/tsp/check/chances.h"

/* Cities, and steps, from which on there is work for all cores. */
enum { MANY = 200, MANY_STEPS = 2000 };

/* Classes that are expected less often are counted together, so that counts are about normal. */
#define LEAST_EXPECTED 8.0

/* A statistic so large, or a count so far from its mean, has a chance of exp(-MOST_SURPRISE) at most. */
#define MOST_SURPRISE 25.0

/* Each thread's scratch begins in a cache line of its own. */
static size_t stride_of(size_t n)
{
    return (n + 63) / 64 * 64;
}

static size_t group_of(size_t place)
{
    return place < CHANCES_GROUPS - 1 ? place : CHANCES_GROUPS - 1;
}

/* Weights and places, of the cities of a candidate set or of all. */
static void weigh(const tsp_problem *problem, const tsp_params *params, const float *pheromone, const int32_t *near,
                  size_t n_near, tsp_chances *chances)
{
    const size_t n = (size_t)problem->n;
#pragma omp parallel for if (n >= MANY)
    for (size_t i = 0; i < n; ++i) {
        memset(chances->place + i * n, CHANCES_GROUPS - 1, n);
        for (size_t k = 0; k < n_near; ++k)
            chances->place[i * n + (size_t)near[i * n_near + k]] = (unsigned char)group_of(k);
        for (size_t k = 0; k < (problem->nn ? n_near : n); ++k) {
            const size_t j = problem->nn ? (size_t)near[i * n_near + k] : k;
            if (j == i) continue;
            chances->weight[i * n + j] = tsp_power((double)pheromone[i * n + j], params->alpha) *
                                         tsp_power(1.0 / (tsp_distance(problem, (int)i, (int)j) + 0.1), params->beta);
        }
    }
}

ab_status tsp_chances_open(const tsp_problem *problem, const tsp_params *params, const float *pheromone,
                           tsp_chances *chances)
{
    const size_t n = (size_t)problem->n;
    const int n_near = problem->nn ? problem->nn : problem->n < CHANCES_GROUPS ? problem->n - 1 : CHANCES_GROUPS - 1;
    int32_t *near = NULL;
    *chances = (tsp_chances){.n = problem->n, .weight = calloc(n * n, sizeof(double))};
    chances->place = malloc(n * n);
    chances->visited = malloc((size_t)omp_get_max_threads() * stride_of(n) * sizeof(bool));
    if (!chances->weight || !chances->place || !chances->visited) return ab_failed("out of memory: %zu cities", n);
    AB_TRY(tsp_nearest_neighbours(problem, n_near, &near));
    weigh(problem, params, pheromone, near, (size_t)n_near, chances);
    free(near);
    return ab_ok();
}

void tsp_chances_close(tsp_chances *chances)
{
    free(chances->weight);
    free(chances->place);
    free(chances->visited);
    *chances = (tsp_chances){0};
}

/* Adds to each kind's class of a step. */
static void add(tsp_tally of[CHANCES_KINDS], const tsp_chances *chances, int from, int to, double count, double p)
{
    const size_t place = chances->place[(size_t)from * (size_t)chances->n + (size_t)to];
    const size_t class[CHANCES_KINDS] = {(size_t)to % CHANCES_GROUPS, place, (size_t)(from * CHANCES_FEW + to)};
    for (int kind = 0; kind < (chances->n <= CHANCES_FEW ? CHANCES_KINDS : CHANCES_BY_PAIR); ++kind) {
        of[kind].count[class[kind]] += count;
        of[kind].expected[class[kind]] += p;
    }
}

static void add_step(const tsp_chances *chances, int from, int to, const bool *visited, tsp_tally of[CHANCES_KINDS])
{
    const double *weight = chances->weight + (size_t)from * (size_t)chances->n;
    double total = 0.0;
    for (int city = 0; city < chances->n; ++city) total += visited[city] ? 0.0 : weight[city];
    if (!(total > 0.0)) return;
    for (int city = 0; city < chances->n; ++city)
        if (!visited[city]) add(of, chances, from, city, city == to, weight[city] / total);
}

static void add_tour(const tsp_chances *chances, const int32_t *tour, bool *visited, tsp_tally of[CHANCES_KINDS])
{
    memset(visited, 0, (size_t)chances->n * sizeof(bool));
    for (int i = 0; i + 2 < chances->n; ++i) { /* the last step has one city */
        visited[tour[i]] = true;
        add_step(chances, tour[i], tour[i + 1], visited, of);
    }
}

static void add_tallies(tsp_tally of[CHANCES_KINDS], const tsp_tally more[CHANCES_KINDS])
{
    for (int kind = 0; kind < CHANCES_KINDS; ++kind)
        for (int class = 0; class < CHANCES_CLASSES; ++class) {
            of[kind].count[class] += more[kind].count[class];
            of[kind].expected[class] += more[kind].expected[class];
        }
}

void tsp_chances_add(tsp_chances *chances, const int32_t *tours, int n_ants)
{
    const size_t n = (size_t)chances->n;
#pragma omp parallel if ((size_t)n_ants * n >= MANY_STEPS)
    {
        tsp_tally mine[CHANCES_KINDS] = {0};
        bool *visited = chances->visited + (size_t)omp_get_thread_num() * stride_of(n);
#pragma omp for
        for (int ant = 0; ant < n_ants; ++ant) add_tour(chances, tours + (size_t)ant * (n + 1), visited, mine);
#pragma omp critical(tsp_chances_add)
        add_tallies(chances->of, mine);
    }
}

/* A count among others. */
typedef struct deviation {
    double statistic; /* the sum of (count - expected)^2 / expected */
    double classes;
    double surprise, count, expected; /* of the most surprising count (Chernoff's bound), and the count */
    int worst;
} deviation;

static void include(deviation *all, double count, double expected, int class)
{
    const double surprise = (count > 0.0 ? count * log(count / expected) : 0.0) - count + expected;
    all->statistic += (count - expected) * (count - expected) / expected;
    all->classes++;
    if (surprise <= all->surprise) return;
    all->surprise = surprise;
    all->count = count;
    all->expected = expected;
    all->worst = class;
}

static ab_status check_kind(const char *what, const tsp_tally *of)
{
    deviation all = {0};
    double few = 0.0, few_expected = 0.0, choices = 0.0;
    for (int class = 0; class < CHANCES_CLASSES; ++class) {
        const bool enough = of->expected[class] >= LEAST_EXPECTED;
        choices += of->count[class];
        if (enough) include(&all, of->count[class], of->expected[class], class);
        few += enough ? 0.0 : of->count[class];
        few_expected += enough ? 0.0 : of->expected[class];
    }
    include(&all, few, fmax(few_expected, 1.0), CHANCES_CLASSES);
    /* Chernoff's bound of chi-square. */
    const double ratio = all.statistic / all.classes;
    const double surprise = ratio > 1.0 ? 0.5 * all.classes * (ratio - 1.0 - log(ratio)) : 0.0;
    if (fmax(surprise, all.surprise) <= MOST_SURPRISE) return ab_ok();
    return ab_failed("of %.0f choices %.0f took a city of class %d by %s, not about %.0f (chi-square of %.0f classes: "
                     "%.0f)",
                     choices, all.count, all.worst, what, all.expected, all.classes, all.statistic);
}

ab_status tsp_chances_check(const tsp_chances *chances)
{
    AB_TRY(check_kind("index modulo 32", &chances->of[CHANCES_BY_INDEX]));
    AB_TRY(check_kind("place among the nearest", &chances->of[CHANCES_BY_PLACE]));
    return chances->n <= CHANCES_FEW ? check_kind("pair", &chances->of[CHANCES_BY_PAIR]) : ab_ok();
}
