/* Edge detection by ants to the harness: parameters, verification, and the quality of the maps (kernels/operation.h).
 *
 * A sample is one run: all its iterations, without placing the ants (the stage RUN of edge_ants.h). It is verified
 * before, iteration by iteration; where steps are few, with a few ants. A map is the mean pheromone of the runs of
 * several seeds, thresholded at its mean (thesis §5.5.2).
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "images/edge_map.h"
#include "kernels/edge_ants/edge_ants.h"
#include "kernels/edge_ants/verify.h"
#include "kernels/edges/edges.h"
#include "kernels/host/host_backend.h"

enum {
    VERIFIED_ITERATIONS = 3 /* one of them on the frame */,
    MIN_ANTS = 4,
    RUNS_AT_ONCE = 10,
    BEST_F_THRESHOLDS = 32
};

/* Number of iterations between the verified ones; an iteration takes a fraction of a millisecond. Order in which the
 * host backend runs all of them: it lets a warp run ahead of the others. */
enum { UNCHECKED_ITERATIONS = 40, VERIFIED_ORDER = 2 };

/* If steps are few, a whole run has one ant of so many, and so many iterations at most. */
enum { WHOLE_FEW_SHARE = 8, WHOLE_FEW_ITERATIONS = 8 };

/* Seeds of the maps that the sequential reference is drawn with: far from the others. */
static const uint64_t reference_seed_offset = 1000000;

static ab_status give_problem(const ab_task *task, const void **given)
{
    edges_image *image = task->loaded;
    ea_problem *problem = realloc(image->problem, sizeof *problem);
    if (!problem) return ab_failed("out of memory");
    image->problem = problem;
    *given = problem;
    if (!image->visibility) {
        image->visibility = malloc(edges_pixels(image) * sizeof *image->visibility);
        if (!image->visibility) return ab_failed("out of memory for the visibility");
        ea_visibility(image->image.width, image->image.height, image->grey, image->visibility);
    }
    *problem = (ea_problem){image->image.width, image->image.height, image->grey, image->visibility};
    return ab_ok();
}

/* ---- Parameters ---- */

/* Threads that an ant's move takes on the host backend. */
static double threads_per_ant(const ab_circumstances *c, const ea_params *params)
{
    if (c->implementation->traits & EA_THREAD_EACH) return 1.0;
    return c->implementation->traits & EA_BLOCK_EACH ? params->block_threads : 32.0;
}

/* As many ants as host_steps allow; a map needs all, but may be of fewer runs. */
static void fit_few_steps(const ab_circumstances *c, ea_params *params)
{
    const double per_ant = threads_per_ant(c, params);
    if (c->measure->timed) {
        const double affordable = c->host_steps / (per_ant * VERIFIED_ITERATIONS);
        if (affordable < params->n_ants) params->n_ants = (int)fmax(affordable, fmin(params->n_ants, MIN_ANTS));
    } else {
        const double affordable = 20.0 * c->host_steps / ((double)params->n_ants * params->iterations * per_ant);
        if (affordable < params->map_runs) params->map_runs = affordable < 1.0 ? 1 : (int)affordable;
    }
}

static void fit(const ab_circumstances *c, void *fitted)
{
    ea_params *params = fitted;
    const ea_params usual = ea_default_params(c->input->width, c->input->height);
    if (params->n_ants == 0)
        params->n_ants = (int)fmax(1.0, round(usual.n_ants * ((double)params->n_ants_512 / usual.n_ants_512)));
    if (params->iterations == 0) params->iterations = c->iterations;
    if (params->threads == 0) params->threads = c->cores;
    if (c->few_steps) fit_few_steps(c, params);
}

static ab_status check(const ab_circumstances *c, const void *params)
{
    const ea_problem problem = {.width = c->input->width, .height = c->input->height};
    return ea_check(&problem, params);
}

static void set_seed(void *params, uint64_t seed)
{
    ((ea_params *)params)->seed = seed;
}

/* Seconds of one run. On one 2.5 GHz core it is about 60 ns per move and 0.1 ns per pixel and iteration. On a GPU it
 * is 10 us per iteration, and as much per 2^20 pixels. On fibers it is 300 ns per thread and 20 ns per pixel. */
static double run_seconds(const ab_circumstances *c, const ea_params *params, ab_backend backend)
{
    const double pixels = c->input->size, moves = (double)params->n_ants * params->iterations;
    if (backend == AB_CUDA) return params->iterations * (1e-5 + pixels * 1e-11);
    if (backend == AB_HOST) return moves * threads_per_ant(c, params) * 3e-7 + params->iterations * pixels * 2e-8;
    return (moves * 6e-8 + params->iterations * pixels * 1e-10) / params->threads;
}

