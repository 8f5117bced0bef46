/* Measuring Ant System (tsp_bench.h): one cell at a time, verify, time, write. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/harness/machine.h"
#include "bench/harness/measure.h"
#include "bench/harness/progress.h"
#include "bench/tsp_bench.h"
#include "bench/verify_tsp.h"

enum { MIN_HOST_ANTS = 2 };

/* A cell being measured. */
typedef struct measurement {
    const tsp_cell *cell;
    const ab_implementation *implementation;
    as_problem problem;
    as_params params;
    ab_row row;        /* the row of the iteration, being filled */
    ab_series series;  /* samples so far */
    int complete_runs; /* runs that were measured to their last iteration */
    double *run_best;  /* [runs]: best tour length of each complete run */
    int64_t zero_weight_steps;
    bool wrong;
} measurement;

/* ---- Keys ---- */

const ab_implementation *tsp_cell_implementation(const tsp_bench *bench, const tsp_cell *cell)
{
    static const ab_backend by_preference[] = {AB_CPU, AB_CUDA, AB_HOST};
    for (size_t i = 0; i < sizeof by_preference / sizeof *by_preference; ++i) {
        const ab_implementation *found = ab_find_implementation(cell->implementation, by_preference[i]);
        if (found && ab_selected(bench->options, found, bench->have_gpu)) return found;
    }
    return NULL;
}

/* All ants of the sources where the cell is timed; on the host backend as many as effort.host_steps allows. */
static int cell_ants(const tsp_bench *bench, const tsp_cell *cell, ab_backend backend)
{
    const int n = cell->instance->n;
    if (backend != AB_HOST) return n;
    const double affordable = bench->effort.host_steps / ((double)n * (double)n);
    return affordable >= n               ? n
           : affordable <= MIN_HOST_ANTS ? (n < MIN_HOST_ANTS ? n : MIN_HOST_ANTS)
                                         : (int)affordable;
}

static as_params cell_params(const tsp_bench *bench, const tsp_cell *cell, ab_backend backend)
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

void tsp_cell_key(const tsp_bench *bench, const tsp_cell *cell, const ab_implementation *implementation, ab_row *row)
{
    const as_params params = cell_params(bench, cell, implementation->backend);
    snprintf(row->table, sizeof row->table, "%s", cell->table);
    snprintf(row->row, sizeof row->row, "%s", cell->row);
    snprintf(row->instance, sizeof row->instance, "%s", cell->instance->name);
    snprintf(row->implementation, sizeof row->implementation, "%s", implementation->id);
    snprintf(row->backend, sizeof row->backend, "%s", ab_backend_name(implementation->backend));
    snprintf(row->scope, sizeof row->scope, "%s", implementation->backend == AB_HOST ? "functional" : "iteration");
    format_params(&params, cell_nn(cell), implementation->backend, row->params);
}

