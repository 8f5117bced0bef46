/* What the drivers of the TSP tables share: a driver is its columns, its profiles and its printed tables; loading
 * instances and looking up rows are here, the program is table.h, measuring tsp_bench.h.
 */
#ifndef ANTBENCH_TSP_TABLE_H
#define ANTBENCH_TSP_TABLE_H

#include "bench/table.h"
#include "bench/tsp_bench.h"

/* One column of a printed table; in the table file, one row for each instance and protocol. */
typedef struct tsp_column {
    const char *table;          /* "3.3": what it is measured for, and where its published numbers are */
    const char *row;            /* in the CSV, and the printed heading */
    const char *implementation; /* in the registry */
    int nn;                     /* size of the candidate sets; 0 for none */
    int threads;                /* 0: all cores; of no meaning on a GPU */
    bool repeated;              /* measured by another driver too: one run is enough here, but in profile thesis */
    double seconds, power; /* an iteration takes about seconds * n^power on one 2.5 GHz core or an H100 (for ETAs) */
} tsp_column;

/* What a profile measures. The lists of names end with NULL. */
typedef struct tsp_profile {
    ab_effort effort;
    const char *const *instances;    /* with protocol as-best, and all that are loaded */
    const char *const *as_instances; /* of these, also with protocol as */
} tsp_profile;

enum { TSP_MAX_INSTANCES = 64, TSP_CELLS_PER_INSTANCE = 32 };

struct tsp_driver;

/* Everything that a driver's main owns. */
typedef struct tsp_table {
    ab_table base;
    const struct tsp_driver *driver;
    tsp_candidates candidates; /* those of the cells so far */
    int n_instances;
    tsp_instance instances[TSP_MAX_INSTANCES];
    const char *asked[TSP_MAX_INSTANCES];                       /* the names that were asked for */
    tsp_cell cells[TSP_MAX_INSTANCES * TSP_CELLS_PER_INSTANCE]; /* base.n_cells of them */
} tsp_table;

typedef struct tsp_driver {
    ab_program program;                          /* without what all TSP tables have in common */
    const char *table_file;                      /* "table-3.3.csv" */
    const char *published[AB_MAX_PUBLISHED + 1]; /* tables of results/published/, NULL-terminated: "3.2", "3.3" */
    const tsp_profile *profiles;                 /* indexed by ab_profile */
    void (*list_cells)(tsp_table *table);        /* adds at most TSP_CELLS_PER_INSTANCE cells for an instance */
    void (*print_tables)(const tsp_table *table);
} tsp_driver;

/* The whole program; returns its exit code. */
int tsp_table_main(const tsp_driver *driver, int argc, char **argv);

/* ---- What to measure ---- */

/* A new cell of the table for a column, to be changed where it differs. */
tsp_cell *tsp_add_cell(tsp_table *table, int instance, const tsp_column *column, as_protocol protocol);

/* One cell per column for every instance with protocol as-best, then for the profile's with protocol as (for all,
 * where instances were asked for). */
void tsp_add_columns(tsp_table *table, const tsp_column *columns, int n_columns);

/* ---- The printed tables ---- */

/* The row that a table has for an instance and a protocol; stage NULL for the iteration. NULL when there is none. */
const ab_row *tsp_find_row(const tsp_table *table, const char *name, const char *row, int instance,
                           as_protocol protocol, const char *stage);

/* The row of a column; NULL when there is none. */
const ab_row *tsp_column_row(const tsp_table *table, const tsp_column *column, int instance, as_protocol protocol);

/* Whether any of the columns has a row for the instance, or for any instance where that is -1. */
bool tsp_has_rows(const tsp_table *table, const tsp_column *columns, int n_columns, int instance, as_protocol protocol);

/* The width of a column of times. */
int tsp_column_width(const tsp_column *column);

/* The line of headings above tsp_print_times and tables like it. */
void tsp_print_headings(const tsp_column *columns, int n_columns);

/* Mean times, ours above the thesis's. */
void tsp_print_times(const tsp_table *table, const tsp_column *columns, int n_columns, as_protocol protocol);

/* Best and mean tour of the complete runs, beside the thesis's rows acotsp-seq and ds-roulette of `published` (NULL
 * where it has none). */
void tsp_print_quality(const tsp_table *table, const tsp_column *columns, int n_columns, as_protocol protocol,
                       const ab_published_table *published);

#endif
