/* Measures one cell (cell.h). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/threads.h"
#include "bench/plan/estimate.h"
#include "bench/program/cell.h"
#include "bench/plan/order.h"
#include "bench/clock/limits.h"
#include "bench/record/series.h"
#include "bench/row/judge.h"
#include "kernels/host/host_backend.h"

/* A cell while it is measured. */
typedef struct measurement {
    ab_bench *bench;
    const ab_plan *plan;
    const ab_cell *cell;
    const ab_known *known;
    ab_row *row;  /* row of the cell, being filled in */
    ab_sink sink; /* member from which sink_of finds this structure */
    ab_task task;
    void *params; /* [operation.params_size]: parameters of the current run, with its seed */
    ab_series series;
    ab_verdict verdict;
    ab_status
        /* AB_OK, or the reason why another row or an image could not be written; this ends the run without a fault
         * of the row. */
        not_written;
    double *quality; /* [runs]: quality of each complete run */
    int complete_runs;
    int64_t odd;
} measurement;

/* ---- Rows that accompany the cell's own ---- */

static measurement *of_sink(ab_sink *sink)
{
    return (measurement *)((char *)sink - offsetof(measurement, sink));
}

static ab_status append_once(measurement *m, const ab_row *row, const ab_sample *samples, int n_samples)
{
    if (ab_run_find(m->bench->run, row)) return ab_ok();
    return m->not_written = ab_run_append(m->bench->run, row, samples, n_samples);
}

enum { METRIC_DIGITS = 6 };

static void set_values(ab_row *row, const double *values, int n_values)
{
    double sum = 0.0;
    row->quality_best = values[0];
    for (int i = 0; i < n_values; ++i) {
        sum += values[i];
        row->quality_best = fmax(row->quality_best, values[i]);
    }
    row->quality_mean = sum / n_values;
    if (n_values > 1) ab_row_list_qualities(row, values, n_values, METRIC_DIGITS);
}

static void set_metric(ab_row *row, const char *metric)
{
    snprintf(row->quality_metric, sizeof row->quality_metric, "%s", metric);
}

/* Appends a row with the params of the cell's row and ";metric=<its own>". */
static ab_status append_metric(ab_sink *sink, const char *params, const char *metric, const double *values,
                               int n_values, const char *note)
{
    measurement *m = of_sink(sink);
    ab_row row = *m->row;
    const size_t own = strlen(";metric=") + strlen(m->cell->c.measure->metric);
    if (params)
        snprintf(row.params, sizeof row.params, "%s", params);
    else
        row.params[strlen(row.params) - own] = '\0';
    AB_TRY(ab_params_append(row.params, "metric", metric));
    if (note) ab_row_add_note(&row, "%s", note);
    set_metric(&row, metric);
    set_values(&row, values, n_values);
    return append_once(m, &row, NULL, 0);
}

static void set_own_values(ab_sink *sink, const double *values, int n_values)
{
    set_values(of_sink(sink)->row, values, n_values);
}

static ab_status saved(ab_sink *sink, ab_status status)
{
    return of_sink(sink)->not_written = status;
}

static void add_note(ab_sink *sink, const char *note)
{
    ab_row_add_note(of_sink(sink)->row, "%s", note);
}

/* Returns the table of a row of scope setup, which does not depend on the order of measuring. */
static const char *table_of(const measurement *m, const ab_row *setup)
{
    const int cell = ab_order_of_setup(m->plan, setup);
    return cell < 0 ? m->row->table : m->plan->cells[cell].key.table;
}

