/* The common part of the TSP tables' drivers (tsp_table.h). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/tsp_table.h"

/* ---- What to measure ---- */

static bool contains(const char *const *names, const char *name)
{
    for (; *names; ++names)
        if (strcmp(*names, name) == 0) return true;
    return false;
}

static const tsp_profile *chosen_profile(const tsp_table *t)
{
    return &t->driver->profiles[t->options.profile];
}

static tsp_effort chosen_effort(const tsp_table *t)
{
    tsp_effort effort = chosen_profile(t)->effort;
    if (t->options.runs) effort.runs = t->options.runs;
    if (t->options.iterations) effort.iterations = t->options.iterations;
    if (t->options.time_budget_s > 0) effort.budget_s = t->options.time_budget_s;
    return effort;
}

static ab_status load_instances(tsp_table *t)
{
    const char *const *names =
        t->options.instances ? (const char *const *)t->options.instances : chosen_profile(t)->instances;
    for (; *names; ++names) {
        if (t->n_instances == TSP_MAX_INSTANCES) return ab_bad_input("more than %d instances", TSP_MAX_INSTANCES);
        tsp_instance *instance = &t->instances[t->n_instances];
        AB_TRY(tsp_load(*names, instance));
        t->asked[t->n_instances++] = *names;
        if (instance->n < 2)
            return ab_bad_input("%s: a tour needs at least 2 cities, this instance has %d",
                                instance->path[0] ? instance->path : instance->name, instance->n);
    }
    return ab_ok();
}

tsp_cell *tsp_add_cell(tsp_table *t, int instance, const tsp_column *column, as_protocol protocol)
{
    tsp_cell *cell = &t->cells[t->n_cells++];
    const int cores = column->threads == 0 ? t->bench.cores : 1;
    *cell = (tsp_cell){.table = column->table,
                       .row = column->row,
                       .implementation = column->implementation,
                       .instance = &t->instances[instance],
                       .asked = t->asked[instance],
                       .published = tsp_published(t, column->table),
                       .protocol = protocol,
                       .nn = column->nn,
                       .threads = column->threads,
                       .max_runs = column->repeated && t->options.profile != AB_THESIS ? 1 : 0,
                       .carveout = -1};
    cell->estimate_s = column->seconds * pow(cell->instance->n, column->power) / cores;
    return cell;
}

void tsp_add_columns(tsp_table *t, const tsp_column *columns, int n_columns)
{
    const char *const *as_instances = chosen_profile(t)->as_instances;
    for (int i = 0; i < t->n_instances; ++i)
        for (int c = 0; c < n_columns; ++c) tsp_add_cell(t, i, &columns[c], AS_BEST_ANT);
    for (int i = 0; i < t->n_instances; ++i)
        for (int c = 0; c < n_columns; ++c)
            if (t->options.instances || contains(as_instances, t->asked[i]))
                tsp_add_cell(t, i, &columns[c], AS_ALL_ANTS);
}

const ab_published_table *tsp_published(const tsp_table *t, const char *name)
{
    for (int i = 0; t->driver->published[i]; ++i)
        if (strcmp(t->driver->published[i], name) == 0) return &t->published[i];
    return NULL;
}

static int n_selected(const tsp_table *t)
{
    int selected = 0;
    for (int i = 0; i < t->n_cells; ++i) selected += tsp_cell_implementation(&t->bench, &t->cells[i]) != NULL;
    return selected;
}

/* ---- Looking up ---- */

const ab_row *tsp_find_row(const tsp_table *t, const char *name, const char *row, int instance, as_protocol protocol,
                           const char *stage)
{
    int count = 0;
    const ab_row *rows = ab_run_rows(t->bench.run, &count);
    char start[32], end[32];
    snprintf(start, sizeof start, "protocol=%s;", as_protocol_name(protocol));
    snprintf(end, sizeof end, ";stage=%s", stage ? stage : "");
    for (int i = 0; i < count; ++i)
        if (strcmp(rows[i].table, name) == 0 && strcmp(rows[i].row, row) == 0 &&
            strcmp(rows[i].instance, t->instances[instance].name) == 0 &&
            strncmp(rows[i].params, start, strlen(start)) == 0 && (!stage || strstr(rows[i].params, end)))
            return &rows[i];
    return NULL;
}

const ab_row *tsp_column_row(const tsp_table *t, const tsp_column *column, int instance, as_protocol protocol)
{
    return tsp_find_row(t, column->table, column->row, instance, protocol, NULL);
}