static void add_note(ab_row *row, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Appends to the note, after a semicolon where it already says something. */
static void add_note(ab_row *row, const char *format, ...)
{
    const size_t at = strlen(row->note);
    const int skip = at ? snprintf(row->note + at, sizeof row->note - at, "; ") : 0;
    if (at + (size_t)skip >= sizeof row->note) return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(row->note + at + skip, sizeof row->note - at - (size_t)skip, format, arguments);
    va_end(arguments);
}

static void add_published(ab_row *row, const ab_published_table *table, const char *name, const char *asked,
                          const char *metric)
{
    const ab_published *published = table ? ab_published_find(table, name, asked, metric) : NULL;
    if (!published) return;
    snprintf(row->published_id, sizeof row->published_id, "%s", published->id);
    row->published_ms = published->value;
}

static void note_stand_in(ab_row *row, const tsp_cell *cell)
{
    if (cell->instance->stand_in && strcmp(cell->instance->name, cell->asked) != 0)
        add_note(row, "generated stand-in for %s", cell->asked);
}

/* ---- Measuring ---- */

static int cell_runs(const tsp_bench *bench, const tsp_cell *cell)
{
    const int runs = bench->effort.runs;
    return cell->max_runs && cell->max_runs < runs ? cell->max_runs : runs;
}

static void describe(const tsp_bench *bench, measurement *m)
{
    ab_row *row = &m->row;
    tsp_cell_key(bench, m->cell, m->implementation, row);
    row->size = m->cell->instance->n;
    row->seed = bench->options->seed;
    const bool on_gpu = m->implementation->backend == AB_CUDA;
    snprintf(row->device, sizeof row->device, "%s", on_gpu ? bench->gpu.name : bench->cpu_name);
    note_stand_in(row, m->cell);
    if (m->implementation->backend == AB_HOST)
        add_note(row, "verified on the host backend with %d of %d ants, not timed", m->params.n_ants, row->size);
    else
        add_published(row, m->cell->published, m->cell->row, m->cell->asked, "iteration");
}

/* Status and note of a row that could not be measured. */
static void set_failure(ab_row *row, bool wrong, const ab_status *status)
{
    row->status = wrong ? AB_ROW_WRONG : status->code == AB_UNSUPPORTED ? AB_ROW_UNSUPPORTED : AB_ROW_ERROR;
    row->ms = ab_row_new().ms;
    row->stop_reason[0] = '\0';
    add_note(row, "%s", status->reason);
}

static ab_status verify_cell(measurement *m)
{
    as_colony *colony = NULL;
    AB_TRY(m->implementation->open.tsp(&m->problem, &m->params, &colony));
    int valid = 0;
    const ab_status status = verify_iteration(colony, &m->problem, &m->params, &valid, &m->wrong);
    colony->work.methods->close(&colony->work);
    snprintf(m->row.verify_metric, sizeof m->row.verify_metric, "valid-tours");
    m->row.verify_value = valid;
    return status;
}

/* Clock and throttling at the end of a run; a throttled run's samples are discarded. */
static void note_gpu_state(const tsp_bench *bench, measurement *m, int first_sample)
{
    if (m->implementation->backend != AB_CUDA || !bench->nvml) return;
    const ab_gpu_state state = ab_nvml_read(bench->nvml);
    m->row.sm_clock_mhz = state.sm_clock_mhz;
    ab_nvml_throttle_text(bench->nvml, state.throttle, m->row.throttle);
    if (!state.throttled) return;
    for (int i = first_sample; i < m->series.n; ++i) m->series.discarded[i] = true;
    m->row.discarded += m->series.n - first_sample;
}

/* One independent run of at most effort.iterations iterations. */
static ab_status measure_run(const tsp_bench *bench, measurement *m, int run, double budget_s)
{
    as_colony *colony = NULL;
    as_params params = m->params;
    params.seed += (uint64_t)run;
    AB_TRY(m->implementation->open.tsp(&m->problem, &params, &colony));
    const int first_sample = m->series.n;
    int completed = 0;
    as_result best = {0};
    ab_status status = ab_measure(&colony->work, m->implementation->backend, bench->effort.iterations, budget_s,
                                  &m->series, &completed);
    note_gpu_state(bench, m, first_sample);
    if (status.code == AB_OK) status = verify_tours(colony, &m->problem, params.n_ants, &best, &m->wrong);
    colony->work.methods->close(&colony->work);
    if (status.code != AB_OK) return status;
    m->zero_weight_steps += best.zero_weight_steps;
    if (completed == bench->effort.iterations) m->run_best[m->complete_runs++] = (double)best.best_length;
    return ab_ok();
}

/* The kept samples of one stage, or of whole iterations for stage -1, into ms[]; returns how many. */
static int kept_samples(const ab_series *series, int stage, double *ms)
{
    int kept = 0;
    for (int i = 0; i < series->n; ++i) {
        if (series->discarded[i]) continue;
        ms[kept] = 0.0;
        for (int s = 0; s < series->n_stages; ++s)
            if (stage < 0 || s == stage) ms[kept] += series->ms[i * series->n_stages + s];
        ++kept;
    }
    return kept;
}

static ab_summary summarise(const ab_series *series, int stage, double *scratch)
{
    return ab_summarise(scratch, kept_samples(series, stage, scratch));
}

static bool has_converged(const ab_series *series)
{
    double *scratch = malloc((size_t)series->n * sizeof *scratch);
    if (!scratch) return false;
    const ab_summary summary = summarise(series, -1, scratch);
    free(scratch);
    return ab_relative_error(&summary) <= 0.01;
}

static ab_status measure_runs(const tsp_bench *bench, measurement *m)
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
        if (bench->effort.converge && has_converged(&m->series)) {
            reason = "converged";
            break;
        }
    }
    snprintf(m->row.stop_reason, sizeof m->row.stop_reason, "%s", reason);
    return ab_ok();
}

