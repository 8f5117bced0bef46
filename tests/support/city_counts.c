/* Counts of choices by pairs of cities (city_counts.h). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/city_counts.h"

enum { LEAST_EXPECTED = 10 }; /* cities of a row that are expected less often are counted together */

static size_t table_size(size_t n)
{
    return CITY_STEPS * CITY_NUMBERS * n * n;
}

ab_status city_counts_open(const tsp_problem *problem, const tsp_params *params, const float *pheromone,
                           city_counts *counts)
{
    const size_t n = (size_t)problem->n, nn = (size_t)problem->nn;
    *counts = (city_counts){.n = problem->n, .weight = calloc(n * n, sizeof(double))};
    counts->table = calloc(table_size(n), sizeof(double));
    if (!counts->weight || !counts->table) return ab_failed("out of memory: %zu pairs of cities", n * n);
    for (size_t from = 0; from < n; from++)
        for (size_t k = 0; k < (nn ? nn : n); k++) {
            const size_t edge = from * n + (nn ? (size_t)problem->nn_list[from * nn + k] : k);
            if (edge == from * n + from) continue;
            counts->weight[edge] = tsp_power((double)pheromone[edge], params->alpha) *
                                   tsp_power(1.0 / (problem->dist[edge] + 0.1), params->beta);
        }
    return ab_ok();
}

void city_counts_free(city_counts *counts)
{
    free(counts->weight);
    free(counts->table);
    *counts = (city_counts){0};
}

/* A choice among the cities that are left; into numbers[CITY_NUMBERS][n][n]. */
static void add_choice(const city_counts *counts, double *numbers, int from, int chosen, const bool *left)
{
    const size_t n = (size_t)counts->n, row = (size_t)from * n;
    const double *weight = counts->weight + row;
    double *expected = numbers + CITY_EXPECTED * n * n + row, *variance = numbers + CITY_VARIANCE * n * n + row;
    double total = 0.0;
    for (size_t to = 0; to < n; to++) total += left[to] ? weight[to] : 0.0;
    if (!(total > 0.0)) return;
    for (size_t to = 0; to < n; to++) {
        const double p = left[to] ? weight[to] / total : 0.0;
        expected[to] += p;
        variance[to] += p * (1.0 - p);
    }
    numbers[CITY_COUNT * n * n + row + (size_t)chosen]++;
}

/* False for what is no tour. left[n] is scratch. */
static bool add_tour(const city_counts *counts, double *table, const int32_t *tour, bool *left)
{
    const int n = counts->n;
    const size_t of_steps = CITY_NUMBERS * (size_t)n * (size_t)n;
    for (int city = 0; city < n; city++) left[city] = true;
    for (int i = 0; i < n; i++) {
        if (tour[i] < 0 || tour[i] >= n || !left[tour[i]]) return false;
        if (i == 1) add_choice(counts, table + CITY_FIRST * of_steps, tour[0], tour[1], left);
        if (i > 0 && i < n - 1) add_choice(counts, table + CITY_ALL * of_steps, tour[i - 1], tour[i], left);
        left[tour[i]] = false;
    }
    return true;
}

ab_status city_counts_add(city_counts *counts, const int32_t *tours, int n_ants)
{
    const size_t n = (size_t)counts->n, size = table_size(n);
    bool good = true, room = true;
#pragma omp parallel reduction(&& : good, room)
    {
        double *mine = calloc(size, sizeof *mine);
        bool *left = malloc(n * sizeof *left);
        room = mine && left;
#pragma omp for
        for (int ant = 0; ant < n_ants; ant++)
            good = good && room && add_tour(counts, mine, tours + (size_t)ant * (n + 1), left);
#pragma omp critical(city_counts)
        for (size_t i = 0; room && i < size; i++) counts->table[i] += mine[i];
        free(mine);
        free(left);
    }
    if (!room) return ab_failed("out of memory: %zu pairs of cities", n * n);
    return good ? ab_ok() : ab_failed("not a tour");
}

/* What a count adds to the statistic, that less its mean, and to its variance: of a Poisson distribution that is
 * 2 + 1 / expected. */
static void add_count(double count, double expected, double variance, double *sum, double *spread)
{
    if (!(expected > 0.0)) return;
    *sum += ((count - expected) * (count - expected) - variance) / expected;
    *spread += 2.0 * variance * variance / (expected * expected) + 1.0 / expected;
}

city_verdict city_counts_judge(const city_counts *counts, int steps)
{
    const size_t n = (size_t)counts->n, matrix = n * n;
    const double *numbers = counts->table + (size_t)steps * CITY_NUMBERS * matrix;
    city_verdict v = {0};
    double spread = 0.0;
    for (size_t from = 0; from < n; from++) {
        double count = 0.0, expected = 0.0, choices = 0.0;
        for (size_t k = from * n; k < from * n + n; k++) {
            const double is = numbers[CITY_COUNT * matrix + k], should_be = numbers[CITY_EXPECTED * matrix + k];
            const double variance = numbers[CITY_VARIANCE * matrix + k];
            choices += is;
            if (is > 0.0 && !(should_be > 0.0)) v.worst = INFINITY; /* what cannot be chosen */
            if (should_be < LEAST_EXPECTED) {
                count += is;
                expected += should_be;
                continue;
            }
            add_count(is, should_be, variance, &v.sum, &spread);
            const double away = fabs(is - should_be) / sqrt(variance);
            if (away <= v.worst) continue;
            v.worst = away;
            v.from = (int)from;
            v.to = (int)(k - from * n);
        }
        if (choices > 0.0) add_count(count, expected, expected * (1.0 - expected / choices), &v.sum, &spread);
        v.choices += choices;
    }
    v.sum = spread > 0.0 ? v.sum / sqrt(spread) : 0.0;
    return v;
}
