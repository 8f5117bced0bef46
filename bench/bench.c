/* The part of measuring that all operations share (bench.h). */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"
#include "bench/harness/machine.h"

static const double WARM_UP_S = 0.1;
enum { WARM_UP_ITERATIONS = 4000 }; /* at most */

/* ---- Opening ---- */

ab_status ab_bench_open(const ab_options *options, ab_effort effort, ab_bench *bench)
{
    *bench = (ab_bench){.options = options, .effort = effort};
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

void ab_bench_close(ab_bench *bench)
{
    ab_nvml_close(bench->nvml);
}

int ab_bench_exit_code(const ab_bench *bench)
{
    if (bench->any_wrong) return AB_EXIT_WRONG;
    if (bench->any_error) return AB_EXIT_ERROR;
    return bench->any_done ? AB_EXIT_OK : AB_EXIT_SKIPPED;
}

const ab_implementation *ab_bench_implementation(const ab_bench *bench, const char *id)
{
    static const ab_backend by_preference[] = {AB_CPU, AB_CUDA, AB_HOST};
    for (size_t i = 0; i < sizeof by_preference / sizeof *by_preference; ++i) {
        const ab_implementation *found = ab_find_implementation(id, by_preference[i]);
        if (found && ab_selected(bench->options, found, bench->have_gpu)) return found;
    }
    return NULL;
}

/* ---- Rows ---- */

void ab_row_add_note(ab_row *row, const char *format, ...)
{
    const size_t at = strlen(row->note);
    const int skip = at ? snprintf(row->note + at, sizeof row->note - at, "; ") : 0;
    if (at + (size_t)skip >= sizeof row->note) return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(row->note + at + skip, sizeof row->note - at - (size_t)skip, format, arguments);
    va_end(arguments);
}

void ab_row_add_published(ab_row *row, const ab_published_table *table, const char *name, const char *instance,
                          const char *metric)
{
    const ab_published *published = table ? ab_published_find(table, name, instance, metric) : NULL;
    if (!published) return;
    snprintf(row->published_id, sizeof row->published_id, "%s", published->id);
    row->published_ms = published->value;
}

void ab_row_set_implementation(ab_row *row, const ab_bench *bench, const ab_implementation *implementation)
{
    const bool on_gpu = implementation->backend == AB_CUDA;
    snprintf(row->implementation, sizeof row->implementation, "%s", implementation->id);
    snprintf(row->backend, sizeof row->backend, "%s", ab_backend_name(implementation->backend));
    snprintf(row->device, sizeof row->device, "%s", on_gpu ? bench->gpu.name : bench->cpu_name);
}

void ab_row_set_failure(ab_row *row, bool wrong, const ab_status *status)
{
    row->status = wrong ? AB_ROW_WRONG : status->code == AB_UNSUPPORTED ? AB_ROW_UNSUPPORTED : AB_ROW_ERROR;
    row->ms = ab_row_new().ms;
    row->stop_reason[0] = '\0';
    ab_row_add_note(row, "%s", status->reason);
}

/* ---- Samples ---- */

void ab_note_gpu_state(const ab_bench *bench, ab_backend backend, ab_series *series, int first, ab_row *row)
{
    if (backend != AB_CUDA || !bench->nvml) return;
    const ab_gpu_state state = ab_nvml_read(bench->nvml);
    row->sm_clock_mhz = state.sm_clock_mhz;
    ab_nvml_throttle_text(bench->nvml, state.throttle, row->throttle);
    if (!state.throttled) return;
    for (int i = first; i < series->n; ++i) series->discarded[i] = true;
    row->discarded += series->n - first;
}

static double sample_ms(const ab_series *series, int i, unsigned stages)
{
    double ms = 0.0;
    for (int s = 0; s < series->n_stages; ++s)
        if (stages >> s & 1u) ms += series->ms[i * series->n_stages + s];
    return ms;
}

/* The statistics of the kept samples; scratch[series->n]. */
static ab_summary summarise(const ab_series *series, unsigned stages, double *scratch)
{
    int kept = 0;
    for (int i = 0; i < series->n; ++i)
        if (!series->discarded[i]) scratch[kept++] = sample_ms(series, i, stages);
    return ab_summarise(scratch, kept);
}

bool ab_has_converged(const ab_series *series, unsigned stages)
{
    double *scratch = malloc((size_t)series->n * sizeof *scratch);
    if (!scratch) return false;
    const ab_summary summary = summarise(series, stages, scratch);
    free(scratch);
    return ab_relative_error(&summary) <= 0.01;
}

/* A GPU that has idled takes some time to reach its clock; anything else is warm after once. */
static ab_status warm_up(ab_work *work, ab_backend backend)
{
    if (backend != AB_CUDA) return ab_iterate(work);
    ab_series unused = {0};
    int completed;
    const ab_status status = ab_measure(work, backend, WARM_UP_ITERATIONS, WARM_UP_S, &unused, &completed);
    ab_series_free(&unused);
    return status;
}

ab_status ab_take_samples(const ab_bench *bench, ab_work *work, ab_backend backend, int count, int at_once,
                          unsigned stages, ab_series *series, ab_row *row)
{
    AB_TRY(warm_up(work, backend));
    const double begin = ab_now_s();
    const char *reason = "count";
    while (series->n < count) {
        const int first = series->n, left = count - series->n;
        const double budget_s = bench->effort.budget_s - (ab_now_s() - begin);
        int completed;
        AB_TRY(ab_measure(work, backend, left < at_once ? left : at_once, budget_s, series, &completed));
        ab_note_gpu_state(bench, backend, series, first, row);
        if (series->n >= count) break;
        if (ab_now_s() - begin >= bench->effort.budget_s) {
            reason = "budget";
            break;
        }
        if (bench->effort.converge && ab_has_converged(series, stages)) {
            reason = "converged";
            break;
        }
    }
    snprintf(row->stop_reason, sizeof row->stop_reason, "%s", reason);
    return ab_ok();
}

ab_row_status ab_timed_status(const ab_summary *ms)
{
    return ms->samples == 0 ? AB_ROW_TIMEOUT : ab_relative_error(ms) > 0.05 ? AB_ROW_NOISY : AB_ROW_OK;
}

ab_status ab_bench_append(ab_bench *bench, ab_row *row, const ab_series *series, unsigned stages)
{
    if (series->n == 0) return ab_run_find(bench->run, row) ? ab_ok() : ab_run_append(bench->run, row, NULL, 0);
    double *scratch = malloc((size_t)series->n * sizeof *scratch);
    ab_sample *samples = calloc((size_t)series->n, sizeof *samples);
    ab_status status = scratch && samples ? ab_ok() : ab_failed("out of memory for %d samples", series->n);
    if (status.code == AB_OK) {
        row->ms = summarise(series, stages, scratch);
        row->status = ab_timed_status(&row->ms);
        for (int i = 0; i < series->n; ++i) {
            samples[i].ms = sample_ms(series, i, stages);
            if (series->discarded[i])
                snprintf(samples[i].discard_reason, sizeof samples[i].discard_reason, "throttled");
        }
        if (!ab_run_find(bench->run, row)) status = ab_run_append(bench->run, row, samples, series->n);
    }
    free(scratch);
    free(samples);
    return status;
}

void ab_bench_count(ab_bench *bench, ab_row_status status)
{
    bench->any_wrong |= status == AB_ROW_WRONG;
    bench->any_error |= status == AB_ROW_ERROR;
    bench->any_done |= status == AB_ROW_OK || status == AB_ROW_NOISY;
}

static void format_verified(const ab_row *row, char text[128])
{
    snprintf(text, 128, "verified, %g %s", row->verify_value, row->verify_metric);
    for (char *c = text; *c; ++c)
        if (*c == '-') *c = ' ';
}

void ab_format_outcome(const ab_row *row, char text[128])
{
    if (row->status == AB_ROW_OK && row->quality_metric[0] && row->ms.samples == 0)
        snprintf(text, 128, isfinite(row->quality_mean) ? "%s %.4g" : "%s not known", row->quality_metric,
                 row->quality_mean);
    else if (row->status == AB_ROW_OK && row->ms.samples == 0)
        format_verified(row, text);
    else if (row->ms.samples > 0)
        snprintf(text, 128, "%s %.4g ms (median of %d)", ab_row_status_name(row->status), row->ms.median,
                 row->ms.samples);
    else
        snprintf(text, 128, "%s: %.100s", ab_row_status_name(row->status), row->note);
}
