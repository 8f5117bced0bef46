/* Checks of Ant System's output (kernels/tsp/check/verify.h). */
#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/tsp/check/improved.h"
#include "kernels/tsp/check/max_min_again.h"
#include "kernels/tsp/check/remaining.h"
#include "kernels/tsp/check/tolerances.h"
#include "kernels/tsp/check/verify.h"
#include "kernels/tsp/check/wheel.h"
#include "mpi/ranks.h"

enum { MANY = 500 /* ants or rows from which on they are checked on all cores */ };

enum { ITERATIONS_LEVEL = 2 /* iterations whose choices among equals are looked at */ };

/* Weights in which a choice is one among equals, and tours that are held against the all-zero rule. */
#define LEVEL 1.001
enum { NEAREST_CHECKED = 8 };
enum { REMAINING_LOOKS = 5000000 }; /* cities that an iteration's searches for the best remaining one may look at */

enum {
    IMPROVED_CHECKED = 32, /* tours that are looked at for moves that stage "improve" has left */
    IMPROVED_RUNS = 20     /* most runs of that stage until it finds no move */
};

static ab_status check_permutation(const int32_t *tour, int n, bool *seen)
{
    memset(seen, 0, (size_t)n * sizeof *seen);
    for (int i = 0; i < n; ++i) {
        if (tour[i] < 0 || tour[i] >= n) return ab_failed("position %d holds city %d of %d", i, tour[i], n);
        if (seen[tour[i]]) return ab_failed("city %d is visited twice", tour[i]);
        seen[tour[i]] = true;
    }
    return tour[n] == tour[0] ? ab_ok() : ab_failed("the tour is not closed: it ends in city %d", tour[n]);
}

static ab_status check_tour(const tsp_problem *problem, const int32_t *tour, int64_t length, bool *seen)
{
    const int n = problem->n;
    AB_TRY(check_permutation(tour, n, seen));
    int64_t recomputed = 0;
    for (int i = 0; i < n; ++i) recomputed += tsp_distance(problem, tour[i], tour[i + 1]);
    if (recomputed == length) return ab_ok();
    return ab_failed("length %lld, recomputed %lld", (long long)length, (long long)recomputed);
}

ab_status tsp_verify_tour(const tsp_problem *problem, const int32_t *tour, int64_t length)
{
    bool *seen = malloc((size_t)problem->n * sizeof *seen);
    if (!seen) return ab_failed("out of memory");
    const ab_status status = check_tour(problem, tour, length, seen);
    free(seen);
    return status;
}

/* ---- What a colony holds; all memory is allocated before anything is checked, so that no check fails for lack of it ---- */

/* Pheromone as a colony has it: all, [n][n], or some edges. */
typedef struct trails {
    float *all; /* NULL: there are edges */
    tsp_edges edges;
} trails;

typedef struct colony_copy {
    const tsp_problem *problem;
    tsp_result result; /* owns its arrays */
    trails pheromone;
    trails before;            /* copy from before the update; empty if no update runs */
    tsp_padded padded;        /* owns its arrays; they are NULL for a colony that has no padding */
    int32_t *links;           /* [n][n_ants][2]: a city's neighbours in all tours; NULL where nothing is run */
    int32_t *best_links;      /* [n][2]: in the best tour; NULL where nothing is run */
    tsp_max_min_again course; /* state of TSP_MAX_MIN */
    float *rows;              /* [threads][n]: scratch, a row of pheromone */
    double *expected;         /* [threads][n]: scratch, a row recomputed */
    bool *seen;               /* [threads][n]: scratch */
    int64_t *built;           /* [n_ants]: the tours' lengths before stage "improve"; NULL where nothing is run */
    tsp_improved_lists near;  /* lists for stage "improve", if parameters ask for it */
    tsp_wheel wheel;          /* choices of the iterations in which all edges weigh the same; owns its tours */
    double least_weight;      /* least weight of all edges, in this iteration */
    double most_weight;
    double least_choice; /* least weight that ants choose among: in candidate sets, if there are any */
    double most_choice;
    double initial;   /* pheromone that the colony is to begin with */
    int64_t shortest; /* length of all tours of all iterations so far */
    int n, n_ants;
} colony_copy;

static void free_copy(colony_copy *copy)
{
    free(copy->result.tours);
    free(copy->result.lengths);
    free(copy->result.best_tour);
    free(copy->pheromone.all);
    free(copy->before.all);
    tsp_edges_free(&copy->pheromone.edges);
    tsp_edges_free(&copy->before.edges);
    free(copy->padded.pheromone);
    free(copy->padded.choice_info);
    free(copy->links);
    free(copy->rows);
    free(copy->expected);
    free(copy->seen);
    free(copy->wheel.all);
    free(copy->built);
    free(copy->best_links);
    tsp_improved_close(&copy->near);
}

