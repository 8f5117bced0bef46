/* Order statistics of samples. Everything here is deterministic and assumes nothing about the distribution. A NaN among
 * the samples makes every statistic of them NAN: it never goes unnoticed into an average. */
#ifndef ANTBENCH_STATS_H
#define ANTBENCH_STATS_H

/* In milliseconds where it summarises times. A field that the samples do not determine is NAN (an empty CSV cell). */
typedef struct ab_summary {
    int samples;             /* how many were summarised */
    double median, mean;     /* NAN without samples */
    double stddev;           /* of the sample (n - 1); NAN below 2 samples */
    double min, q1, q3, max; /* quartiles as ab_quantile has them */
    double ci95_lo, ci95_hi; /* 95 % interval of the median, from order statistics (binomial); NAN below 6 samples */
} ab_summary;

ab_summary ab_summarise(const double *samples, int n);

/* Half the width of the interval over the median; NAN where there is no interval. */
double ab_relative_error(const ab_summary *summary);

/* Quantile p of sorted[0..n-1] by linear interpolation (Hyndman & Fan type 7). n >= 1. */
double ab_quantile(const double *sorted, int n, double p);

#endif