/* Appends a row of scope setup, unless a resumed run already has it. */
static ab_status append_setup(ab_sink *sink, const ab_setup *setup)
{
    measurement *m = of_sink(sink);
    ab_row row = ab_row_new();
    ab_sample samples[sizeof setup->ms / sizeof *setup->ms] = {{0}};
    snprintf(row.row, sizeof row.row, "%s", setup->row);
    snprintf(row.instance, sizeof row.instance, "%s", m->row->instance);
    snprintf(row.implementation, sizeof row.implementation, "%s", setup->implementation);
    snprintf(row.backend, sizeof row.backend, "%s", ab_backend_name(AB_CPU));
    snprintf(row.params, sizeof row.params, "%s", setup->params);
    snprintf(row.table, sizeof row.table, "%s", table_of(m, &row));
    snprintf(row.scope, sizeof row.scope, "setup");
    snprintf(row.device, sizeof row.device, "%s", m->bench->machine.cpu_name);
    snprintf(row.verify_metric, sizeof row.verify_metric, "%s", setup->verify_metric);
    row.verify_value = setup->verify_value;
    row.size = m->row->size;
    row.seed = m->row->seed;
    row.bytes = setup->bytes;
    if (m->cell->c.input->note[0]) ab_row_add_note(&row, "%s", m->cell->c.input->note);
    row.ms = ab_summarise(setup->ms, setup->n_samples);
    AB_TRY(ab_find_shape(setup->ms, setup->ms, &setup->n_samples, 1, &row.shape));
    if (setup->status.code == AB_OK) ab_judge_times(&row, !m->bench->options->process);
    snprintf(row.stop_reason, sizeof row.stop_reason, "count");
    for (int i = 0; i < setup->n_samples; ++i) samples[i] = (ab_sample){.ms = setup->ms[i], .number = i};
    if (setup->status.code != AB_OK) {
        ab_row_set_failure(&row, setup->wrong, &setup->status);
        ab_bench_count(m->bench, row.status); /* a successful setup does not yet count as a row that ran */
    }
    return append_once(m, &row, samples, row.ms.samples);
}

/* ---- Time ---- */

static ab_pace pace_of(const ab_share *share)
{
    return (ab_pace){share->effort.budget_s, share->effort.precise, share->energy_s};
}

/* Appends a series. A share's samples are judged together with the samples of the other shares. */
static ab_status append_series(const measurement *m, ab_row *row, const ab_series *series, unsigned stages,
                               unsigned whole)
{
    return ab_append_series(m->bench->run, row, series, stages, whole, !m->bench->options->process);
}

static ab_status measure_limit(const measurement *m, gpu_limit limit, const char *table)
{
    ab_row row;
    ab_series series = {0};
    ab_status status = ab_limit_measure(&m->bench->machine, limit, pace_of(&m->bench->share), &series, &row);
    snprintf(row.table, sizeof row.table, "%s", table);
    if (status.code == AB_OK) status = append_series(m, &row, &series, AB_ALL_STAGES, AB_ALL_STAGES);
    ab_series_free(&series);
    return status;
}

/* Measures each limit of the GPU as a row, once per run, in its first process. Profile smoke leaves this out, because
 * it only checks that everything works. */
static ab_status measure_limits(const measurement *m)
{
    const ab_row any = ab_row_new();
    ab_bench *bench = m->bench;
    if (bench->machine.limits_measured || bench->share.process > 1 || bench->options->profile == AB_SMOKE)
        return ab_ok();
    bench->machine.limits_measured = true;
    for (gpu_limit limit = 0; limit < GPU_LIMITS; ++limit) AB_TRY(measure_limit(m, limit, table_of(m, &any)));
    return ab_ok();
}

/* Opens the implementation for a run of this process. The processes take the seeds in turns. */
static ab_status open_run(void *context, int run, ab_work **work)
{
    const measurement *m = context;
    const int in_turn = m->cell->timed ? m->bench->share.most_processes : 1;
    const int number = m->bench->share.process - 1 + in_turn * (run > 0 ? run : 0);
    m->cell->operation->set_seed(m->params, m->task.seed + (uint64_t)number);
    return m->cell->c.implementation->open(m->task.problem, m->params, work);
}