static bool allocate_padded(tsp_colony *colony, colony_copy *copy, ab_status *status)
{
    if (!colony->methods->read_padded) return true;
    *status = colony->methods->read_padded(colony, &copy->padded);
    if (status->code != AB_OK) return true;
    const size_t matrix = (size_t)copy->n * (size_t)copy->padded.stride;
    copy->padded.pheromone = malloc(matrix * sizeof(float));
    copy->padded.choice_info = malloc(matrix * sizeof(float));
    return copy->padded.pheromone && copy->padded.choice_info;
}

/* Matrices; as many as are needed of a colony that has them. */
static bool allocate_trails(tsp_colony *colony, bool runs, colony_copy *copy)
{
    const size_t n = (size_t)copy->n;
    if (colony->methods->read_edges) return true;
    copy->pheromone.all = malloc(n * n * sizeof *copy->pheromone.all);
    if (runs) copy->before.all = malloc(n * n * sizeof *copy->before.all);
    return copy->pheromone.all && (copy->before.all || !runs);
}

static ab_status allocate_copy(tsp_colony *colony, const tsp_problem *problem, int n_ants, bool runs, colony_copy *copy)
{
    const size_t n = (size_t)problem->n, tour = n + 1, ants = (size_t)n_ants, threads = (size_t)omp_get_max_threads();
    ab_status status = ab_ok();
    copy->problem = problem;
    copy->n = problem->n;
    copy->n_ants = n_ants;
    copy->shortest = INT64_MAX;
    copy->result.tours = malloc(ants * tour * sizeof *copy->result.tours);
    copy->result.lengths = malloc(ants * sizeof *copy->result.lengths);
    copy->result.best_tour = malloc(tour * sizeof *copy->result.best_tour);
    copy->rows = malloc(threads * n * sizeof *copy->rows);
    copy->expected = malloc(threads * n * sizeof *copy->expected);
    copy->seen = malloc(threads * n * sizeof *copy->seen);
    if (runs) copy->links = malloc(n * ants * 2 * sizeof *copy->links);
    if (runs) copy->wheel.all = malloc(ITERATIONS_LEVEL * ants * sizeof *copy->wheel.all);
    if (runs) copy->built = malloc(ants * sizeof *copy->built);
    if (runs) copy->best_links = malloc(n * 2 * sizeof *copy->best_links);
    if (allocate_padded(colony, copy, &status) && allocate_trails(colony, runs, copy) && copy->result.tours &&
        copy->result.lengths && copy->result.best_tour && copy->rows && copy->expected && copy->seen &&
        ((copy->links && copy->wheel.all && copy->built && copy->best_links) || !runs))
        return status;
    return ab_failed("out of memory for the tours of %d ants on %d cities", n_ants, problem->n);
}

/* Row i of the pheromone, in the thread's scratch if the pheromone is no matrix. */
static const float *row_of(const colony_copy *copy, const trails *pheromone, size_t i)
{
    const size_t n = (size_t)copy->n;
    if (pheromone->all) return pheromone->all + i * n;
    float *row = copy->rows + (size_t)omp_get_thread_num() * n;
    tsp_edges_spread_row(&pheromone->edges, copy->n, i, row);
    return row;
}

/* Checks one ant or one row. */
typedef ab_status (*check_one)(const colony_copy *copy, const tsp_params *params, size_t i);

/* Checks `count` of them on all cores: the status of the first that is not as it should be. */
static ab_status check_each(const colony_copy *copy, const tsp_params *params, int count, check_one check)
{
    ab_first_failure first = {0};
#pragma omp parallel for if (count >= MANY)
    for (int i = 0; i < count; ++i) {
        const ab_status status = check(copy, params, (size_t)i);
        ab_keep_first(&first, (size_t)i, &status);
    }
    return first.status;
}

static ab_status check_ant(const colony_copy *copy, const tsp_params *params, size_t ant)
{
    const size_t n = (size_t)copy->n;
    const tsp_result *result = &copy->result;
    (void)params;
    const ab_status status = check_tour(copy->problem, result->tours + ant * (n + 1), result->lengths[ant],
                                        copy->seen + (size_t)omp_get_thread_num() * n);
    return status.code == AB_OK ? status : ab_failed("ant %zu: %.400s", ant, status.reason);
}

/* The tour of every ant; *valid is how many there are. */
static ab_status check_tours(const colony_copy *copy, int *valid)
{
    const ab_status status = check_each(copy, NULL, copy->n_ants, check_ant);
    *valid = status.code == AB_OK ? copy->n_ants : 0;
    return status;
}

