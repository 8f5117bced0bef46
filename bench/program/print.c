/* Prints plain tables (print.h). */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/plan/estimate.h"
#include "bench/program/print.h"
#include "bench/program/progress.h"

enum { LINE_WIDTH = 100, ROW_WIDTH = 20, LEAST_LABEL = 32, CELL_WIDTH = 12, MOST_CELLS = 5 };

/* What a printed line shows: a row's name, its scope, and the parameters that do not follow from the input. */
typedef struct line_key {
    char row[48], params[AB_PARAMS_TEXT], scope[16];
} line_key;

static bool is_fitted(const ab_row *row, const char *name, size_t length)
{
    const ab_operation *found = ab_operation_of(row->implementation);
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

/* Returns the row of a table for a line and an input, or NULL. */
static const ab_row *find(const ab_row *rows, int count, const char *table, const line_key *key, const char *input)
{
    for (int i = 0; i < count; ++i) {
        if (strcmp(rows[i].table, table) != 0 || strcmp(rows[i].instance, input) != 0) continue;
        const line_key other = key_of(&rows[i]);
        if (same_line(&other, key)) return &rows[i];
    }
    return NULL;
}

/* ---- Lines ---- */

/* Prints text in lines of at most LINE_WIDTH columns, broken between words. All lines but the first are indented. */
static void print_wrapped(const char *text, int indent)
{
    int at = 0;
    bool begun = false; /* true if the line has a word */
    do {
        const int length = (int)strcspn(text, " ");
        if (begun && at + 1 + length > LINE_WIDTH) {
            at = printf("\n%*s", indent, "") - 1;
            begun = false;
        }
        at += printf("%s%.*s", begun ? " " : "", length, text);
        begun = true;
        text += length;
    } while (*text++);
    printf("\n");
}

/* The inputs from `from` up to, but without, `to`: as many columns as fit beside a label. */
typedef struct columns {
    const ab_plan *plan; /* plan that has the inputs */
    int from, to;        /* indices of the inputs */
    int label_width;     /* width of the column before them */
    /* Most iterations of a run over which the table's means are taken; NAN if samples are alike. */
    double iterations;
} columns;

/* Prints the label of a line. A label that is too long for its column gets a line of its own. */
static void print_label(const columns *shown, const char *text)
{
    if ((int)strlen(text) <= shown->label_width) {
        printf("%-*s", shown->label_width, text);
        return;
    }
    print_wrapped(text, 4);
    printf("%*s", shown->label_width, "");
}

/* Prints a cell's text. If it is too long, prints its end, because the names of inputs differ there. */
static void print_text(const char *text)
{
    const size_t length = strlen(text);
    if (length <= CELL_WIDTH)
        printf(" %*s", CELL_WIDTH, text);
    else
        printf(" ~%s", text + length - (CELL_WIDTH - 1));
}

/* Prints four significant digits if they fit. */
static void print_number(double value)
{
    const double size = fabs(value);
    char text[32] = "-";
    if (isfinite(value))
        snprintf(text, sizeof text, "%.*f", size < 10 ? 3 : size < 100 ? 2 : size < 1000 ? 1 : 0, value);
    print_text(text);
}

static void print_cell(const ab_row *row)
{
    if (row && row->ms.samples)
        print_number(row->ms.mean);
    else if (row && row->status == AB_ROW_OK && row->quality_metric[0])
        print_number(row->quality_mean);
    else
        print_text(!row ? "-" : row->status == AB_ROW_OK ? "verified" : ab_row_status_name(row->status));
}

typedef double number_of(const ab_row *row);

static double published_ms(const ab_row *row)
{
    return row->published_ms;
}

/* Returns the median if it differs from the mean by more than 5 %. */
static double median_ms(const ab_row *row)
{
    return fabs(row->ms.mean / row->ms.median - 1.0) > 0.05 ? row->ms.median : (double)NAN;
}

/* Returns the quality of a timed row, whose cells are times. */
static double quality(const ab_row *row)
{
    return row->ms.samples ? row->quality_mean : (double)NAN;
}

/* Prints a second line below a line if any cell has such a number. */
static void print_below(const columns *shown, const ab_row *const *cells, const char *name, number_of *number)
{
    char label[64];
    bool any = false;
    const int n = shown->to - shown->from;
    for (int i = 0; i < n; ++i) any |= cells[i] && isfinite(number(cells[i]));
    if (!any) return;
    snprintf(label, sizeof label, "  %s", name);
    print_label(shown, label);
    for (int i = 0; i < n; ++i) print_number(cells[i] ? number(cells[i]) : NAN);
    printf("\n");
}

/* Prints the number of iterations of each mean if some row ran out of time before the number in the heading. */
static void print_iterations(const columns *shown, const ab_row *const *cells)
{
    bool any = false;
    const int n = shown->to - shown->from;
    for (int i = 0; i < n; ++i) any |= cells[i] && cells[i]->iterations < shown->iterations;
    if (!any) return;
    print_label(shown, "  iterations");
    for (int i = 0; i < n; ++i) {
        char text[32] = "-";
        if (cells[i] && isfinite(cells[i]->iterations)) snprintf(text, sizeof text, "%.0f", cells[i]->iterations);
        print_text(text);
    }
    printf("\n");
}

enum { LABEL_SIZE = sizeof(line_key) + ROW_WIDTH + 8 };

static void format_label(const line_key *key, char label[LABEL_SIZE])
{
    snprintf(label, LABEL_SIZE, "%-*s %s%s%s", ROW_WIDTH, key->row, key->scope, key->params[0] ? ": " : "",
             key->params);
}

/* Prints the line of a row and the lines below it, or nothing if none of these inputs has the row. */
static void print_line(const columns *shown, const ab_row *rows, int count, const ab_row *first)
{
    const line_key key = key_of(first);
    const ab_row *cells[MOST_CELLS];
    char label[LABEL_SIZE];
    bool any = false;
    const int n = shown->to - shown->from;
    for (int i = 0; i < n; ++i) {
        cells[i] = find(rows, count, first->table, &key, shown->plan->inputs[shown->from + i].name);
        any |= cells[i] != NULL;
    }
    if (!any) return;
    format_label(&key, label);
    print_label(shown, label);
    for (int i = 0; i < n; ++i) print_cell(cells[i]);
    printf("\n");
    print_iterations(shown, cells);
    print_below(shown, cells, "median", median_ms);
    print_below(shown, cells, "published", published_ms);
    print_below(shown, cells, first->quality_metric, quality);
}

/* True if an earlier row is on the same line. */
static bool is_printed(const ab_row *rows, int i)
{
    const line_key key = key_of(&rows[i]);
    for (int k = 0; k < i; ++k) {
        const line_key other = key_of(&rows[k]);
        if (strcmp(rows[k].table, rows[i].table) == 0 && same_line(&key, &other)) return true;
    }
    return false;
}

/* Prints the heading of a table and of these columns. */
static void print_heading(const columns *shown, const ab_heading *heading)
{
    char text[256];
    printf("\n");
    if (shown->from == 0) {
        char of[48] = "";
        if (shown->iterations > 1.0) snprintf(of, sizeof of, " of the first %.0f iterations", shown->iterations);
        if (shown->iterations == 1.0) snprintf(of, sizeof of, " of the first iteration");
        snprintf(text, sizeof text, "%s: %s; mean in ms%s, or the named metric", heading->table, heading->title, of);
        print_wrapped(text, 4);
    }
    snprintf(text, sizeof text, "%-*s what", ROW_WIDTH, shown->from == 0 ? "row" : heading->table);
    print_label(shown, text);
    for (int i = shown->from; i < shown->to; ++i) print_text(shown->plan->inputs[i].name);
    printf("\n");
}

/* True if a table has a row for one of these inputs. */
static bool has_any(const columns *shown, const ab_row *rows, int count, const char *table)
{
    for (int i = 0; i < count; ++i)
        for (int input = shown->from; input < shown->to && strcmp(rows[i].table, table) == 0; ++input)
            if (strcmp(rows[i].instance, shown->plan->inputs[input].name) == 0) return true;
    return false;
}

static void print_columns(const columns *shown, const ab_row *rows, int count, const ab_heading *heading)
{
    if (!has_any(shown, rows, count, heading->table)) return;
    print_heading(shown, heading);
    for (int i = 0; i < count; ++i)
        if (strcmp(rows[i].table, heading->table) == 0 && rows[i].instance[0] && !is_printed(rows, i))
            print_line(shown, rows, count, &rows[i]);
}

/* Returns the length of the longest label of a table. */
static int longest_label(const ab_row *rows, int count, const char *table)
{
    size_t longest = LEAST_LABEL;
    for (int i = 0; i < count; ++i) {
        char label[LABEL_SIZE];
        if (strcmp(rows[i].table, table) != 0) continue;
        const line_key key = key_of(&rows[i]);
        format_label(&key, label);
        if (strlen(label) > longest) longest = strlen(label);
    }
    return (int)longest;
}

/* Returns the most iterations that a row's mean is taken over; NAN if no row has any. */
static double most_iterations(const ab_row *rows, int count, const char *table)
{
    double most = NAN;
    for (int i = 0; i < count; ++i)
        if (strcmp(rows[i].table, table) == 0) most = fmax(most, rows[i].iterations);
    return most;
}

/* Prints a table. If it has more columns than fit in a line, it is printed in several parts. */
static void print_table(const ab_plan *plan, const ab_row *rows, int count, const ab_heading *heading)
{
    const int n = plan->n_inputs, parts = (n + MOST_CELLS - 1) / MOST_CELLS;
    const int longest = longest_label(rows, count, heading->table);
    for (int part = 0; part < parts; ++part) {
        columns shown = {.plan = plan,
                         .from = n * part / parts,
                         .to = n * (part + 1) / parts,
                         .iterations = most_iterations(rows, count, heading->table)};
        const int room = LINE_WIDTH - (CELL_WIDTH + 1) * (shown.to - shown.from);
        shown.label_width = room < longest ? room : longest;
        print_columns(&shown, rows, count, heading);
    }
}

void ab_print_tables(const ab_plan *plan, const ab_bench *bench)
{
    int count = 0;
    const ab_row *rows = ab_run_rows(bench->run, &count);
    for (const ab_heading *heading = plan->driver->headings; heading->table; ++heading)
        print_table(plan, rows, count, heading);
    char text[512];
    printf("\n");
    for (int i = 0; i < plan->n_inputs; ++i) {
        if (!plan->inputs[i].stand_in || !plan->inputs[i].note[0]) continue;
        snprintf(text, sizeof text, "%s: %s; its file was not found (make instances, make images)",
                 plan->inputs[i].name, plan->inputs[i].note);
        print_wrapped(text, 4);
    }
    if (bench->options->save) printf("saved: %s\n", bench->options->save);
    snprintf(text, sizeof text, "ours: %s%s%s, %d core%s; published: %s",
             bench->machine.have_gpu ? bench->machine.gpu.name : "", bench->machine.have_gpu ? ", " : "",
             bench->machine.cpu_name, bench->machine.cores, bench->machine.cores == 1 ? "" : "s",
             plan->driver->machine);
    print_wrapped(text, 4);
    printf("results: %s\n", ab_run_directory(bench->run));
}

void ab_print_plan(const ab_plan *plan)
{
    char duration[24];
    double seconds = 0.0;
    printf("table\trow\tinstance\timplementation\tbackend\tparams\tscope\tduration\n");
    for (int i = 0; i < plan->n_cells; ++i) {
        const ab_row *key = &plan->cells[i].key;
        const double estimate = ab_cell_estimate_from_here(plan, &plan->cells[i]);
        seconds += estimate;
        ab_format_duration(estimate, duration);
        printf("%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", key->table, key->row, key->instance, key->implementation,
               key->backend, key->params, key->scope, duration);
    }
    ab_format_duration(seconds, duration);
    printf("%d rows, about %s%s\n", plan->n_cells, duration,
           plan->share.most_processes > plan->share.processes ? " or more" : "");
    printf("seconds\t%.0f\n", seconds);
}