/* Quality of the complete runs; nothing where none was completed. */
static void describe_quality(const tsp_bench *bench, measurement *m)
{
    if (m->zero_weight_steps) add_note(&m->row, "all-zero rule used in %lld steps", (long long)m->zero_weight_steps);
    if (m->cell->instance->optimum) m->row.quality_reference = (double)m->cell->instance->optimum;
    if (!m->complete_runs) return;
    snprintf(m->row.quality_metric, sizeof m->row.quality_metric, "best-tour-after-%d-iterations",
             bench->effort.iterations);
    double sum = 0.0;
    m->row.quality_best = m->run_best[0];
    add_note(&m->row, "best tour of each complete run:");
    for (int run = 0; run < m->complete_runs; ++run) {
        sum += m->run_best[run];
        m->row.quality_best = fmin(m->row.quality_best, m->run_best[run]);
        const size_t at = strlen(m->row.note);
        snprintf(m->row.note + at, sizeof m->row.note - at, " %.0f", m->run_best[run]);
    }
    m->row.quality_mean = sum / m->complete_runs;
}

/* ---- Writing ---- */

static void count_outcome(tsp_bench *bench, ab_row_status status)
{
    bench->any_wrong |= status == AB_ROW_WRONG;
    bench->any_error |= status == AB_ROW_ERROR;
    bench->any_done |= status == AB_ROW_OK || status == AB_ROW_NOISY;
}

static ab_row_status timed_status(const ab_summary *ms)
{
    return ms->samples == 0 ? AB_ROW_TIMEOUT : ab_relative_error(ms) > 0.05 ? AB_ROW_NOISY : AB_ROW_OK;
}

/* Writes one row of the measurement: of a stage, or of the iteration for stage -1. */
static ab_status write_timed_row(tsp_bench *bench, measurement *m, ab_row *row, int stage, double *scratch,
                                 ab_sample *samples)
{
    const ab_series *series = &m->series;
    row->ms = summarise(series, stage, scratch);
    row->status = timed_status(&row->ms);
    for (int i = 0; i < series->n; ++i) {
        samples[i] = (ab_sample){0};
        for (int s = 0; s < series->n_stages; ++s)
            if (stage < 0 || s == stage) samples[i].ms += series->ms[i * series->n_stages + s];
        if (series->discarded[i]) snprintf(samples[i].discard_reason, sizeof samples[i].discard_reason, "throttled");
    }
    if (ab_run_find(bench->run, row)) return ab_ok(); /* a stage that the interrupted run had written */
    return ab_run_append(bench->run, row, samples, series->n);
}

static ab_status write_stage_rows(tsp_bench *bench, measurement *m, double *scratch, ab_sample *samples)
{
    if (!m->cell->stages_table) return ab_ok();
    for (int stage = 0; stage < AS_STAGES; ++stage) {
        static const char *const names[AS_STAGES] = {"choice", "construct", "update"};
        ab_row row = m->row;
        snprintf(row.table, sizeof row.table, "%s", m->cell->stages_table);
        snprintf(row.scope, sizeof row.scope, "stage");
        const size_t at = strlen(row.params);
        snprintf(row.params + at, sizeof row.params - at, ";stage=%s", names[stage]);
        row.published_id[0] = row.quality_metric[0] = '\0';
        row.published_ms = row.quality_best = row.quality_mean = row.quality_reference = NAN;
        add_published(&row, m->cell->published_stages, m->cell->row, m->cell->asked, names[stage]);
        AB_TRY(write_timed_row(bench, m, &row, stage, scratch, samples));
    }
    return ab_ok();
}

