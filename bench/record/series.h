/* A series of samples as a row of the run. */
#ifndef ANTBENCH_SERIES_H
#define ANTBENCH_SERIES_H

#include "bench/clock/sample.h"
#include "bench/record/run.h"

/* Fills the row's statistics and status from the series, where it has samples, and appends it with its samples to the
 * run, unless the run has it already (an interrupted run had written it). `whole`: the stages of the samples that those
 * of the row are parts of (ab_find_shape). With `explain` the note says what speaks against the times: a share's samples
 * are judged with those of the others. */
ab_status ab_append_series(ab_run *run, ab_row *row, const ab_series *series, unsigned stages, unsigned whole,
                           bool explain);

#endif