/* The steps of verification: an ant's moves, by thread, or pixels, 15 of which take a move's time. */
static double steps(const ab_circumstances *c, const void *fitted)
{
    const ea_params *params = fitted;
    const double moves = params->n_ants * threads_per_ant(c, params);
    return VERIFIED_ITERATIONS * fmax(moves, c->input->size / 15.0);
}

static void estimate(const ab_circumstances *c, const void *fitted, double *sample_s, double *once_s)
{
    const ea_params *params = fitted;
    const ab_backend backend = c->implementation->backend;
    const double run = run_seconds(c, params, backend);
    *sample_s = backend == AB_HOST || !c->measure->timed ? 0.0 : run;
    if (!c->measure->timed)
        *once_s = params->map_runs * (run + 2.0 * run_seconds(c, params, AB_CPU)) + c->input->size * 1e-6;
    else
        *once_s = backend == AB_HOST ? run * VERIFIED_ITERATIONS / params->iterations : 2.0 * run;
}

/* An iteration reads and writes the pheromone once; all else is the ants', a few hundred bytes each. */
static ab_work_size size(const ab_circumstances *c, const void *fitted)
{
    const ea_params *params = fitted;
    return (ab_work_size){.bytes = 8.0 * c->input->size * params->iterations, .flops = NAN};
}

/* ---- Time ---- */

static ab_status verify_other_seed(const ab_task *task, ea_colony *colony, ea_params params, bool *wrong)
{
    ab_work *other = NULL;
    params.seed += reference_seed_offset;
    AB_TRY(task->c->implementation->open(task->problem, &params, &other));
    const ab_status status = verify_seeds(colony, (ea_colony *)other, params.n_ants, wrong);
    other->methods->close(other);
    return status;
}

/* Iterations of a run in which no weight comes near the end of what a float holds, where walks would differ by
 * rounding. */
static int iterations_in_floats(const ea_params *params)
{
    const double least = pow(VERIFY_LEAST_WEIGHTS, 0.5);
    int iterations = 0;
    while (iterations < params->iterations &&
           pow(params->initial * pow(1.0 - params->rho, iterations + 1), params->alpha) > least)
        ++iterations;
    return iterations;
}

/* A run as it is timed, against the reference's, which has the same random numbers. */
static ab_status verify_whole_run(const ab_task *task, ab_verdict *verdict)
{
    const ab_implementation *implementation = task->c->implementation, *reference = ab_find_reference(implementation);
    ea_params params = *(const ea_params *)task->params;
    params.part = EA_ALL;
    ab_work *work = NULL, *expected = NULL;
    params.iterations = iterations_in_floats(&params);
    if (task->c->few_steps) {
        params.n_ants = (params.n_ants + WHOLE_FEW_SHARE - 1) / WHOLE_FEW_SHARE;
        if (params.iterations > WHOLE_FEW_ITERATIONS) params.iterations = WHOLE_FEW_ITERATIONS;
    }
    if (implementation == reference || params.iterations == 0) return ab_ok();
    AB_TRY(implementation->open(task->problem, &params, &work));
    ab_status status = reference->open(task->problem, &params, &expected);
    if (status.code == AB_OK)
        status = verify_run((ea_colony *)work, (ea_colony *)expected, params.n_ants, &verdict->wrong);
    if (expected) expected->methods->close(expected);
    work->methods->close(work);
    return status;
}

static ab_status verify(const ab_task *task, ab_verdict *verdict)
{
    ea_params params = *(const ea_params *)task->params;
    params.iterations = 1;
    params.part = EA_ALL; /* a part of what is verified is what is timed */
    ab_work *work = NULL;
    int64_t moves = 0;
    if (task->c->implementation->backend == AB_HOST) {
        char note[96];
        snprintf(note, sizeof note, "verified on the host backend with %d ants, not timed", params.n_ants);
        task->sink->note(task->sink, note);
    }
    const bool few_steps = task->c->few_steps;
    AB_TRY(task->c->implementation->open(task->problem, &params, &work));
    host_backend_set_order(VERIFIED_ORDER);
    ab_status status = edge_ants_verify((ea_colony *)work, task->problem, &params,
                                        few_steps ? VERIFIED_ITERATIONS - 1 : VERIFIED_ITERATIONS,
                                        few_steps ? 0 : UNCHECKED_ITERATIONS, &moves, &verdict->wrong);
    if (status.code == AB_OK) status = verify_other_seed(task, (ea_colony *)work, params, &verdict->wrong);
    if (status.code == AB_OK) status = verify_whole_run(task, verdict);
    host_backend_set_order(0);
    work->methods->close(work);
    snprintf(verdict->metric, sizeof verdict->metric, "valid-moves");
    verdict->value = (double)moves;
    return status;
}

