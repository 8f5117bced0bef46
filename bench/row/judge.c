/* Judges a row by its times (judge.h). */
#include <math.h>

#include "bench/row/judge.h"

static bool is_in_doubt(const ab_row *row)
{
    return ab_is_uneven(&row->shape) || row->waited > AB_WAITED;
}

/* Adds the reasons for doubt to the note. */
static void explain_doubt(ab_row *row)
{
    if (row->shape.raised > AB_RAISED)
        ab_row_add_note(row, "%d of %d samples take over %g times as long as most: they raise the mean by %.0f %%",
                        row->shape.far, row->ms.samples, AB_FAR, 1e2 * row->shape.raised);
    else if (ab_is_uneven(&row->shape))
        ab_row_add_note(row, "mean and median of whole samples are %.0f %% apart", 1e2 * fabs(row->shape.apart));
    if (row->waited > AB_WAITED)
        ab_row_add_note(row, "the CPU's threads waited %.0f %% of the time for a core", 1e2 * row->waited);
}

void ab_judge_times(ab_row *row, bool explain)
{
    const double error = ab_relative_error(&row->ms);
    row->status = row->ms.samples == 0                   ? AB_ROW_TIMEOUT
                  : isnan(error)                         ? AB_ROW_FEW
                  : error > AB_NOISY || is_in_doubt(row) ? AB_ROW_NOISY
                                                         : AB_ROW_OK;
    if (explain && row->ms.samples > 0) explain_doubt(row);
}

bool ab_times_are_precise(const ab_row *row, double within)
{
    return ab_relative_error(&row->ms) <= within && !is_in_doubt(row);
}
