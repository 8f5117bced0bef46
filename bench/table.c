/* The program of every driver (table.h). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/harness/progress.h"
#include "bench/table.h"

/* ---- The cells ---- */

static const ab_implementation *find_implementation(const ab_table *t, int cell)
{
    return ab_bench_implementation(&t->bench, t->methods->implementation(t, cell));
}

static ab_row cell_key(const ab_table *t, int cell, const ab_implementation *implementation)
{
    ab_row key = ab_row_new();
    t->methods->key(t, cell, implementation, &key);
    return key;
}

/* How many cells the options leave, and the seconds they will take. */
static int total(const ab_table *t, double *seconds)
{
    int cells = 0;
    *seconds = 0.0;
    for (int i = 0; i < t->n_cells; ++i) {
        const ab_implementation *implementation = find_implementation(t, i);
        if (!implementation) continue;
        ++cells;
        *seconds += t->methods->estimate(t, i, implementation);
    }
    return cells;
}

static ab_status measure_cell(ab_table *t, int cell, const ab_implementation *implementation, ab_progress *progress)
{
    const double begin = ab_now_s(), estimate = t->methods->estimate(t, cell, implementation);
    ab_row row = cell_key(t, cell, implementation);
    char label[320], outcome[128] = "kept from the interrupted run";
    snprintf(label, sizeof label, "%s %s %s %s", row.table, row.instance, row.implementation, row.params);
    ab_progress_row(progress, label);
    const ab_row *kept = ab_run_find(t->bench.run, &row);
    if (kept) {
        ab_bench_count(&t->bench, kept->status);
    } else {
        AB_TRY(t->methods->measure(t, cell, implementation, &row));
        ab_bench_count(&t->bench, row.status);
        ab_format_outcome(&row, outcome);
    }
    ab_progress_done(progress, label, outcome, kept ? 0.0 : estimate, ab_now_s() - begin);
    return ab_ok();
}

static ab_status measure_cells(ab_table *t)
{
    double seconds;
    const int cells = total(t, &seconds);
    ab_progress progress = ab_progress_start(cells, seconds, t->options.quiet);
    for (int i = 0; i < t->n_cells; ++i) {
        const ab_implementation *implementation = find_implementation(t, i);
        if (implementation) AB_TRY(measure_cell(t, i, implementation, &progress));
    }
    return ab_ok();
}

/* --dry-run: the rows and what they will take, on stdout. */
static void dry_run(const ab_table *t)
{
    char duration[24];
    for (int i = 0; i < t->n_cells; ++i) {
        const ab_implementation *implementation = find_implementation(t, i);
        if (!implementation) continue;
        const ab_row key = cell_key(t, i, implementation);
        ab_format_duration(t->methods->estimate(t, i, implementation), duration);
        printf("%s\t%s\t%s\t%s\t%s\t%s\n", key.table, key.instance, key.implementation, key.backend, key.params,
               duration);
    }
    double seconds;
    const int cells = total(t, &seconds);
    ab_format_duration(seconds, duration);
    printf("%d rows, about %s\n", cells, duration);
}

/* ---- The program ---- */

static int fail(const ab_table *t, const ab_status *status)
{
    fprintf(stderr, "%s: %s\n", t->options.program, status->reason);
    switch (status->code) {
    case AB_BAD_INPUT:
        return AB_EXIT_USAGE;
    case AB_UNSUPPORTED:
        return AB_EXIT_SKIPPED;
    default:
        return AB_EXIT_ERROR;
    }
}

static ab_effort chosen_effort(const ab_table *t)
{
    ab_effort effort = t->methods->effort(t);
    if (t->options.runs) effort.runs = t->options.runs;
    if (t->options.iterations) effort.iterations = t->options.iterations;
    if (t->options.time_budget_s > 0) effort.budget_s = t->options.time_budget_s;
    return effort;
}

static ab_status read_published(ab_table *t)
{
    for (int i = 0; t->published_names[i]; ++i) {
        char path[64];
        snprintf(path, sizeof path, "results/published/thesis-%s.csv", t->published_names[i]);
        AB_TRY(ab_published_read(path, &t->published[i]));
    }
    return ab_ok();
}