/* The best tour: that it is one, and no longer than any of the last iteration. */
static ab_status check_best(const colony_copy *copy)
{
    const tsp_result *result = &copy->result;
    const ab_status best = check_tour(copy->problem, result->best_tour, result->best_length, copy->seen);
    if (best.code != AB_OK) return ab_failed("best tour: %.400s", best.reason);
    for (int ant = 0; ant < copy->n_ants; ++ant)
        if (result->lengths[ant] < result->best_length)
            return ab_failed("ant %d found length %lld, the best is said to be %lld", ant,
                             (long long)result->lengths[ant], (long long)result->best_length);
    return ab_ok();
}

/* Checks that the best tour is the shortest of all iterations. */
static ab_status check_shortest(colony_copy *copy)
{
    const tsp_result *result = &copy->result;
    for (int ant = 0; ant < copy->n_ants; ++ant)
        if (result->lengths[ant] < copy->shortest) copy->shortest = result->lengths[ant];
    if (result->best_length == copy->shortest) return ab_ok();
    return ab_failed("the best tour is %lld long after %lld iterations, the shortest that was found %lld",
                     (long long)result->best_length, (long long)result->iterations, (long long)copy->shortest);
}

/* ---- Pheromone and weights ---- */

/* Neither NaN nor infinite nor negative, and 0 from column `end` on. */
static ab_status check_row(const char *name, const float *row, size_t i, size_t end, size_t stride)
{
    for (size_t j = 0; j < stride; ++j)
        if (!(row[j] >= 0.0f && isfinite(row[j])) || (j >= end && row[j] != 0.0f))
            return ab_failed("%s[%zu][%zu]%s is %g", name, i, j, j >= end ? ", in the padding," : "", (double)row[j]);
    return ab_ok();
}

static ab_status check_rows(const colony_copy *copy, const tsp_params *params, size_t i)
{
    const size_t n = (size_t)copy->n, stride = (size_t)copy->padded.stride;
    (void)params;
    AB_TRY(check_row("pheromone", row_of(copy, &copy->pheromone, i), i, n, n));
    if (!copy->padded.pheromone) return ab_ok();
    const float *weights = copy->padded.choice_info + i * stride;
    AB_TRY(check_row("pheromone", copy->padded.pheromone + i * stride, i, n, stride));
    if (!copy->padded.usual) return ab_ok();
    AB_TRY(check_row("choice_info", weights, i, n, stride));
    if (weights[i] == 0.0f) return ab_ok();
    return ab_failed("choice_info[%zu][%zu], on the diagonal, is %g", i, i, (double)weights[i]);
}

static ab_status check_matrices(const colony_copy *copy)
{
    return check_each(copy, NULL, copy->n, check_rows);
}

static double weight_at(const tsp_params *params, double pheromone, double distance)
{
    return tsp_power(pheromone, params->alpha) * tsp_power(1.0 / (distance + 0.1), params->beta);
}

static double weight_of(const colony_copy *copy, const tsp_params *params, const float *row, size_t i, size_t j)
{
    return weight_at(params, (double)row[j], tsp_distance(copy->problem, (int)i, (int)j));
}

/* The extremes of weights. */
typedef struct extremes {
    double least, most;
} extremes;

static void include(extremes *range, double weight)
{
    range->least = fmin(range->least, weight);
    range->most = fmax(range->most, weight);
}

/* No two points are farther apart than the corners of the box around them. */
static double farthest(const tsp_problem *problem)
{
    tsp_point low = problem->points[0], high = low;
    for (int i = 1; i < problem->n; ++i) {
        low = (tsp_point){fmin(low.x, problem->points[i].x), fmin(low.y, problem->points[i].y)};
        high = (tsp_point){fmax(high.x, problem->points[i].x), fmax(high.y, problem->points[i].y)};
    }
    return problem->rule->distance(low, high);
}

/* Compares row i of the colony's weights, if it has them, with the weights that its pheromone makes. Returns the
 * column of the first that differs, or n. The row's extremes go into *all, and the extremes of its candidate set
 * into *set. Without a matrix of distances, only the weights of the colony's edges are compared. */
static size_t check_row_of_weights(const colony_copy *copy, const tsp_params *params, size_t i, extremes *all,
                                   extremes *set)
{
    const size_t n = (size_t)copy->n, nn = (size_t)copy->problem->nn;
    const float *row = row_of(copy, &copy->pheromone, i);
    const float *weights = copy->padded.usual ? copy->padded.choice_info : NULL;
    size_t wrong = n;
    for (size_t k = 0; k < nn; ++k)
        include(set, weight_of(copy, params, row, i, (size_t)copy->problem->nn_list[i * nn + k]));
    for (size_t k = copy->problem->dist ? 0 : copy->pheromone.edges.first[i];
         !copy->problem->dist && k < copy->pheromone.edges.first[i + 1]; ++k)
        include(all, weight_of(copy, params, row, i, (size_t)copy->pheromone.edges.city[k]));
    for (size_t j = 0; copy->problem->dist && j < n; ++j) {
        if (i == j) continue;
        const double weight = weight_of(copy, params, row, i, j);
        include(all, weight);
        if (!weights || weight <= TSP_VERIFY_LEAST_WEIGHT || wrong < n) continue;
        const double is = (double)weights[i * (size_t)copy->padded.stride + j];
        if (!(fabs(is - weight) <= TSP_VERIFY_WEIGHT_TOLERANCE * weight)) wrong = j;
    }
    return wrong;
}

