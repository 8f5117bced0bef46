/* Does a colony select as the random proportional rule says? (tests/support/selection_test.h) */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/problems.h"
#include "tests/support/registered.h"
#include "tests/support/selection_test.h"

enum {
    BINS = 64,
    THIRDS = 3,
    ENOUGH = 5 /* expected observations that a cell needs for its statistic to be chi-square */
};

/* The closed forms for even and odd df: Abramowitz & Stegun 26.4.4 and 26.4.5. */
double chi_square_p(double x, int df)
{
    const double half = x / 2.0, odd = df % 2 == 1 ? 0.5 : 0.0;
    double p = odd > 0.0 ? erfc(sqrt(half)) : 0.0;
    if (half <= 0.0 || df == 0) return 1.0;
    for (int k = 0; k < df / 2; k++) p += exp(-half + (k + odd) * log(half) - lgamma(k + odd + 1.0));
    return p >= 0.0 ? fmin(p, 1.0) : 0.0;
}

static chi_square uniformity(const int64_t *observed)
{
    double total = 0.0;
    chi_square result = {.df = BINS - 1};
    for (int b = 0; b < BINS; b++) total += (double)observed[b];
    for (int b = 0; b < BINS; b++) {
        const double excess = (double)observed[b] - total / BINS;
        result.statistic += excess * excess / (total / BINS);
    }
    result.p = chi_square_p(result.statistic, result.df);
    return result;
}

double selection_worst_p(const selection_report *report)
{
    double worst = fmin(fmin(report->all.p, report->nearest_first.p), report->second_city.p);
    for (int t = 0; t < THIRDS; t++) worst = fmin(worst, report->third[t].p);
    return worst;
}

/* ---- Weights ---- */

static double weight_of(selection_weights kind, int i, int j)
{
    const int low = i < j ? i : j, high = i < j ? j : i;
    uint64_t state = (uint64_t)low * 65537 + (uint64_t)high;
    switch (kind) {
    case WEIGHTS_SKEWED:
        test_random(&state);
        return pow(10.0, -5.0 * test_random(&state));
    case WEIGHTS_BLOCKS:
        return (low / 32 + high / 32) % 2 == 1 ? 1000.0 : 1.0;
    case WEIGHTS_HUB:
        return low == 0 ? 3000.0 : 1.0;
    default:
        return 1.0;
    }
}

void selection_pheromone(const tsp_problem *problem, const tsp_params *params, selection_weights kind, float *pheromone)
{
    const size_t n = (size_t)problem->n;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            const double heuristic = tsp_power(1.0 / (problem->dist[i * n + j] + 0.1), params->beta);
            const double weight = weight_of(kind, (int)i, (int)j);
            pheromone[i * n + j] = (float)(1e-6 * tsp_power(weight / heuristic, 1.0 / params->alpha));
        }
}

/* ---- Observing ---- */

typedef struct observation {
    const tsp_problem *problem;
    const tsp_params *params;
    double *weight;             /* [n][n]: the exact weights of the pheromone matrix; 0 outside of candidate sets */
    int32_t *tours;             /* [n_ants][n + 1] */
    double *unvisited;          /* [n]: scratch: 1, and 0 for the cities visited */
    int64_t bins[THIRDS][BINS]; /* transforms of the steps with a choice, by third of the tour */
    int64_t near_bins[BINS];    /* the same steps, cities put end to end nearest first */
    int64_t *pairs;             /* [n][n]: tours that begin i, j */
    int64_t zero_weight_steps;  /* as the colony counted them */
    uint64_t random;
} observation;

/* Zeroes a row's weights but those of its candidate set. */
static void keep_candidates(const int32_t *list, size_t nn, double *row, size_t n)
{
    bool member[TSP_MAX_MATRIX] = {false};
    for (size_t k = 0; k < nn; k++) member[list[k]] = true;
    for (size_t j = 0; j < n; j++) row[j] = member[j] ? row[j] : 0.0;
}

static void compute_weights(observation *o, const float *pheromone)
{
    const size_t n = (size_t)o->problem->n;
    const size_t nn = (size_t)o->problem->nn;
    for (size_t k = 0; k < n * n; k++)
        o->weight[k] =
            tsp_power(pheromone[k], o->params->alpha) * tsp_power(1.0 / (o->problem->dist[k] + 0.1), o->params->beta);
    for (size_t i = 0; nn > 0 && i < n; i++) keep_candidates(o->problem->nn_list + i * nn, nn, o->weight + i * n, n);
}

static int bin_of(double point)
{
    return point < 1.0 ? (int)(point * BINS) : BINS - 1;
}

