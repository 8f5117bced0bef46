/* Tables 3.2, 3.3 and 3.4 and Figure 3.9 of the thesis: Ant System on the CPU and the GPU.
 *
 *   Table 3.3  time per iteration    one row per implementation and instance ("columns" below name the kernels)
 *   Table 3.2  tour quality          the best tours of the same runs
 *   Table 3.4  time of the stages    the same iterations, stage by stage
 *   Figure 3.9 shared-memory sweep   DS-Roulette with 0 .. 100 % of the L1 cache as shared memory; on a GPU only
 *
 * Both update protocols are measured: as-best, which the thesis uses (§3.5.3), and as, which JPDC uses.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/tsp_bench.h"

/* The implementations, in the order of the printed table. */
static const struct column {
    const char *row;            /* in the CSV, and the printed heading */
    const char *implementation; /* in the registry */
    int threads;                /* 0: all cores; of no meaning on a GPU */
    double seconds, power; /* an iteration takes about seconds * n^power on one 2.5 GHz core or an H100 (for ETAs) */
} columns[] = {
    {"acotsp-seq", "tsp/acotsp-seq", 1, 1.9e-9, 3}, {"acotsp-omp", "tsp/acotsp-omp", 0, 1.9e-9, 3},
    {"cpu-best-1", "tsp/cpu-best", 1, 1.5e-7, 2},   {"cpu-best-all", "tsp/cpu-best", 0, 1.5e-7, 2},
    {"i-roulette", "tsp/i-roulette", 1, 3e-12, 3},  {"ds-roulette", "tsp/ds-roulette", 1, 3e-12, 3},
};
enum { N_COLUMNS = sizeof columns / sizeof *columns };

static const int carveouts[] = {0, 25, 50, 75, 100}; /* percent, Figure 3.9 */
enum { N_CARVEOUTS = sizeof carveouts / sizeof *carveouts };

static const char *const thesis_instances[] = {"d198",   "a280",    "lin318", "pcb442", "rat783",
                                               "pr1002", "nrw1379", "pr2392", NULL};
static const char *const few_instances[] = {"d198", "pcb442", "pr1002", NULL};
static const char *const smoke_instances[] = {"d198", "pcb442", NULL};
static const char *const one_instance[] = {"d198", NULL};

/* What a profile measures. */
static const struct profile {
    tsp_effort effort;
    const char *const *instances;    /* with protocol as-best, and all that are loaded */
    const char *const *as_instances; /* of these, also with protocol as */
} profiles[] = {
    [AB_SMOKE] = {{.runs = 1, .iterations = 5, .budget_s = 2, .converge = true, .host_steps = 1e7},
                  smoke_instances,
                  one_instance},
    [AB_QUICK] = {{.runs = 5, .iterations = 100, .budget_s = 5, .converge = true, .host_steps = 3e7},
                  thesis_instances,
                  few_instances},
    [AB_THESIS] = {{.runs = 10, .iterations = 100, .budget_s = INFINITY, .converge = false, .host_steps = 1e8},
                   thesis_instances,
                   thesis_instances},
};

enum { MAX_INSTANCES = 64, MAX_CELLS = MAX_INSTANCES * (2 * N_COLUMNS + N_CARVEOUTS) };

/* Everything that main owns. */
typedef struct table {
    ab_options options;
    tsp_bench bench;
    int n_instances;
    tsp_instance instances[MAX_INSTANCES];
    const char *asked[MAX_INSTANCES]; /* the names that were asked for */
    int n_cells;
    tsp_cell cells[MAX_CELLS];
    ab_published_table quality; /* Table 3.2 of the thesis */
} table;

/* ---- What to measure ---- */

static bool contains(const char *const *names, const char *name)
{
    for (; *names; ++names)
        if (strcmp(*names, name) == 0) return true;
    return false;
}

static tsp_effort chosen_effort(const ab_options *options)
{
    tsp_effort effort = profiles[options->profile].effort;
    if (options->runs) effort.runs = options->runs;
    if (options->iterations) effort.iterations = options->iterations;
    if (options->time_budget_s > 0) effort.budget_s = options->time_budget_s;
    return effort;
}