static ab_status check_weights(colony_copy *copy, const tsp_params *params)
{
    const size_t n = (size_t)copy->n;
    size_t wrong_i = n, wrong_j = n;
    extremes all = {INFINITY, 0.0}, sets = {INFINITY, 0.0};
    if (!copy->problem->dist)
        include(&all, weight_at(params, copy->pheromone.edges.background, farthest(copy->problem)));
#pragma omp parallel if (n >= MANY)
    {
        extremes mine = all, of_sets = sets;
#pragma omp for
        for (size_t i = 0; i < n; ++i) {
            const size_t j = check_row_of_weights(copy, params, i, &mine, &of_sets);
            if (j == n) continue;
#pragma omp critical(wrong_weight)
            if (i < wrong_i) wrong_i = i, wrong_j = j;
        }
#pragma omp critical(weights)
        {
            all = (extremes){fmin(all.least, mine.least), fmax(all.most, mine.most)};
            sets = (extremes){fmin(sets.least, of_sets.least), fmax(sets.most, of_sets.most)};
        }
    }
    if (!copy->problem->nn) sets = all;
    copy->least_weight = all.least;
    copy->most_weight = all.most;
    copy->least_choice = sets.least;
    copy->most_choice = sets.most;
    if (wrong_i == n) return ab_ok();
    return ab_failed("choice_info[%zu][%zu] is %g, recomputed %g", wrong_i, wrong_j,
                     (double)copy->padded.choice_info[wrong_i * (size_t)copy->padded.stride + wrong_j],
                     weight_of(copy, params, row_of(copy, &copy->pheromone, wrong_i), wrong_i, wrong_j));
}

/* The number of ants whose tours are deposited on the pheromone that is checked. */
static int depositors(const colony_copy *copy)
{
    return copy->result.depositors ? copy->result.depositors : copy->n_ants;
}

/* The best of them: the least length, the lowest index among equals. */
static int best_ant(const colony_copy *copy)
{
    int best = 0;
    for (int ant = 1; ant < depositors(copy); ++ant)
        if (copy->result.lengths[ant] < copy->result.lengths[best]) best = ant;
    return best;
}

/* Keeps what the update needs: the neighbours of every city in all tours. */
static void link_tours(colony_copy *copy)
{
    const size_t n = (size_t)copy->n, n_ants = (size_t)copy->n_ants;
#pragma omp parallel for if (n_ants >= MANY)
    for (size_t ant = 0; ant < n_ants; ++ant) {
        const int32_t *tour = copy->result.tours + ant * (n + 1);
        for (size_t i = 0; i < n; ++i) {
            copy->links[((size_t)tour[i] * n_ants + ant) * 2 + 1] = tour[i + 1];
            copy->links[((size_t)tour[i + 1] * n_ants + ant) * 2] = tour[i];
        }
    }
}

static void add_deposit(const int32_t *links, int64_t length, double *expected)
{
    const double amount = 1.0 / (double)(length > 0 ? length : 1);
    expected[links[0]] += amount;
    expected[links[1]] += amount;
}

static void cut_to_limits(const colony_copy *copy, const tsp_params *params, double *expected)
{
    const double most = tsp_max_min_again_most(params->rho, copy->result.best_length),
                 least = copy->course.restarts ? most : most * tsp_max_min_again_share(copy->n);
    for (int j = 0; j < copy->n; ++j) expected[j] = fmin(fmax(expected[j], least), most);
}

/* What the update must make of row i. */
static void expect_row(const colony_copy *copy, const tsp_params *params, size_t i, double *expected)
{
    const size_t n = (size_t)copy->n;
    const float *before = row_of(copy, &copy->before, i);
    const int best = params->protocol == TSP_ALL_ANTS ? -1 : best_ant(copy);
    const bool best_so_far = params->protocol == TSP_MAX_MIN && copy->course.best_so_far;
    for (size_t j = 0; j < n; ++j) expected[j] = (1.0 - params->rho) * (double)before[j];
    for (int ant = best < 0 ? 0 : best; ant < (best < 0 ? depositors(copy) : best + 1); ++ant) {
        const int32_t *links = copy->links + (i * (size_t)copy->n_ants + (size_t)ant) * 2;
        add_deposit(best_so_far ? copy->best_links + i * 2 : links,
                    best_so_far ? copy->result.best_length : copy->result.lengths[ant], expected);
    }
    if (params->protocol == TSP_MAX_MIN) cut_to_limits(copy, params, expected);
}

