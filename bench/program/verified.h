/* What a run with --verify found, for the run that times its rows (--verified).
 *
 * Verifying measures no times, so several drivers may verify at once. bench-all does so. A timed row that was right is
 * timed, and not verified again. A wrong row is copied, and so is a row that has no time in any run, such as a quality.
 * A row that failed otherwise is verified and timed as without --verified. Programs beside it may be the reason, since
 * they take memory and time. */
#ifndef ANTBENCH_VERIFIED_H
#define ANTBENCH_VERIFIED_H

#include "bench/plan/plan.h"
#include "bench/program/bench.h"
#include "bench/record/recorded.h"

/* Reads the run in the directory of --verified; without it, *verified has no rows. Returns AB_BAD_INPUT for a broken
 * run. Free with ab_recorded_free, also after an error. */
ab_status ab_verified_read(const ab_options *options, const char *table_file, ab_recorded *verified);

/* Appends to the run the rows that are copied, unless it has them. Setups have times, which this run takes itself. */
ab_status ab_verified_take(const ab_recorded *verified, const ab_plan *plan, ab_run *run);

/* Appends the setups that no row of this run needed, once all its rows are measured. */
ab_status ab_verified_take_setups(const ab_recorded *verified, ab_run *run);

/* Returns the row of a timed cell that was verified and was right, or NULL. */
const ab_row *ab_verified_find(const ab_recorded *verified, const ab_cell *cell);

#endif
