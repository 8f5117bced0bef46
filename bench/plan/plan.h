/* From a driver to the cells that are to be measured: every line of every block on every input, with its parameters,
 * and the key of the row that it will be.
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
    const ab_implementation *implementation;
    const ab_measure *measure;
    int input;    /* in the plan's list */
    void *params; /* the operation's, fitted to the input */
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

/* Lists what the driver, the options and this machine have in common; the plan keeps pointers to them. Loads nothing. AB_BAD_INPUT for an input that is
 * broken or a parameter that no operation has. Free with ab_plan_free, after an error too. */
ab_status ab_plan_make(const ab_driver *driver, const ab_options *options, const ab_share *share,
                       const ab_target *target, ab_plan *plan);
void ab_plan_free(ab_plan *plan); /* accepts a zeroed one */

/* What the operation is asked about a cell. */
ab_circumstances ab_cell_circumstances(const ab_plan *plan, const ab_cell *cell);

/* Whether every process measures the cell anew: what is timed. Anything else comes out the same each time, and the
 * first measures it alone. */
bool ab_cell_is_repeated(const ab_cell *cell);

/* Whether a sample of the cell will take more than a second, roughly. */
bool ab_cell_is_long(const ab_plan *plan, const ab_cell *cell);

/* Whether the cell would take more steps on the host backend than the effort allows: then its row is `skipped`. */
bool ab_cell_is_too_large(const ab_plan *plan, const ab_cell *cell);

/* Seconds that measuring the cell will roughly take in this process, and in those from this one to the last. */
double ab_cell_estimate(const ab_plan *plan, const ab_cell *cell);
double ab_cell_estimate_from_here(const ab_plan *plan, const ab_cell *cell);

/* Samples of a cell that this process takes, and how many of them a run has. */
typedef struct ab_count {
    int runs, at_once, samples;
} ab_count;
ab_count ab_cell_count(const ab_plan *plan, const ab_cell *cell);

/* Seconds that this process may take for them: its share of the row's, all where no other has a part in it. */
double ab_cell_budget(const ab_plan *plan, const ab_cell *cell);

/* Samples that this process takes whatever they cost. */
int ab_cell_least(const ab_plan *plan, const ab_cell *cell);

/* Sets the published time beside a row of table `table`, for a stage's where `stage` is not NULL. */
void ab_plan_add_published(const ab_plan *plan, const ab_cell *cell, const char *table, const char *stage, ab_row *row);

/* The implementations that a line stands for, in the order of the registry: one, or those of a "+". Returns how many,
 * of which the first `size` go into ids. */
int ab_line_implementations(const ab_driver *driver, const ab_block *block, const ab_line *line, const char **ids,
                            int size);

#endif