/* The diagonal is never used: check_matrices is enough for it. */
static ab_status check_row_of_pheromone(const colony_copy *copy, const tsp_params *params, size_t i)
{
    const size_t n = (size_t)copy->n;
    double *expected = copy->expected + (size_t)omp_get_thread_num() * n;
    expect_row(copy, params, i, expected);
    const float *row = row_of(copy, &copy->pheromone, i);
    for (size_t j = 0; j < n; ++j) {
        const double is = row[j];
        if (i != j && !(fabs(is - expected[j]) <= TSP_VERIFY_PHEROMONE_TOLERANCE * expected[j]))
            return ab_failed("pheromone[%zu][%zu] is %g, recomputed %g", i, j, is, expected[j]);
    }
    return ab_ok();
}

static ab_status check_row_at_first(const colony_copy *copy, const tsp_params *params, size_t i)
{
    const float *row = row_of(copy, &copy->pheromone, i);
    (void)params;
    for (size_t j = 0; j < (size_t)copy->n; ++j)
        if (i != j && !(fabs(row[j] - copy->initial) <= TSP_VERIFY_WEIGHT_TOLERANCE * copy->initial))
            return ab_failed("pheromone[%zu][%zu] is %g at first, not %g", i, j, (double)row[j], copy->initial);
    return ab_ok();
}

/* A colony as it is opened has the initial pheromone everywhere. */
static ab_status check_initial(colony_copy *copy, const tsp_params *params)
{
    return check_each(copy, params, copy->n, check_row_at_first);
}

static ab_status check_zero_steps(const colony_copy *copy, int64_t before)
{
    const int64_t steps = copy->result.zero_weight_steps - before, all = (int64_t)copy->n_ants * (copy->n - 1);
    if (copy->most_weight == 0.0 && steps != all)
        return ab_failed("the all-zero rule is said to be used in %lld of %lld steps, and all weights are 0",
                         (long long)steps, (long long)all);
    if (steps == 0 || copy->least_weight <= TSP_VERIFY_LEAST_WEIGHT) return ab_ok();
    return ab_failed("the all-zero rule was used in %lld steps of an iteration in which no edge weighs less than %g",
                     (long long)steps, copy->least_weight);
}

/* ---- Iterations ---- */

/* The status of a check, which is wrong output unless it is AB_OK. */
static ab_status judged(ab_status status, bool *wrong)
{
    *wrong = status.code != AB_OK;
    return status;
}

static ab_status read_matrices(tsp_colony *colony, colony_copy *copy)
{
    tsp_edges_free(&copy->pheromone.edges);
    AB_TRY(copy->pheromone.all ? colony->methods->read_pheromone(colony, copy->pheromone.all)
                               : colony->methods->read_edges(colony, &copy->pheromone.edges));
    return copy->padded.pheromone ? colony->methods->read_padded(colony, &copy->padded) : ab_ok();
}

static const float *row_of_city(const void *context, int city)
{
    const colony_copy *copy = context;
    return row_of(copy, &copy->pheromone, (size_t)city);
}

/* With candidate sets: the steps of all ants that chose by this pheromone, as far as there is time. */
static ab_status check_remaining(const colony_copy *copy, const tsp_params *params)
{
    const tsp_remaining of = {copy->problem, params, row_of_city, copy, REMAINING_LOOKS};
    return copy->problem->nn ? tsp_remaining_check(&of, copy->result.tours, depositors(copy), copy->seen) : ab_ok();
}

/* What the tours that were built say of how ants choose. Where all edges weigh the same, as often as there is room, they are
 * kept for the wheel; where all weigh 0, some are held against the rule for that. */
static ab_status check_choices(colony_copy *copy, const tsp_params *params, int iteration)
{
    const size_t n = (size_t)copy->n;
    const int32_t *tours = copy->result.tours;
    tsp_wheel *wheel = &copy->wheel;
    if (copy->least_choice > 0.0 && copy->most_choice <= LEVEL * copy->least_choice &&
        wheel->n_all < ITERATIONS_LEVEL * copy->n_ants)
        tsp_wheel_add(wheel, copy->problem, tours, copy->n_ants, iteration, copy->seen);
    for (int ant = 0; copy->most_weight == 0.0 && ant < copy->n_ants && ant < NEAREST_CHECKED; ++ant) {
        const ab_status status = tsp_wheel_check_nearest(copy->problem, tours + (size_t)ant * (n + 1), copy->seen);
        if (status.code != AB_OK) return ab_failed("ant %d: %.400s", ant, status.reason);
    }
    return check_remaining(copy, params);
}

