/* Checks of Ant System's output (kernels/tsp/verify.h). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/tsp/verify.h"

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

ab_status verify_tour(const as_problem *problem, const int32_t *tour, int64_t length)
{
    const int n = problem->n;
    bool *seen = malloc((size_t)n * sizeof *seen);
    if (!seen) return ab_failed("out of memory");
    ab_status status = check_permutation(tour, n, seen);
    free(seen);
    if (status.code != AB_OK) return status;
    int64_t recomputed = 0;
    for (int i = 0; i < n; ++i) recomputed += problem->dist[(size_t)tour[i] * (size_t)n + (size_t)tour[i + 1]];
    if (recomputed == length) return ab_ok();
    return ab_failed("length %lld, recomputed %lld", (long long)length, (long long)recomputed);
}

/* What a colony holds after an iteration. */
typedef struct colony_copy {
    as_result result; /* owns its arrays */
    float *pheromone; /* [n][n] */
    double *expected; /* [n][n]: the pheromone recomputed */
    int n, n_ants;
} colony_copy;

static void free_copy(colony_copy *copy)
{
    free(copy->result.tours);
    free(copy->result.lengths);
    free(copy->result.best_tour);
    free(copy->pheromone);
    free(copy->expected);
}

static ab_status allocate_copy(int n, int n_ants, colony_copy *copy)
{
    const size_t tour = (size_t)n + 1, ants = (size_t)n_ants;
    copy->n = n;
    copy->n_ants = n_ants;
    copy->result.tours = malloc(ants * tour * sizeof *copy->result.tours);
    copy->result.lengths = malloc(ants * sizeof *copy->result.lengths);
    copy->result.best_tour = malloc(tour * sizeof *copy->result.best_tour);
    copy->pheromone = malloc((size_t)n * (size_t)n * sizeof *copy->pheromone);
    copy->expected = malloc((size_t)n * (size_t)n * sizeof *copy->expected);
    if (copy->result.tours && copy->result.lengths && copy->result.best_tour && copy->pheromone && copy->expected)
        return ab_ok();
    return ab_failed("out of memory for the tours of %d ants on %d cities", n_ants, n);
}

/* The tour of every ant. */
static ab_status check_tours(const colony_copy *copy, const as_problem *problem, int *valid)
{
    const as_result *result = &copy->result;
    *valid = 0;
    for (int ant = 0; ant < copy->n_ants; ++ant) {
        const int32_t *tour = result->tours + (size_t)ant * ((size_t)copy->n + 1);
        const ab_status status = verify_tour(problem, tour, result->lengths[ant]);
        if (status.code != AB_OK) return ab_failed("ant %d: %.400s", ant, status.reason);
        ++*valid;
    }
    return ab_ok();
}

/* The best tour: that it is one, and no longer than any of the last iteration. */
static ab_status check_best(const colony_copy *copy, const as_problem *problem)
{
    const as_result *result = &copy->result;
    const ab_status best = verify_tour(problem, result->best_tour, result->best_length);
    if (best.code != AB_OK) return ab_failed("best tour: %.400s", best.reason);
    for (int ant = 0; ant < copy->n_ants; ++ant)
        if (result->lengths[ant] < result->best_length)
            return ab_failed("ant %d found length %lld, the best is said to be %lld", ant,
                             (long long)result->lengths[ant], (long long)result->best_length);
    return ab_ok();
}

static void deposit(double *pheromone, const colony_copy *copy, int ant)
{
    const size_t n = (size_t)copy->n;
    const int32_t *tour = copy->result.tours + (size_t)ant * (n + 1);
    const double amount = 1.0 / (double)(copy->result.lengths[ant] > 0 ? copy->result.lengths[ant] : 1);
    for (size_t i = 0; i < n; ++i) {
        pheromone[(size_t)tour[i] * n + (size_t)tour[i + 1]] += amount;
        pheromone[(size_t)tour[i + 1] * n + (size_t)tour[i]] += amount;
    }
}

/* The iteration's best ant: the least length, the lowest index among equals. */
static int best_ant(const colony_copy *copy)
{
    int best = 0;
    for (int ant = 1; ant < copy->n_ants; ++ant)
        if (copy->result.lengths[ant] < copy->result.lengths[best]) best = ant;
    return best;
}

/* The pheromone after the first iteration, from its tours. The diagonal is never used and not checked. */
static ab_status check_pheromone(colony_copy *copy, const as_problem *problem, const as_params *params)
{
    const size_t n = (size_t)copy->n;
    double *expected = copy->expected;
    const double initial = as_initial_pheromone(problem, params->rho) * (1.0 - params->rho);
    for (size_t i = 0; i < n * n; ++i) expected[i] = initial;
    if (params->protocol == AS_BEST_ANT)
        deposit(expected, copy, best_ant(copy));
    else
        for (int ant = 0; ant < copy->n_ants; ++ant) deposit(expected, copy, ant);
    for (size_t i = 0; i < n * n; ++i) {
        const double error = fabs(copy->pheromone[i] - expected[i]);
        if (i % (n + 1) != 0 && !(error <= VERIFY_PHEROMONE_TOLERANCE * expected[i]))
            return ab_failed("pheromone[%zu][%zu] is %g, recomputed %g", i / n, i % n, (double)copy->pheromone[i],
                             expected[i]);
    }
    return ab_ok();
}

