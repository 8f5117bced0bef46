/* A plan: the cells of a driver that are to be measured, each with its parameters and the key of its row, and the
 * inputs they use.
 */
#ifndef ANTBENCH_PLAN_H
#define ANTBENCH_PLAN_H

#include "bench/plan/published.h"
#include "bench/plan/share.h"
#include "bench/row/row.h"
#include "kernels/operation.h"

/* A cell: a row to be measured. */
typedef struct ab_cell {
    const ab_block *block;
    const ab_line *line;
    const ab_operation *operation;
    /* Implementation, input (one of the plan's) and measure, as the operation's functions take them. */
    ab_circumstances c;
    void *params; /* the operation's parameters, fitted to the input */
    /* True if the cell is timed: its measure is, it runs on hardware, and there is no --verify. Every process times it.
     * What is not timed is the same in each process, so only the first process computes it. */
    bool timed;
    ab_gpu_params gpu_params;
    char published[48]; /* name of the source's row to compare with */
    char row[48];       /* row's name in the driver, before --set changed it */
    /* Members that identify the row: table, row, instance, implementation, params, scope ... */
    ab_row key;
} ab_cell;

/* The machine that rows are measured on. */
typedef struct ab_target {
    const char *gpu; /* name of the GPU; NULL if no row runs on a GPU */
    const char *cpu; /* name of the CPU */
    int cores;       /* number of cores that threads=all means */
} ab_target;

typedef struct ab_plan {
    const ab_driver *driver;
    const ab_options *options;
    ab_share share;
    ab_target target;
    const ab_inputs *kind; /* kind of the inputs; all operations of a driver have the same kind */
    ab_input *inputs;      /* [n_inputs] */
    int n_inputs;
    /* [n_cells], in the order of their rows; order.h says in which order they are measured. */
    ab_cell *cells;
    int n_cells;
    ab_published_table *published; /* [headings]: published numbers of each table */
} ab_plan;

void ab_plan_free(ab_plan *plan); /* accepts a zeroed plan */

/* Sets the published time of the row in table `table`. If `stage` is not NULL, this is the time of that stage. */
void ab_plan_add_published(const ab_plan *plan, const ab_cell *cell, const char *table, const char *stage, ab_row *row);

enum { AB_MOST_IMPLEMENTATIONS = 64 }; /* most implementations of a line */

/* Lists the implementations that a line stands for, in the order of the registry: one, or all that its "+" means.
 * Writes the first `size` of them to ids and returns how many there are. */
int ab_line_implementations(const ab_driver *driver, const ab_block *block, const ab_line *line, const char **ids,
                            int size);

/* Returns AB_BAD_INPUT if the names are ids, not patterns, and no line of the driver has any of them. The message names
 * a driver that has the first. */
ab_status ab_driver_must_have(const ab_driver *driver, char *const *names);

#endif