/* Stage "improve": no tour is longer than it was built, and those that local search has been asked for are hardly to be
 * made shorter. */
static ab_status check_improved(const colony_copy *copy, const tsp_params *params, bool at_the_end)
{
    const size_t n = (size_t)copy->n;
    const int best = best_ant(copy), first = params->improve == TSP_IMPROVE_BEST ? best : 0;
    const int end = params->improve == TSP_IMPROVE_NONE   ? 0
                    : params->improve == TSP_IMPROVE_BEST ? best + 1
                    : copy->n_ants < IMPROVED_CHECKED     ? copy->n_ants
                                                          : IMPROVED_CHECKED;
    int64_t left = 0, carried = 0;
    for (int ant = 0; ant < copy->n_ants; ++ant)
        if (copy->result.lengths[ant] > copy->built[ant])
            return ab_failed("ant %d: its tour is %lld long, and was %lld before it was improved", ant,
                             (long long)copy->result.lengths[ant], (long long)copy->built[ant]);
    for (int ant = first; ant < end; ++ant) {
        const int32_t *tour = copy->result.tours + (size_t)ant * (n + 1);
        left += tsp_improved_count_left(copy->problem, &copy->near, tour);
        if (at_the_end) carried += tsp_improved_count_carried(copy->problem, &copy->near, tour);
    }
    const double cities = (double)copy->n * (end - first);
    if (at_the_end && left + carried > 0)
        return ab_failed(
            "tours in which stage \"improve\" finds nothing have a 2-opt move left at %lld cities, an Or-opt "
            "move at %lld",
            (long long)left, (long long)carried);
    if ((double)left <= TSP_IMPROVED_FEW + TSP_IMPROVED_MOST_LEFT * cities) return ab_ok();
    return ab_failed("%lld of %.0f cities of improved tours have a 2-opt move left, more than %g %%", (long long)left,
                     cities, 100.0 * TSP_IMPROVED_MOST_LEFT);
}

static int64_t sum_lengths(const colony_copy *copy)
{
    int64_t sum = 0;
    for (int ant = 0; ant < copy->n_ants; ++ant) sum += copy->result.lengths[ant];
    return sum;
}

/* Runs stage "improve" again until it finds nothing, and checks what it leaves then. */
static ab_status improve_to_the_end(tsp_colony *colony, const tsp_params *params, colony_copy *copy, int stage,
                                    int *tours, bool *wrong)
{
    tsp_result again = {.tours = copy->result.tours, .lengths = copy->result.lengths};
    for (int run = 0; run < IMPROVED_RUNS; ++run) {
        const int64_t before = sum_lengths(copy);
        AB_TRY(colony->work.methods->run_stage(&colony->work, stage));
        AB_TRY(colony->methods->read(colony, &again));
        AB_TRY(judged(check_tours(copy, tours), wrong));
        if (sum_lengths(copy) == before) return judged(check_improved(copy, params, true), wrong);
    }
    return ab_ok(); /* what is left after one run has been judged */
}

/* Stages after construction up to the update, checked on the way: wrong tours must not reach the deposit, which would write
 * out of bounds. */
static ab_status construct_checked(tsp_colony *colony, const tsp_params *params, colony_copy *copy, int iteration,
                                   int *tours, bool *wrong)
{
    ab_work *work = &colony->work;
    const int construct = ab_stage_named(work, "construct"), update = ab_stage_named(work, "update");
    for (int stage = construct; stage < update; ++stage) {
        tsp_result constructed = {.tours = copy->result.tours, .lengths = copy->result.lengths};
        AB_TRY(work->methods->run_stage(work, stage));
        AB_TRY(colony->methods->read(colony, &constructed));
        AB_TRY(judged(check_tours(copy, tours), wrong));
        copy->result.depositors = constructed.depositors;
        AB_TRY(judged(stage == construct ? check_choices(copy, params, iteration) : check_improved(copy, params, false),
                      wrong));
        if (stage > construct && params->improve != TSP_IMPROVE_NONE && ranks_count() == 1)
            AB_TRY(improve_to_the_end(colony, params, copy, stage, tours, wrong));
        memcpy(copy->built, copy->result.lengths, (size_t)copy->n_ants * sizeof *copy->built);
    }
    return ab_ok();
}

/* The pheromone and the tours that the update begins with. */
static void keep_before(colony_copy *copy)
{
    const trails free_again = copy->before;
    copy->before = copy->pheromone;
    copy->pheromone = free_again;
    link_tours(copy);
}

/* The neighbours of every city in the best tour. */
static void link_best(colony_copy *copy)
{
    const int32_t *tour = copy->result.best_tour;
    for (int i = 0; i < copy->n; ++i) {
        copy->best_links[tour[i] * 2 + 1] = tour[i + 1];
        copy->best_links[tour[i + 1] * 2] = tour[i];
    }
}

