/* Ant System to the harness: its instances, parameters, verification and quality (kernels/operation.h).
 *
 * A sample is an iteration; runs are independent and differ by their seed. After each run every tour is checked again,
 * and the best is the run's quality, which the measure "tours" looks at alone. Candidate sets are set up before, and
 * their time is a row of its own.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "kernels/host/host_backend.h"
#include "kernels/operation.h"
#include "kernels/tsp/check/trials.h"
#include "kernels/tsp/check/verify.h"
#include "kernels/tsp/steps/inputs.h"
#include "kernels/tsp/team/team.h"
#include "kernels/tsp/tsp.h"
#include "mpi/ranks.h"
#include "tours/tour.h"

/* Least numbers of ants if there are few: elsewhere than on the host backend they fill a warp, and begin another. */
enum { MIN_HOST_ANTS = 2, MIN_ANTS = 33 };

/* Numbers of iterations that are verified. The largest includes one in which all weights are 0; it is used if that
 * is not too many steps, since a CPU implementation looks at all cities in each. The smallest is for implementations
 * whose iteration takes longer than LONG_ITERATION_S. */
enum {
    VERIFIED_ITERATIONS = TSP_VERIFY_ITERATIONS_ALL,
    VERIFIED_LARGE = TSP_VERIFY_ITERATIONS_CHOICES,
    VERIFIED_LONG = 2
};
enum { FEWER_ANTS = 8 }; /* one ant of so many walks in all of the host backend's but one, and in a CPU's of FEWER_S */
#define FEWER_S 0.05
#define LONG_ITERATION_S 0.5
#define LARGE_STEPS 1e8 /* cities looked at in an iteration */

/* Order of threads in which the host backend runs verification: it lets a warp run ahead of the others. */
enum { VERIFIED_ORDER = 2 };

/* ---- Problem ---- */

static ab_status give_problem(const ab_task *task, const void **problem)
{
    tsp_input *l = task->loaded;
    const tsp_params *params = task->params;
    const tsp_rule *rule = l->instance.rule;
    const bool on_plane = rule && strcmp(rule->name, "GEO") != 0;
    l->problem = (tsp_problem){
        .n = l->instance.n, .dist = l->instance.dist, .points = on_plane ? l->instance.points : NULL, .rule = rule};
    *problem = &l->problem;
    if (!l->problem.dist && !on_plane)
        return ab_unsupported("needs points on a plane where there are more than %d cities", TSP_MAX_CITIES);
    if (params->nn == 0) return ab_ok();
    char size[32];
    snprintf(size, sizeof size, "nn=%d", params->nn);
    ab_setup setup = {.row = "candidate-set",
                      .implementation = "tsp/candidate-set",
                      .params = size,
                      .verify_metric = "valid-sets",
                      .bytes = NAN};
    bool built;
    const ab_status status = tsp_candidates_give(&l->candidates, params->nn, &l->problem, &setup, &built);
    if (built) AB_TRY(task->sink->setup(task->sink, &setup));
    return status;
}

/* ---- Parameters ---- */

static int fewest_ants(const tsp_params *params, int few)
{
    const int least = params->ranks > few ? params->ranks : few;
    return params->n_ants < least ? params->n_ants : least;
}

/* All ants of the sources where the cell is timed; if steps are few, as many as host_steps allows. */
static int few_ants(const ab_circumstances *c, const tsp_params *params)
{
    const double n = c->input->size, affordable = c->host_steps / (n * n);
    const int least = fewest_ants(params, c->implementation->backend == AB_HOST ? MIN_HOST_ANTS : MIN_ANTS);
    return affordable >= params->n_ants ? params->n_ants : affordable <= least ? least : (int)affordable;
}

static void fit(const ab_circumstances *c, void *fitted)
{
    tsp_params *params = fitted;
    const bool several = c->implementation->traits & AB_SEVERAL;
    if (!several) params->ranks = 1, params->each = false;
    if (params->n_ants == 0) params->n_ants = c->input->size;
    if (params->each) params->n_ants *= params->ranks;
    if (c->few_steps) params->n_ants = few_ants(c, params);
    if (params->threads == 0) params->threads = c->cores;
    if (params->nn >= c->input->size) params->nn = c->input->size - 1;
    if (!(c->implementation->traits & TSP_CANDIDATES)) params->nn = 0;
    if (c->implementation->backend == AB_CPU) params->carveout = -1;
    if (params->rho == 0.0) params->rho = tsp_default_params(c->input->size, params->protocol).rho;
}

static ab_status check(const ab_circumstances *c, const void *params)
{
    const tsp_problem problem = {.n = c->input->size};
    return tsp_check(&problem, params);
}

