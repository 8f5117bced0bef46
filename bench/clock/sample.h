/* Takes the samples of a row: the only measuring loop, with warm-up, stop rule and the handling of a throttled GPU.
 *
 * A series is taken in groups of samples. Before the first group, a work is warmed up. Fresh groups have a work of
 * their own for this. The series ends after a group if there are enough samples or the budget is spent. If the effort
 * asks for it, it also ends when the interval is narrow enough and the times are sound (ab_judge_times). The GPU is
 * looked at while it works (measure.h). Before each group, the threads of a CPU get a processor each (base/threads.h).
 *
 * A group is discarded and taken again, a limited number of times, in three cases. Its time is not taken from the
 * budget. First, the GPU throttled; it is left to cool. Second, the process waited for a core for more than 2 % of the
 * time, or was preempted too often (scheduler.h). This counts for CPU times only. Third, samples are late (measure.h):
 * one of a fresh group, else more than a quarter. The new group has a longer delay. Fewer late samples are discarded
 * alone. In the last two cases a group of more than half of the budget that is left is kept, unless it took 50 ms at
 * most.
 */
#ifndef ANTBENCH_SAMPLE_H
#define ANTBENCH_SAMPLE_H

#include "bench/clock/measure.h"
#include "bench/clock/state.h"
#include "bench/row/row.h"

/* When a series ends. */
typedef struct ab_pace {
    double budget_s; /* seconds after which the series ends */
    double precise;  /* relative half-width of the interval of the median at which the series ends; 0: off */
    double energy_s; /* seconds over which the energy is measured after the series; 0: not measured */
} ab_pace;

/* What a series measures, and how. */
typedef struct ab_sampling {
    ab_pace pace;
    ab_backend backend;
    bool waits; /* true if its stages return only when they are done: AB_SEVERAL */
    bool l2_cold;
    const char *stage; /* stage that makes a sample; NULL: all stages together */
    bool alone;        /* true if no other stage runs between two samples of the stage */
    int samples;       /* number of samples that are wanted */
    int at_once;       /* number of samples in a group */
    bool profiled;     /* true if a profiler records the first sample */
    int least;         /* least number of samples, whatever they cost */
    bool fresh;        /* true if each group opens a work of its own */
    /* True if a sample takes so long that a cold start does not matter. Then no sample is thrown away to warm up; before
     * fresh groups a GPU is kept busy with nothing for 50 ms. */
    bool long_samples;
    /* Opens the work of group `group`. Group -1 is the warm-up before fresh groups. */
    ab_status (*open)(void *context, int group, ab_work **work);
    /* Judges the work after each complete group that is kept. `completed` is the number of samples of at_once; NULL: no
     * check. */
    ab_status (*judge)(void *context, ab_work *work, int completed);
    void *context;
} ab_sampling;

/* Bits of the stages whose times make a sample: bit i for stage i. */
enum { AB_ALL_STAGES = (1 << AB_MAX_STAGES) - 1 };

/* Takes the samples, from series->n = 0 on. Fills in the row: the stop reason, the GPU's state, the number of discarded
 * samples, and the share of time in which the process waited for a core. With --energy it also sets the energy per
 * iteration. */
ab_status ab_take_samples(ab_machine_state *state, const ab_sampling *sampling, ab_series *series, ab_row *row);

/* Returns the stages of a sample as bits, by the stage names of the series. */
unsigned ab_sampling_stages(const ab_sampling *sampling, const ab_series *series);

/* Lists in the row what these stages launched, if known (launches.h). */
ab_status ab_list_launches(const ab_series *series, unsigned stages, ab_row *row);

/* Returns a sample's time in these stages, in milliseconds. */
double ab_sample_ms(const ab_series *series, int i, unsigned stages);

/* Writes the statistics of the kept samples to the row. `whole` has the stages of the whole samples, of which the row's
 * samples may be parts (ab_find_shape). */
ab_status ab_summarise_series(const ab_series *series, unsigned stages, unsigned whole, ab_row *row);

#endif
