/* Writes a series of samples as a row of the run. */
#ifndef ANTBENCH_SERIES_H
#define ANTBENCH_SERIES_H

#include "bench/clock/sample.h"
#include "bench/record/run.h"

/* Fills in the row's statistics and status from the series, if it has samples, and appends the row and its samples to
 * the run. If the run already has the row, from before an interruption, it is not appended. `whole` has the stages of
 * the whole samples, of which the row's samples may be parts (ab_find_shape). With `explain` the note names the faults
 * of the times; a share of a run leaves it out, because its samples are judged together with the others. */
ab_status ab_append_series(ab_run *run, ab_row *row, const ab_series *series, unsigned stages, unsigned whole,
                           bool explain);

#endif
