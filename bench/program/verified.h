/* What a run with --verify found, for the run that times its rows (--verified).
 *
 * Verifying takes no times, so several drivers may verify at once, as bench-all lets them. A row that was verified is
 * not verified again. A row without a time is taken over, and so is a wrong one. All others that did not end well are
 * done again, because other programs beside them may be the reason: too little memory, or too little time. */
#ifndef ANTBENCH_VERIFIED_H
#define ANTBENCH_VERIFIED_H

#include "bench/plan/plan.h"
#include "bench/program/bench.h"
#include "bench/record/recorded.h"

/* Reads the run in the directory of --verified; without it, *verified has no rows. Returns AB_BAD_INPUT for a broken
 * run. Free with ab_recorded_free, also after an error. */
ab_status ab_verified_read(const ab_options *options, const char *table_file, ab_recorded *verified);

/* Appends to the run the rows that are not measured again, unless it has them. */
ab_status ab_verified_take(const ab_recorded *verified, const ab_plan *plan, ab_run *run);

/* Returns the row of a timed cell that was verified and was right, or NULL. */
const ab_row *ab_verified_find(const ab_recorded *verified, const ab_cell *cell);

#endif