static ab_status load_instances(table *t)
{
    const char *const *names =
        t->options.instances ? (const char *const *)t->options.instances : profiles[t->options.profile].instances;
    for (; *names; ++names) {
        if (t->n_instances == MAX_INSTANCES) return ab_bad_input("more than %d instances", MAX_INSTANCES);
        tsp_instance *instance = &t->instances[t->n_instances];
        AB_TRY(tsp_load(*names, instance));
        t->asked[t->n_instances++] = *names;
        if (instance->n < 2)
            return ab_bad_input("%s: a tour needs at least 2 cities, this instance has %d",
                                instance->path[0] ? instance->path : instance->name, instance->n);
    }
    return ab_ok();
}

static void add_cell(table *t, int instance, const struct column *column, as_protocol protocol, int carveout)
{
    tsp_cell *cell = &t->cells[t->n_cells++];
    const bool figure = carveout >= 0;
    const int cores = column->threads == 0 ? t->bench.cores : 1;
    *cell = (tsp_cell){.table = figure ? "F3.9" : "3.3",
                       .row = column->row,
                       .stages_table = figure ? NULL : "3.4",
                       .implementation = column->implementation,
                       .instance = &t->instances[instance],
                       .asked = t->asked[instance],
                       .protocol = protocol,
                       .threads = column->threads,
                       .max_runs = figure ? 1 : 0,
                       .carveout = carveout};
    cell->estimate_s = column->seconds * pow(cell->instance->n, column->power) / cores;
}

static void list_cells(table *t)
{
    const char *const *as_instances = profiles[t->options.profile].as_instances;
    for (int i = 0; i < t->n_instances; ++i)
        for (int c = 0; c < N_COLUMNS; ++c) add_cell(t, i, &columns[c], AS_BEST_ANT, -1);
    for (int i = 0; i < t->n_instances; ++i)
        for (int c = 0; c < N_COLUMNS; ++c)
            if (t->options.instances || contains(as_instances, t->asked[i]))
                add_cell(t, i, &columns[c], AS_ALL_ANTS, -1);
    for (int i = 0; i < t->n_instances && t->bench.have_gpu; ++i)
        for (int k = 0; k < N_CARVEOUTS; ++k) add_cell(t, i, &columns[N_COLUMNS - 1], AS_BEST_ANT, carveouts[k]);
}

static int n_selected(const table *t)
{
    int selected = 0;
    for (int i = 0; i < t->n_cells; ++i) selected += tsp_cell_implementation(&t->bench, &t->cells[i]) != NULL;
    return selected;
}

/* ---- The printed tables ---- */

/* The row of a table for an instance, a column and a protocol; stage NULL for the iteration. NULL when there is none.
 */
static const ab_row *find_row(const table *t, const char *name, int instance, const char *column, as_protocol protocol,
                              const char *stage)
{
    int count = 0;
    const ab_row *rows = ab_run_rows(t->bench.run, &count);
    char start[32], end[32];
    snprintf(start, sizeof start, "protocol=%s;", as_protocol_name(protocol));
    snprintf(end, sizeof end, ";stage=%s", stage ? stage : "");
    for (int i = 0; i < count; ++i)
        if (strcmp(rows[i].table, name) == 0 && strcmp(rows[i].row, column) == 0 &&
            strcmp(rows[i].instance, t->instances[instance].name) == 0 &&
            strncmp(rows[i].params, start, strlen(start)) == 0 && (!stage || strstr(rows[i].params, end)))
            return &rows[i];
    return NULL;
}

static double mean_ms(const ab_row *row)
{
    return row && row->ms.samples ? row->ms.mean : NAN;
}

static void print_number(int width, int digits, double value, const char *unit)
{
    char text[32] = "-";
    if (isfinite(value)) snprintf(text, sizeof text, "%.*f%s", digits, value, unit);
    printf(" %*s", width, text);
}

/* Four significant digits, as far as they fit. */
static void print_ms(double ms)
{
    print_number(12, ms < 10 ? 3 : ms < 100 ? 2 : ms < 1000 ? 1 : 0, ms, "");
}

