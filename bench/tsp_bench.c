/* Measuring Ant System (tsp_bench.h): one cell at a time, verify, time, write. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/tsp_bench.h"
#include "bench/verify_tsp.h"

enum { MIN_HOST_ANTS = 2 };

/* A cell being measured. */
typedef struct measurement {
    const tsp_cell *cell;
    const ab_implementation *implementation;
    as_problem problem;
    as_params params;
    ab_row *row;       /* of the iteration, being filled */
    ab_series series;  /* samples so far */
    int complete_runs; /* runs that were measured to their last iteration */
    double *run_best;  /* [runs]: best tour length of each complete run */
    int64_t zero_weight_steps;
    bool wrong;
} measurement;

/* ---- Keys ---- */

/* All ants of the sources where the cell is timed; on the host backend as many as effort.host_steps allows. */
static int cell_ants(const ab_bench *bench, const tsp_cell *cell, ab_backend backend)
{
    const int n = cell->instance->n;
    if (backend != AB_HOST) return n;
    const double affordable = bench->effort.host_steps / ((double)n * (double)n);
    return affordable >= n               ? n
           : affordable <= MIN_HOST_ANTS ? (n < MIN_HOST_ANTS ? n : MIN_HOST_ANTS)
                                         : (int)affordable;
}

static as_params cell_params(const ab_bench *bench, const tsp_cell *cell, ab_backend backend)
{
    as_params params = as_default_params(cell->instance->n, cell->protocol);
    params.n_ants = cell_ants(bench, cell, backend);
    params.seed = bench->options->seed;
    params.threads = cell->threads ? cell->threads : bench->cores;
    params.carveout = cell->carveout;
    return params;
}

static int cell_nn(const tsp_cell *cell)
{
    return cell->nn < cell->instance->n ? cell->nn : cell->instance->n - 1;
}

static void format_params(const as_params *params, int nn, ab_backend backend, char text[128])
{
    int at = snprintf(text, 128, "protocol=%s;ants=%d", as_protocol_name(params->protocol), params->n_ants);
    if (backend == AB_CPU) at += snprintf(text + at, 128 - (size_t)at, ";threads=%d", params->threads);
    if (nn) at += snprintf(text + at, 128 - (size_t)at, ";nn=%d", nn);
    if (params->carveout >= 0) snprintf(text + at, 128 - (size_t)at, ";carveout=%d", params->carveout);
}

void tsp_cell_key(const ab_bench *bench, const tsp_cell *cell, const ab_implementation *implementation, ab_row *row)
{
    const as_params params = cell_params(bench, cell, implementation->backend);
    snprintf(row->table, sizeof row->table, "%s", cell->table);
    snprintf(row->row, sizeof row->row, "%s", cell->row);
    snprintf(row->instance, sizeof row->instance, "%s", cell->instance->name);
    ab_row_set_implementation(row, bench, implementation);
    snprintf(row->scope, sizeof row->scope, "%s", implementation->backend == AB_HOST ? "functional" : "iteration");
    format_params(&params, cell_nn(cell), implementation->backend, row->params);
}

static void note_stand_in(ab_row *row, const tsp_cell *cell)
{
    if (cell->instance->stand_in && strcmp(cell->instance->name, cell->asked) != 0)
        ab_row_add_note(row, "generated stand-in for %s", cell->asked);
}

/* ---- Measuring ---- */

static int cell_runs(const ab_bench *bench, const tsp_cell *cell)
{
    const int runs = bench->effort.runs;
    return cell->max_runs && cell->max_runs < runs ? cell->max_runs : runs;
}

static void describe(const ab_bench *bench, measurement *m)
{
    ab_row *row = m->row;
    row->size = m->cell->instance->n;
    row->seed = bench->options->seed;
    note_stand_in(row, m->cell);
    if (m->implementation->backend == AB_HOST)
        ab_row_add_note(row, "verified on the host backend with %d of %d ants, not timed", m->params.n_ants, row->size);
    else
        ab_row_add_published(row, m->cell->published, m->cell->row, m->cell->asked, "iteration");
}

