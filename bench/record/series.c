/* Turns a series into a row (series.h). */
#include <stdio.h>
#include <stdlib.h>

#include "bench/record/series.h"
#include "bench/row/judge.h"

ab_status ab_append_series(ab_run *run, ab_row *row, const ab_series *series, unsigned stages, unsigned whole,
                           bool explain)
{
    if (ab_run_find(run, row)) return ab_ok();
    if (series->n == 0) return ab_run_append(run, row, NULL, 0);
    ab_sample *samples = calloc((size_t)series->n, sizeof *samples);
    ab_status status = samples ? ab_summarise_series(series, stages, whole, row)
                               : ab_failed("out of memory for %d samples", series->n);
    if (status.code == AB_OK) status = ab_list_launches(series, stages, row);
    if (status.code == AB_OK) {
        ab_judge_times(row, explain);
        for (int i = 0; i < series->n; ++i) {
            samples[i] = (ab_sample){.ms = ab_sample_ms(series, i, stages), .number = series->number[i]};
            if (series->discarded[i])
                snprintf(samples[i].discard_reason, sizeof samples[i].discard_reason, "%s", series->discarded[i]);
        }
        status = ab_run_append(run, row, samples, series->n);
    }
    free(samples);
    return status;
}
