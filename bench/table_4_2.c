/* Tables 4.1 and 4.2 of the thesis: Ant System with candidate sets on the CPU and the GPU.
 *
 *   Table 4.1  what candidate sets do to the CPU's time, beside GPU kernels that have none (Table 3.3's, again)
 *   Table 4.2  candidate sets on both: the two data-parallel mappings against the CPU
 *
 * Rows that the thesis only describes are measured too: the ant per thread (§4.4.4) and sets of 20 against 32 (§4.4.5).
 * The CPU's published times fit ACOTSP's default of 20 candidates, the GPU has 32, a warp; so have the rows here, and
 * cpu-best-nn has the GPU's 32. Time per iteration, tour quality and both update protocols are as in Table 3.3; the
 * time to build a candidate set is a row of its own (candidate-set) and in no iteration.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/tsp_table.h"

/* Table 4.1 is the columns up to WITH_SETS, which Table 4.2 begins with. */
static const tsp_column columns[] = {
    {"4.1", "acotsp-seq", "tsp/acotsp-seq", .threads = 1, .repeated = true, .seconds = 1.9e-9, .power = 3},
    {"4.1", "i-roulette", "tsp/i-roulette", .threads = 1, .repeated = true, .seconds = 3e-12, .power = 3},
    {"4.1", "ds-roulette", "tsp/ds-roulette", .threads = 1, .repeated = true, .seconds = 3e-12, .power = 3},
    {"4.2", "acotsp-seq-nn", "tsp/acotsp-seq-nn", .nn = 20, .threads = 1, .seconds = 1.9e-8, .power = 2.4},
    {"4.2", "acotsp-seq-nn-32", "tsp/acotsp-seq-nn", .nn = 32, .threads = 1, .seconds = 1.9e-8, .power = 2.4},
    {"4.2", "acotsp-omp-nn", "tsp/acotsp-omp-nn", .nn = 20, .threads = 0, .seconds = 1.9e-8, .power = 2.4},
    {"4.2", "cpu-best-nn-1", "tsp/cpu-best-nn", .nn = 32, .threads = 1, .seconds = 6e-9, .power = 2.4},
    {"4.2", "cpu-best-nn-all", "tsp/cpu-best-nn", .nn = 32, .threads = 0, .seconds = 6e-9, .power = 2.4},
    {"4.2", "cand-thread", "tsp/cand-thread", .nn = 32, .threads = 1, .seconds = 1e-8, .power = 2},
    {"4.2", "cand-block-20", "tsp/cand-block", .nn = 20, .threads = 1, .seconds = 1e-9, .power = 2},
    {"4.2", "cand-block", "tsp/cand-block", .nn = 32, .threads = 1, .seconds = 1e-9, .power = 2},
    {"4.2", "cand-block-compress", "tsp/cand-block-compress", .nn = 32, .threads = 1, .seconds = 1e-9, .power = 2},
};
enum { N_COLUMNS = sizeof columns / sizeof *columns, WITH_SETS = 3, FIRST_GPU = 8 };

_Static_assert(2 * N_COLUMNS <= TSP_CELLS_PER_INSTANCE, "more cells than a tsp_table holds");

static const char *const thesis_instances[] = {"d198", "a280", "lin318", "pcb442", "rat783", "pr1002", "pr2392", NULL};
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

static void list_cells(tsp_table *t)
{
    tsp_add_columns(t, columns, N_COLUMNS);
}

/* ---- The printed tables ---- */

static double column_ms(const tsp_table *t, int column, int instance, as_protocol protocol)
{
    return ab_mean_ms(tsp_column_row(t, &columns[column], instance, protocol));
}

/* The thesis's speedup of a GPU column over a CPU column: it has those over acotsp-seq-nn alone. */
static double published_speedup(const tsp_table *t, int gpu, int cpu, int instance)
{
    if (strcmp(columns[cpu].row, "acotsp-seq-nn") != 0) return NAN;
    return ab_published_value(ab_table_published(&t->base, "4.2"), columns[gpu].row, t->asked[instance], "speedup-cpu");
}