/* The stages first: the row of the iteration is what a resumed run looks for. */
static ab_status write_measurement(tsp_bench *bench, measurement *m)
{
    if (m->series.n == 0) return ab_run_append(bench->run, &m->row, NULL, 0);
    double *scratch = malloc((size_t)m->series.n * sizeof *scratch);
    ab_sample *samples = malloc((size_t)m->series.n * sizeof *samples);
    ab_status status = scratch && samples ? ab_ok() : ab_failed("out of memory for %d samples", m->series.n);
    if (status.code == AB_OK) status = write_stage_rows(bench, m, scratch, samples);
    if (status.code == AB_OK) status = write_timed_row(bench, m, &m->row, -1, scratch, samples);
    free(scratch);
    free(samples);
    return status;
}

/* The row for the time of building a candidate set. */
static ab_row candidate_row(const tsp_bench *bench, const tsp_cell *cell)
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
static ab_status add_candidates(tsp_bench *bench, const tsp_cell *cell, as_problem *problem, ab_status *built)
{
    const int nn = cell_nn(cell);
    *built = ab_ok();
    if (nn == 0 || tsp_candidates_find(&bench->candidates, nn, problem)) return ab_ok();
    ab_sample samples[TSP_CANDIDATE_SAMPLES] = {{0}};
    bool wrong = false;
    ab_row row = candidate_row(bench, cell);
    *built = tsp_candidates_build(&bench->candidates, nn, problem, &row, samples, &wrong);
    row.status = timed_status(&row.ms);
    if (built->code != AB_OK) {
        set_failure(&row, wrong, built);
        count_outcome(bench, row.status); /* one that succeeds is preparation, and not yet anything that has run */
    }
    if (ab_run_find(bench->run, &row)) return ab_ok(); /* an interrupted run had written it */
    return ab_run_append(bench->run, &row, samples, row.ms.samples);
}

static void format_outcome(const ab_row *row, char text[128])
{
    if (row->status == AB_ROW_OK && row->ms.samples == 0)
        snprintf(text, 128, "verified, %g valid tours", row->verify_value);
    else if (row->ms.samples > 0)
        snprintf(text, 128, "%s %.4g ms (median of %d)", ab_row_status_name(row->status), row->ms.median,
                 row->ms.samples);
    else
        snprintf(text, 128, "%s: %.100s", ab_row_status_name(row->status), row->note);
}

static ab_status measure_cell(tsp_bench *bench, const tsp_cell *cell, const ab_implementation *implementation,
                              char outcome[128])
{
    measurement m = {.cell = cell, .implementation = implementation, .row = ab_row_new()};
    m.problem = (as_problem){.n = cell->instance->n, .dist = cell->instance->dist};
    m.params = cell_params(bench, cell, implementation->backend);
    ab_status status;
    AB_TRY(add_candidates(bench, cell, &m.problem, &status));
    m.run_best = calloc((size_t)bench->effort.runs, sizeof *m.run_best);
    if (!m.run_best) return ab_failed("out of memory");
    describe(bench, &m);
    if (status.code == AB_OK) status = verify_cell(&m);
    if (status.code == AB_OK && implementation->backend != AB_HOST) status = measure_runs(bench, &m);
    if (status.code == AB_OK) {
        describe_quality(bench, &m);
    } else {
        set_failure(&m.row, m.wrong, &status);
        ab_series_free(&m.series); /* what ran before the failure is not a measurement */
    }
    status = write_measurement(bench, &m);
    count_outcome(bench, m.row.status);
    format_outcome(&m.row, outcome);
    ab_series_free(&m.series);
    free(m.run_best);
    return status;
}

/* ---- All cells ---- */

/* Seconds a cell will roughly take: verification and then the runs, up to the budget but at least one iteration. */
static double cell_estimate(const tsp_bench *bench, const tsp_cell *cell, const ab_implementation *implementation)
{
    if (implementation->backend == AB_HOST) {
        const double n = cell->instance->n;
        return 1e-7 * cell_ants(bench, cell, AB_HOST) * n * n; /* about 100 ns a city looked at, on fibers */
    }
    const double timed = cell->estimate_s * cell_runs(bench, cell) * bench->effort.iterations;
    return cell->estimate_s + fmin(timed, fmax(bench->effort.budget_s, cell->estimate_s));
}