static ab_status verify_cell(measurement *m)
{
    ab_work *work = NULL;
    AB_TRY(m->implementation->open(&m->problem, &m->params, &work));
    as_colony *colony = (as_colony *)work;
    int valid = 0;
    const ab_status status = verify_iteration(colony, &m->problem, &m->params, &valid, &m->wrong);
    colony->work.methods->close(&colony->work);
    snprintf(m->row->verify_metric, sizeof m->row->verify_metric, "valid-tours");
    m->row->verify_value = valid;
    return status;
}

/* One independent run of at most effort.iterations iterations. */
static ab_status measure_run(const ab_bench *bench, measurement *m, int run, double budget_s)
{
    ab_work *work = NULL;
    as_params params = m->params;
    params.seed += (uint64_t)run;
    AB_TRY(m->implementation->open(&m->problem, &params, &work));
    as_colony *colony = (as_colony *)work;
    const int first_sample = m->series.n;
    int completed = 0;
    as_result best = {0};
    ab_status status = ab_measure(&colony->work, m->implementation->backend, bench->effort.iterations, budget_s,
                                  &m->series, &completed);
    ab_note_gpu_state(bench, m->implementation->backend, &m->series, first_sample, m->row);
    if (status.code == AB_OK) status = verify_tours(colony, &m->problem, params.n_ants, &best, &m->wrong);
    colony->work.methods->close(&colony->work);
    if (status.code != AB_OK) return status;
    m->zero_weight_steps += best.zero_weight_steps;
    if (completed == bench->effort.iterations) m->run_best[m->complete_runs++] = (double)best.best_length;
    return ab_ok();
}

static ab_status measure_runs(const ab_bench *bench, measurement *m)
{
    const double begin = ab_now_s();
    const int runs = cell_runs(bench, m->cell);
    const char *reason = "count";
    for (int run = 0; run < runs; ++run) {
        AB_TRY(measure_run(bench, m, run, bench->effort.budget_s - (ab_now_s() - begin)));
        if (run + 1 == runs && m->complete_runs == runs) break;
        if (ab_now_s() - begin >= bench->effort.budget_s) {
            reason = "budget";
            break;
        }
        if (bench->effort.converge && ab_has_converged(&m->series, AB_ALL_STAGES)) {
            reason = "converged";
            break;
        }
    }
    snprintf(m->row->stop_reason, sizeof m->row->stop_reason, "%s", reason);
    return ab_ok();
}

/* Quality of the complete runs; nothing where none was completed. */
static void describe_quality(const ab_bench *bench, measurement *m)
{
    if (m->zero_weight_steps)
        ab_row_add_note(m->row, "all-zero rule used in %lld steps", (long long)m->zero_weight_steps);
    if (m->cell->instance->optimum) m->row->quality_reference = (double)m->cell->instance->optimum;
    if (!m->complete_runs) return;
    snprintf(m->row->quality_metric, sizeof m->row->quality_metric, "best-tour-after-%d-iterations",
             bench->effort.iterations);
    double sum = 0.0;
    m->row->quality_best = m->run_best[0];
    ab_row_add_note(m->row, "best tour of each complete run:");
    for (int run = 0; run < m->complete_runs; ++run) {
        sum += m->run_best[run];
        m->row->quality_best = fmin(m->row->quality_best, m->run_best[run]);
        const size_t at = strlen(m->row->note);
        snprintf(m->row->note + at, sizeof m->row->note - at, " %.0f", m->run_best[run]);
    }
    m->row->quality_mean = sum / m->complete_runs;
}

/* ---- Writing ---- */

static ab_status write_stage_rows(ab_bench *bench, const measurement *m)
{
    static const char *const names[AS_STAGES] = {"choice", "construct", "update"};
    if (!m->cell->stages_table || m->series.n == 0) return ab_ok();
    for (int stage = 0; stage < AS_STAGES; ++stage) {
        ab_row row = *m->row;
        snprintf(row.table, sizeof row.table, "%s", m->cell->stages_table);
        snprintf(row.scope, sizeof row.scope, "stage");
        const size_t at = strlen(row.params);
        snprintf(row.params + at, sizeof row.params - at, ";stage=%s", names[stage]);
        row.published_id[0] = row.quality_metric[0] = '\0';
        row.published_ms = row.quality_best = row.quality_mean = row.quality_reference = NAN;
        ab_row_add_published(&row, m->cell->published_stages, m->cell->row, m->cell->asked, names[stage]);
        AB_TRY(ab_bench_append(bench, &row, &m->series, 1u << stage));
    }
    return ab_ok();
}