static void set_seed(void *params, uint64_t seed)
{
    ((tsp_params *)params)->seed = seed;
}

/* ---- Measures ---- */

static double iteration_seconds(const ab_circumstances *c, const tsp_params *params);

static ab_status verify_colony(const ab_task *task, const tsp_params *params, int iterations, ab_verdict *verdict)
{
    ab_work *work = NULL;
    int valid = 0;
    AB_TRY(task->c->implementation->open(task->problem, params, &work));
    host_backend_set_order(VERIFIED_ORDER);
    const ab_status status =
        tsp_verify_iterations((tsp_colony *)work, task->problem, params, iterations, &valid, &verdict->wrong);
    host_backend_set_order(0);
    work->methods->close(work);
    verdict->value = valid;
    return status;
}

/* Cities looked at in an iteration. */
static double steps(const ab_circumstances *c, const void *fitted)
{
    const double n = c->input->size;
    return ((const tsp_params *)fitted)->n_ants * n * n;
}

static int iterations_to_verify(const ab_circumstances *c, const tsp_params *params)
{
    return steps(c, params) <= LARGE_STEPS ? VERIFIED_ITERATIONS : VERIFIED_LARGE;
}

static bool with_fewer(const ab_circumstances *c, double iteration_s)
{
    return c->implementation->backend == AB_CPU && iteration_s > FEWER_S;
}

static tsp_params with_fewer_ants(const tsp_params *params)
{
    tsp_params fewer = *params;
    const int least = fewest_ants(params, MIN_HOST_ANTS);
    fewer.n_ants = params->n_ants / FEWER_ANTS > least ? params->n_ants / FEWER_ANTS : least;
    return fewer;
}

/* On the host backend an iteration takes seconds. So there is one iteration of all ants, after iterations of fewer. */
static ab_status verify_on_host(const ab_task *task, ab_verdict *verdict)
{
    const tsp_params fewer = with_fewer_ants(task->params);
    AB_TRY(verify_colony(task, &fewer, iterations_to_verify(task->c, &fewer), verdict));
    return verify_colony(task, task->params, 1, verdict);
}

/* A CPU's ants walk one like another: some are enough; judge_run sees the tours of all. */
static ab_status verify_iterations_of(const ab_task *task, ab_verdict *verdict)
{
    const ab_circumstances *c = task->c;
    const double seconds = iteration_seconds(c, task->params);
    const tsp_params fewer = with_fewer_ants(task->params);
    const tsp_params *params = with_fewer(c, seconds) ? &fewer : task->params;
    if (c->implementation->backend == AB_HOST) return verify_on_host(task, verdict);
    return verify_colony(task, params, seconds > LONG_ITERATION_S ? VERIFIED_LONG : iterations_to_verify(c, params),
                         verdict);
}

/* In the order in which iterations are verified. */
static ab_status run_trials(const ab_task *task, ab_verdict *verdict)
{
    const ab_implementation *it = task->c->implementation;
    if (it->traits & AB_SEVERAL) return ab_ok();
    host_backend_set_order(VERIFIED_ORDER);
    const ab_status status = tsp_trials_run(task->c, task->problem, task->params, &verdict->wrong);
    host_backend_set_order(0);
    return status;
}

static ab_status verify(const ab_task *task, ab_verdict *verdict)
{
    ab_status status = verify_iterations_of(task, verdict);
    if (status.code == AB_OK) status = run_trials(task, verdict);
    snprintf(verdict->metric, sizeof verdict->metric, "valid-tours");
    if (status.code != AB_OK || task->c->implementation->backend != AB_HOST) return status;
    char note[96];
    snprintf(note, sizeof note, "verified on the host backend with %d of %d ants, not timed",
             ((const tsp_params *)task->params)->n_ants, task->c->input->size);
    task->sink->note(task->sink, note);
    return status;
}

/* The best tour of the first run, for --save: INPUT-ROW-PROTOCOL-ITERATIONS.tour, as TSPLIB has tours. */
static ab_status save_tour(const ab_task *task, tsp_colony *colony)
{
    const tsp_params *params = task->params;
    const int n = task->c->input->size;
    char path[1200], name[160], comment[160];
    tsp_result best = {.best_tour = malloc(((size_t)n + 1) * sizeof *best.best_tour)};
    ab_status status = best.best_tour ? colony->methods->read(colony, &best) : ab_failed("out of memory");
    snprintf(name, sizeof name, "%.60s-%.60s-%s-%d", task->c->input->name, task->row,
             tsp_protocol_name(params->protocol), task->c->iterations);
    snprintf(comment, sizeof comment, "length %lld, seed %llu", (long long)best.best_length,
             (unsigned long long)task->seed);
    if (snprintf(path, sizeof path, "%s/%s.tour", task->save, name) >= (int)sizeof path)
        status = ab_bad_input("--save: %.200s...: the path is too long", path);
    if (status.code == AB_OK) status = ab_make_directories(task->save);
    if (status.code == AB_OK)
        status = task->sink->saved(task->sink, tour_write(path, name, comment, best.best_tour, n));
    free(best.best_tour);
    return status;
}

