/* What a run with --verify found, for the run that times its rows (--verified).
 *
 * Setups alone are timed while rows are verified, so several drivers may verify at once, as in bench-all. A timed row
 * that was right is timed, and not verified again. A wrong row is copied, and so is a row that has no time in any run,
 * such as a quality. A row that failed otherwise is verified and timed as without --verified. Programs beside it may be
 * the reason, since they take memory and time. */
#ifndef ANTBENCH_VERIFIED_H
#define ANTBENCH_VERIFIED_H

#include "bench/plan/plan.h"
#include "bench/program/bench.h"
#include "bench/record/recorded.h"

/* Reads the run in the directory of --verified; without it, *verified has no rows. Returns AB_BAD_INPUT for a broken
 * run. Free with ab_recorded_free, also after an error. */
ab_status ab_verified_read(const ab_options *options, const char *table_file, ab_recorded *verified);

/* Appends to the run the rows that are copied, unless it has them, and the setups that none of its timed rows needs. */
ab_status ab_verified_take(const ab_recorded *verified, const ab_plan *plan, ab_run *run);

/* True if the cell's row is one that is copied. */
bool ab_verified_has(const ab_recorded *verified, const ab_cell *cell);

/* Returns the row of a timed cell that was verified and was right, or NULL. */
const ab_row *ab_verified_find(const ab_recorded *verified, const ab_cell *cell);

#endif
