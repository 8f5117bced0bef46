/* Deterministic statistics of samples. Samples of one process are summarised by order statistics, which assume nothing
 * about the distribution. The means of several processes are summarised by Student's interval on logarithms. A NaN
 * among the samples makes all their statistics NaN, so that it is never averaged unnoticed. */
#ifndef ANTBENCH_STATS_H
#define ANTBENCH_STATS_H

#include <stdbool.h>

#include "base/status.h"

/* A summary, in milliseconds if it summarises times. A member that the samples do not determine is NAN, an empty CSV
 * cell. */
typedef struct ab_summary {
    int samples;             /* number of samples */
    double median, mean;     /* NAN without samples */
    double stddev;           /* standard deviation of the sample (n - 1); NAN below 2 samples */
    double min, q1, q3, max; /* quartiles, as ab_quantile computes them */
    int processes;           /* number of processes that took the samples; 0 without samples */
    /* 95 % interval. For one process it is the median's, from order statistics (binomial), and NAN below 6 samples. For
     * several processes it is the interval of the mean: Student's interval of the processes' means, carried over to
     * logarithms. If h is half of Student's interval relative to the mean, the interval is mean e^-h .. mean e^h. So it
     * stays above 0, and equals Student's where it is narrow. To first order, the logarithm of a mean varies as the
     * mean does, relative to it (the delta method). If all means are 0, the interval is 0. */
    double ci95_lo, ci95_hi;
} ab_summary;

/* Summarises samples of one process. */
ab_summary ab_summarise(const double *samples, int n);

/* Summarises samples of several fresh processes: counts[i] samples of process i, process after process. Samples of one
 * process share its addresses, clocks and neighbours, so they say nothing about how these vary. So the mean and the
 * interval are computed from the processes' means (Kalibera and Jones, "Rigorous benchmarking in reasonable time", ISMM
 * 2013). A process without samples does not count. */
ab_summary ab_summarise_processes(const double *samples, const int *counts, int processes);

/* The shape of the samples: whether a few delayed samples change their mean. The interval does not show this if each
 * process has as many of them.
 *
 * A sample is *far* if it takes more than AB_FAR times the lower quartile of its process. The lower quartile is sound
 * as long as at most three samples in four are delayed. The samples are uneven in two cases. Far samples raise the mean
 * by more than AB_RAISED. Or the mean of the others differs from the median by more than AB_APART of the median. So a
 * series may drift, or begin with an iteration that takes twice as long.
 *
 * A single stage may be far for a good reason, such as a table that the first iteration makes. So whole samples, the
 * iterations, decide which samples are far. */
#define AB_FAR 3.0
#define AB_RAISED 0.05
#define AB_APART 0.5

typedef struct ab_shape {
    int far;       /* number of far samples */
    double raised; /* share by which far samples raise the mean of the processes' means */
    /* Share by which the mean of the other whole samples is above the median of all whole samples. */
    double apart;
} ab_shape;

/* Finds the shape of samples as ab_summarise_processes takes them. `whole` has the whole samples of which these are
 * parts; it is `samples` itself if they are whole. Fails if there is no memory. */
ab_status ab_find_shape(const double *samples, const double *whole, const int *counts, int processes, ab_shape *shape);

bool ab_is_uneven(const ab_shape *shape); /* false for a zeroed shape */

/* Returns the relative half-width of the interval: half its width divided by the median or mean. NAN if there is no
 * interval. */
double ab_relative_error(const ab_summary *summary);

/* Returns the 97.5 % quantile of Student's distribution with df >= 1 degrees of freedom. */
double ab_student_t975(int df);

/* Returns quantile p of sorted[0..n-1] by linear interpolation (Hyndman & Fan type 7). n >= 1. */
double ab_quantile(const double *sorted, int n, double p);

#endif