static ab_status check_updated(colony_copy *copy, const tsp_params *params, int64_t zero_weight_steps)
{
    const int64_t shortest = copy->shortest;
    AB_TRY(check_best(copy));
    AB_TRY(check_shortest(copy));
    link_best(copy);
    tsp_max_min_again_go_on(&copy->course, copy->shortest < shortest, params->patience);
    AB_TRY(check_matrices(copy));
    AB_TRY(check_each(copy, params, copy->n, check_row_of_pheromone));
    return check_zero_steps(copy, zero_weight_steps);
}

static ab_status iterate_checked(tsp_colony *colony, const tsp_params *params, colony_copy *copy, int iteration,
                                 int *tours, bool *wrong)
{
    ab_work *work = &colony->work;
    const int64_t zero_weight_steps = copy->result.zero_weight_steps;
    AB_TRY(colony->methods->poison(colony));
    for (int stage = 0; stage < ab_stage_named(work, "construct"); ++stage)
        AB_TRY(work->methods->run_stage(work, stage));
    AB_TRY(read_matrices(colony, copy));
    AB_TRY(judged(check_matrices(copy), wrong));
    AB_TRY(judged(check_weights(copy, params), wrong));
    AB_TRY(construct_checked(colony, params, copy, iteration, tours, wrong));
    keep_before(copy);
    for (int stage = ab_stage_named(work, "update"); stage < work->methods->n_stages; ++stage)
        AB_TRY(work->methods->run_stage(work, stage));
    AB_TRY(colony->methods->read(colony, &copy->result));
    AB_TRY(read_matrices(colony, copy));
    return judged(check_updated(copy, params, zero_weight_steps), wrong);
}

/* Pheromone that makes an edge weigh about as much as others. */
static float level_edge(const colony_copy *copy, const tsp_params *params, size_t i, size_t j)
{
    const double eta = 1.0 / (tsp_distance(copy->problem, (int)i, (int)j) + 0.1);
    const double tau = 1e-6 * tsp_power(tsp_power(eta, params->beta), -1.0 / params->alpha);
    return (float)fmin(fmax(tau, 1e-20), 1e20);
}

/* All edges weigh about the same; of a colony that has some edges, those do. */
static ab_status level(tsp_colony *colony, const tsp_params *params, colony_copy *copy)
{
    const size_t n = (size_t)copy->n;
    float *const all = copy->pheromone.all;
    tsp_edges *const edges = &copy->pheromone.edges;
    if (!(params->alpha > 0.0)) return ab_ok();
#pragma omp parallel for if (n >= MANY)
    for (size_t i = 0; i < n; ++i) {
        for (size_t j = 0; all && j < n; ++j) all[i * n + j] = i == j ? 0.0f : level_edge(copy, params, i, j);
        for (size_t k = all ? 0 : edges->first[i]; !all && k < edges->first[i + 1]; ++k)
            edges->pheromone[k] = level_edge(copy, params, i, (size_t)edges->city[k]);
    }
    if (all) return colony->methods->write_pheromone(colony, all);
    edges->background = edges->pheromone[0];
    for (size_t k = 0; k < edges->first[n]; ++k) edges->background = fminf(edges->background, edges->pheromone[k]);
    return colony->methods->write_edges(colony, edges);
}

/* Pheromone that leaves the all-zero rule alone. */
static ab_status clear(tsp_colony *colony, const tsp_params *params, colony_copy *copy)
{
    const size_t n = (size_t)copy->n;
    float *const all = copy->pheromone.all;
    tsp_edges *const edges = &copy->pheromone.edges;
    if (!(params->alpha > 0.0)) return ab_ok();
    if (all) {
        memset(all, 0, n * n * sizeof *all);
        return colony->methods->write_pheromone(colony, all);
    }
    edges->background = 0.0f;
    memset(edges->pheromone, 0, edges->first[n] * sizeof *edges->pheromone);
    return colony->methods->write_edges(colony, edges);
}

/* What the pheromone is overwritten with before iteration i of so many, if with anything (verify.h). */
static ab_status prepare(tsp_colony *colony, const tsp_params *params, int i, int iterations, colony_copy *copy)
{
    const int zero = iterations >= TSP_VERIFY_ITERATIONS_ALL;
    const int levels = iterations >= TSP_VERIFY_ITERATIONS_CHOICES ? ITERATIONS_LEVEL : iterations > 1;
    if (i >= iterations - zero) return clear(colony, params, copy);
    return i >= iterations - zero - levels ? level(colony, params, copy) : ab_ok();
}

