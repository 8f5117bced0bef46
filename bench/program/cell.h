/* Measures one cell: verifies it, then times or judges it, then writes its rows. The row with the cell's key is last,
 * because a resumed run looks for it. */
#ifndef ANTBENCH_CELL_H
#define ANTBENCH_CELL_H

#include "bench/plan/plan.h"
#include "bench/program/bench.h"

/* The input that is loaded. There is at most one. */
typedef struct ab_loaded {
    const ab_input *input; /* input of the plan; NULL: none is loaded */
    void *loaded;
} ab_loaded;

/* What is known of a cell before this process measures it. */
typedef struct ab_known {
    double sample_s;        /* seconds of a sample in the first process, or NAN */
    const ab_row *verified; /* row of a run that verified the cell; NULL: it is not verified */
} ab_known;

/* Measures the cell and appends its rows; *row is the row with the cell's key. Fails only if results cannot be written,
 * or if an input can no longer be read. */
ab_status ab_cell_measure(ab_bench *bench, ab_plan *plan, ab_loaded *loaded, const ab_cell *cell, const ab_known *known,
                          ab_row *row);

void ab_unload(const ab_plan *plan, ab_loaded *loaded);

/* Describes the outcome of a row: "ok 1.234 ms (median of 30)", "verified, 60 valid tours", "f 0.91". */
void ab_format_outcome(const ab_row *row, char text[128]);

#endif
