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
    return &t->driver->profiles[t->base.options.profile];
}

static const tsp_table *const_table(const ab_table *base)
{
    return (const tsp_table *)base;
}

static ab_effort profile_effort(const ab_table *base)
{
    return chosen_profile(const_table(base))->effort;
}

static ab_status load_instances(ab_table *base)
{
    tsp_table *t = (tsp_table *)base;
    const char *const *names =
        t->base.options.instances ? (const char *const *)t->base.options.instances : chosen_profile(t)->instances;
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
    tsp_cell *cell = &t->cells[t->base.n_cells++];
    const int cores = column->threads == 0 ? t->base.bench.cores : 1;
    *cell = (tsp_cell){.table = column->table,
                       .row = column->row,
                       .implementation = column->implementation,
                       .instance = &t->instances[instance],
                       .asked = t->asked[instance],
                       .published = ab_table_published(&t->base, column->table),
                       .protocol = protocol,
                       .nn = column->nn,
                       .threads = column->threads,
                       .max_runs = column->repeated && t->base.options.profile != AB_THESIS ? 1 : 0,
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
            if (t->base.options.instances || contains(as_instances, t->asked[i]))
                tsp_add_cell(t, i, &columns[c], AS_ALL_ANTS);
}

/* ---- Looking up ---- */

const ab_row *tsp_find_row(const tsp_table *t, const char *name, const char *row, int instance, as_protocol protocol,
                           const char *stage)
{
    int count = 0;
    const ab_row *rows = ab_run_rows(t->base.bench.run, &count);
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

/* ---- Printing ---- */

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
            ab_print_cell(tsp_column_width(&columns[c]), tsp_column_row(t, &columns[c], i, protocol));
        printf("\n%-9s %-6s", "", "thesis");
        for (int c = 0; c < n_columns; ++c) {
            const ab_published_table *theirs = ab_table_published(&t->base, columns[c].table);
            ab_print_ms(tsp_column_width(&columns[c]),
                        ab_published_value(theirs, columns[c].row, t->asked[i], "iteration"));
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
    ab_print_number(11, 0, same ? ab_published_value(published, row, t->asked[instance], "best-tour") : NAN, "");
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
        ab_print_number(9, 0, t->instances[i].optimum ? (double)t->instances[i].optimum : NAN, "");
        for (int c = 0; c < n_columns; ++c) print_best(tsp_column_row(t, &columns[c], i, protocol));
        if (published) {
            print_published_tour(t, i, published, "acotsp-seq");
            print_published_tour(t, i, published, "ds-roulette");
        }
        printf("\n");
    }
}

/* ---- The program ---- */

static void list_cells(ab_table *base)
{
    tsp_table *t = (tsp_table *)base;
    t->driver->list_cells(t);
}

static const char *cell_implementation(const ab_table *base, int cell)
{
    return const_table(base)->cells[cell].implementation;
}

static void cell_key(const ab_table *base, int cell, const ab_implementation *implementation, ab_row *row)
{
    tsp_cell_key(&base->bench, &const_table(base)->cells[cell], implementation, row);
}

static double cell_estimate(const ab_table *base, int cell, const ab_implementation *implementation)
{
    return tsp_cell_estimate(&base->bench, &const_table(base)->cells[cell], implementation);
}

static ab_status measure_cell(ab_table *base, int cell, const ab_implementation *implementation, ab_row *row)
{
    tsp_table *t = (tsp_table *)base;
    return tsp_measure_cell(&base->bench, &t->candidates, &t->cells[cell], implementation, row);
}

static int describe_inputs(const ab_table *base, char lines[AB_MAX_INPUTS][AB_INPUT_LINE])
{
    const tsp_table *t = const_table(base);
    for (int i = 0; i < t->n_instances; ++i) {
        const tsp_instance *instance = &t->instances[i];
        snprintf(lines[i], AB_INPUT_LINE, "%s %s %s", instance->name, instance->sha256,
                 instance->stand_in ? "generated" : instance->path);
    }
    return t->n_instances;
}

static void print_tables(const ab_table *base)
{
    const tsp_table *t = const_table(base);
    t->driver->print_tables(t);
    for (int i = 0; i < t->n_instances; ++i)
        if (t->instances[i].stand_in && strcmp(t->instances[i].name, t->asked[i]) != 0)
            printf("\n%s is a generated stand-in for %s, of which no file was found (make instances)",
                   t->instances[i].name, t->asked[i]);
}

static void close_table(ab_table *base)
{
    tsp_table *t = (tsp_table *)base;
    tsp_candidates_free(&t->candidates);
    for (int i = 0; i < t->n_instances; ++i) tsp_free(&t->instances[i]);
}

int tsp_table_main(const tsp_driver *driver, int argc, char **argv)
{
    static const char *const operations[] = {"tsp", NULL};
    static const ab_table_methods methods = {
        .effort = profile_effort,
        .load = load_instances,
        .list_cells = list_cells,
        .implementation = cell_implementation,
        .key = cell_key,
        .estimate = cell_estimate,
        .measure = measure_cell,
        .inputs = describe_inputs,
        .print = print_tables,
        .close = close_table,
    };
    tsp_table *t = calloc(1, sizeof *t);
    if (!t) return AB_EXIT_ERROR;
    t->driver = driver;
    t->base = (ab_table){.methods = &methods,
                         .program = driver->program,
                         .table_file = driver->table_file,
                         .published_names = driver->published};
    t->base.program.operations = operations;
    t->base.program.may_load = tsp_may_load;
    t->base.program.instances_help = "measure these: catalogue names, stand-ins (u198) or files";
    const int exit_code = ab_table_main(&t->base, argc, argv);
    free(t);
    return exit_code;
}