static ab_status iterate_all(tsp_colony *colony, const tsp_params *params, int iterations, colony_copy *copy,
                             int *tours, bool *wrong)
{
    AB_TRY(read_matrices(colony, copy));
    AB_TRY(tsp_initial_pheromone(copy->problem, params->rho, &copy->initial));
    AB_TRY(judged(check_initial(copy, params), wrong));
    for (int i = 0; i < iterations; ++i) {
        AB_TRY(prepare(colony, params, i, iterations, copy));
        const ab_status status = iterate_checked(colony, params, copy, i + 1, tours, wrong);
        if (status.code != AB_OK && *wrong && i > 0) return ab_failed("iteration %d: %.450s", i + 1, status.reason);
        AB_TRY(status);
    }
    return iterations >= TSP_VERIFY_ITERATIONS_CHOICES ? judged(tsp_wheel_check(&copy->wheel), wrong) : ab_ok();
}

ab_status tsp_verify_iterations(tsp_colony *colony, const tsp_problem *problem, const tsp_params *params,
                                int iterations, int *tours, bool *wrong)
{
    colony_copy copy = {0};
    *tours = 0;
    *wrong = false;
    ab_status status = allocate_copy(colony, problem, params->n_ants, true, &copy);
    if (status.code == AB_OK && params->improve != TSP_IMPROVE_NONE) status = tsp_improved_open(problem, &copy.near);
    if (status.code == AB_OK) status = iterate_all(colony, params, iterations, &copy, tours, wrong);
    free_copy(&copy);
    return status;
}

static ab_status check_all(const colony_copy *copy)
{
    int valid = 0;
    const tsp_result *result = &copy->result;
    AB_TRY(check_tours(copy, &valid));
    AB_TRY(check_best(copy));
    AB_TRY(check_matrices(copy));
    const double steps = (double)result->iterations * copy->n_ants * (copy->n - 1);
    if ((double)result->zero_weight_steps <= TSP_MOST_ZERO_STEPS * steps) return ab_ok();
    return ab_failed("the all-zero rule was used in %lld of %.0f steps, more than %g %%: this is not Ant System",
                     (long long)result->zero_weight_steps, steps, 100.0 * TSP_MOST_ZERO_STEPS);
}

ab_status tsp_verify_tours(tsp_colony *colony, const tsp_problem *problem, int n_ants, tsp_result *best, bool *wrong)
{
    colony_copy copy = {0};
    *wrong = false;
    ab_status status = allocate_copy(colony, problem, n_ants, false, &copy);
    if (status.code == AB_OK) status = colony->methods->read(colony, &copy.result);
    if (status.code == AB_OK) status = read_matrices(colony, &copy);
    if (status.code == AB_OK) status = judged(check_all(&copy), wrong);
    best->best_length = copy.result.best_length;
    best->zero_weight_steps = copy.result.zero_weight_steps;
    best->iterations = copy.result.iterations;
    free_copy(&copy);
    return status;
}

/* One city's candidate set; member[n] is scratch. */
static ab_status check_candidates(const tsp_problem *problem, int city, bool *member)
{
    const int n = problem->n, nn = problem->nn;
    const int32_t *set = problem->nn_list + (size_t)city * (size_t)nn;
    int32_t farthest = 0;
    memset(member, 0, (size_t)n * sizeof *member);
    member[city] = true;
    for (int i = 0; i < nn; ++i) {
        if (set[i] < 0 || set[i] >= n) return ab_failed("candidate %d of city %d is %d of %d", i, city, set[i], n);
        if (member[set[i]]) return ab_failed("candidate %d of city %d, %d, is no new city", i, city, set[i]);
        const int32_t distance = tsp_distance(problem, city, set[i]);
        if (distance < farthest) return ab_failed("candidate %d of city %d is nearer than the one before", i, city);
        farthest = distance;
        member[set[i]] = true;
    }
    for (int other = 0; other < n; ++other)
        if (!member[other] && tsp_distance(problem, city, other) < farthest)
            return ab_failed("city %d is nearer to city %d than its last candidate", other, city);
    return ab_ok();
}

ab_status tsp_verify_candidates(const tsp_problem *problem, int *valid, bool *wrong)
{
    const int n = problem->n;
    int good = 0;
    *valid = 0;
    *wrong = false;
    bool *member = malloc((size_t)omp_get_max_threads() * (size_t)n * sizeof *member);
    if (!member) return ab_failed("out of memory");
    ab_first_failure first = {0};
#pragma omp parallel for reduction(+ : good) if (n >= MANY)
    for (int city = 0; city < n; ++city) {
        const ab_status status = check_candidates(problem, city, member + (size_t)omp_get_thread_num() * (size_t)n);
        good += status.code == AB_OK;
        ab_keep_first(&first, (size_t)city, &status);
    }
    free(member);
    *valid = good;
    *wrong = first.status.code != AB_OK;
    return first.status;
}
