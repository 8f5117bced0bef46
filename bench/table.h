/* The program of a driver, whatever it measures: options, the run, one cell after another with progress, the printed
 * tables, the exit code. A driver's operation (tsp_table.h, image_table.h) says what its cells are.
 */
#ifndef ANTBENCH_TABLE_H
#define ANTBENCH_TABLE_H

#include "bench/bench.h"

enum { AB_MAX_PUBLISHED = 8, AB_MAX_INPUTS = 64, AB_INPUT_LINE = 1200 };

typedef struct ab_table ab_table;

/* What an operation knows of its cells, which have the numbers 0 .. n_cells - 1. */
typedef struct ab_table_methods {
    ab_effort (*effort)(const ab_table *table); /* the profile's, before the options' changes */
    ab_status (*load)(ab_table *table);         /* loads what the options name or the profile has */
    void (*list_cells)(ab_table *table);        /* sets n_cells; the bench is open by then, the run is not */
    const char *(*implementation)(const ab_table *table, int cell); /* the registry's id */
    /* Fills what names the cell's row: table, row, instance, params, scope, and the implementation's part. */
    void (*key)(const ab_table *table, int cell, const ab_implementation *implementation, ab_row *row);
    double (*estimate)(const ab_table *table, int cell, const ab_implementation *implementation); /* seconds, roughly */
    /* Verifies and measures the cell and appends its rows, that of its key last. Fails only when results cannot be
     * written any more; *row is the row of the key. */
    ab_status (*measure)(ab_table *table, int cell, const ab_implementation *implementation, ab_row *row);
    int (*inputs)(const ab_table *table,
                  char lines[AB_MAX_INPUTS][AB_INPUT_LINE]); /* for meta.json; returns how many */
    void (*print)(const ab_table *table);                    /* the tables, on stdout */
    void (*close)(ab_table *table);                          /* frees what load and measure left; also after an error */
} ab_table_methods;

/* Everything that a driver's main owns: the first member of an operation's table. */
struct ab_table {
    const ab_table_methods *methods;
    ab_program program;
    const char *table_file;             /* "table-3.3.csv" */
    const char *const *published_names; /* tables of results/published/, NULL-terminated: "3.2", "3.3" */
    ab_options options;
    ab_bench bench;
    int n_cells;
    ab_published_table published[AB_MAX_PUBLISHED]; /* the files of published_names, in that order */
};

/* The whole program, on a table whose first four members are set and the rest zeroed; returns its exit code. */
int ab_table_main(ab_table *table, int argc, char **argv);

/* The numbers of a table that published_names has. */
const ab_published_table *ab_table_published(const ab_table *table, const char *name);

/* ---- For the printed tables ---- */

double ab_mean_ms(const ab_row *row); /* NAN where it was not timed or is NULL */

/* A published number, NAN where there is none. */
double ab_published_value(const ab_published_table *values, const char *row, const char *instance, const char *metric);

void ab_print_number(int width, int digits, double value, const char *unit); /* "-" for NAN */
void ab_print_ms(int width, double ms);                                      /* four significant digits, if they fit */
void ab_print_cell(int width, const ab_row *row); /* the mean time, or a word for what became of it */

#endif