static void print_speedups(const tsp_table *t, int instance, int gpu, as_protocol protocol)
{
    const double ms = column_ms(t, gpu, instance, protocol);
    printf("%-9s %-19s %-6s", t->instances[instance].name, columns[gpu].row, "ours");
    for (int cpu = WITH_SETS; cpu < FIRST_GPU; ++cpu)
        ab_print_number(tsp_column_width(&columns[cpu]), 2, column_ms(t, cpu, instance, protocol) / ms, "x");
    printf("\n");
    if (!isfinite(published_speedup(t, gpu, WITH_SETS, instance))) return;
    printf("%-9s %-19s %-6s", "", "", "thesis");
    for (int cpu = WITH_SETS; cpu < FIRST_GPU; ++cpu)
        ab_print_number(tsp_column_width(&columns[cpu]), 2, published_speedup(t, gpu, cpu, instance), "x");
    printf("\n");
}

static void print_all_speedups(const tsp_table *t, as_protocol protocol)
{
    printf("\nTable 4.2: speedup over each CPU column, protocol %s\n", as_protocol_name(protocol));
    printf("%-9s %-19s %-6s", "instance", "of", "whose");
    for (int cpu = WITH_SETS; cpu < FIRST_GPU; ++cpu) printf(" %*s", tsp_column_width(&columns[cpu]), columns[cpu].row);
    printf("\n");
    for (int i = 0; i < t->n_instances; ++i)
        for (int gpu = FIRST_GPU; gpu < N_COLUMNS; ++gpu)
            if (tsp_column_row(t, &columns[gpu], i, protocol)) print_speedups(t, i, gpu, protocol);
}

static void print_protocol(const tsp_table *t, as_protocol protocol)
{
    const char *name = as_protocol_name(protocol);
    printf("\nTable 4.1: mean time of an iteration in ms, without and with candidate sets, protocol %s\n", name);
    tsp_print_times(t, columns, WITH_SETS + 1, protocol);
    printf("\nTable 4.2: mean time of an iteration in ms, with candidate sets, protocol %s\n", name);
    tsp_print_times(t, columns + WITH_SETS, N_COLUMNS - WITH_SETS, protocol);
    if (t->base.bench.have_gpu) print_all_speedups(t, protocol);
    printf("\nTables 4.1 and 4.2: best tour after %d iterations, best / mean of the complete runs, protocol %s\n",
           t->base.bench.effort.iterations, name);
    tsp_print_quality(t, columns, N_COLUMNS, protocol, NULL);
}

static const ab_row *find_candidate_set(const tsp_table *t, int instance, int nn)
{
    int count = 0;
    const ab_row *rows = ab_run_rows(t->base.bench.run, &count);
    char params[32];
    snprintf(params, sizeof params, "nn=%d", nn);
    for (int i = 0; i < count; ++i)
        if (strcmp(rows[i].row, "candidate-set") == 0 && strcmp(rows[i].params, params) == 0 &&
            strcmp(rows[i].instance, t->instances[instance].name) == 0)
            return &rows[i];
    return NULL;
}

static void print_candidate_sets(const tsp_table *t)
{
    printf("\nCandidate sets: mean time to build them in ms, once for an instance, on all cores\n");
    printf("%-9s %12s %12s\n", "instance", "nn=20", "nn=32");
    for (int i = 0; i < t->n_instances; ++i) {
        printf("%-9s", t->instances[i].name);
        ab_print_cell(12, find_candidate_set(t, i, 20));
        ab_print_cell(12, find_candidate_set(t, i, 32));
        printf("\n");
    }
}

static void print_tables(const tsp_table *t)
{
    static const as_protocol protocols[] = {AS_BEST_ANT, AS_ALL_ANTS};
    for (int p = 0; p < 2; ++p)
        if (tsp_has_rows(t, columns, N_COLUMNS, -1, protocols[p])) print_protocol(t, protocols[p]);
    print_candidate_sets(t);
}

/* ---- The program ---- */

int main(int argc, char **argv)
{
    static const tsp_driver driver = {
        .program = {.name = "table_4_2",
                    .summary = "Tables 4.1 and 4.2: Ant System with candidate sets on CPU and GPU.",
                    .known_instances = thesis_instances},
        .table_file = "table-4.2.csv",
        .published = {"4.1", "4.2"},
        .profiles = profiles,
        .list_cells = list_cells,
        .print_tables = print_tables,
    };
    return tsp_table_main(&driver, argc, argv);
}
