/* Prints the rows of a run as plain tables on the terminal: a line per row, a column per input, at most 100 columns
 * wide. */
#ifndef ANTBENCH_PRINT_H
#define ANTBENCH_PRINT_H

#include "bench/plan/plan.h"
#include "bench/program/bench.h"

/* Prints every table of the driver that has rows: mean times or metrics, with the published numbers below them. */
void ab_print_tables(const ab_plan *plan, const ab_bench *bench);

/* --dry-run: prints the rows and their estimated times as TSV, then a line of text, then "seconds<TAB>152". */
void ab_print_plan(const ab_plan *plan);

#endif
