/* Order statistics of samples (bench/harness/stats.h). */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "bench/harness/stats.h"

static int compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static bool any_nan(const double *samples, int n)
{
    for (int i = 0; i < n; i++)
        if (isnan(samples[i])) return true;
    return false;
}

double ab_quantile(const double *sorted, int n, double p)
{
    const double position = p * (n - 1);
    const int below = (int)position;
    const int above = below + 1 < n ? below + 1 : below;
    return sorted[below] + (position - below) * (sorted[above] - sorted[below]);
}

static double mean_of(const double *samples, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++) sum += samples[i];
    return n > 0 ? sum / n : NAN;
}

/* In two passes: the one-pass formula cancels when the spread is small beside the mean, as it is for steady kernels. */
static double stddev_of(const double *samples, int n, double mean)
{
    double sum = 0;
    for (int i = 0; i < n; i++) sum += (samples[i] - mean) * (samples[i] - mean);
    return n > 1 ? sqrt(sum / (n - 1)) : NAN;
}

/* The largest k with P(Bin(n, 1/2) < k) <= 0.025: the k-th smallest and the k-th largest sample enclose the median with
 * at least 95 % confidence. 0 where there is no such pair. The sum starts ten standard deviations below n/2, under
 * which lies less than 1e-22 of the distribution. */
static int median_interval_rank(int n)
{
    const double sd = sqrt(n) / 2;
    const int start = n / 2.0 > 10 * sd ? (int)(n / 2.0 - 10 * sd) : 0;
    double log_probability = lgamma(n + 1.0) - lgamma(start + 1.0) - lgamma(n - start + 1.0) - n * log(2);
    double cumulative = 0;
    for (int k = start; k < n; k++) {
        cumulative += exp(log_probability);
        if (cumulative > 0.025) return k;
        log_probability += log((double)(n - k) / (k + 1));
    }
    return 0;
}

ab_summary ab_summarise(const double *samples, int n)
{
    ab_summary summary = {n, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN};
    if (n < 1 || any_nan(samples, n)) return summary;
    double *sorted = malloc((size_t)n * sizeof *sorted);
    if (!sorted) return summary;
    memcpy(sorted, samples, (size_t)n * sizeof *sorted);
    qsort(sorted, (size_t)n, sizeof *sorted, compare_doubles);
    summary.median = ab_quantile(sorted, n, 0.5);
    summary.mean = mean_of(sorted, n);
    summary.stddev = stddev_of(sorted, n, summary.mean);
    summary.min = sorted[0];
    summary.q1 = ab_quantile(sorted, n, 0.25);
    summary.q3 = ab_quantile(sorted, n, 0.75);
    summary.max = sorted[n - 1];
    const int rank = median_interval_rank(n);
    if (rank > 0) {
        summary.ci95_lo = sorted[rank - 1];
        summary.ci95_hi = sorted[n - rank];
    }
    free(sorted);
    return summary;
}

double ab_relative_error(const ab_summary *summary)
{
    return (summary->ci95_hi - summary->ci95_lo) / 2 / summary->median;
}

/* P(|T| <= t) for Student's t with df degrees of freedom, df whole: the finite trigonometric sums of Abramowitz &
 * Stegun 26.7.3 (odd df) and 26.7.4 (even df). */
static double student_central_probability(double t, int df)
{
    const double theta = atan(t / sqrt(df)), c2 = cos(theta) * cos(theta);
    const bool odd = df % 2;
    double term = odd ? cos(theta) : 1, sum = 0;
    for (int power = odd ? 1 : 0; power <= df - 2; power += 2) {
        sum += term;
        term *= c2 * (power + 1) / (power + 2);
    }
    return odd ? (theta + sin(theta) * sum) * M_2_PI : sin(theta) * sum;
}

/* The 97.5 % point of Student's t: by bisection up to 1000 degrees of freedom, and beyond by the first terms of its
 * expansion around the normal's (Abramowitz & Stegun 26.7.5), whose error is then below 1e-9. */
static double student_t975(int df)
{
    if (df > 1000) {
        const double z = 1.9599639845400545, z2 = z * z;
        return z + z * (z2 + 1) / (4.0 * df) + z * ((5 * z2 + 16) * z2 + 3) / (96.0 * df * df);
    }
    double low = 1.9, high = 13;
    for (int step = 0; step < 60; step++) {
        const double middle = (low + high) / 2;
        *(student_central_probability(middle, df) < 0.95 ? &low : &high) = middle;
    }
    return (low + high) / 2;
}

void ab_mean_ci95(const double *samples, int n, double *mean, double *half_width)
{
    *mean = mean_of(samples, n);
    *half_width = n > 1 ? student_t975(n - 1) * stddev_of(samples, n, *mean) / sqrt(n) : NAN;
}
