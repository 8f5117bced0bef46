/* Printing plain tables (print.h). */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/harness/print.h"
#include "bench/harness/progress.h"

enum { ROW_WIDTH = 20, PARAMS_WIDTH = 44, CELL_WIDTH = 12 };

/* What a printed line is of: a row's name, scope, and the parameters that do not follow from the input. */
typedef struct line_key {
    char row[48], params[AB_PARAMS_TEXT], scope[16];
} line_key;

static bool is_fitted(const ab_row *row, const char *name, size_t length)
{
    char operation[32];
    snprintf(operation, sizeof operation, "%.*s", (int)strcspn(row->implementation, "/"), row->implementation);
    const ab_operation *found = ab_find_operation(operation);
    const ab_parameter *parameter = found ? ab_parameter_find(found->parameters, name, length) : NULL;
    return parameter && (parameter->shown & AB_FITTED);
}

static line_key key_of(const ab_row *row)
{
    line_key key = {{0}, {0}, {0}};
    snprintf(key.row, sizeof key.row, "%s", row->row);
    snprintf(key.scope, sizeof key.scope, "%s", row->scope);
    for (const char *pair = row->params; *pair;) {
        const size_t length = strcspn(pair, ";"), at = strlen(key.params);
        if (!is_fitted(row, pair, strcspn(pair, "=")))
            snprintf(key.params + at, sizeof key.params - at, "%s%.*s", at ? " " : "", (int)length, pair);
        pair += length + (pair[length] == ';');
    }
    return key;
}

static bool same_line(const line_key *a, const line_key *b)
{
    return strcmp(a->row, b->row) == 0 && strcmp(a->params, b->params) == 0 && strcmp(a->scope, b->scope) == 0;
}

/* The row of a table for a line and an input, NULL where there is none. */
static const ab_row *find(const ab_row *rows, int count, const char *table, const line_key *key, const char *input)
{
    for (int i = 0; i < count; ++i) {
        if (strcmp(rows[i].table, table) != 0 || strcmp(rows[i].instance, input) != 0) continue;
        const line_key other = key_of(&rows[i]);
        if (same_line(&other, key)) return &rows[i];
    }
    return NULL;
}

/* Four significant digits, if they fit. */
static void print_number(double value)
{
    const double size = fabs(value);
    char text[32] = "-";
    if (isfinite(value))
        snprintf(text, sizeof text, "%.*f", size < 10 ? 3 : size < 100 ? 2 : size < 1000 ? 1 : 0, value);
    printf(" %*s", CELL_WIDTH, text);
}

static void print_cell(const ab_row *row)
{
    if (row && row->ms.samples)
        print_number(row->ms.mean);
    else if (row && row->status == AB_ROW_OK && row->quality_metric[0])
        print_number(row->quality_mean);
    else
        printf(" %*s", CELL_WIDTH,
               !row                       ? "-"
               : row->status == AB_ROW_OK ? "verified"
                                          : ab_row_status_name(row->status));
}

typedef double number_of(const ab_row *row);

static double published_ms(const ab_row *row)
{
    return row->published_ms;
}

/* Of timed rows, whose cells are times. */
static double quality(const ab_row *row)
{
    return row->ms.samples ? row->quality_mean : (double)NAN;
}

/* A line below a line, where any of its cells has such a number. */
static void print_below(const ab_plan *plan, const ab_row *rows, int count, const char *table, const line_key *key,
                        const char *name, number_of *number)
{
    bool any = false;
    for (int i = 0; i < plan->n_inputs; ++i) {
        const ab_row *row = find(rows, count, table, key, plan->inputs[i].name);
        any |= row && isfinite(number(row));
    }
    if (!any) return;
    printf("%-*s %-*s", ROW_WIDTH, "", PARAMS_WIDTH, name);
    for (int i = 0; i < plan->n_inputs; ++i) {
        const ab_row *row = find(rows, count, table, key, plan->inputs[i].name);
        print_number(row ? number(row) : NAN);
    }
    printf("\n");
}

