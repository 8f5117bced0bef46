/* Trials of exact implementations (kernels/tsp/check/trials.h). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "kernels/host/host_backend.h"
#include "kernels/tsp/check/chances.h"
#include "kernels/tsp/check/remaining.h"
#include "kernels/tsp/check/trials.h"
#include "kernels/tsp/check/verify.h"

/* Steps of a trial: on the host backend one takes up to 50 us. Where there are few cities a trial has more. */
enum { STEPS_FEW = 1000, STEPS_CPU = 30000, STEPS_GPU = 60000, SMALL = 128, SMALL_FACTOR = 5 };

enum { REMAINING_LOOKS = 2000000 }; /* cities that searches for the best remaining one may look at */

enum { MANY = 200 }; /* cities from which on pheromone is laid on all cores */

enum { MOST_CITIES = 1300 }; /* of the row's problem: the probabilities of all edges are computed */

/* The trials' own problems. */
enum {
    FEW_CITIES = 12,
    STREAM_CITIES = 33,
    CROSSINGS = 70,
    SIDE = 4,
    MORE_CROSSINGS = 300,
    MORE_SIDE = 12,
    LARGE = 1100,
    SMALL_SET = 3,
    CROWDED = 9,
    CROWD = 60
};
enum { STREAM_ANTS = 5, STREAM_ITERATIONS = 2 };

/* Opens, works, closes. */
typedef ab_status trial(const ab_circumstances *row, tsp_colony *colony, const tsp_problem *problem,
                        const tsp_params *params, bool *wrong);

static ab_status try_on(const ab_circumstances *row, const tsp_problem *problem, const tsp_params *params, trial *tried,
                        bool *wrong)
{
    ab_work *work = NULL;
    AB_TRY(row->implementation->open(problem, params, &work));
    const ab_status status = tried(row, (tsp_colony *)work, problem, params, wrong);
    work->methods->close(work);
    return status;
}

static ab_status construct(tsp_colony *colony)
{
    ab_work *work = &colony->work;
    for (int stage = 0; stage <= ab_stage_named(work, "construct"); ++stage)
        AB_TRY(work->methods->run_stage(work, stage));
    return ab_ok();
}

/* ---- Chances ---- */

static int steps_of(const ab_circumstances *row, int n)
{
    const int usual = row->implementation->backend == AB_CPU ? STEPS_CPU : STEPS_GPU;
    const int steps = row->few_steps ? STEPS_FEW : usual;
    return n <= SMALL ? SMALL_FACTOR * steps : steps;
}

/* Every sixth city weighs little. So of a dozen, two of which cannot be chosen, each heavy city has one and a half times
 * its bucket of an alias table. */
static double heaviness(int city)
{
    uint64_t random = (uint64_t)city;
    return city % 6 == 0 ? 0.02 : 1.0 + 0.1 * random_unit(&random);
}

/* Each city has a weight of its own, whatever it is chosen from. So a table's fault shows in all rows alike. */
static void lay_pheromone(const tsp_problem *problem, const tsp_params *params, float *pheromone)
{
    const int n = problem->n;
#pragma omp parallel for schedule(dynamic, 16) if (n >= MANY)
    for (int i = 0; i < n; ++i)
        for (int j = 0; j <= i; ++j) {
            const double eta = 1.0 / (tsp_distance(problem, i, j) + 0.1);
            const double weight = 1e-6 * heaviness(i) * heaviness(j) / tsp_power(eta, params->beta);
            const double tau = params->alpha > 0.0 ? tsp_power(weight, 1.0 / params->alpha) : 1.0;
            const float value = i == j ? 0.0f : (float)fmin(fmax(tau, 1e-20), 1e20);
            pheromone[(size_t)i * (size_t)n + (size_t)j] = pheromone[(size_t)j * (size_t)n + (size_t)i] = value;
        }
}

static ab_status write_pheromone(tsp_colony *colony, const float *pheromone, int n)
{
    tsp_edges edges = {0};
    if (!colony->methods->write_edges) return colony->methods->write_pheromone(colony, pheromone);
    ab_status status = tsp_edges_gather(pheromone, n, &edges);
    if (status.code == AB_OK) status = colony->methods->write_edges(colony, &edges);
    tsp_edges_free(&edges);
    return status;
}

/* What is counted, and held against the rule for candidate sets. */
typedef struct counting {
    const tsp_problem *problem;
    const tsp_params *params;
    float *pheromone; /* [n][n] */
    int32_t *tours;   /* [n_ants][n + 1] */
    tsp_chances chances;
} counting;

