/* Counts and estimates the samples of a cell (estimate.h). */
#include <math.h>

#include "bench/plan/estimate.h"

/* Seconds from which on a sample is long. The first use of a work's memory takes up to 0.06 s (OpenCV on 8192 x 8192
 * pixels). Where each group opens a work of its own, that is in every group's first sample, warmed up or not. */
static const double LONG_SAMPLE_S = 1.0, LONG_FRESH_SAMPLE_S = 0.25;

/* Seconds that a timed row takes in each process besides its samples: to open, to warm up a GPU, to close. Mean of 9000
 * rows and processes on the host of an H100, where the longest are of large images. */
static const double BESIDES_S = 0.04;

static bool is_long(const ab_cell *cell, double sample_s)
{
    return sample_s > (cell->c.measure->fresh ? LONG_FRESH_SAMPLE_S : LONG_SAMPLE_S);
}

/* Returns how many of `total` runs or samples this process takes. All processes share them. */
static int share_of(const ab_share *share, int total)
{
    if (total < share->processes) return 1;
    return total / share->processes + (share->process <= total % share->processes);
}

ab_count ab_cell_count(const ab_plan *plan, const ab_cell *cell)
{
    const ab_effort *effort = &plan->share.effort;
    const ab_measure *measure = cell->c.measure;
    const bool limited = cell->block->runs && plan->options->profile != AB_THESIS;
    int runs = limited && cell->block->runs < effort->runs ? cell->block->runs : effort->runs;
    if (measure->fresh) {
        if (measure->timed) runs = share_of(&plan->share, runs);
        return (ab_count){runs, effort->iterations, runs * effort->iterations};
    }
    if (measure->samples == AB_SAMPLE_ITERATIONS) runs = effort->iterations;
    return (ab_count){1, measure->at_once, share_of(&plan->share, runs)};
}

double ab_cell_budget(const ab_plan *plan, const ab_cell *cell)
{
    return plan->share.effort.budget_s * (cell->timed ? 1 : plan->share.processes);
}

int ab_cell_least(const ab_plan *plan, const ab_cell *cell)
{
    return plan->options->profile == AB_SMOKE ? 0
                                              : (cell->line->least + plan->share.processes - 1) / plan->share.processes;
}

bool ab_cell_is_long(const ab_cell *cell, double known_s)
{
    double sample_s, once_s;
    if (cell->c.implementation->backend == AB_CUDA) return is_long(cell, known_s);
    cell->operation->estimate(&cell->c, cell->params, &sample_s, &once_s);
    return is_long(cell, sample_s);
}

bool ab_cell_is_too_large(const ab_cell *cell)
{
    return cell->c.implementation->backend == AB_HOST && cell->c.measure->least_on_host &&
           cell->c.measure->least_on_host(&cell->c, cell->params) > cell->c.host_steps;
}

/* Estimates the seconds for the samples and what belongs to them: the verification in the first process, a warm-up in
 * the others. */
static void estimate(const ab_plan *plan, const ab_cell *cell, double *first_s, double *later_s)
{
    double sample_s, once_s;
    *first_s = *later_s = 0.0;
    /* Rows of the host backend keep their estimate, since their time limit is compared with it. */
    const bool is_copied = plan->options->verified && !cell->timed && cell->c.implementation->backend != AB_HOST;
    if (ab_cell_is_too_large(cell) || is_copied) return;
    cell->operation->estimate(&cell->c, cell->params, &sample_s, &once_s);
    if (plan->options->verified && cell->timed) once_s = 0.0;
    if (plan->options->verify && cell->c.measure->timed) sample_s = 0.0;
    const double samples_s = fmin(sample_s * ab_cell_count(plan, cell).samples,
                                  fmax(ab_cell_budget(plan, cell), sample_s * fmax(1.0, ab_cell_least(plan, cell))));
    const bool metered = cell->timed && cell->c.implementation->backend == AB_CUDA;
    const double besides_s = cell->timed && !plan->options->verify ? BESIDES_S : 0.0;
    *first_s = once_s + samples_s + (metered ? plan->share.energy_s : 0.0) + besides_s;
    const bool warmed_up = cell->c.implementation->backend == AB_CUDA || !is_long(cell, sample_s);
    *later_s = cell->timed ? (warmed_up ? sample_s : 0.0) + samples_s + besides_s : 0.0;
}

double ab_cell_estimate(const ab_plan *plan, const ab_cell *cell)
{
    double first_s, later_s;
    estimate(plan, cell, &first_s, &later_s);
    return plan->share.process == 1 ? first_s : later_s;
}

double ab_cell_estimate_from_here(const ab_plan *plan, const ab_cell *cell)
{
    const double limit_s = plan->share.effort.limit_s;
    double first_s, later_s;
    estimate(plan, cell, &first_s, &later_s);
    /* The row is not run. */
    if (cell->c.implementation->backend == AB_HOST && limit_s > 0.0 && first_s > limit_s) return 0.0;
    return (plan->share.process == 1 ? first_s : later_s) +
           fmax(0.0, plan->share.processes - plan->share.process) * later_s;
}