static double published(const ab_published_table *values, const char *row, const char *instance, const char *metric)
{
    const ab_published *found = ab_published_find(values, row, instance, metric);
    return found ? found->value : NAN;
}

/* A cell of ours: the mean, or a word for what became of it. */
static void print_cell(const ab_row *row)
{
    if (row && row->ms.samples)
        print_ms(row->ms.mean);
    else if (row && row->status == AB_ROW_OK)
        printf(" %12s", "verified");
    else
        printf(" %12s", row ? ab_row_status_name(row->status) : "-");
}

static bool has_rows(const table *t, int instance, as_protocol protocol)
{
    for (int c = 0; c < N_COLUMNS; ++c)
        if (find_row(t, "3.3", instance, columns[c].row, protocol, NULL)) return true;
    return false;
}

/* DS-Roulette's speedup over the other columns. */
static void print_speedups(const table *t, int instance, as_protocol protocol)
{
    const ab_published_table *theirs = &t->bench.published_times;
    const char *asked = t->asked[instance];
    const double ds = mean_ms(find_row(t, "3.3", instance, "ds-roulette", protocol, NULL));
    printf("%-9s %-6s", t->instances[instance].name, "ours");
    for (int c = 0; c < N_COLUMNS - 1; ++c)
        print_number(12, 2, mean_ms(find_row(t, "3.3", instance, columns[c].row, protocol, NULL)) / ds, "x");
    printf("\n%-9s %-6s", "", "thesis");
    for (int c = 0; c < N_COLUMNS - 1; ++c) {
        const char *metric = strcmp(columns[c].row, "acotsp-seq") == 0 ? "speedup-cpu" : "speedup-gpu";
        const bool is_theirs = isfinite(published(theirs, columns[c].row, asked, "iteration"));
        print_number(12, 2, is_theirs ? published(theirs, "ds-roulette", asked, metric) : NAN, "x");
    }
    printf("\n");
}

static void print_headings(int n_columns)
{
    printf("%-9s %-6s", "instance", "whose");
    for (int c = 0; c < n_columns; ++c) printf(" %12s", columns[c].row);
    printf("\n");
}

static void print_times(const table *t, as_protocol protocol)
{
    printf("\nTable 3.3: mean time of an iteration in ms, protocol %s\n", as_protocol_name(protocol));
    print_headings(N_COLUMNS);
    for (int i = 0; i < t->n_instances; ++i) {
        if (!has_rows(t, i, protocol)) continue;
        printf("%-9s %-6s", t->instances[i].name, "ours");
        for (int c = 0; c < N_COLUMNS; ++c) print_cell(find_row(t, "3.3", i, columns[c].row, protocol, NULL));
        printf("\n%-9s %-6s", "", "thesis");
        for (int c = 0; c < N_COLUMNS; ++c)
            print_ms(published(&t->bench.published_times, columns[c].row, t->asked[i], "iteration"));
        printf("\n");
    }
    if (!t->bench.have_gpu) return;
    printf("\nTable 3.3: speedup of DS-Roulette over each column, protocol %s\n", as_protocol_name(protocol));
    print_headings(N_COLUMNS - 1);
    for (int i = 0; i < t->n_instances; ++i)
        if (has_rows(t, i, protocol)) print_speedups(t, i, protocol);
}

/* "best / mean" of the complete runs. */
static void print_best(const ab_row *row)
{
    char text[64] = "-";
    if (row && isfinite(row->quality_best))
        snprintf(text, sizeof text, "%.0f / %.0f", row->quality_best, row->quality_mean);
    printf(" %19s", text);
}

static bool has_quality(const table *t, int instance, as_protocol protocol)
{
    for (int c = 0; c < N_COLUMNS; ++c) {
        const ab_row *row = find_row(t, "3.3", instance, columns[c].row, protocol, NULL);
        if (row && isfinite(row->quality_best)) return true;
    }
    return false;
}