/* No NaN, no infinity, nothing negative, however far the pheromone has evaporated. */
static ab_status check_finite(const colony_copy *copy)
{
    const size_t n = (size_t)copy->n;
    for (size_t i = 0; i < n * n; ++i)
        if (!(copy->pheromone[i] >= 0.0f && isfinite(copy->pheromone[i])))
            return ab_failed("pheromone[%zu][%zu] is %g", i / n, i % n, (double)copy->pheromone[i]);
    return ab_ok();
}

/* One iteration, checked on the way, after construction and after what improves tours: a wrong one must not reach the
 * deposit, which would write out of bounds. */
static ab_status iterate_checked(as_colony *colony, const as_problem *problem, const as_params *params,
                                 colony_copy *copy, int *tours, bool *wrong)
{
    ab_work *work = &colony->work;
    const int construct = ab_stage_named(work, "construct"), update = ab_stage_named(work, "update");
    AB_TRY(colony->methods->poison(colony));
    for (int stage = 0; stage < update; ++stage) {
        AB_TRY(work->methods->run_stage(work, stage));
        if (stage < construct) continue;
        as_result constructed = {.tours = copy->result.tours, .lengths = copy->result.lengths};
        AB_TRY(colony->methods->read(colony, &constructed));
        *wrong = true; /* from here on, unless everything is right */
        AB_TRY(check_tours(copy, problem, tours));
        *wrong = false;
    }
    AB_TRY(work->methods->run_stage(work, update));
    AB_TRY(colony->methods->read(colony, &copy->result));
    AB_TRY(colony->methods->read_pheromone(colony, copy->pheromone));
    *wrong = true;
    AB_TRY(check_best(copy, problem));
    AB_TRY(check_pheromone(copy, problem, params));
    *wrong = false;
    return ab_ok();
}

ab_status verify_iteration(as_colony *colony, const as_problem *problem, const as_params *params, int *tours,
                           bool *wrong)
{
    colony_copy copy = {0};
    *tours = 0;
    *wrong = false;
    ab_status status = allocate_copy(problem->n, params->n_ants, &copy);
    if (status.code == AB_OK) status = iterate_checked(colony, problem, params, &copy, tours, wrong);
    free_copy(&copy);
    return status;
}

static ab_status check_all(as_colony *colony, const as_problem *problem, colony_copy *copy, bool *wrong)
{
    int valid = 0;
    AB_TRY(colony->methods->read(colony, &copy->result));
    AB_TRY(colony->methods->read_pheromone(colony, copy->pheromone));
    *wrong = true;
    AB_TRY(check_tours(copy, problem, &valid));
    AB_TRY(check_best(copy, problem));
    AB_TRY(check_finite(copy));
    *wrong = false;
    return ab_ok();
}

ab_status verify_tours(as_colony *colony, const as_problem *problem, int n_ants, as_result *best, bool *wrong)
{
    colony_copy copy = {0};
    *wrong = false;
    ab_status status = allocate_copy(problem->n, n_ants, &copy);
    if (status.code == AB_OK) status = check_all(colony, problem, &copy, wrong);
    best->best_length = copy.result.best_length;
    best->zero_weight_steps = copy.result.zero_weight_steps;
    free_copy(&copy);
    return status;
}

/* One city's candidate set; member[n] is scratch. */
static ab_status check_candidates(const as_problem *problem, int city, bool *member)
{
    const int n = problem->n, nn = problem->nn;
    const int32_t *set = problem->nn_list + (size_t)city * (size_t)nn;
    const int32_t *dist = problem->dist + (size_t)city * (size_t)n;
    memset(member, 0, (size_t)n * sizeof *member);
    member[city] = true;
    for (int i = 0; i < nn; ++i) {
        if (set[i] < 0 || set[i] >= n) return ab_failed("candidate %d of city %d is %d of %d", i, city, set[i], n);
        if (member[set[i]]) return ab_failed("candidate %d of city %d, %d, is no new city", i, city, set[i]);
        if (i > 0 && dist[set[i]] < dist[set[i - 1]])
            return ab_failed("candidate %d of city %d is nearer than the one before", i, city);
        member[set[i]] = true;
    }
    for (int other = 0; other < n; ++other)
        if (!member[other] && dist[other] < dist[set[nn - 1]])
            return ab_failed("city %d is nearer to city %d than its last candidate", other, city);
    return ab_ok();
}

ab_status verify_candidates(const as_problem *problem, int *valid, bool *wrong)
{
    *valid = 0;
    *wrong = false;
    bool *member = malloc((size_t)problem->n * sizeof *member);
    if (!member) return ab_failed("out of memory");
    ab_status first = ab_ok();
    for (int city = 0; city < problem->n; ++city) {
        const ab_status status = check_candidates(problem, city, member);
        if (status.code == AB_OK)
            ++*valid;
        else if (first.code == AB_OK)
            first = status;
    }
    free(member);
    *wrong = first.code != AB_OK;
    return first;
}
