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
#include <string.h>

#include "bench/tsp_table.h"

/* The implementations, in the order of the printed table. */
static const tsp_column columns[] = {
    {"3.3", "acotsp-seq", "tsp/acotsp-seq", .threads = 1, .seconds = 1.9e-9, .power = 3},
    {"3.3", "acotsp-omp", "tsp/acotsp-omp", .threads = 0, .seconds = 1.9e-9, .power = 3},
    {"3.3", "cpu-best-1", "tsp/cpu-best", .threads = 1, .seconds = 1.5e-7, .power = 2},
    {"3.3", "cpu-best-all", "tsp/cpu-best", .threads = 0, .seconds = 1.5e-7, .power = 2},
    {"3.3", "i-roulette", "tsp/i-roulette", .threads = 1, .seconds = 3e-12, .power = 3},
    {"3.3", "ds-roulette", "tsp/ds-roulette", .threads = 1, .seconds = 3e-12, .power = 3},
};
enum { N_COLUMNS = sizeof columns / sizeof *columns, DS_ROULETTE = N_COLUMNS - 1 };

static const int carveouts[] = {0, 25, 50, 75, 100}; /* percent, Figure 3.9 */
enum { N_CARVEOUTS = sizeof carveouts / sizeof *carveouts };

_Static_assert(2 * N_COLUMNS + N_CARVEOUTS <= TSP_CELLS_PER_INSTANCE, "more cells than a tsp_table holds");

static const char *const thesis_instances[] = {"d198",   "a280",    "lin318", "pcb442", "rat783",
                                               "pr1002", "nrw1379", "pr2392", NULL};
static const char *const few_instances[] = {"d198", "pcb442", "pr1002", NULL};
static const char *const smoke_instances[] = {"d198", "pcb442", NULL};
static const char *const one_instance[] = {"d198", NULL};

static const tsp_profile profiles[] = {
    [AB_SMOKE] = {{.runs = 1, .iterations = 5, .budget_s = 2, .converge = true, .host_steps = 1e7},
                  smoke_instances,
                  one_instance},
    [AB_QUICK] = {{.runs = 5, .iterations = 100, .budget_s = 3, .converge = true, .host_steps = 1e7},
                  thesis_instances,
                  few_instances},
    [AB_THESIS] = {{.runs = 10, .iterations = 100, .budget_s = INFINITY, .converge = false, .host_steps = 1e8},
                   thesis_instances,
                   thesis_instances},
};

/* ---- What to measure ---- */

static void list_cells(tsp_table *t)
{
    tsp_add_columns(t, columns, N_COLUMNS);
    for (int i = 0; i < t->base.n_cells; ++i) {
        t->cells[i].stages_table = "3.4";
        t->cells[i].published_stages = ab_table_published(&t->base, "3.4");
    }
    for (int i = 0; i < t->n_instances && t->base.bench.have_gpu; ++i)
        for (int k = 0; k < N_CARVEOUTS; ++k) {
            tsp_cell *cell = tsp_add_cell(t, i, &columns[DS_ROULETTE], AS_BEST_ANT);
            cell->table = "F3.9";
            cell->max_runs = 1;
            cell->carveout = carveouts[k];
        }
}

/* ---- The printed tables ---- */

/* DS-Roulette's speedup over the other columns. */
static void print_speedups(const tsp_table *t, int instance, as_protocol protocol)
{
    const ab_published_table *theirs = ab_table_published(&t->base, "3.3");
    const char *asked = t->asked[instance];
    const double ds = ab_mean_ms(tsp_column_row(t, &columns[DS_ROULETTE], instance, protocol));
    printf("%-9s %-6s", t->instances[instance].name, "ours");
    for (int c = 0; c < DS_ROULETTE; ++c)
        ab_print_number(12, 2, ab_mean_ms(tsp_column_row(t, &columns[c], instance, protocol)) / ds, "x");
    printf("\n%-9s %-6s", "", "thesis");
    for (int c = 0; c < DS_ROULETTE; ++c) {
        const char *metric = strcmp(columns[c].row, "acotsp-seq") == 0 ? "speedup-cpu" : "speedup-gpu";
        const bool is_theirs = isfinite(ab_published_value(theirs, columns[c].row, asked, "iteration"));
        ab_print_number(12, 2, is_theirs ? ab_published_value(theirs, "ds-roulette", asked, metric) : NAN, "x");
    }
    printf("\n");
}

