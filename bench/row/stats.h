/* Statistics of samples, deterministic: order statistics, which assume nothing about the distribution, for those of one
 * process, and Student's interval, on logarithms, for the means of several processes. A NaN among the samples makes
 * every statistic of them NAN: it never goes unnoticed into an average. */
#ifndef ANTBENCH_STATS_H
#define ANTBENCH_STATS_H

#include <stdbool.h>

#include "base/status.h"

/* In milliseconds where it summarises times. A field that the samples do not determine is NAN (an empty CSV cell). */
typedef struct ab_summary {
    int samples;             /* how many were summarised */
    double median, mean;     /* NAN without samples */
    double stddev;           /* of the sample (n - 1); NAN below 2 samples */
    double min, q1, q3, max; /* quartiles as ab_quantile has them */
    int processes;           /* that took them; 0 without samples */
    /* 95 % interval. Of one process: of the median, from order statistics (binomial); NAN below 6 samples. Of several:
     * of the mean, Student's of the processes' means, carried over to logarithms. With h, half of Student's as a share
     * of the mean, it is from mean e^-h to mean e^h: above 0, as every time is, and Student's where it is narrow. To
     * first order the logarithm of a mean varies as the mean does, over it (the delta method). Of means that are all 0
     * it is 0. */
    double ci95_lo, ci95_hi;
} ab_summary;

/* Of samples that one process took. */
ab_summary ab_summarise(const double *samples, int n);

/* Of samples that several fresh processes took, counts[i] of them the i-th, one process behind another. Samples of one
 * process share what differs from process to process (addresses, clocks, neighbours), so that they say nothing of it:
 * the mean is that of the processes' means, and so is the interval (Kalibera and Jones, "Rigorous benchmarking in
 * reasonable time", ISMM 2013). A process without samples does not count. */
ab_summary ab_summarise_processes(const double *samples, const int *counts, int processes);

/* What the shape of the samples says of their mean: whether it is that of the work, or is made by a few samples that
 * something held up, which an interval does not show where each process has as many of them.
 *
 * A sample is *far* where it takes more than AB_FAR times the lower quartile of the samples of its process. The lower
 * quartile is that of the work alone while no more than three samples in four are held up. The samples are uneven where
 * the mean with the far ones is more than AB_RAISED above the mean without. They are so too where the mean without and
 * the median are more than AB_APART of the median apart. So a series may drift, or begin with an iteration that takes
 * twice as long.
 *
 * A stage may well be far in one iteration of its own accord, as a table that is made in the first. What is far is
 * therefore told by the whole samples that its samples are parts of: their iterations. */
#define AB_FAR 3.0
#define AB_RAISED 0.05
#define AB_APART 0.5

typedef struct ab_shape {
    int far;       /* samples that are */
    double raised; /* by which share they raise the mean: of the processes' means, as in a summary */
    double apart;  /* by which share the mean of the other whole samples is above the median of all of them */
} ab_shape;

/* Of samples as ab_summarise_processes takes them, and the whole samples that these are parts of: `samples` itself
 * where they are whole. Fails where there is no memory. */
ab_status ab_find_shape(const double *samples, const double *whole, const int *counts, int processes, ab_shape *shape);

bool ab_is_uneven(const ab_shape *shape); /* of a zeroed one: no */

/* Half the width of the interval over what it is of, the median or the mean; NAN where there is no interval. */
double ab_relative_error(const ab_summary *summary);

/* The t below which 97.5 % of Student's distribution with df >= 1 degrees of freedom lies. */
double ab_student_t975(int df);

/* Quantile p of sorted[0..n-1] by linear interpolation (Hyndman & Fan type 7). n >= 1. */
double ab_quantile(const double *sorted, int n, double p);

#endif
