/* Taking the samples of a row: the one loop there is, with its warm-up, its rule when to stop, and what is done about
 * a GPU that throttles.
 *
 * A series is taken a group of samples at a time. Before the first a work is warmed up, where groups are fresh one of
 * its own: a GPU that has idled takes some time to reach its clock, a CPU's threads have to be started. After each
 * group it ends when there are enough samples, the budget is spent or, where the effort says so, they have converged:
 * half the interval is within the share of the median that it asks for. A group in which the GPU throttled is discarded,
 * the GPU is left to cool, and the group is taken again; so often, and so long, and no more. So is a group in which the
 * CPU was busy with others' threads, while the budget lasts: on a machine that is always busy the last one counts. So is a
 * group in more than a quarter of whose samples the GPU waited for the CPU, behind a longer delay (measure.h); fewer are
 * discarded alone.
 */
#ifndef ANTBENCH_SAMPLE_H
#define ANTBENCH_SAMPLE_H

#include "bench/harness/bench.h"
#include "bench/harness/measure.h"

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

/* Takes the samples, from series->n = 0 on; sets the row's stop reason, what became of the GPU's clock, how many
 * samples were discarded, and with --energy what an iteration takes. */
ab_status ab_take_samples(ab_bench *bench, const ab_sampling *sampling, ab_series *series, ab_row *row);

/* The stages of a sample as bits, by the names that the series has. */
unsigned ab_sampling_stages(const ab_sampling *sampling, const ab_series *series);

/* Fills the row's statistics and status from the series, where it has samples, and appends it with its samples to the
 * run, unless the run has it already (an interrupted run had written it). */
ab_status ab_append_series(ab_bench *bench, ab_row *row, const ab_series *series, unsigned stages);

/* ok, noisy, few (no interval) or timeout: what the times alone say. */
ab_row_status ab_timed_status(const ab_summary *ms);

#endif