static void print_quality(const table *t, as_protocol protocol)
{
    printf("\nTable 3.2: best tour after %d iterations, best / mean of the complete runs, protocol %s\n",
           t->bench.effort.iterations, as_protocol_name(protocol));
    printf("%-9s %9s", "instance", "optimum");
    for (int c = 0; c < N_COLUMNS; ++c) printf(" %19s", columns[c].row);
    printf(" %11s %11s\n", "thesis CPU", "thesis GPU");
    for (int i = 0; i < t->n_instances; ++i) {
        if (!has_quality(t, i, protocol)) continue;
        printf("%-9s", t->instances[i].name);
        print_number(9, 0, t->instances[i].optimum ? (double)t->instances[i].optimum : NAN, "");
        for (int c = 0; c < N_COLUMNS; ++c) print_best(find_row(t, "3.3", i, columns[c].row, protocol, NULL));
        const bool same = !t->instances[i].stand_in; /* as the thesis's instance */
        print_number(11, 0, same ? published(&t->quality, "acotsp-seq", t->asked[i], "best-tour") : NAN, "");
        print_number(11, 0, same ? published(&t->quality, "ds-roulette", t->asked[i], "best-tour") : NAN, "");
        printf("\n");
    }
}

static void print_stages(const table *t, as_protocol protocol)
{
    printf("\nTable 3.4: mean time of DS-Roulette's stages in ms, protocol %s\n", as_protocol_name(protocol));
    printf("%-9s %-6s %12s %12s %12s %12s\n", "instance", "whose", "choice_info", "tours", "construction", "update");
    for (int i = 0; i < t->n_instances; ++i) {
        const double choice = mean_ms(find_row(t, "3.4", i, "ds-roulette", protocol, "choice"));
        const double tours = mean_ms(find_row(t, "3.4", i, "ds-roulette", protocol, "construct"));
        if (!isfinite(tours)) continue;
        printf("%-9s %-6s", t->instances[i].name, "ours");
        print_ms(choice);
        print_ms(tours);
        print_ms(choice + tours);
        print_ms(mean_ms(find_row(t, "3.4", i, "ds-roulette", protocol, "update")));
        printf("\n%-9s %-6s %12s %12s", "", "thesis", "", "");
        print_ms(published(&t->bench.published_stages, "ds-roulette", t->asked[i], "construct"));
        print_ms(published(&t->bench.published_stages, "ds-roulette", t->asked[i], "update"));
        printf("\n");
    }
}

static const ab_row *find_carveout(const table *t, int instance, int carveout)
{
    int count = 0;
    const ab_row *rows = ab_run_rows(t->bench.run, &count);
    char end[32];
    snprintf(end, sizeof end, ";carveout=%d", carveout);
    for (int i = 0; i < count; ++i) {
        const char *found = strstr(rows[i].params, end);
        if (strcmp(rows[i].table, "F3.9") == 0 && strcmp(rows[i].instance, t->instances[instance].name) == 0 && found &&
            strcmp(found, end) == 0)
            return &rows[i];
    }
    return NULL;
}

static void print_carveouts(const table *t)
{
    printf("\nFigure 3.9: DS-Roulette, mean time of an iteration in ms by shared-memory carve-out, protocol as-best\n");
    printf("%-9s", "instance");
    for (int k = 0; k < N_CARVEOUTS; ++k) printf(" %11d%%", carveouts[k]);
    printf("\n");
    for (int i = 0; i < t->n_instances; ++i) {
        printf("%-9s", t->instances[i].name);
        for (int k = 0; k < N_CARVEOUTS; ++k) print_cell(find_carveout(t, i, carveouts[k]));
        printf("\n");
    }
}

static bool any_rows(const table *t, as_protocol protocol)
{
    for (int i = 0; i < t->n_instances; ++i)
        if (has_rows(t, i, protocol)) return true;
    return false;
}

static void print_sources(const table *t)
{
    printf("\nours: %s%s%s, %d core%s; thesis: NVIDIA GTX 580, Intel i7 950 (one core)\n",
           t->bench.have_gpu ? t->bench.gpu.name : "", t->bench.have_gpu ? ", " : "", t->bench.cpu_name, t->bench.cores,
           t->bench.cores == 1 ? "" : "s");
    for (int i = 0; i < t->n_instances; ++i)
        if (t->instances[i].stand_in && strcmp(t->instances[i].name, t->asked[i]) != 0)
            printf("%s is a generated stand-in for %s, of which no file was found (make instances)\n",
                   t->instances[i].name, t->asked[i]);
}

