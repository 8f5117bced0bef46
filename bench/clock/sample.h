/* Taking the samples of a row: the one loop there is, with its warm-up, its rule when to stop, and what is done about
 * a GPU that throttles.
 *
 * A series is taken a group of samples at a time. Before the first a work is warmed up, where groups are fresh one of
 * its own: a GPU that has idled takes some time to reach its clock, a CPU's threads have to be started. After each
 * group it ends when there are enough samples, the budget is spent or, where the effort says so, they have converged:
 * half the interval is within the share of the median that it asks for, and nothing else speaks against the times
 * (ab_judge_times). The GPU is looked at while it works (measure.h). A group in which it throttled is discarded, the
 * GPU is left to cool, and the group is taken again; so often, and so long, and no more. So is a group of times of the
 * CPU in which this process waited for a core for more than 2 % of the time, or gave up its core too often
 * (scheduler.h), while the budget lasts: on a machine that is always busy the last one counts. A group is also taken
 * again, behind a longer delay, if it has late samples (measure.h): any late sample where the group is fresh, since its
 * iterations are not alike; else more than a quarter of them. Fewer late samples of alike iterations are discarded
 * alone.
 */
#ifndef ANTBENCH_SAMPLE_H
#define ANTBENCH_SAMPLE_H

#include "bench/program/bench.h"
#include "bench/clock/measure.h"

/* What a series is taken of, and how. */
typedef struct ab_sampling {
    ab_backend backend;
    bool waits; /* its stages return when they are done: AB_SEVERAL */
    bool l2_cold;
    const char *stage; /* the stage that is a sample; NULL: all of them together */
    bool alone;        /* of which no other runs in between */
    int samples;       /* how many are wanted */
    int at_once;       /* of a group */
    bool profiled;     /* a profiler that waits for it is to look at the first sample */
    int least;         /* samples that are taken whatever they cost */
    bool fresh;        /* each group opens a work of its own */
    bool long_samples; /* of seconds: the first is not warmed up for, being slower by milliseconds */
    /* Opens the work of group `group`; -1 is one to warm up with, of fresh groups. */
    ab_status (*open)(void *context, int group, ab_work **work);
    /* After a whole group that is kept, `completed` samples of at_once; NULL: nothing to do. */
    ab_status (*judge)(void *context, ab_work *work, int completed);
    void *context;
} ab_sampling;

/* The stages whose times a sample adds up: bit i for stage i. */
enum { AB_ALL_STAGES = (1 << AB_MAX_STAGES) - 1 };

/* Takes the samples, from series->n = 0 on; sets the row's stop reason, what the GPU was seen to do, how many
 * samples were discarded, for which share of the time of the others the process waited, and with --energy what an
 * iteration takes. */
ab_status ab_take_samples(ab_bench *bench, const ab_sampling *sampling, ab_series *series, ab_row *row);

/* The stages of a sample as bits, by the names that the series has. */
unsigned ab_sampling_stages(const ab_sampling *sampling, const ab_series *series);

/* Lists in the row what these stages launched, as far as it was told (launches.h). */
ab_status ab_list_launches(const ab_series *series, unsigned stages, ab_row *row);

/* Fills the row's statistics and status from the series, where it has samples, and appends it with its samples to the
 * run, unless the run has it already (an interrupted run had written it). `whole`: the stages of the samples that those
 * of the row are parts of (ab_find_shape). */
ab_status ab_append_series(ab_bench *bench, ab_row *row, const ab_series *series, unsigned stages, unsigned whole);

#define AB_NOISY 0.05
#define AB_WAITED 0.05

/* Sets the status of a row by its times: timeout without samples, few without an interval, noisy where half of the
 * interval is more than AB_NOISY of what it is of, where the samples are uneven (ab_is_uneven), or where the process
 * waited for a core for more than AB_WAITED of the time; else ok. With `explain` the note says what speaks against the
 * times, but for the interval. scripts/antbench/validate.py has the same rule, and checks the status of runs by it. */
void ab_judge_times(ab_row *row, bool explain);

/* Whether half of a row's interval is within that share of what it is of, and nothing else speaks against its times. */
bool ab_times_are_precise(const ab_row *row, double within);

#endif