bool tsp_has_rows(const tsp_table *t, const tsp_column *columns, int n_columns, int instance, as_protocol protocol)
{
    if (instance >= 0) {
        for (int c = 0; c < n_columns; ++c)
            if (tsp_column_row(t, &columns[c], instance, protocol)) return true;
        return false;
    }
    for (int i = 0; i < t->n_instances; ++i)
        if (tsp_has_rows(t, columns, n_columns, i, protocol)) return true;
    return false;
}

double tsp_mean_ms(const ab_row *row)
{
    return row && row->ms.samples ? row->ms.mean : NAN;
}

double tsp_published_value(const ab_published_table *values, const char *row, const char *asked, const char *metric)
{
    const ab_published *found = ab_published_find(values, row, asked, metric);
    return found ? found->value : NAN;
}

/* ---- Printing ---- */

void tsp_print_number(int width, int digits, double value, const char *unit)
{
    char text[32] = "-";
    if (isfinite(value)) snprintf(text, sizeof text, "%.*f%s", digits, value, unit);
    printf(" %*s", width, text);
}

void tsp_print_ms(int width, double ms)
{
    tsp_print_number(width, ms < 10 ? 3 : ms < 100 ? 2 : ms < 1000 ? 1 : 0, ms, "");
}

void tsp_print_cell(int width, const ab_row *row)
{
    if (row && row->ms.samples)
        tsp_print_ms(width, row->ms.mean);
    else if (row && row->status == AB_ROW_OK)
        printf(" %*s", width, "verified");
    else
        printf(" %*s", width, row ? ab_row_status_name(row->status) : "-");
}

int tsp_column_width(const tsp_column *column)
{
    const int length = (int)strlen(column->row);
    return length > 12 ? length : 12;
}

void tsp_print_headings(const tsp_column *columns, int n_columns)
{
    printf("%-9s %-6s", "instance", "whose");
    for (int c = 0; c < n_columns; ++c) printf(" %*s", tsp_column_width(&columns[c]), columns[c].row);
    printf("\n");
}

void tsp_print_times(const tsp_table *t, const tsp_column *columns, int n_columns, as_protocol protocol)
{
    tsp_print_headings(columns, n_columns);
    for (int i = 0; i < t->n_instances; ++i) {
        if (!tsp_has_rows(t, columns, n_columns, i, protocol)) continue;
        printf("%-9s %-6s", t->instances[i].name, "ours");
        for (int c = 0; c < n_columns; ++c)
            tsp_print_cell(tsp_column_width(&columns[c]), tsp_column_row(t, &columns[c], i, protocol));
        printf("\n%-9s %-6s", "", "thesis");
        for (int c = 0; c < n_columns; ++c) {
            const ab_published_table *theirs = tsp_published(t, columns[c].table);
            tsp_print_ms(tsp_column_width(&columns[c]),
                         tsp_published_value(theirs, columns[c].row, t->asked[i], "iteration"));
        }
        printf("\n");
    }
}

/* "best / mean" of the complete runs. */
static void print_best(const ab_row *row)
{
    char text[64] = "-";
    if (row && isfinite(row->quality_best))
        snprintf(text, sizeof text, "%.0f / %.0f", row->quality_best, row->quality_mean);
    printf(" %19s", text);
}

static bool has_quality(const tsp_table *t, const tsp_column *columns, int n_columns, int instance,
                        as_protocol protocol)
{
    for (int c = 0; c < n_columns; ++c) {
        const ab_row *row = tsp_column_row(t, &columns[c], instance, protocol);
        if (row && isfinite(row->quality_best)) return true;
    }
    return false;
}

static void print_published_tour(const tsp_table *t, int instance, const ab_published_table *published, const char *row)
{
    const bool same = !t->instances[instance].stand_in; /* as the thesis's instance */
    tsp_print_number(11, 0, same ? tsp_published_value(published, row, t->asked[instance], "best-tour") : NAN, "");
}

void tsp_print_quality(const tsp_table *t, const tsp_column *columns, int n_columns, as_protocol protocol,
                       const ab_published_table *published)
{
    printf("%-9s %9s", "instance", "optimum");
    for (int c = 0; c < n_columns; ++c) printf(" %19s", columns[c].row);
    printf("%s\n", published ? "  thesis CPU  thesis GPU" : "");
    for (int i = 0; i < t->n_instances; ++i) {
        if (!has_quality(t, columns, n_columns, i, protocol)) continue;
        printf("%-9s", t->instances[i].name);
        tsp_print_number(9, 0, t->instances[i].optimum ? (double)t->instances[i].optimum : NAN, "");
        for (int c = 0; c < n_columns; ++c) print_best(tsp_column_row(t, &columns[c], i, protocol));
        if (published) {
            print_published_tour(t, i, published, "acotsp-seq");
            print_published_tour(t, i, published, "ds-roulette");
        }
        printf("\n");
    }
}