/* The row for the time of building a candidate set. */
static ab_row candidate_row(const ab_bench *bench, const tsp_cell *cell)
{
    ab_row row = ab_row_new();
    snprintf(row.table, sizeof row.table, "%s", cell->table);
    snprintf(row.row, sizeof row.row, "candidate-set");
    snprintf(row.instance, sizeof row.instance, "%s", cell->instance->name);
    snprintf(row.implementation, sizeof row.implementation, "tsp/candidate-set");
    snprintf(row.backend, sizeof row.backend, "%s", ab_backend_name(AB_CPU));
    snprintf(row.params, sizeof row.params, "nn=%d", cell_nn(cell));
    snprintf(row.scope, sizeof row.scope, "setup");
    snprintf(row.device, sizeof row.device, "%s", bench->cpu_name);
    row.size = cell->instance->n;
    row.seed = bench->options->seed;
    note_stand_in(&row, cell);
    return row;
}

/* Gives the problem the candidate sets of the cell; where they are new, builds them and writes the row of their time.
 * Fails when that cannot be written; *built is the outcome of building. */
static ab_status add_candidates(ab_bench *bench, tsp_candidates *candidates, const tsp_cell *cell, as_problem *problem,
                                ab_status *built)
{
    const int nn = cell_nn(cell);
    *built = ab_ok();
    if (nn == 0 || tsp_candidates_find(candidates, nn, problem)) return ab_ok();
    ab_sample samples[TSP_CANDIDATE_SAMPLES] = {{0}};
    bool wrong = false;
    ab_row row = candidate_row(bench, cell);
    *built = tsp_candidates_build(candidates, nn, problem, &row, samples, &wrong);
    row.status = ab_timed_status(&row.ms);
    if (built->code != AB_OK) {
        ab_row_set_failure(&row, wrong, built);
        ab_bench_count(bench, row.status); /* one that succeeds is preparation, and not yet anything that has run */
    }
    if (ab_run_find(bench->run, &row)) return ab_ok(); /* an interrupted run had written it */
    return ab_run_append(bench->run, &row, samples, row.ms.samples);
}

ab_status tsp_measure_cell(ab_bench *bench, tsp_candidates *candidates, const tsp_cell *cell,
                           const ab_implementation *implementation, ab_row *row)
{
    measurement m = {.cell = cell, .implementation = implementation, .row = row};
    m.problem = (as_problem){.n = cell->instance->n, .dist = cell->instance->dist};
    m.params = cell_params(bench, cell, implementation->backend);
    ab_status status;
    AB_TRY(add_candidates(bench, candidates, cell, &m.problem, &status));
    m.run_best = calloc((size_t)bench->effort.runs, sizeof *m.run_best);
    if (!m.run_best) return ab_failed("out of memory");
    describe(bench, &m);
    if (status.code == AB_OK) status = verify_cell(&m);
    if (status.code == AB_OK && implementation->backend != AB_HOST) status = measure_runs(bench, &m);
    if (status.code == AB_OK) {
        describe_quality(bench, &m);
    } else {
        ab_row_set_failure(row, m.wrong, &status);
        ab_series_free(&m.series); /* what ran before the failure is not a measurement */
    }
    status = write_stage_rows(bench, &m); /* before the row of the iteration, which a resumed run looks for */
    if (status.code == AB_OK) status = ab_bench_append(bench, row, &m.series, AB_ALL_STAGES);
    ab_series_free(&m.series);
    free(m.run_best);
    return status;
}

/* Verification and then the runs, up to the budget but at least one iteration. */
double tsp_cell_estimate(const ab_bench *bench, const tsp_cell *cell, const ab_implementation *implementation)
{
    if (implementation->backend == AB_HOST) {
        const double n = cell->instance->n;
        return 1e-7 * cell_ants(bench, cell, AB_HOST) * n * n; /* about 100 ns a city looked at, on fibers */
    }
    const double timed = cell->estimate_s * cell_runs(bench, cell) * bench->effort.iterations;
    return cell->estimate_s + fmin(timed, fmax(bench->effort.budget_s, cell->estimate_s));
}