static ab_status judge_run(void *context, ab_work *work, int completed)
{
    measurement *m = context;
    ab_outcome outcome = {.quality = NAN};
    AB_TRY(m->cell->c.measure->judge_run(&m->task, work, &outcome, &m->verdict));
    m->odd += outcome.odd;
    if (completed == ab_cell_count(m->plan, m->cell).at_once) m->quality[m->complete_runs++] = outcome.quality;
    return ab_ok();
}

static ab_sampling sampling_of(measurement *m)
{
    const ab_measure *measure = m->cell->c.measure;
    const ab_count count = ab_cell_count(m->plan, m->cell);
    return (ab_sampling){.pace = pace_of(&m->bench->share),
                         .backend = m->cell->c.implementation->backend,
                         .waits = m->cell->c.implementation->traits & AB_SEVERAL,
                         .l2_cold = m->cell->gpu_params.l2_cold,
                         .stage = measure->stage,
                         .alone = measure->alone,
                         .samples = count.samples,
                         .at_once = count.at_once,
                         .fresh = measure->fresh,
                         .long_samples = ab_cell_is_long(m->cell, m->known->sample_s),
                         .least = ab_cell_least(m->plan, m->cell),
                         .open = open_run,
                         .judge = measure->judge_run ? judge_run : NULL,
                         .context = m};
}

/* Appends the row with transfers: all stages, one after another. */
static ab_status append_transfers(measurement *m)
{
    const ab_measure *measure = m->cell->c.measure;
    if (!measure->transfers || m->cell->c.implementation->backend != AB_CUDA) return ab_ok();
    ab_series series = {0};
    ab_row row = *m->row;
    ab_sampling sampling = sampling_of(m);
    sampling.stage = NULL;
    sampling.alone = false;
    row.bytes = row.flops = NAN;
    row.discarded = 0;
    snprintf(row.scope, sizeof row.scope, "%s", measure->transfers);
    ab_status status = ab_take_samples(&m->bench->machine, &sampling, &series, &row);
    if (status.code == AB_OK) status = m->not_written = append_series(m, &row, &series, AB_ALL_STAGES, AB_ALL_STAGES);
    ab_series_free(&series);
    return status;
}

/* Returns of how many iterations of a run there are samples; NAN without samples. */
static double iterations_of(const ab_sampling *sampling, const ab_series *series)
{
    int most = 0;
    for (int i = 0; i < series->n; ++i)
        if (series->number[i] >= most) most = series->number[i] + 1;
    return most > 0 ? fmin(most, sampling->at_once) : (double)NAN;
}

static ab_status take_time(measurement *m)
{
    ab_sampling sampling = sampling_of(m);
    const ab_work_size size = m->cell->operation->size(&m->cell->c, m->cell->params);
    if (sampling.backend == AB_CUDA) AB_TRY(measure_limits(m));
    sampling.profiled = sampling.backend == AB_CUDA;
    AB_TRY(ab_take_samples(&m->bench->machine, &sampling, &m->series, m->row));
    if (sampling.fresh) m->row->iterations = iterations_of(&sampling, &m->series);
    m->row->bytes = size.bytes;
    m->row->flops = size.flops;
    return append_transfers(m);
}

/* Describes the quality of the complete runs, if there are any. */
static ab_status describe_runs(measurement *m)
{
    ab_row *row = m->row;
    const ab_measure *measure = m->cell->c.measure;
    if (m->odd) ab_row_add_note(row, measure->odd, (long long)m->odd);
    if (!m->complete_runs) return ab_ok();
    snprintf(row->quality_metric, sizeof row->quality_metric, measure->quality, m->bench->share.effort.iterations);
    double sum = 0.0;
    row->quality_best = m->quality[0];
    for (int run = 0; run < m->complete_runs; ++run) {
        sum += m->quality[run];
        row->quality_best = fmin(row->quality_best, m->quality[run]);
    }
    ab_row_list_qualities(row, m->quality, m->complete_runs, AB_LENGTH_DIGITS);
    row->quality_mean = sum / m->complete_runs;
    return ab_ok();
}