static void print_sources(const tsp_table *t)
{
    printf("\nours: %s%s%s, %d core%s; thesis: NVIDIA GTX 580, Intel i7 950 (one core)\n",
           t->bench.have_gpu ? t->bench.gpu.name : "", t->bench.have_gpu ? ", " : "", t->bench.cpu_name, t->bench.cores,
           t->bench.cores == 1 ? "" : "s");
    for (int i = 0; i < t->n_instances; ++i)
        if (t->instances[i].stand_in && strcmp(t->instances[i].name, t->asked[i]) != 0)
            printf("%s is a generated stand-in for %s, of which no file was found (make instances)\n",
                   t->instances[i].name, t->asked[i]);
    printf("results: %s\n", ab_run_directory(t->bench.run));
}

/* ---- The program ---- */

static int fail(const tsp_table *t, const ab_status *status)
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

static ab_status read_published(tsp_table *t)
{
    for (int i = 0; t->driver->published[i]; ++i) {
        char path[64];
        snprintf(path, sizeof path, "results/published/table-%s.csv", t->driver->published[i]);
        AB_TRY(ab_published_read(path, &t->published[i]));
    }
    return ab_ok();
}

/* Opens the run with what meta.json shall say about instances and GPU. */
static ab_status open_run(tsp_table *t)
{
    char lines[TSP_MAX_INSTANCES][1200], *inputs[TSP_MAX_INSTANCES + 1] = {0};
    for (int i = 0; i < t->n_instances; ++i) {
        const tsp_instance *instance = &t->instances[i];
        snprintf(lines[i], sizeof lines[i], "%s %s %s", instance->name, instance->sha256,
                 instance->stand_in ? "generated" : instance->path);
        inputs[i] = lines[i];
    }
    char *gpu = t->bench.have_gpu ? gpu_describe(&t->bench.gpu, t->bench.nvml) : NULL;
    const ab_run_info info = {.table_file = t->driver->table_file,
                              .machine = t->bench.have_gpu ? t->bench.gpu.name : t->bench.cpu_name,
                              .inputs = inputs,
                              .device_json = gpu};
    const ab_status status = ab_run_open(&t->options, &info, &t->bench.run);
    free(gpu);
    return status;
}

static ab_status measure(tsp_table *t, int *exit_code)
{
    AB_TRY(read_published(t));
    AB_TRY(open_run(t));
    if (!t->options.quiet)
        fprintf(stderr, "%s: seed %llu, writing to %s\n", t->options.program, (unsigned long long)t->options.seed,
                ab_run_directory(t->bench.run));
    const ab_status status = tsp_bench_run(&t->bench, t->cells, t->n_cells);
    *exit_code = status.code == AB_OK ? tsp_bench_exit_code(&t->bench) : AB_EXIT_ERROR;
    if (status.code == AB_OK) {
        t->driver->print_tables(t);
        print_sources(t);
    }
    const ab_status closed = ab_run_close(t->bench.run, status.code == AB_OK, *exit_code);
    return status.code == AB_OK ? closed : status;
}

static int run(tsp_table *t)
{
    ab_status status = load_instances(t);
    if (status.code == AB_OK) status = tsp_bench_open(&t->options, chosen_effort(t), &t->bench);
    if (status.code != AB_OK) return fail(t, &status);
    t->driver->list_cells(t);
    if (n_selected(t) == 0) {
        status = ab_bad_input("nothing to measure: no implementation matches --implementations and --backend");
        return fail(t, &status);
    }
    if (t->options.action == AB_ACTION_DRY_RUN) {
        tsp_bench_dry_run(&t->bench, t->cells, t->n_cells);
        return AB_EXIT_OK;
    }
    int exit_code = AB_EXIT_OK;
    status = measure(t, &exit_code);
    return status.code == AB_OK ? exit_code : fail(t, &status);
}

int tsp_table_main(const tsp_driver *driver, int argc, char **argv)
{
    tsp_table *t = calloc(1, sizeof *t);
    if (!t) return AB_EXIT_ERROR;
    t->driver = driver;
    ab_parse_options(&driver->program, argc, argv, &t->options);
    int exit_code = t->options.exit_code;
    if (t->options.action == AB_ACTION_LIST)
        ab_print_implementations(driver->program.operation);
    else if (t->options.action != AB_ACTION_EXIT)
        exit_code = run(t);
    tsp_bench_close(&t->bench);
    for (int i = 0; i < t->n_instances; ++i) tsp_free(&t->instances[i]);
    for (int i = 0; driver->published[i]; ++i) ab_published_free(&t->published[i]);
    ab_options_free(&t->options);
    free(t);
    return exit_code;
}
