/* The one printer of the terminal: the rows of a run as plain tables, a line a row, a column an input. The report
 * formats; this does not. Lines of tables have 100 columns at most. */
#ifndef ANTBENCH_PRINT_H
#define ANTBENCH_PRINT_H

#include "bench/plan/plan.h"
#include "bench/program/bench.h"

/* Every table of the driver that has rows: mean times, or metrics; the published numbers below them. */
void ab_print_tables(const ab_plan *plan, const ab_bench *bench);

/* --dry-run: the rows and what they will take, as TSV; then a line for a person, and "seconds<TAB>152" for a program. */
void ab_print_plan(const ab_plan *plan);

#endif