static void print_tables(const table *t)
{
    static const as_protocol protocols[] = {AS_BEST_ANT, AS_ALL_ANTS};
    for (int p = 0; p < 2; ++p) {
        if (!any_rows(t, protocols[p])) continue;
        print_times(t, protocols[p]);
        print_quality(t, protocols[p]);
        if (t->bench.have_gpu) print_stages(t, protocols[p]);
    }
    if (t->bench.have_gpu) print_carveouts(t);
    print_sources(t);
    printf("results: %s\n", ab_run_directory(t->bench.run));
}

/* ---- The program ---- */

static int fail(const table *t, const ab_status *status)
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

static ab_status read_published(table *t)
{
    AB_TRY(ab_published_read("results/published/table-3.2.csv", &t->quality));
    AB_TRY(ab_published_read("results/published/table-3.3.csv", &t->bench.published_times));
    return ab_published_read("results/published/table-3.4.csv", &t->bench.published_stages);
}

/* Opens the run with what meta.json shall say about instances and GPU. */
static ab_status open_run(table *t)
{
    char lines[MAX_INSTANCES][1200], *inputs[MAX_INSTANCES + 1] = {0};
    for (int i = 0; i < t->n_instances; ++i) {
        const tsp_instance *instance = &t->instances[i];
        snprintf(lines[i], sizeof lines[i], "%s %s %s", instance->name, instance->sha256,
                 instance->stand_in ? "generated" : instance->path);
        inputs[i] = lines[i];
    }
    char *gpu = t->bench.have_gpu ? gpu_describe(&t->bench.gpu, t->bench.nvml) : NULL;
    const ab_run_info info = {.table_file = "table-3.3.csv",
                              .machine = t->bench.have_gpu ? t->bench.gpu.name : t->bench.cpu_name,
                              .inputs = inputs,
                              .device_json = gpu};
    const ab_status status = ab_run_open(&t->options, &info, &t->bench.run);
    free(gpu);
    return status;
}

static ab_status measure(table *t, int *exit_code)
{
    AB_TRY(read_published(t));
    AB_TRY(open_run(t));
    if (!t->options.quiet)
        fprintf(stderr, "%s: seed %llu, writing to %s\n", t->options.program, (unsigned long long)t->options.seed,
                ab_run_directory(t->bench.run));
    const ab_status status = tsp_bench_run(&t->bench, t->cells, t->n_cells);
    *exit_code = status.code == AB_OK ? tsp_bench_exit_code(&t->bench) : AB_EXIT_ERROR;
    if (status.code == AB_OK) print_tables(t);
    const ab_status closed = ab_run_close(t->bench.run, status.code == AB_OK, *exit_code);
    return status.code == AB_OK ? closed : status;
}

static int run(table *t)
{
    ab_status status = load_instances(t);
    if (status.code == AB_OK) status = tsp_bench_open(&t->options, chosen_effort(&t->options), &t->bench);
    if (status.code != AB_OK) return fail(t, &status);
    list_cells(t);
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

int main(int argc, char **argv)
{
    static const ab_program program = {.name = "table_3_3",
                                       .summary = "Tables 3.2, 3.3 and 3.4 and Figure 3.9: Ant System on CPU and GPU.",
                                       .operation = "tsp",
                                       .known_instances = thesis_instances};
    table *t = calloc(1, sizeof *t);
    if (!t) return AB_EXIT_ERROR;
    ab_parse_options(&program, argc, argv, &t->options);
    int exit_code = t->options.exit_code;
    if (t->options.action == AB_ACTION_LIST)
        ab_print_implementations(program.operation);
    else if (t->options.action != AB_ACTION_EXIT)
        exit_code = run(t);
    tsp_bench_close(&t->bench);
    for (int i = 0; i < t->n_instances; ++i) tsp_free(&t->instances[i]);
    ab_published_free(&t->quality);
    ab_options_free(&t->options);
    free(t);
    return exit_code;
}
