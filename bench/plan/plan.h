/* What is to be measured: the cells of a driver, each with its parameters and the key of the row that it will be, and
 * the inputs that they are on.
 */
#ifndef ANTBENCH_PLAN_H
#define ANTBENCH_PLAN_H

#include "bench/plan/published.h"
#include "bench/plan/share.h"
#include "bench/row/row.h"
#include "kernels/operation.h"

/* A row to be measured. */
typedef struct ab_cell {
    const ab_block *block;
    const ab_line *line;
    const ab_operation *operation;
    ab_circumstances c; /* what the operation is asked about: implementation, input (of the plan's), measure */
    void *params;       /* the operation's, fitted to the input */
    ab_gpu_params gpu_params;
    char published[48]; /* the sources' row beside which it stands */
    char row[48];       /* its name in the driver, where --set has given it another */
    ab_row key;         /* what names the row: table, row, instance, implementation, params, scope ... */
} ab_cell;

/* What rows are measured on here. */
typedef struct ab_target {
    const char *gpu; /* name of the GPU; NULL: none takes part */
    const char *cpu; /* name of the CPU */
    int cores;       /* number of cores that threads=all stands for */
} ab_target;

typedef struct ab_plan {
    const ab_driver *driver;
    const ab_options *options;
    ab_share share;
    ab_target target;
    const ab_inputs *kind; /* of the inputs: all operations of a driver have the same */
    ab_input *inputs;      /* [n_inputs] */
    int n_inputs;
    ab_cell *cells; /* [n_cells], in the order of their rows; they are measured in another (order.h) */
    int n_cells;
    ab_published_table *published; /* [headings]: the published numbers of each table */
} ab_plan;

void ab_plan_free(ab_plan *plan); /* accepts a zeroed one */

/* Sets the published time beside a row of table `table`, for a stage's where `stage` is not NULL. */
void ab_plan_add_published(const ab_plan *plan, const ab_cell *cell, const char *table, const char *stage, ab_row *row);

/* The implementations that a line stands for, in the order of the registry: one, or those of a "+". Returns how many,
 * of which the first `size` go into ids. */
int ab_line_implementations(const ab_driver *driver, const ab_block *block, const ab_line *line, const char **ids,
                            int size);

#endif