static const float *row_of(const void *context, int city)
{
    const counting *c = context;
    return c->pheromone + (size_t)city * (size_t)c->problem->n;
}

/* The choices of one construction. */
static ab_status count_round(tsp_colony *colony, counting *c, bool *wrong)
{
    const int n = c->problem->n;
    tsp_result result = {.tours = c->tours};
    const tsp_remaining of = {c->problem, c->params, row_of, c, REMAINING_LOOKS};
    AB_TRY(colony->methods->poison(colony));
    AB_TRY(construct(colony));
    AB_TRY(colony->methods->read(colony, &result));
    for (int ant = 0; ant < c->params->n_ants; ++ant) {
        const int32_t *tour = c->tours + (size_t)ant * ((size_t)n + 1);
        for (int i = 0; i < n; ++i) *wrong |= tour[i] < 0 || tour[i] >= n;
        if (*wrong) return ab_failed("ant %d has no tour", ant);
    }
    tsp_chances_add(&c->chances, c->tours, c->params->n_ants);
    if (!c->problem->nn) return ab_ok();
    const ab_status status = tsp_remaining_check(&of, c->tours, c->params->n_ants, c->chances.visited);
    *wrong = status.code != AB_OK;
    return status;
}

static ab_status count_all(tsp_colony *colony, int rounds, counting *c, bool *wrong)
{
    AB_TRY(tsp_chances_open(c->problem, c->params, c->pheromone, &c->chances));
    AB_TRY(write_pheromone(colony, c->pheromone, c->problem->n));
    for (int i = 0; i < rounds; ++i) AB_TRY(count_round(colony, c, wrong));
    const ab_status status = tsp_chances_check(&c->chances);
    *wrong = status.code != AB_OK;
    return status;
}

static ab_status try_chances(const ab_circumstances *row, tsp_colony *colony, const tsp_problem *problem,
                             const tsp_params *params, bool *wrong)
{
    const int rounds = 1 + steps_of(row, problem->n) / (problem->n * params->n_ants);
    const size_t n = (size_t)problem->n;
    counting c = {.problem = problem,
                  .params = params,
                  .pheromone = malloc(n * n * sizeof *c.pheromone),
                  .tours = malloc((size_t)params->n_ants * (n + 1) * sizeof *c.tours)};
    ab_status status = c.pheromone && c.tours ? ab_ok() : ab_failed("out of memory: %zu cities", n);
    if (status.code == AB_OK) lay_pheromone(problem, params, c.pheromone);
    if (status.code == AB_OK) status = count_all(colony, rounds, &c, wrong);
    tsp_chances_close(&c.chances);
    free(c.pheromone);
    free(c.tours);
    return status;
}

/* ---- The trials' own problems ---- */

typedef enum cities { AT_RANDOM, ON_CROSSINGS } cities;

typedef struct own_problem {
    tsp_point points[LARGE];
    int32_t *dist, *near;
    tsp_problem problem;
} own_problem;

/* Cities in a plane, with candidate sets of nn where there are any. Free in every case. */
static ab_status make_problem(cities kind, int n, int side, int nn, own_problem *own)
{
    const tsp_rule *rule = tsp_find_rule("EUC_2D");
    uint64_t random = 5;
    for (int i = 0; i < n; ++i) {
        const double x = side * random_unit(&random), y = side * random_unit(&random);
        own->points[i] = kind == AT_RANDOM ? (tsp_point){x, y} : (tsp_point){floor(x), floor(y)};
    }
    AB_TRY(tsp_compute_distances("", rule, own->points, n, &own->dist));
    own->problem = (tsp_problem){.n = n, .dist = own->dist, .points = own->points, .rule = rule};
    if (nn == 0) return ab_ok();
    nn = nn < n ? nn : n - 1;
    AB_TRY(tsp_nearest_neighbours(&own->problem, nn, &own->near));
    own->problem.nn = nn;
    own->problem.nn_list = own->near;
    return ab_ok();
}

static void free_problem(own_problem *own)
{
    free(own->near);
    free(own->dist);
}

static ab_status try_on_own(const ab_circumstances *row, cities kind, int n, int side, int nn, tsp_params params,
                            trial *tried, bool *wrong)
{
    own_problem own = {0};
    ab_status status = make_problem(kind, n, side, params.nn ? nn : 0, &own);
    params.nn = own.problem.nn;
    if (status.code == AB_OK) status = try_on(row, &own.problem, &params, tried, wrong);
    free_problem(&own);
    return status;
}