static void note_verdict(measurement *m)
{
    snprintf(m->row->verify_metric, sizeof m->row->verify_metric, "%s", m->verdict.metric);
    m->row->verify_value = m->verdict.value;
    if (!m->verdict.quality) return;
    set_metric(m->row, m->verdict.quality);
    set_values(m->row, &m->verdict.quality_value, 1);
}

/* Verifies, unless that is done. Only the first process verifies. The others leave out rows that were wrong there
 * (bench/program/program.c). */
static ab_status verify(measurement *m)
{
    if (m->bench->share.process > 1 || m->known->verified) return ab_ok();
    const ab_status status = m->cell->c.measure->verify(&m->task, &m->verdict);
    note_verdict(m);
    return status;
}

/* Measures the milliseconds of a stage that has already run once; 0 if the work has no such stage. */
static ab_status time_stage(ab_work *work, ab_backend backend, const char *name, double *ms)
{
    const ab_timing timing = ab_timing_new(backend, false);
    const int stage = ab_stage_named(work, name);
    ab_series series = {0};
    int completed;
    *ms = 0.0;
    if (stage < 0) return ab_ok();
    ab_status status = ab_iterate(work);
    if (backend == AB_CPU) ab_threads_settle(work->threads);
    if (status.code == AB_OK) status = ab_time_work(work, &timing, 1, INFINITY, &series, &completed);
    if (status.code == AB_OK) *ms = series.ms[stage];
    ab_series_free(&series);
    return status;
}

/* Predicts the seconds of a sample from a part of it. */
static ab_status predict_sample(measurement *m, double *seconds)
{
    const ab_measure *measure = m->cell->c.measure;
    ab_work *work = NULL;
    double ms = 0.0;
    const double times = measure->slice(m->params);
    ab_status status = m->cell->c.implementation->open(m->task.problem, m->params, &work);
    if (status.code == AB_OK) status = time_stage(work, m->cell->c.implementation->backend, measure->sliced, &ms);
    if (work) work->methods->close(work);
    memcpy(m->params, m->cell->params, m->cell->operation->params_size);
    *seconds = 1e-3 * ms * times;
    return status;
}

/* Tells whether the row would exceed its limit, and says so in its note. On the host backend it uses the operation's
 * estimate. Elsewhere it adds up one verification and, in every process, the warm-up and one sample. */
static ab_status is_too_long(measurement *m, bool *too_long)
{
    const double limit_s = m->bench->share.effort.limit_s;
    const ab_backend backend = m->cell->c.implementation->backend;
    double seconds = 0.0, sample_s = 0.0;
    if (limit_s > 0.0 && backend == AB_HOST) seconds = ab_cell_estimate(m->plan, m->cell);
    if (limit_s > 0.0 && backend != AB_HOST && m->cell->c.measure->slice) {
        AB_TRY(predict_sample(m, &sample_s));
        seconds = (1 + 2 * m->bench->share.processes) * sample_s;
    }
    *too_long = seconds > limit_s;
    if (!*too_long) return ab_ok();
    m->row->status = AB_ROW_TIMEOUT;
    if (sample_s > 0.0) ab_row_add_note(m->row, "a sample needs about %.3g s", sample_s);
    ab_row_add_note(m->row, "the row needs about %.3g s, and its limit is %g s", seconds, limit_s);
    return ab_ok();
}

static ab_status measure_time(measurement *m)
{
    bool too_long;
    ab_plan_add_published(m->plan, m->cell, m->cell->block->table, NULL, m->row);
    AB_TRY(is_too_long(m, &too_long));
    if (too_long) return ab_ok();
    AB_TRY(verify(m));
    if (!m->cell->timed) return ab_ok();
    if (m->cell->c.measure->quality) m->row->quality_reference = m->cell->c.input->reference;
    AB_TRY(take_time(m));
    return m->quality ? describe_runs(m) : ab_ok();
}

