/* Measuring the ants on images (edge_ants_bench.h). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/edge_ants_bench.h"
#include "bench/quality.h"
#include "bench/verify_edge_ants.h"

enum { VERIFIED_ITERATIONS = 3, MIN_HOST_ANTS = 4, RUNS_AT_ONCE = 10, BEST_F_THRESHOLDS = 32 };

/* Seeds of the maps that the sequential reference is drawn with: far from the others. */
static const uint64_t reference_seed_offset = 1000000;

static ea_problem problem_of(const image_input *input)
{
    return (ea_problem){.width = input->image.width,
                        .height = input->image.height,
                        .grey = input->grey,
                        .visibility = input->visibility};
}

/* Threads that an ant's move takes on the host backend. */
static double threads_per_ant(const image_cell *cell)
{
    if (strcmp(cell->implementation, "edge-ants/thread") == 0) return 1.0;
    return strcmp(cell->implementation, "edge-ants/block") == 0 ? cell->ants.block_threads : 32.0;
}

/* All ants where the cell is timed; on the host backend as many as effort.host_steps allows. */
static ea_params cell_params(const image_table *t, const image_cell *cell, ab_backend backend)
{
    ea_params params = cell->ants;
    params.threads = image_cell_threads(t, cell->ants.threads);
    if (backend != AB_HOST || !cell->kind->timed) return params;
    const double steps = t->base.bench.effort.host_steps / (threads_per_ant(cell) * VERIFIED_ITERATIONS);
    if (steps < params.n_ants) params.n_ants = (int)fmax(steps, fmin(params.n_ants, MIN_HOST_ANTS));
    return params;
}

/* Runs whose pheromone makes a map: on the host backend as many as twenty times the steps of a timed cell allow. */
static int quality_runs(const image_table *t, const image_cell *cell, ab_backend backend)
{
    const double steps = (double)cell->ants.n_ants * cell->ants.iterations * threads_per_ant(cell);
    const double affordable = 20.0 * t->base.bench.effort.host_steps / steps;
    if (backend != AB_HOST || affordable >= cell->map_runs) return cell->map_runs;
    return affordable < 1.0 ? 1 : (int)affordable;
}

static void format_params(const image_table *t, const image_cell *cell, ab_backend backend, char text[128])
{
    const ea_params params = cell_params(t, cell, backend);
    int at = snprintf(text, 128, "ants=%d;iterations=%d", params.n_ants, params.iterations);
    if (backend == AB_CPU)
        at += snprintf(text + at, 128 - (size_t)at, ";threads=%d", params.threads);
    else
        at += snprintf(text + at, 128 - (size_t)at, ";block=%d;cached=%d", params.block_threads, params.cache_memory);
    if (!cell->kind->timed) snprintf(text + at, 128 - (size_t)at, ";runs=%d", quality_runs(t, cell, backend));
}

/* Seconds of one run: about 60 ns a move and 0.1 ns a pixel and iteration on one 2.5 GHz core, 10 us an iteration on a
 * GPU and as much for every 2^20 pixels, 100 ns a thread on fibers. */
static double run_seconds(const ea_params *params, const image_cell *cell, double pixels, ab_backend backend)
{
    if (backend == AB_CUDA) return params->iterations * (1e-5 + pixels * 1e-11);
    const double moves = (double)params->n_ants * params->iterations;
    if (backend == AB_HOST) return moves * threads_per_ant(cell) * 3e-7 + params->iterations * pixels * 2e-8;
    return (moves * 6e-8 + params->iterations * pixels * 1e-10) / params->threads;
}

static double cell_pixels(const image_table *t, const image_cell *cell)
{
    const ab_image *image = &t->inputs[cell->input].image;
    return (double)image->width * image->height;
}

/* ---- Time ---- */

static double estimate_time(const image_table *t, const image_cell *cell, ab_backend backend)
{
    ea_params params = cell_params(t, cell, backend);
    const double run = run_seconds(&params, cell, cell_pixels(t, cell), backend);
    if (backend == AB_HOST) return run * VERIFIED_ITERATIONS / params.iterations;
    return 2.0 * run + fmin(run * t->base.bench.effort.runs, fmax(run, t->base.bench.effort.budget_s));
}

