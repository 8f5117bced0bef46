/* Computes statistics of samples (bench/row/stats.h). */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "bench/row/stats.h"

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

/* Uses two passes. The one-pass formula loses digits if the spread is small compared with the mean, as for steady
 * kernels. */
static double stddev_of(const double *samples, int n, double mean)
{
    double sum = 0;
    for (int i = 0; i < n; i++) sum += (samples[i] - mean) * (samples[i] - mean);
    return n > 1 ? sqrt(sum / (n - 1)) : NAN;
}

/* Returns the largest k with `P(Bin(n, 1/2) < k) <= 0.025`, or 0. The k-th smallest and the k-th largest sample enclose
 * the median with at least 95 % confidence. The sum starts ten standard deviations below n/2. Less than 1e-22 of the
 * distribution lies below. */
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
    ab_summary summary = {n, NAN, NAN, NAN, NAN, NAN, NAN, NAN, n > 0, NAN, NAN};
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

/* Returns P(|T| < t) for t = sqrt(df) tan(angle), in closed form (Abramowitz and Stegun, 26.7.3 and 26.7.4). */
static double student_within(double angle, int df)
{
    const double sine = sin(angle), cosine = cos(angle);
    double term = df % 2 ? cosine : 1, sum = 0;
    for (int i = df % 2 ? 3 : 2; i <= df; i += 2) {
        sum += term;
        term *= cosine * cosine * (i - 1) / i;
    }
    return df % 2 ? (angle + sine * sum) * 2 / acos(-1) : sine * sum;
}

double ab_student_t975(int df)
{
    double low = 0, high = acos(-1) / 2;
    for (int i = 0; i < 60; i++) {
        const double middle = (low + high) / 2;
        *(student_within(middle, df) < 0.95 ? &low : &high) = middle;
    }
    return sqrt(df) * tan(low);
}

/* Sums (mean - `from`)^power over the means of all processes with samples; *found is the number of these processes. */
static double sum_of_processes(const double *samples, const int *counts, int processes, double from, int power,
                               int *found)
{
    double sum = 0;
    *found = 0;
    for (int i = 0; i < processes; samples += counts[i++])
        if (counts[i] > 0) {
            sum += pow(mean_of(samples, counts[i]) - from, power);
            ++*found;
        }
    return sum;
}

ab_summary ab_summarise_processes(const double *samples, const int *counts, int processes)
{
    int n = 0, found;
    for (int i = 0; i < processes; i++) n += counts[i];
    ab_summary summary = ab_summarise(samples, n);
    const double sum = sum_of_processes(samples, counts, processes, 0, 1, &found);
    if (found < 2) return summary;
    const double squares = sum_of_processes(samples, counts, processes, sum / found, 2, &found);
    const double half = ab_student_t975(found - 1) * sqrt(squares / (found - 1) / found);
    const double share = half > 0 ? half / (sum / found) : 0;
    summary.processes = found;
    summary.mean = sum / found;
    summary.ci95_lo = summary.mean * exp(-share);
    summary.ci95_hi = summary.mean * exp(share);
    return summary;
}

/* ---- Shape ---- */

/* Returns the quantile of unsorted samples; scratch[n]. */
static double quantile_of(const double *samples, int n, double p, double *scratch)
{
    memcpy(scratch, samples, (size_t)n * sizeof *scratch);
    qsort(scratch, (size_t)n, sizeof *scratch, compare_doubles);
    return ab_quantile(scratch, n, p);
}

/* Returns the mean of those samples whose whole samples are at most `most`. */
static double mean_up_to(double most, const double *samples, const double *whole, int n, int *found)
{
    double sum = 0;
    *found = 0;
    for (int i = 0; i < n; i++)
        if (whole[i] <= most) {
            sum += samples[i];
            ++*found;
        }
    return sum / *found;
}

ab_status ab_find_shape(const double *samples, const double *whole, const int *counts, int processes, ab_shape *shape)
{
    int n = 0, found, near;
    double sum = 0, whole_sum = 0; /* sums over processes of the means without far samples */
    *shape = (ab_shape){0};
    for (int i = 0; i < processes; i++) n += counts[i];
    if (n == 0) return ab_ok();
    double *scratch = malloc((size_t)n * sizeof *scratch);
    if (!scratch) return ab_failed("out of memory for %d samples", n);
    for (int i = 0, at = 0; i < processes; at += counts[i++]) {
        if (counts[i] == 0) continue;
        const double most = AB_FAR * quantile_of(&whole[at], counts[i], 0.25, scratch);
        sum += mean_up_to(most, &samples[at], &whole[at], counts[i], &near);
        whole_sum += mean_up_to(most, &whole[at], &whole[at], counts[i], &near);
        shape->far += counts[i] - near;
    }
    shape->raised = sum_of_processes(samples, counts, processes, 0, 1, &found) / sum - 1;
    shape->apart = whole_sum / found / quantile_of(whole, n, 0.5, scratch) - 1;
    free(scratch);
    return ab_ok();
}

bool ab_is_uneven(const ab_shape *shape)
{
    return shape->raised > AB_RAISED || fabs(shape->apart) > AB_APART;
}

double ab_relative_error(const ab_summary *summary)
{
    return (summary->ci95_hi - summary->ci95_lo) / 2 / (summary->processes > 1 ? summary->mean : summary->median);
}