/* Counts a random point of the chosen city's interval, unless all unvisited cities, or candidates, weigh 0. */
static void observe_step(observation *o, int city, int chosen, int third)
{
    const size_t row = (size_t)city * (size_t)o->problem->n;
    const double *weight = o->weight + row;
    const int32_t *dist = o->problem->dist + row;
    double total = 0.0, before = 0.0, nearer = 0.0;
    for (int j = 0; j < o->problem->n; j++) {
        const double here = weight[j] * o->unvisited[j];
        total += here;
        before += here * (j < chosen);
        nearer += here * ((dist[j] < dist[chosen]) | ((dist[j] == dist[chosen]) & (j < chosen)));
    }
    if (!(total > 0.0)) return;
    const double inside = test_random(&o->random) * weight[chosen];
    o->bins[third][bin_of((before + inside) / total)]++;
    o->near_bins[bin_of((nearer + inside) / total)]++;
}

static ab_status observe_tour(observation *o, int ant)
{
    const int n = o->problem->n;
    const int32_t *tour = o->tours + (size_t)ant * ((size_t)n + 1);
    for (int j = 0; j < n; j++) o->unvisited[j] = 1.0;
    for (int step = 0; step < n; step++) {
        if (tour[step] < 0 || tour[step] >= n || o->unvisited[tour[step]] == 0.0)
            return ab_failed("ant %d: not a tour", ant);
        if (step > 0 && step < n - 1) observe_step(o, tour[step - 1], tour[step], (int)((int64_t)step * THIRDS / n));
        o->unvisited[tour[step]] = 0.0;
    }
    o->pairs[(size_t)tour[0] * (size_t)n + (size_t)tour[1]]++;
    return ab_ok();
}

/* Adds one start city's tours to the statistic. A cell is a run of second cities that is expected often enough. */
static void add_start(const observation *o, int start, chi_square *result)
{
    const int n = o->problem->n;
    const double *weight = o->weight + (size_t)start * (size_t)n;
    const int64_t *pairs = o->pairs + (size_t)start * (size_t)n;
    double total = 0.0, tours = 0.0, observed = 0.0, expected = 0.0;
    for (int j = 0; j < n; j++) {
        total += j == start ? 0.0 : weight[j];
        tours += (double)pairs[j];
    }
    double later = tours; /* expected at cities after j */
    for (int j = 0; j < n; j++) {
        const double expected_here = j == start ? 0.0 : tours * weight[j] / total;
        observed += (double)pairs[j];
        expected += expected_here;
        later -= expected_here;
        if (j < n - 1 && (expected < ENOUGH || later < ENOUGH)) continue;
        if (expected > 0.0) result->statistic += (observed - expected) * (observed - expected) / expected;
        result->df += j < n - 1; /* the last cell of a start is what its others leave */
        observed = expected = 0.0;
    }
}

static void report_observation(const observation *o, selection_report *report)
{
    int64_t all[BINS] = {0};
    memset(report, 0, sizeof *report);
    for (int t = 0; t < THIRDS; t++) {
        report->third[t] = uniformity(o->bins[t]);
        for (int b = 0; b < BINS; b++) all[b] += o->bins[t][b];
    }
    for (int b = 0; b < BINS; b++) report->steps += all[b];
    report->zero_weight_steps = o->zero_weight_steps;
    report->all = uniformity(all);
    report->nearest_first = uniformity(o->near_bins);
    for (int start = 0; start < o->problem->n; start++) add_start(o, start, &report->second_city);
    report->second_city.p = chi_square_p(report->second_city.statistic, report->second_city.df);
}

/* ---- Running ---- */

static ab_status construct_once(ab_open *open, observation *o, const float *pheromone)
{
    tsp_colony *colony = NULL;
    tsp_result result = {.tours = o->tours};
    AB_TRY(open_colony(open, o->problem, o->params, &colony));
    ab_status status = colony->methods->write_pheromone(colony, pheromone);
    if (status.code == AB_OK) status = run_stage_named(&colony->work, "choice");
    if (status.code == AB_OK) status = run_stage_named(&colony->work, "construct");
    if (status.code == AB_OK) status = colony->methods->read(colony, &result);
    colony->work.methods->close(&colony->work);
    o->zero_weight_steps = result.zero_weight_steps;
    return status;
}

ab_status selection_test(ab_open *open, const tsp_problem *problem, const tsp_params *params, const float *pheromone,
                         selection_report *report)
{
    const size_t n = (size_t)problem->n, n_ants = (size_t)params->n_ants;
    observation o = {
        .problem = problem,
        .params = params,
        .weight = malloc(n * n * sizeof(double)),
        .tours = malloc(n_ants * (n + 1) * sizeof(int32_t)),
        .unvisited = malloc(n * sizeof(double)),
        .pairs = calloc(n * n, sizeof(int64_t)),
        .random = params->seed ^ 0x5e1ec7, /* not the colony's own stream */
    };
    ab_status status = ab_failed("out of memory");
    if (o.weight != NULL && o.tours != NULL && o.unvisited != NULL && o.pairs != NULL) {
        compute_weights(&o, pheromone);
        status = construct_once(open, &o, pheromone);
        for (int ant = 0; status.code == AB_OK && ant < params->n_ants; ant++) status = observe_tour(&o, ant);
        if (status.code == AB_OK) report_observation(&o, report);
    }
    free(o.weight);
    free(o.tours);
    free(o.unvisited);
    free(o.pairs);
    return status;
}