static ab_status verify_cell(const image_table *t, const image_cell *cell, const ab_implementation *implementation,
                             ab_row *row, bool *wrong)
{
    const ea_problem problem = problem_of(&t->inputs[cell->input]);
    ea_params params = cell_params(t, cell, implementation->backend);
    params.iterations = 1;
    ab_work *work = NULL;
    AB_TRY(implementation->open(&problem, &params, &work));
    ea_colony *colony = (ea_colony *)work;
    int64_t moves = 0;
    const ab_status status = verify_edge_ants(colony, &problem, &params, VERIFIED_ITERATIONS, &moves, wrong);
    colony->work.methods->close(&colony->work);
    snprintf(row->verify_metric, sizeof row->verify_metric, "valid-moves");
    row->verify_value = (double)moves;
    return status;
}

static ab_status time_runs(const image_table *t, const image_cell *cell, const ab_implementation *implementation,
                           ab_series *series, ab_row *row)
{
    const ea_problem problem = problem_of(&t->inputs[cell->input]);
    const ea_params params = cell_params(t, cell, implementation->backend);
    ab_work *work = NULL;
    AB_TRY(implementation->open(&problem, &params, &work));
    ea_colony *colony = (ea_colony *)work;
    const ab_status status = ab_take_samples(&t->base.bench, &colony->work, implementation->backend,
                                             t->base.bench.effort.runs, RUNS_AT_ONCE, 1u << EA_RUN, series, row);
    colony->work.methods->close(&colony->work);
    return status;
}

static ab_status measure_time(image_table *t, const image_cell *cell, const ab_implementation *implementation,
                              ab_row *row)
{
    ab_series series = {0};
    bool wrong = false;
    if (implementation->backend == AB_HOST)
        ab_row_add_note(row, "verified on the host backend with %d ants, not timed",
                        cell_params(t, cell, AB_HOST).n_ants);
    else if (strcmp(cell->table, "5.1") == 0)
        ab_row_add_published(row, ab_table_published(&t->base, "5.1"), cell->row, "512x512", "run");
    ab_status status = verify_cell(t, cell, implementation, row, &wrong);
    if (status.code == AB_OK && implementation->backend != AB_HOST)
        status = time_runs(t, cell, implementation, &series, row);
    if (status.code != AB_OK) {
        ab_row_set_failure(row, wrong, &status);
        ab_series_free(&series);
    }
    status = ab_bench_append(&t->base.bench, row, &series, 1u << EA_RUN);
    ab_series_free(&series);
    return status;
}

const image_cell_kind ants_time = {
    .scope = "run",
    .timed = true,
    .format_params = format_params,
    .estimate = estimate_time,
    .measure = measure_time,
};

/* ---- Quality ---- */

static double estimate_quality(const image_table *t, const image_cell *cell, ab_backend backend)
{
    const ea_params params = cell_params(t, cell, backend);
    const double pixels = cell_pixels(t, cell);
    return quality_runs(t, cell, backend) * run_seconds(&params, cell, pixels, backend) +
           2.0 * cell->map_runs * run_seconds(&params, cell, pixels, AB_CPU) + pixels * 1e-6;
}

/* The pheromone's mean over runs of different seeds into mean[height][width]. */
static ab_status mean_pheromone(const ea_problem *problem, const ea_params *params,
                                const ab_implementation *implementation, int runs, float *mean)
{
    const size_t pixels = (size_t)problem->width * (size_t)problem->height;
    float *pheromone = malloc(pixels * sizeof *pheromone);
    if (!pheromone) return ab_failed("out of memory");
    memset(mean, 0, pixels * sizeof *mean);
    ab_work *work = NULL;
    ab_status status = implementation->open(problem, params, &work);
    ea_colony *colony = (ea_colony *)work;
    for (int run = 0; run < runs && status.code == AB_OK; ++run) {
        ea_result result = {.pheromone = pheromone};
        status = ab_iterate(&colony->work);
        if (status.code == AB_OK) status = colony->methods->read(colony, &result);
        for (size_t i = 0; i < pixels && status.code == AB_OK; ++i) mean[i] += pheromone[i] / (float)runs;
    }
    if (colony) colony->work.methods->close(&colony->work);
    free(pheromone);
    return status;
}