/* ---- Quality ---- */

/* The edges of a pheromone matrix into map[height][width]. */
static void cut(const ea_problem *problem, const ea_params *params, const float *pheromone, uint8_t *map)
{
    const size_t pixels = (size_t)problem->width * (size_t)problem->height;
    if (params->threshold == EA_MEAN_PHEROMONE) {
        edge_map_threshold_mean(problem->width, problem->height, pheromone, map);
        return;
    }
    double sum = 0.0;
    for (size_t i = 0; i < pixels; ++i) sum += problem->grey[i];
    const double mean = sum / (255.0 * (double)pixels);
    for (size_t i = 0; i < pixels; ++i) map[i] = (double)pheromone[i] > mean;
}

/* What is known of each run's own map: its edges' thickness, and its F where edges are known. */
typedef struct own_maps {
    const ab_image *image;
    uint8_t *map;          /* [height][width]: scratch */
    double *thickness, *f; /* [map_runs] each */
} own_maps;

static ab_status open_own(const ab_task *task, uint8_t *map, own_maps *own)
{
    const size_t runs = (size_t)((const ea_params *)task->params)->map_runs;
    *own = (own_maps){&((const edges_image *)task->loaded)->image, map, calloc(runs, sizeof(double)),
                      calloc(runs, sizeof(double))};
    return own->thickness && own->f ? ab_ok() : ab_failed("out of memory for %zu runs", runs);
}

static void close_own(own_maps *own)
{
    free(own->thickness);
    free(own->f);
}

static ab_status judge_own(const ea_problem *problem, const ea_params *params, const float *pheromone, int run,
                           const own_maps *own)
{
    const ab_image *image = own->image;
    edge_quality quality;
    cut(problem, params, pheromone, own->map);
    AB_TRY(edge_map_thickness(problem->width, problem->height, own->map, &own->thickness[run]));
    if (!image->edges) return ab_ok();
    AB_TRY(edge_map_compare(image->width, image->height, own->map, image->edges, edges_radius(image), &quality));
    own->f[run] = quality.f;
    return ab_ok();
}

/* The pheromone's mean over runs of different seeds into mean[height][width], and what is known of each run's own map,
 * unless `own` is NULL. */
static ab_status mean_pheromone(const ab_implementation *implementation, const ea_problem *problem,
                                const ea_params *params, float *mean, const own_maps *own)
{
    const size_t pixels = (size_t)problem->width * (size_t)problem->height;
    float *pheromone = malloc(pixels * sizeof *pheromone);
    if (!pheromone) return ab_failed("out of memory");
    memset(mean, 0, pixels * sizeof *mean);
    ab_work *work = NULL;
    ab_status status = implementation->open(problem, params, &work);
    for (int run = 0; run < params->map_runs && status.code == AB_OK; ++run) {
        ea_colony *colony = (ea_colony *)work;
        ea_result result = {.pheromone = pheromone};
        status = ab_iterate(work);
        if (status.code == AB_OK) status = colony->methods->read(colony, &result);
        for (size_t i = 0; i < pixels && status.code == AB_OK; ++i) mean[i] += pheromone[i] / (float)params->map_runs;
        if (status.code == AB_OK && own) status = judge_own(problem, params, pheromone, run, own);
    }
    if (work) work->methods->close(work);
    free(pheromone);
    return status;
}

/* What judging needs: [height][width] each. */
typedef struct maps {
    float *pheromone, *scratch;
    uint8_t *map, *reference;
} maps;

/* Compares the map's F with the F of the sequential reference with these parameters, as a metric. */
static ab_status compare_with_reference(const ab_task *task, const ea_params *params, const maps *m, const char *metric,
                                        const own_maps *own)
{
    const ea_problem *problem = task->problem;
    const ab_implementation *reference = ab_find_reference(task->c->implementation);
    edge_quality quality;
    AB_TRY(mean_pheromone(reference, problem, params, m->scratch, own));
    cut(problem, params, m->scratch, m->reference);
    AB_TRY(edge_map_compare(problem->width, problem->height, m->map, m->reference, 1.0, &quality));
    return task->sink->metric(task->sink, NULL, metric, &quality.f, 1, NULL);
}

/* F of the sequential reference's maps against known edges, of the runs' mean and of each run. Its seeds are others, so
 * that its maps are no copies of these. */
static ab_status append_reference_f(const ab_task *task, const maps *m, const own_maps *own)
{
    const ab_image *image = own->image;
    const ea_params *params = task->params;
    edge_quality quality;
    if (!image->edges) return ab_ok();
    AB_TRY(edge_map_compare(image->width, image->height, m->reference, image->edges, edges_radius(image), &quality));
    AB_TRY(task->sink->metric(task->sink, NULL, "f-sequential", &quality.f, 1, NULL));
    return task->sink->metric(task->sink, NULL, "f-sequential-of-runs", own->f, params->map_runs, NULL);
}