/* Appends the stages. `whole` has the stages that are the samples of the cell's row. */
static ab_status append_stages(const measurement *m, unsigned whole)
{
    const char *table = m->cell->block->stages;
    if (!table || m->series.n == 0) return ab_ok();
    for (int stage = 0; stage < m->series.n_stages; ++stage) {
        ab_row row = *m->row;
        snprintf(row.table, sizeof row.table, "%s", table);
        snprintf(row.scope, sizeof row.scope, AB_SCOPE_STAGE);
        AB_TRY(ab_params_append(row.params, "stage", m->series.stage_names[stage]));
        row.published_id[0] = row.quality_metric[0] = row.quality_runs[0] = '\0';
        row.published_ms = row.quality_best = row.quality_mean = row.quality_reference = NAN;
        row.bytes = row.flops = row.energy_j = NAN;
        ab_plan_add_published(m->plan, m->cell, table, m->series.stage_names[stage], &row);
        AB_TRY(append_series(m, &row, &m->series, 1u << stage, whole));
    }
    return ab_ok();
}

/* ---- Runs that are not timed ---- */

static ab_status run_and_judge(measurement *m, int run, int iterations)
{
    ab_work *work = NULL;
    ab_status status = open_run(m, run, &work);
    for (int i = 0; i < iterations && status.code == AB_OK; ++i) status = ab_iterate(work);
    if (status.code == AB_OK) status = judge_run(m, work, iterations);
    if (work) work->methods->close(work);
    return status;
}

/* Judges at least one run. Starts no run after the budget is spent. */
static ab_status judge_runs(measurement *m)
{
    const ab_count count = ab_cell_count(m->plan, m->cell);
    const double deadline = ab_now_s() + ab_cell_budget(m->plan, m->cell);
    int run = 0;
    do AB_TRY(run_and_judge(m, run, count.at_once));
    while (++run < count.runs && ab_now_s() < deadline);
    snprintf(m->row->stop_reason, sizeof m->row->stop_reason, run < count.runs ? "budget" : "count");
    note_verdict(m);
    m->row->quality_reference = m->cell->c.input->reference;
    return describe_runs(m);
}

/* ---- The cell ---- */

static ab_status judge(measurement *m)
{
    double value = NAN;
    AB_TRY(m->cell->c.measure->judge(&m->task, &value));
    set_metric(m->row, m->cell->c.measure->metric);
    if (!m->row->quality_runs[0]) set_values(m->row, &value, 1);
    return ab_ok();
}

/* Says what to do about a row that is too large for this profile. */
static const char *how_to_run(const measurement *m)
{
    const double steps = m->cell->c.measure->least_on_host(&m->cell->c, m->cell->params);
    const double most = m->plan->driver->efforts[AB_THESIS].host_steps;
    return most == 0 || steps <= most ? "; --profile thesis allows more" : "";
}

static ab_status fill(measurement *m)
{
    if (ab_cell_is_too_large(m->cell)) {
        m->row->status = AB_ROW_SKIPPED;
        ab_row_add_note(m->row, "needs more than the %g steps that profile %s allows on the host backend%s",
                        m->cell->c.host_steps, ab_profile_name(m->bench->options->profile), how_to_run(m));
        return ab_ok();
    }
    m->params = malloc(m->cell->operation->params_size);
    if (m->cell->c.measure->judge_run) m->quality = calloc((size_t)m->bench->share.effort.runs, sizeof *m->quality);
    if (!m->params || (m->cell->c.measure->judge_run && !m->quality)) return ab_failed("out of memory");
    memcpy(m->params, m->cell->params, m->cell->operation->params_size);
    AB_TRY(m->cell->operation->problem(&m->task, &m->task.problem));
    if (m->cell->c.measure->timed) return measure_time(m);
    return m->cell->c.measure->judge ? judge(m) : judge_runs(m);
}