/* F of a map against that of the sequential reference with these parameters; pheromone and reference are scratch. */
static ab_status compare_with_sequential(const image_input *input, const ea_params *params, int runs,
                                         const uint8_t *map, float *pheromone, uint8_t *reference, double *f)
{
    const ea_problem problem = problem_of(input);
    const ab_implementation *sequential = ab_find_implementation("edge-ants/seq", AB_CPU);
    AB_TRY(mean_pheromone(&problem, params, sequential, runs, pheromone));
    edge_map_threshold_mean(problem.width, problem.height, pheromone, reference);
    edge_quality quality;
    AB_TRY(edge_map_compare(problem.width, problem.height, map, reference, 1.0, &quality));
    *f = quality.f;
    return ab_ok();
}

/* The same seeds say whether the walks are the same, others how much of a map is chance: the sequential reference does
 * not agree with itself there. */
static ab_status append_agreement(image_table *t, const image_cell *cell, const ea_params *params, int runs,
                                  const uint8_t *map, float *pheromone, uint8_t *reference, const ab_row *row)
{
    const image_input *input = &t->inputs[cell->input];
    double f;
    if (strcmp(cell->implementation, "edge-ants/seq") != 0) {
        AB_TRY(compare_with_sequential(input, params, runs, map, pheromone, reference, &f));
        AB_TRY(quality_append_metric(t, row, "agreement-same-seeds", f));
    }
    ea_params other = *params;
    other.seed += reference_seed_offset;
    AB_TRY(compare_with_sequential(input, &other, runs, map, pheromone, reference, &f));
    return quality_append_metric(t, row, "agreement", f);
}

/* Where people traced the edges: the best F over thresholds, of thinned maps, as that benchmark has it. */
static ab_status append_best_f(image_table *t, const image_input *input, const float *pheromone, const ab_row *row)
{
    const ab_image *image = &input->image;
    if (!image_is_traced(input)) return ab_ok();
    edge_quality best;
    double threshold;
    AB_TRY(edge_map_best_f(image->width, image->height, pheromone, image->edges, quality_radius(image),
                           BEST_F_THRESHOLDS, true, &best, &threshold));
    return quality_append_metric(t, row, "best-f", best.f);
}

static ab_status measure_maps(image_table *t, const image_cell *cell, const ab_implementation *implementation,
                              float *pheromone, uint8_t *map, uint8_t *reference, ab_row *row)
{
    const image_input *input = &t->inputs[cell->input];
    const ea_problem problem = problem_of(input);
    const ea_params params = cell_params(t, cell, implementation->backend);
    const int runs = quality_runs(t, cell, implementation->backend);
    AB_TRY(mean_pheromone(&problem, &params, implementation, runs, pheromone));
    edge_map_threshold_mean(problem.width, problem.height, pheromone, map);
    char name[80];
    snprintf(name, sizeof name, "%s-pheromone", cell->row);
    AB_TRY(image_save_values(t, input, name, pheromone));
    snprintf(name, sizeof name, "%s-edges", cell->row);
    AB_TRY(image_save_map(t, input, name, map));
    AB_TRY(append_best_f(t, input, pheromone, row));
    return append_agreement(t, cell, &params, runs, map, pheromone, reference, row);
}

static ab_status measure_quality(image_table *t, const image_cell *cell, const ab_implementation *implementation,
                                 ab_row *row)
{
    const size_t pixels = (size_t)cell_pixels(t, cell);
    float *pheromone = malloc(pixels * sizeof *pheromone);
    uint8_t *map = malloc(pixels), *reference = malloc(pixels);
    ab_status status = pheromone && map && reference ? ab_ok() : ab_failed("out of memory");
    if (status.code == AB_OK) status = measure_maps(t, cell, implementation, pheromone, map, reference, row);
    if (status.code == AB_OK) {
        status = quality_append(t, &t->inputs[cell->input], map, row);
    } else {
        ab_row_set_failure(row, false, &status);
        status = ab_run_append(t->base.bench.run, row, NULL, 0);
    }
    free(pheromone);
    free(map);
    free(reference);
    return status;
}

const image_cell_kind ants_quality = {
    .scope = "quality",
    .metric = "f",
    .format_params = format_params,
    .estimate = estimate_quality,
    .measure = measure_quality,
};