/* Compares maps with the same seeds, unless this is the reference, and with other seeds. */
static ab_status append_agreement(const ab_task *task, const maps *m)
{
    ea_params params = *(const ea_params *)task->params;
    own_maps own;
    if (ab_find_reference(task->c->implementation) != task->c->implementation)
        AB_TRY(compare_with_reference(task, &params, m, "agreement-same-seeds", NULL));
    params.seed += reference_seed_offset;
    ab_status status = open_own(task, m->reference, &own);
    if (status.code == AB_OK)
        status = compare_with_reference(task, &params, m, "agreement", own.image->edges ? &own : NULL);
    if (status.code == AB_OK) status = append_reference_f(task, m, &own);
    close_own(&own);
    return status;
}

/* For edges that people traced: the best F over thresholds, of thinned maps, as in that benchmark. */
static ab_status append_best_f(const ab_task *task, const maps *m)
{
    const ab_image *image = &((const edges_image *)task->loaded)->image;
    edge_quality best;
    double threshold;
    if (!task->c->input->traced) return ab_ok();
    AB_TRY(edge_map_best_f(image->width, image->height, m->pheromone, image->edges, edges_radius(image),
                           BEST_F_THRESHOLDS, true, &best, &threshold));
    return task->sink->metric(task->sink, NULL, "best-f", &best.f, 1, NULL);
}

/* The mean pheromone of the runs, and as metrics what is known of each run's own map. */
static ab_status append_runs(const ab_task *task, const maps *m)
{
    const ea_params *params = task->params;
    own_maps own;
    ab_status status = open_own(task, m->map, &own);
    if (status.code == AB_OK)
        status = mean_pheromone(task->c->implementation, task->problem, params, m->pheromone, &own);
    if (status.code == AB_OK)
        status = task->sink->metric(task->sink, NULL, "thickness-of-runs", own.thickness, params->map_runs, NULL);
    if (status.code == AB_OK && own.image->edges)
        status = task->sink->metric(task->sink, NULL, "f-of-runs", own.f, params->map_runs, NULL);
    close_own(&own);
    return status;
}

static ab_status judge_maps(const ab_task *task, const maps *m, double *f)
{
    const ea_problem *problem = task->problem;
    const ea_params *params = task->params;
    char name[80];
    AB_TRY(append_runs(task, m));
    cut(problem, params, m->pheromone, m->map);
    snprintf(name, sizeof name, "%s-pheromone", task->row);
    AB_TRY(edges_save_values(task, name, m->pheromone));
    snprintf(name, sizeof name, "%s-edges", task->row);
    AB_TRY(edges_save_map(task, name, m->map));
    AB_TRY(append_best_f(task, m));
    AB_TRY(append_agreement(task, m));
    return edges_judge(task, m->map, f);
}

static ab_status judge(const ab_task *task, double *f)
{
    const size_t pixels = edges_pixels(task->loaded);
    const maps m = {malloc(pixels * sizeof(float)), malloc(pixels * sizeof(float)), malloc(pixels), malloc(pixels)};
    const bool complete = m.pheromone && m.scratch && m.map && m.reference;
    const ab_status status = complete ? judge_maps(task, &m, f) : ab_failed("out of memory");
    free(m.pheromone);
    free(m.scratch);
    free(m.map);
    free(m.reference);
    return status;
}

static const ab_measure measures[] = {
    {.name = "time",
     .scope = "run",
     .timed = true,
     .samples = AB_SAMPLE_RUNS,
     .at_once = RUNS_AT_ONCE,
     .stage = "run",
     .verify = verify,
     .least_on_host = steps},
    {.name = "part",
     .scope = "run",
     .timed = true,
     .samples = AB_SAMPLE_RUNS,
     .at_once = RUNS_AT_ONCE,
     .stage = "run",
     .verify = verify,
     .least_on_host = steps},
    {.name = "quality", .scope = "quality", .metric = "f", .judge = judge},
    {.name = NULL},
};

static const ab_trait traits[] = {{EA_THREAD_EACH, "thread-each"}, {EA_BLOCK_EACH, "block-each"}, {0, NULL}};

const ab_operation edge_ants_operation = {
    .name = "edge-ants",
    .inputs = &edges_inputs,
    .parameters = ea_parameters,
    .params_size = sizeof(ea_params),
    .traits = traits,
    .measures = measures,
    .fit = fit,
    .check = check,
    .set_seed = set_seed,
    .problem = give_problem,
    .size = size,
    .estimate = estimate,
};