/* Opens the run with what meta.json shall say about inputs and GPU. */
static ab_status open_run(ab_table *t)
{
    char(*lines)[AB_INPUT_LINE] = calloc(AB_MAX_INPUTS, sizeof *lines), *inputs[AB_MAX_INPUTS + 1] = {0};
    if (!lines) return ab_failed("out of memory");
    const int count = t->methods->inputs(t, lines);
    for (int i = 0; i < count; ++i) inputs[i] = lines[i];
    char *gpu = t->bench.have_gpu ? gpu_describe(&t->bench.gpu, t->bench.nvml) : NULL;
    const ab_run_info info = {.table_file = t->table_file,
                              .machine = t->bench.have_gpu ? t->bench.gpu.name : t->bench.cpu_name,
                              .inputs = inputs,
                              .device_json = gpu};
    const ab_status status = ab_run_open(&t->options, &info, &t->bench.run);
    free(gpu);
    free(lines);
    return status;
}

static void print_tables(const ab_table *t)
{
    t->methods->print(t);
    printf("\nours: %s%s%s, %d core%s; thesis: NVIDIA GTX 580, Intel i7 950 (one core)\n",
           t->bench.have_gpu ? t->bench.gpu.name : "", t->bench.have_gpu ? ", " : "", t->bench.cpu_name, t->bench.cores,
           t->bench.cores == 1 ? "" : "s");
    printf("results: %s\n", ab_run_directory(t->bench.run));
}

static ab_status measure(ab_table *t, int *exit_code)
{
    AB_TRY(open_run(t));
    if (!t->options.quiet)
        fprintf(stderr, "%s: seed %llu, writing to %s\n", t->options.program, (unsigned long long)t->options.seed,
                ab_run_directory(t->bench.run));
    const ab_status status = measure_cells(t);
    *exit_code = status.code == AB_OK ? ab_bench_exit_code(&t->bench) : AB_EXIT_ERROR;
    if (status.code == AB_OK) print_tables(t);
    const ab_status closed = ab_run_close(t->bench.run, status.code == AB_OK, *exit_code);
    return status.code == AB_OK ? closed : status;
}

static ab_status prepare(ab_table *t)
{
    AB_TRY(t->methods->load(t));
    AB_TRY(ab_bench_open(&t->options, chosen_effort(t), &t->bench));
    AB_TRY(read_published(t));
    t->methods->list_cells(t);
    double seconds;
    if (total(t, &seconds) > 0) return ab_ok();
    return ab_bad_input("nothing to measure: no implementation matches --implementations and --backend");
}

static int run(ab_table *t)
{
    ab_status status = prepare(t);
    if (status.code != AB_OK) return fail(t, &status);
    if (t->options.action == AB_ACTION_DRY_RUN) {
        dry_run(t);
        return AB_EXIT_OK;
    }
    int exit_code = AB_EXIT_OK;
    status = measure(t, &exit_code);
    return status.code == AB_OK ? exit_code : fail(t, &status);
}

int ab_table_main(ab_table *t, int argc, char **argv)
{
    ab_parse_options(&t->program, argc, argv, &t->options);
    int exit_code = t->options.exit_code;
    if (t->options.action == AB_ACTION_LIST)
        ab_print_implementations(t->program.operations);
    else if (t->options.action != AB_ACTION_EXIT)
        exit_code = run(t);
    t->methods->close(t);
    ab_bench_close(&t->bench);
    for (int i = 0; t->published_names[i]; ++i) ab_published_free(&t->published[i]);
    ab_options_free(&t->options);
    return exit_code;
}

/* ---- Printing ---- */

const ab_published_table *ab_table_published(const ab_table *t, const char *name)
{
    for (int i = 0; t->published_names[i]; ++i)
        if (strcmp(t->published_names[i], name) == 0) return &t->published[i];
    return NULL;
}

double ab_mean_ms(const ab_row *row)
{
    return row && row->ms.samples ? row->ms.mean : NAN;
}

double ab_published_value(const ab_published_table *values, const char *row, const char *instance, const char *metric)
{
    const ab_published *found = ab_published_find(values, row, instance, metric);
    return found ? found->value : NAN;
}

void ab_print_number(int width, int digits, double value, const char *unit)
{
    char text[32] = "-";
    if (isfinite(value)) snprintf(text, sizeof text, "%.*f%s", digits, value, unit);
    printf(" %*s", width, text);
}

void ab_print_ms(int width, double ms)
{
    ab_print_number(width, ms < 10 ? 3 : ms < 100 ? 2 : ms < 1000 ? 1 : 0, ms, "");
}

void ab_print_cell(int width, const ab_row *row)
{
    if (row && row->ms.samples)
        ab_print_ms(width, row->ms.mean);
    else if (row && row->status == AB_ROW_OK)
        printf(" %*s", width, "verified");
    else
        printf(" %*s", width, row ? ab_row_status_name(row->status) : "-");
}
