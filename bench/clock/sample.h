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

#include "bench/clock/measure.h"
#include "bench/clock/state.h"
#include "bench/row/row.h"

/* How long a series goes on. */
typedef struct ab_pace {
    double budget_s; /* seconds after which it ends */
    double precise;  /* share of the median within which half of the interval ends it; 0: off */
    double energy_s; /* seconds over which the energy is measured after it; 0: it is not */
} ab_pace;

/* What a series is taken of, and how. */
typedef struct ab_sampling {
    ab_pace pace;
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
ab_status ab_take_samples(ab_machine_state *state, const ab_sampling *sampling, ab_series *series, ab_row *row);

/* The stages of a sample as bits, by the names that the series has. */
unsigned ab_sampling_stages(const ab_sampling *sampling, const ab_series *series);

/* Lists in the row what these stages launched, as far as it was told (launches.h). */
ab_status ab_list_launches(const ab_series *series, unsigned stages, ab_row *row);

/* A sample's time of these stages, milliseconds. */
double ab_sample_ms(const ab_series *series, int i, unsigned stages);

/* The statistics of the kept samples, into the row. `whole`: the stages of the samples that those of the row are parts
 * of (ab_find_shape). */
ab_status ab_summarise_series(const ab_series *series, unsigned stages, unsigned whole, ab_row *row);

#endif