/* ---- Ties ---- */

static ab_status try_ties(const ab_circumstances *row, tsp_colony *colony, const tsp_problem *problem,
                          const tsp_params *params, bool *wrong)
{
    int valid;
    (void)row;
    return tsp_verify_iterations(colony, problem, params, TSP_VERIFY_ITERATIONS_ALL, &valid, wrong);
}

/* So many tours, which go everywhere in the second iteration, that cities have more edges than a vector has places. */
static ab_status try_deposits(const ab_circumstances *row, tsp_colony *colony, const tsp_problem *problem,
                              const tsp_params *params, bool *wrong)
{
    int valid;
    (void)row;
    return tsp_verify_iterations(colony, problem, params, 2, &valid, wrong);
}

static ab_status try_once(const ab_circumstances *row, tsp_colony *colony, const tsp_problem *problem,
                          const tsp_params *params, bool *wrong)
{
    int valid;
    (void)row;
    return tsp_verify_iterations(colony, problem, params, 1, &valid, wrong);
}

/* AB_OK for what is not supported: not every implementation has every parameter. */
static ab_status supported(ab_status status)
{
    return status.code == AB_UNSUPPORTED ? ab_ok() : status;
}

static ab_status try_crossings(const ab_circumstances *row, tsp_params params, bool *wrong)
{
    params.protocol = TSP_BEST_ANT;
    params.n_ants = CROWD;
    AB_TRY(try_on_own(row, ON_CROSSINGS, CROWDED, SIDE, CROWDED / 2, params, try_ties, wrong));
    if (params.nn == 0) return ab_ok();
    params.n_ants = 3;
    AB_TRY(try_on_own(row, ON_CROSSINGS, CROSSINGS, SIDE, SMALL_SET, params, try_ties, wrong));
    params.protocol = TSP_ALL_ANTS;
    params.n_ants = CROWD;
    AB_TRY(try_on_own(row, ON_CROSSINGS, CROSSINGS, SIDE, SMALL_SET, params, try_deposits, wrong));
    params.n_ants = 3;
    params.beta = 0.0;
    AB_TRY(supported(try_on_own(row, ON_CROSSINGS, CROSSINGS, SIDE, SMALL_SET, params, try_ties, wrong)));
    return try_on_own(row, ON_CROSSINGS, MORE_CROSSINGS, MORE_SIDE, SMALL_SET, params, try_once, wrong);
}

/* ---- Many cities ---- */

/* So many that searches for the nearest city go beyond a group of 1024. */
static ab_status try_many(const ab_circumstances *row, tsp_params params, bool *wrong)
{
    params.protocol = TSP_BEST_ANT;
    params.n_ants = 2;
    return params.nn ? try_on_own(row, AT_RANDOM, LARGE, 1000, SMALL_SET, params, try_once, wrong) : ab_ok();
}

/* ---- Streams ---- */

typedef struct number {
    uint64_t seed, subsequence, offset; /* Philox's */
} number;

static struct {
    number *numbers; /* [room], of which there are `count` */
    size_t count, room;
    bool full; /* there was no memory for more */
} heard;

static void hear(uint64_t seed, uint64_t subsequence, uint64_t offset)
{
    if (heard.count == heard.room) {
        const size_t room = heard.room ? 2 * heard.room : 4096;
        number *numbers = realloc(heard.numbers, room * sizeof *numbers);
        heard.full = heard.full || !numbers;
        if (!numbers) return;
        heard.numbers = numbers;
        heard.room = room;
    }
    heard.numbers[heard.count++] = (number){seed, subsequence, offset};
}

static int compare(const void *a, const void *b)
{
    const number *one = a, *other = b;
    if (one->seed != other->seed) return one->seed < other->seed ? -1 : 1;
    if (one->subsequence != other->subsequence) return one->subsequence < other->subsequence ? -1 : 1;
    return (one->offset > other->offset) - (one->offset < other->offset);
}

static ab_status check_heard(bool *wrong)
{
    if (heard.full) return ab_failed("out of memory: %zu random numbers", heard.count);
    if (heard.count) qsort(heard.numbers, heard.count, sizeof *heard.numbers, compare);
    for (size_t i = 1; i < heard.count; ++i) {
        if (compare(&heard.numbers[i - 1], &heard.numbers[i]) != 0) continue;
        *wrong = true;
        return ab_failed("number %llu of stream %llu is drawn twice", (unsigned long long)heard.numbers[i].offset,
                         (unsigned long long)heard.numbers[i].subsequence);
    }
    return ab_ok();
}

