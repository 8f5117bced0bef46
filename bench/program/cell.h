/* Measuring one cell: verify, then time or judge, then write its rows; that of its key last, for which a resumed run
 * looks. */
#ifndef ANTBENCH_CELL_H
#define ANTBENCH_CELL_H

#include "bench/plan/plan.h"
#include "bench/program/bench.h"

/* The input that is loaded: one at a time. */
typedef struct ab_loaded {
    const ab_input *input; /* of the plan's; NULL: none */
    void *loaded;
} ab_loaded;

/* Measures the cell and appends its rows; *row is that of the key. Fails only when results cannot be written or an
 * input cannot be read any more. */
ab_status ab_cell_measure(ab_bench *bench, ab_plan *plan, ab_loaded *loaded, const ab_cell *cell, ab_row *row);

void ab_unload(const ab_plan *plan, ab_loaded *loaded);

/* What became of a row, for people: "ok 1.234 ms (median of 30)", "verified, 60 valid tours", "f 0.91". */
void ab_format_outcome(const ab_row *row, char text[128]);

#endif