static void print_times(const tsp_table *t, as_protocol protocol)
{
    printf("\nTable 3.3: mean time of an iteration in ms, protocol %s\n", as_protocol_name(protocol));
    tsp_print_times(t, columns, N_COLUMNS, protocol);
    if (!t->base.bench.have_gpu) return;
    printf("\nTable 3.3: speedup of DS-Roulette over each column, protocol %s\n", as_protocol_name(protocol));
    tsp_print_headings(columns, DS_ROULETTE);
    for (int i = 0; i < t->n_instances; ++i)
        if (tsp_has_rows(t, columns, N_COLUMNS, i, protocol)) print_speedups(t, i, protocol);
}

static void print_quality(const tsp_table *t, as_protocol protocol)
{
    printf("\nTable 3.2: best tour after %d iterations, best / mean of the complete runs, protocol %s\n",
           t->base.bench.effort.iterations, as_protocol_name(protocol));
    tsp_print_quality(t, columns, N_COLUMNS, protocol, ab_table_published(&t->base, "3.2"));
}

static double stage_ms(const tsp_table *t, int instance, as_protocol protocol, const char *stage)
{
    return ab_mean_ms(tsp_find_row(t, "3.4", "ds-roulette", instance, protocol, stage));
}

static void print_stages(const tsp_table *t, as_protocol protocol)
{
    const ab_published_table *theirs = ab_table_published(&t->base, "3.4");
    printf("\nTable 3.4: mean time of DS-Roulette's stages in ms, protocol %s\n", as_protocol_name(protocol));
    printf("%-9s %-6s %12s %12s %12s %12s\n", "instance", "whose", "choice_info", "tours", "construction", "update");
    for (int i = 0; i < t->n_instances; ++i) {
        const double choice = stage_ms(t, i, protocol, "choice"), tours = stage_ms(t, i, protocol, "construct");
        if (!isfinite(tours)) continue;
        printf("%-9s %-6s", t->instances[i].name, "ours");
        ab_print_ms(12, choice);
        ab_print_ms(12, tours);
        ab_print_ms(12, choice + tours);
        ab_print_ms(12, stage_ms(t, i, protocol, "update"));
        printf("\n%-9s %-6s %12s %12s", "", "thesis", "", "");
        ab_print_ms(12, ab_published_value(theirs, "ds-roulette", t->asked[i], "construct"));
        ab_print_ms(12, ab_published_value(theirs, "ds-roulette", t->asked[i], "update"));
        printf("\n");
    }
}

static const ab_row *find_carveout(const tsp_table *t, int instance, int carveout)
{
    int count = 0;
    const ab_row *rows = ab_run_rows(t->base.bench.run, &count);
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

static void print_carveouts(const tsp_table *t)
{
    printf("\nFigure 3.9: DS-Roulette, mean time of an iteration in ms by shared-memory carve-out, protocol as-best\n");
    printf("%-9s", "instance");
    for (int k = 0; k < N_CARVEOUTS; ++k) printf(" %11d%%", carveouts[k]);
    printf("\n");
    for (int i = 0; i < t->n_instances; ++i) {
        printf("%-9s", t->instances[i].name);
        for (int k = 0; k < N_CARVEOUTS; ++k) ab_print_cell(12, find_carveout(t, i, carveouts[k]));
        printf("\n");
    }
}

static void print_tables(const tsp_table *t)
{
    static const as_protocol protocols[] = {AS_BEST_ANT, AS_ALL_ANTS};
    for (int p = 0; p < 2; ++p) {
        if (!tsp_has_rows(t, columns, N_COLUMNS, -1, protocols[p])) continue;
        print_times(t, protocols[p]);
        print_quality(t, protocols[p]);
        if (t->base.bench.have_gpu) print_stages(t, protocols[p]);
    }
    if (t->base.bench.have_gpu) print_carveouts(t);
}

/* ---- The program ---- */

int main(int argc, char **argv)
{
    static const tsp_driver driver = {
        .program = {.name = "table_3_3",
                    .summary = "Tables 3.2, 3.3 and 3.4 and Figure 3.9: Ant System on CPU and GPU.",
                    .known_instances = thesis_instances},
        .table_file = "table-3.3.csv",
        .published = {"3.2", "3.3", "3.4"},
        .profiles = profiles,
        .list_cells = list_cells,
        .print_tables = print_tables,
    };
    return tsp_table_main(&driver, argc, argv);
}