static ab_status draw(const ab_circumstances *row, tsp_colony *colony, const tsp_problem *problem,
                      const tsp_params *params, bool *wrong)
{
    (void)row, (void)problem, (void)params, (void)wrong;
    for (int i = 0; i < STREAM_ITERATIONS; ++i) AB_TRY(ab_iterate(&colony->work));
    return ab_ok();
}

static ab_status try_streams(const ab_circumstances *row, tsp_params params, bool *wrong)
{
    memset(&heard, 0, sizeof heard);
    params.n_ants = STREAM_ANTS;
    host_backend_hear_draws(hear);
    ab_status status = try_on_own(row, AT_RANDOM, STREAM_CITIES, 1000, STREAM_CITIES - 1, params, draw, wrong);
    host_backend_hear_draws(NULL);
    if (status.code == AB_OK) status = check_heard(wrong);
    free(heard.numbers);
    return status;
}

/* ---- All ---- */

/* As few near cities as there can be, where an implementation has a number of them. */
static ab_status set_fewest_near(const ab_implementation *it, tsp_params *params)
{
    const ab_parameter *near = it->parameters ? ab_parameter_find(it->parameters, "near", strlen("near")) : NULL;
    return near ? ab_parameter_set(near, "1", params) : ab_ok();
}

static ab_status named(const char *name, ab_status status)
{
    status = supported(status);
    return status.code == AB_OK ? status : ab_failed("trial of %s: %.450s", name, status.reason);
}

/* On the trials' own problems. */
static ab_status run_own(const ab_circumstances *row, tsp_params params, bool *wrong)
{
    tsp_params counted = params;
    AB_TRY(set_fewest_near(row->implementation, &counted));
    counted.n_ants = steps_of(row, FEW_CITIES) / FEW_CITIES;
    AB_TRY(named("chances", try_on_own(row, AT_RANDOM, FEW_CITIES, 1000, params.nn, counted, try_chances, wrong)));
    AB_TRY(named("ties", try_crossings(row, params, wrong)));
    AB_TRY(named("many cities", try_many(row, params, wrong)));
    return ab_ok();
}

/* On the row's problem, with no more ants than the row has: so that its plan is looked at. */
static ab_status run_on_row(const ab_circumstances *row, const tsp_problem *problem, tsp_params params, bool *wrong)
{
    const int enough = steps_of(row, problem->n) / problem->n + 2;
    if (params.n_ants > enough) params.n_ants = enough;
    if (problem->n > MOST_CITIES || problem->n < 3) return ab_ok();
    return named("chances", try_on(row, problem, &params, try_chances, wrong));
}

/* What has passed: rows that differ in nothing that a trial looks at are not tried again. */
static struct passed {
    const ab_implementation *it;
    int n; /* cities of the row's problem; 0: the trials' own problems */
    tsp_params params;
} passed[128];
static int n_passed;

static bool has_passed(const struct passed *now)
{
    const tsp_params *a = &now->params;
    for (const struct passed *p = passed; p < passed + n_passed; ++p) {
        const tsp_params *b = &p->params;
        if (p->it == now->it && p->n == now->n && (!p->n || a->protocol == b->protocol) && a->nn == b->nn &&
            a->alpha == b->alpha && a->beta == b->beta && memcmp(a->own, b->own, sizeof a->own) == 0)
            return true;
    }
    return false;
}

static void keep_passed(const struct passed *now)
{
    if (n_passed < (int)(sizeof passed / sizeof *passed)) passed[n_passed++] = *now;
}

ab_status tsp_trials_run(const ab_circumstances *row, const tsp_problem *problem, const tsp_params *params, bool *wrong)
{
    const ab_implementation *it = row->implementation;
    struct passed on_row = {it, problem->n, *params}, on_own = {it, 0, *params};
    const bool exact = it->traits & AB_EXACT;
    on_row.params.improve = on_own.params.improve = TSP_IMPROVE_NONE;
    *wrong = false;
    if (exact && !has_passed(&on_row)) {
        AB_TRY(run_on_row(row, problem, on_row.params, wrong));
        keep_passed(&on_row);
    }
    if (has_passed(&on_own)) return ab_ok();
    if (it->backend == AB_HOST) AB_TRY(named("streams", try_streams(row, on_own.params, wrong)));
    if (exact) AB_TRY(run_own(row, on_own.params, wrong));
    keep_passed(&on_own);
    return ab_ok();
}