static void print_line(const ab_plan *plan, const ab_row *rows, int count, const ab_row *first)
{
    const line_key key = key_of(first);
    char what[AB_PARAMS_TEXT + 24];
    snprintf(what, sizeof what, "%s%s%s", key.scope, key.params[0] ? ": " : "", key.params);
    printf("%-*s %-*s", ROW_WIDTH, key.row, PARAMS_WIDTH, what);
    for (int i = 0; i < plan->n_inputs; ++i) print_cell(find(rows, count, first->table, &key, plan->inputs[i].name));
    printf("\n");
    print_below(plan, rows, count, first->table, &key, "  published", published_ms);
    print_below(plan, rows, count, first->table, &key, first->quality_metric, quality);
}

/* Whether an earlier row stands on the same line. */
static bool is_printed(const ab_row *rows, int i)
{
    const line_key key = key_of(&rows[i]);
    for (int k = 0; k < i; ++k) {
        const line_key other = key_of(&rows[k]);
        if (strcmp(rows[k].table, rows[i].table) == 0 && same_line(&key, &other)) return true;
    }
    return false;
}

static void print_table(const ab_plan *plan, const ab_row *rows, int count, const ab_heading *heading)
{
    bool begun = false;
    for (int i = 0; i < count; ++i) {
        if (strcmp(rows[i].table, heading->table) != 0 || !rows[i].instance[0] || is_printed(rows, i)) continue;
        if (!begun) {
            printf("\n%s: %s; mean in ms, or the metric that is named\n%-*s %-*s", heading->table, heading->title,
                   ROW_WIDTH, "row", PARAMS_WIDTH, "what");
            for (int input = 0; input < plan->n_inputs; ++input) printf(" %*s", CELL_WIDTH, plan->inputs[input].name);
            printf("\n");
        }
        begun = true;
        print_line(plan, rows, count, &rows[i]);
    }
}

void ab_print_tables(const ab_plan *plan, const ab_bench *bench)
{
    int count = 0;
    const ab_row *rows = ab_run_rows(bench->run, &count);
    for (const ab_heading *heading = plan->driver->headings; heading->table; ++heading)
        print_table(plan, rows, count, heading);
    for (int i = 0; i < plan->n_inputs; ++i)
        if (plan->inputs[i].stand_in && plan->inputs[i].note[0])
            printf("\n%s: %s, of which no file was found (make instances, make images)", plan->inputs[i].name,
                   plan->inputs[i].note);
    if (bench->options->save) printf("\nimages: %s", bench->options->save);
    printf("\nours: %s%s%s, %d core%s; published: %s\nresults: %s\n", bench->have_gpu ? bench->gpu.name : "",
           bench->have_gpu ? ", " : "", bench->cpu_name, bench->cores, bench->cores == 1 ? "" : "s",
           plan->driver->machine, ab_run_directory(bench->run));
}

void ab_print_plan(const ab_plan *plan, const ab_bench *bench)
{
    char duration[24];
    double seconds = 0.0;
    printf("table\trow\tinstance\timplementation\tbackend\tparams\tscope\tduration\n");
    for (int i = 0; i < plan->n_cells; ++i) {
        const ab_row *key = &plan->cells[i].key;
        const double estimate = ab_cell_estimate_from_here(plan, bench, &plan->cells[i]);
        seconds += estimate;
        ab_format_duration(estimate, duration);
        printf("%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", key->table, key->row, key->instance, key->implementation,
               key->backend, key->params, key->scope, duration);
    }
    ab_format_duration(seconds, duration);
    printf("%d rows, about %s", plan->n_cells, duration);
    if (bench->most_processes > bench->processes) printf(" or more");
    if (seconds > 59 && seconds < 1e9) printf(" (%.0f s)", seconds);
    printf("\n");
}
