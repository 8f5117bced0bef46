/* Choices beside their probabilities (kernels/tsp/check/chances.h). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/tsp/check/chances.h"

/* Classes that are expected less often are counted together, so that counts are about normal. */
#define LEAST_EXPECTED 20.0

/* A statistic so large has a chance of exp(-MOST_SURPRISE) at most. */
#define MOST_SURPRISE 25.0

static int place_class(size_t place)
{
    return place < CHANCES_CLASSES - 1 ? (int)place : CHANCES_CLASSES - 1;
}

/* Weights and places, of the cities of a candidate set or of all. */
static void weigh(const as_problem *problem, const as_params *params, const float *pheromone, const int32_t *near,
                  size_t n_near, tsp_chances *chances)
{
    const size_t n = (size_t)problem->n;
    memset(chances->place, CHANCES_CLASSES - 1, n * n);
    for (size_t i = 0; i < n; ++i) {
        for (size_t k = 0; k < n_near; ++k)
            chances->place[i * n + (size_t)near[i * n_near + k]] = (unsigned char)place_class(k);
        for (size_t k = 0; k < (problem->nn ? n_near : n); ++k) {
            const size_t j = problem->nn ? (size_t)near[i * n_near + k] : k;
            if (j == i) continue;
            chances->weight[i * n + j] = as_power((double)pheromone[i * n + j], params->alpha) *
                                         as_power(1.0 / (as_distance(problem, (int)i, (int)j) + 0.1), params->beta);
        }
    }
}

ab_status tsp_chances_open(const as_problem *problem, const as_params *params, const float *pheromone,
                           tsp_chances *chances)
{
    const size_t n = (size_t)problem->n;
    const int n_near = problem->nn ? problem->nn : problem->n < CHANCES_CLASSES ? problem->n - 1 : CHANCES_CLASSES - 1;
    int32_t *near = NULL;
    *chances = (tsp_chances){.n = problem->n, .weight = calloc(n * n, sizeof(double))};
    chances->place = malloc(n * n);
    chances->visited = malloc(n * sizeof(bool));
    if (!chances->weight || !chances->place || !chances->visited) return ab_failed("out of memory: %zu cities", n);
    AB_TRY(as_nearest_neighbours(problem, n_near, &near));
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

static void add_step(tsp_chances *chances, int from, int to)
{
    const size_t row = (size_t)from * (size_t)chances->n;
    const double *weight = chances->weight + row;
    const unsigned char *place = chances->place + row;
    double total = 0.0;
    for (int city = 0; city < chances->n; ++city) total += chances->visited[city] ? 0.0 : weight[city];
    if (!(total > 0.0)) return;
    for (int city = 0; city < chances->n; ++city) {
        const double p = chances->visited[city] ? 0.0 : weight[city] / total;
        chances->expected[CHANCES_BY_INDEX][city % CHANCES_CLASSES] += p;
        chances->expected[CHANCES_BY_PLACE][place[city]] += p;
    }
    chances->count[CHANCES_BY_INDEX][to % CHANCES_CLASSES]++;
    chances->count[CHANCES_BY_PLACE][place[to]]++;
}

void tsp_chances_add(tsp_chances *chances, const int32_t *tour)
{
    memset(chances->visited, 0, (size_t)chances->n * sizeof(bool));
    for (int i = 0; i + 2 < chances->n; ++i) { /* the last step has one city */
        chances->visited[tour[i]] = true;
        add_step(chances, tour[i], tour[i + 1]);
    }
}

/* A count among others. */
typedef struct deviation {
    double statistic; /* the sum of (count - expected)^2 / expected */
    double classes;
    double most, count, expected; /* the largest summand, and what it is of */
    int worst;
} deviation;

static void include(deviation *all, double count, double expected, int class)
{
    if (!(expected > 0.0)) return;
    const double summand = (count - expected) * (count - expected) / expected;
    all->statistic += summand;
    all->classes++;
    if (summand > all->most) {
        all->most = summand;
        all->count = count;
        all->expected = expected;
        all->worst = class;
    }
}

static ab_status check_kind(const char *what, const double *count, const double *expected)
{
    deviation all = {0};
    double few = 0.0, few_expected = 0.0, choices = 0.0;
    for (int class = 0; class < CHANCES_CLASSES; ++class) {
        const bool enough = expected[class] >= LEAST_EXPECTED;
        choices += count[class];
        if (enough) include(&all, count[class], expected[class], class);
        few += enough ? 0.0 : count[class];
        few_expected += enough ? 0.0 : expected[class];
    }
    include(&all, few, fmax(few_expected, 1.0), CHANCES_CLASSES);
    /* Chernoff's bound of chi-square. */
    const double ratio = all.statistic / all.classes;
    const double surprise = ratio > 1.0 ? 0.5 * all.classes * (ratio - 1.0 - log(ratio)) : 0.0;
    if (surprise <= MOST_SURPRISE) return ab_ok();
    return ab_failed("of %.0f choices %.0f took a city of class %d by its %s, not about %.0f (%.0f of %.0f degrees "
                     "of freedom)",
                     choices, all.count, all.worst, what, all.expected, all.statistic, all.classes);
}

ab_status tsp_chances_check(const tsp_chances *chances)
{
    AB_TRY(check_kind("index modulo 32", chances->count[CHANCES_BY_INDEX], chances->expected[CHANCES_BY_INDEX]));
    return check_kind("place among the nearest", chances->count[CHANCES_BY_PLACE], chances->expected[CHANCES_BY_PLACE]);
}