static void format_label(const tsp_cell *cell, const ab_row *key, char label[320])
{
    snprintf(label, 320, "%s %s %s %s", cell->table, key->instance, key->implementation, key->params);
}

static void total(const tsp_bench *bench, const tsp_cell *cells, int n_cells, int *rows, double *seconds)
{
    *rows = 0;
    *seconds = 0.0;
    for (int i = 0; i < n_cells; ++i) {
        const ab_implementation *implementation = tsp_cell_implementation(bench, &cells[i]);
        if (!implementation) continue;
        ++*rows;
        *seconds += cell_estimate(bench, &cells[i], implementation);
    }
}

ab_status tsp_bench_run(tsp_bench *bench, const tsp_cell *cells, int n_cells)
{
    int rows = 0;
    double seconds = 0.0;
    total(bench, cells, n_cells, &rows, &seconds);
    ab_progress progress = ab_progress_start(rows, seconds, bench->options->quiet);
    for (int i = 0; i < n_cells; ++i) {
        const ab_implementation *implementation = tsp_cell_implementation(bench, &cells[i]);
        if (!implementation) continue;
        ab_row key = ab_row_new();
        char label[320], outcome[128] = "kept from the interrupted run";
        tsp_cell_key(bench, &cells[i], implementation, &key);
        format_label(&cells[i], &key, label);
        const double begin = ab_now_s(), estimate = cell_estimate(bench, &cells[i], implementation);
        ab_progress_row(&progress, label);
        const ab_row *kept = ab_run_find(bench->run, &key);
        if (kept)
            count_outcome(bench, kept->status);
        else
            AB_TRY(measure_cell(bench, &cells[i], implementation, outcome));
        ab_progress_done(&progress, label, outcome, kept ? 0.0 : estimate, ab_now_s() - begin);
    }
    return ab_ok();
}

void tsp_bench_dry_run(const tsp_bench *bench, const tsp_cell *cells, int n_cells)
{
    int rows = 0;
    double seconds = 0.0;
    char duration[24];
    for (int i = 0; i < n_cells; ++i) {
        const ab_implementation *implementation = tsp_cell_implementation(bench, &cells[i]);
        if (!implementation) continue;
        ab_row key = ab_row_new();
        tsp_cell_key(bench, &cells[i], implementation, &key);
        ab_format_duration(cell_estimate(bench, &cells[i], implementation), duration);
        printf("%s\t%s\t%s\t%s\t%s\t%s\n", key.table, key.instance, key.implementation, key.backend, key.params,
               duration);
    }
    total(bench, cells, n_cells, &rows, &seconds);
    ab_format_duration(seconds, duration);
    printf("%d rows, about %s\n", rows, duration);
}

ab_status tsp_bench_open(const ab_options *options, tsp_effort effort, tsp_bench *bench)
{
    *bench = (tsp_bench){.options = options, .effort = effort};
    const ab_machine machine = ab_machine_query();
    snprintf(bench->cpu_name, sizeof bench->cpu_name, "%s", machine.cpu);
    bench->cores = machine.usable_cores;
    if (options->backend == AB_BACKEND_CPU || options->backend == AB_BACKEND_HOST) return ab_ok();
    const ab_status status = gpu_open(options->device, &bench->gpu);
    bench->have_gpu = status.code == AB_OK;
    if (bench->have_gpu) {
        bench->nvml = ab_nvml_open(bench->gpu.pci_bus_id);
        return ab_ok();
    }
    if (options->backend == AB_BACKEND_CUDA || status.code != AB_UNSUPPORTED) return status;
    if (!options->quiet)
        fprintf(stderr, "%s: %s: GPU kernels are verified on the host backend and not timed\n", options->program,
                status.reason);
    return ab_ok();
}

void tsp_bench_close(tsp_bench *bench)
{
    ab_nvml_close(bench->nvml);
    tsp_candidates_free(&bench->candidates);
}

int tsp_bench_exit_code(const tsp_bench *bench)
{
    if (bench->any_wrong) return AB_EXIT_WRONG;
    if (bench->any_error) return AB_EXIT_ERROR;
    return bench->any_done ? AB_EXIT_OK : AB_EXIT_SKIPPED;
}