static ab_status judge_run(const ab_task *task, ab_work *work, ab_outcome *outcome, ab_verdict *verdict)
{
    const tsp_params *params = task->params;
    const bool first = verdict->value == 0.0; /* true for the first of the row's runs */
    tsp_result best = {0};
    AB_TRY(tsp_verify_tours((tsp_colony *)work, task->problem, params->n_ants, &best, &verdict->wrong));
    snprintf(verdict->metric, sizeof verdict->metric, "valid-tours");
    verdict->value += params->n_ants;
    outcome->quality = (double)best.best_length;
    outcome->odd = best.zero_weight_steps;
    return task->save && first && !verdict->wrong ? save_tour(task, (tsp_colony *)work) : ab_ok();
}

static const ab_measure measures[] = {
    {.name = "time",
     .scope = "iteration",
     .timed = true,
     .samples = AB_SAMPLE_RUNS,
     .fresh = true,
     .verify = verify,
     .least_on_host = steps,
     .judge_run = judge_run,
     .quality = "best-tour-after-%d-iterations",
     .odd = "all-zero rule used in %lld steps"},
    {.name = "tours",
     .scope = "quality",
     .fresh = true,
     .judge_run = judge_run,
     .quality = "best-tour-after-%d-iterations",
     .odd = "all-zero rule used in %lld steps"},
    {.name = NULL},
};

/* Choosing and updating read the heuristic, and read and write the pheromone, [n][n] floats each; without a matrix,
 * the floats of the candidate sets. */
static ab_work_size size(const ab_circumstances *c, const void *params)
{
    const double n = c->input->size;
    const tsp_params *p = params;
    return (ab_work_size){.bytes = 12.0 * n * (n > TSP_MAX_CITIES ? p->nn : n), .flops = NAN};
}

static double iteration_seconds(const ab_circumstances *c, const tsp_params *p)
{
    const double n = c->input->size;
    const bool lists = c->implementation->traits & TSP_CANDIDATES;
    if (c->implementation->backend == AB_HOST) return 6e-7 * steps(c, p); /* on fibers */
    if (c->seconds > 0.0)
        return c->seconds * pow(n, c->power) / (c->implementation->backend == AB_CPU ? p->threads : 1);
    if (c->implementation->backend == AB_CUDA) return lists ? 1e-9 * n * p->n_ants : 3e-12 * n * n * n;
    return (lists ? 1.9e-8 * pow(n, 2.4) : 1.9e-9 * n * n * n) / p->threads;
}

/* Seconds of verify_on_host. */
static double host_seconds(const ab_circumstances *c, const tsp_params *p)
{
    const tsp_params fewer = with_fewer_ants(p);
    return iteration_seconds(c, p) + iterations_to_verify(c, &fewer) * iteration_seconds(c, &fewer);
}

/* Verification looks at each city of each tour and each edge a few times. */
static void estimate(const ab_circumstances *c, const void *params, double *sample_s, double *once_s)
{
    const tsp_params *p = params;
    const double n = c->input->size, iteration = iteration_seconds(c, p);
    *sample_s = c->implementation->backend == AB_HOST ? 0.0 : iteration;
    *once_s = (iteration > LONG_ITERATION_S ? VERIFIED_LONG : VERIFIED_ITERATIONS) *
              (iteration / (with_fewer(c, iteration) ? FEWER_ANTS : 1) + 1e-8 * n * (n + p->n_ants));
    if (c->implementation->backend == AB_HOST) *once_s = host_seconds(c, p);
    if (p->ranks > ranks_count()) *sample_s = *once_s = 0.0; /* it is refused */
}

static const ab_trait traits[] = {{TSP_CANDIDATES, "candidates"},
                                  {TSP_THREAD_EACH, "thread-each"},
                                  {TSP_WORKERS, "workers"},
                                  {TSP_RACE, "race"},
                                  {0, NULL}};

const ab_operation tsp_operation = {
    .name = "tsp",
    .inputs = &tsp_inputs,
    .parameters = tsp_parameters,
    .params_size = sizeof(tsp_params),
    .traits = traits,
    .measures = measures,
    .fit = fit,
    .check = check,
    .set_seed = set_seed,
    .problem = give_problem,
    .size = size,
    .estimate = estimate,
    .serve = tsp_team_serve,
};