static ab_status load(ab_plan *plan, ab_loaded *loaded, const ab_input *input)
{
    if (loaded->input == input) return ab_ok();
    ab_unload(plan, loaded);
    AB_TRY(plan->kind->load(&plan->inputs[input - plan->inputs], &loaded->loaded));
    loaded->input = input;
    return ab_ok();
}

void ab_unload(const ab_plan *plan, ab_loaded *loaded)
{
    if (loaded->input) plan->kind->unload(loaded->loaded);
    loaded->input = NULL;
}

/* Appends the rows of the stages, then the cell's own. */
static ab_status append_rows(measurement *m)
{
    const ab_sampling sampling = sampling_of(m);
    const unsigned stages = ab_sampling_stages(&sampling, &m->series);
    AB_TRY(m->not_written);
    AB_TRY(append_stages(m, stages));
    return append_series(m, m->row, &m->series, stages, stages);
}

/* Takes over what a verification found. */
static void take_verified(const ab_row *verified, ab_row *row)
{
    row->verify_value = verified->verify_value;
    row->quality_best = verified->quality_best;
    row->quality_mean = verified->quality_mean;
    memcpy(row->verify_metric, verified->verify_metric, sizeof row->verify_metric);
    memcpy(row->quality_metric, verified->quality_metric, sizeof row->quality_metric);
    memcpy(row->quality_runs, verified->quality_runs, sizeof row->quality_runs);
    memcpy(row->note, verified->note, sizeof row->note);
}

ab_status ab_cell_measure(ab_bench *bench, ab_plan *plan, ab_loaded *loaded, const ab_cell *cell, const ab_known *known,
                          ab_row *row)
{
    measurement m = {.bench = bench, .plan = plan, .cell = cell, .known = known, .row = row};
    m.sink = (ab_sink){append_metric, set_own_values, append_setup, add_note, saved};
    *row = cell->key;
    ab_status status = load(plan, loaded, cell->c.input);
    /* The input was readable before, so this is not a fault of the row either. */
    if (status.code == AB_FAILED) return status;
    if (known->verified)
        take_verified(known->verified, row);
    else if (cell->c.input->note[0])
        ab_row_add_note(row, "%s", cell->c.input->note);
    if (cell->c.implementation->backend == AB_HOST && host_backend_device()[0])
        ab_row_add_note(row, "no real device: the host backend with %s", host_backend_device());
    m.task = (ab_task){.c = &cell->c,
                       .loaded = loaded->loaded,
                       .params = cell->params,
                       .seed = bench->options->seed,
                       .row = row->row,
                       .save = bench->options->save,
                       .sink = &m.sink};
    if (status.code == AB_OK) status = fill(&m);
    if (status.code != AB_OK) {
        ab_row_set_failure(row, m.verdict.wrong, &status);
        ab_series_free(&m.series); /* what ran before the failure is not a measurement */
    }
    status = append_rows(&m);
    ab_series_free(&m.series);
    free(m.params);
    free(m.quality);
    return status;
}

/* ---- Text for the user ---- */

static void format_verified(const ab_row *row, char text[128])
{
    char metric[sizeof row->verify_metric];
    snprintf(metric, sizeof metric, "%s", row->verify_metric);
    for (char *c = metric; *c; ++c)
        if (*c == '-') *c = ' ';
    snprintf(text, 128, "verified, %g %s", row->verify_value, metric);
}

void ab_format_outcome(const ab_row *row, char text[128])
{
    if (row->status == AB_ROW_OK && row->quality_metric[0] && row->ms.samples == 0)
        snprintf(text, 128, isfinite(row->quality_mean) ? "%s %.4g" : "%s not known", row->quality_metric,
                 row->quality_mean);
    else if (row->status == AB_ROW_OK && row->ms.samples == 0)
        format_verified(row, text);
    else if (row->ms.samples > 0)
        snprintf(text, 128, "%s %.4g ms (mean of %d)", ab_row_status_name(row->status), row->ms.mean, row->ms.samples);
    else
        snprintf(text, 128, "%s: %.100s", ab_row_status_name(row->status), row->note);
}
