"""Compares the processes that measured BASE with the processes that measured NEW.

Samples of one process are not independent. The pheromone settles, so times drift by up to 15 % within a run, and a busy
CPU stays busy for a while. Whole processes differ too: a launch-bound row may be 4 % slower in one process than in the
next, from the first sample to the last. So the unit is the process (Kalibera and Jones, "Rigorous benchmarking in
reasonable time", ISMM 2013). Each process gives one number per STATISTIC, and these numbers are compared.

Differences between processes have no normal distribution. Most processes agree to a few percent. Now and then one
process takes up to a third longer for all samples of a row. So processes are compared by their median and by rank. A
row's limit comes from the variance of its own processes, so that an unsteady row does not widen the limits of others.
"""

import math

import numpy as np
from scipy import optimize, special

STATISTICS = ("median", "mean", "p95")
MIN_FOR_TAIL = 20  # fewest samples for a 95th percentile
LEAST_ROWS = 3  # fewest rows that tell how much the variance differs from row to row
MOST_PRIOR_DF = 4  # most degrees of freedom that the variances of other rows count for
OF_MEDIAN = math.pi / 2  # variance of the median of many normal values, relative to their mean's
BATCHES = 20  # most batches per process
RESAMPLES = 2000  # number of resamples in the bootstrap
BOOTSTRAP_SEED = 1  # fewest samples for a 95th percentile
ERROR = 0.05  # share of intervals that may miss the true ratio
EFFECT = 3  # distance of two sides that at_any_time() expects, in standard deviations of a process


def timed(processes):
    """The samples of each process that kept some."""
    return [samples for samples in processes if (~np.isnan(samples)).any()]


def matched(*sides):
    """The sides' processes, reduced to the sample numbers that every process of every side kept."""
    n = min(len(samples) for side in sides for samples in side)
    kept = ~np.isnan([samples[:n] for side in sides for samples in side]).any(axis=0)
    return [[samples[:n][kept] for samples in side] for side in sides]


def log_statistics(processes):
    """The logarithms of the STATISTICS of a matched side: an array of processes x statistics."""
    samples = np.array(processes)
    n_processes, n = samples.shape
    if n == 0:
        return np.full((n_processes, len(STATISTICS)), math.nan)
    tail = np.quantile(samples, 0.95, axis=1) if n >= MIN_FOR_TAIL else np.full(n_processes, math.nan)
    return np.log(np.stack([np.median(samples, axis=1), samples.mean(axis=1), tail], axis=1))


def compare(base, new):
    """(change, gap) of two arrays of processes x numbers, all logarithms. The sides may have different numbers of
    processes.

    The change is the change of the processes' median. The gap is NEW's fastest process over BASE's upper quartile.
    Above 0 all of NEW's processes are slower than three quarters of BASE's. With seven processes per side, unchanged
    code has a gap above 0 in at most 1 of 95 cases, and twice in 1 of 9000.
    """
    median, upper_quartile = np.quantile(base, [0.5, 0.75], axis=0)
    return np.median(new, axis=0) - median, new.min(axis=0) - upper_quartile


def squares(*sides):
    """The sum of the squared distances of processes from their side's mean, for each number."""
    return sum(((side - side.mean(axis=0)) ** 2).sum(axis=0) for side in sides)


def limit(sizes, squares, prior, p):
    """The change that unchanged code exceeds with probability p if processes are normal: a moderated t-test.

    `sizes` are the numbers of processes per side, `squares` the sum of their squared distances. `prior` is (degrees of
    freedom, variance) of the rows of this kind (Smyth 2004). Without `squares` the prior variance counts alone.
    """
    prior_df, variance = prior
    df = sum(sizes) - 2
    if squares is not None:
        variance = (prior_df * variance + squares) / (prior_df + df)
    return -special.stdtrit(prior_df + df, p) * np.sqrt(OF_MEDIAN * variance * sum(1 / n for n in sizes))


def together(base, new):
    """Both sides' processes x rows x numbers as one row: the median row, by its change from BASE's median."""
    of_rows = np.median(base, axis=0)
    return tuple(np.median(side - of_rows, axis=-2, keepdims=True) for side in (base, new))


def surely(change, gap):
    """The change if the gap is above 0, else 0."""
    return np.where(gap > 0, change, 0)


def greater_p(change, error, df):
    """The one-sided p-value of a change: the chance of a change as large without a difference."""
    if math.isnan(error) or df == 0:
        return math.nan
    if error == 0:
        return 0.0 if change > 0 else 1.0
    return float(special.stdtr(df, -change / error))


def moderated_p(differences):
    """The one-sided p-value of each array of differences: a t-test in which each array has its own variance.

    A few differences give a bad estimate of a variance. So it is combined with the variances of the other arrays
    (Smyth, "Linear models and empirical Bayes methods", 2004). The less these agree, the less they count.
    """
    variances = np.array([each.var(ddof=1) for each in differences])
    df = np.array([len(each) - 1 for each in differences])
    prior_df, prior = prior_of(variances, df)
    errors = np.sqrt((prior_df * prior + df * variances) / (prior_df + df) / (df + 1))
    return [greater_p(each.mean(), error, prior_df + n) for each, error, n in zip(differences, errors, df)]


def prior_of(variances, df):
    """(degrees of freedom, variance) of the scaled inverse chi-squared distribution that the variances come from.

    The degrees of freedom are at most MOST_PRIOR_DF, because a few rows look more alike by chance than they are.
    """
    known = variances > 0
    if np.count_nonzero(known) < LEAST_ROWS:
        return 0.0, 0.0
    half = df[known] / 2  # of the degrees of freedom
    logs = np.log(variances[known]) - special.digamma(half) + np.log(half)
    more = logs.var(ddof=1) - special.polygamma(1, half).mean()
    least, most = 1e-6, MOST_PRIOR_DF / 2
    bounded = min(max(more, float(special.polygamma(1, most))), float(special.polygamma(1, least)))
    of = optimize.brentq(lambda x: float(special.polygamma(1, x)) - bounded, least, most)
    return 2 * of, float(np.exp(logs.mean() + special.digamma(of) - np.log(of)))


def batch_medians(samples):
    """The medians of at most BATCHES contiguous batches of equal size. Samples beyond them are left out."""
    size = max(1, math.ceil(len(samples) / BATCHES))
    count = len(samples) // size
    return np.median(samples[: count * size].reshape(count, size), axis=1)


def at_end(n, m):
    """Student's t: its interval holds the true ratio if the numbers of processes, `n` and `m`, were fixed before."""
    return float(special.stdtrit(n + m - 2, 1 - ERROR / 2))


def at_any_time(n, m):
    """The same for intervals that hold the true ratio at all numbers of processes together: one may stop at any.

    An interval has the ratios whose Bayes factor, of a t-test, is below 1 / ERROR (Gönen et al., "The Bayesian
    two-sample t test", 2005). The prior of the distance in standard deviations of a process is normal, with deviation
    EFFECT. This Bayes factor is an e-process. At the true ratio, at most the share ERROR of sequences ever reaches
    1 / ERROR. This holds for normal logarithms of times (Lai, "On confidence sequences", 1976; Pérez-Ortiz et al.,
    "E-statistics, group invariance and anytime-valid testing", 2024).
    """
    df, wider = n + m - 2, 1 + EFFECT**2 / (1 / n + 1 / m)
    most = (math.sqrt(wider) / ERROR) ** (2 / (df + 1))
    return math.sqrt(df * (most - 1) / (1 - most / wider)) if most < wider else math.inf


def process_ratio(a, b, errors=at_end):
    """(ratio of the means b / a of two lists of processes, low, high): mean_ratio() of the timed processes' means.

    All three are NaN if a side has no timed process. The interval is NaN if each side has one alone.
    """
    sides = [timed(side) for side in (a, b)]
    if not all(sides):
        return math.nan, math.nan, math.nan
    means = [np.log([np.nanmean(samples) for samples in side]) for side in sides]
    if len(means[0]) == len(means[1]) == 1:
        return math.exp(means[1][0] - means[0][0]), math.nan, math.nan
    return tuple(map(float, mean_ratio(*means, errors)))


def mean_ratio(a, b, errors):
    """(ratio b / a, low, high) of two sides' means, arrays of processes x numbers, all logarithms: a 95 % interval.

    `errors` is at_end or at_any_time: the half of the interval in standard errors, for so many processes per side.
    """
    n, m = len(a), len(b)
    change = b.mean(axis=0) - a.mean(axis=0)
    error = np.sqrt(squares(a, b) / (n + m - 2) * (1 / n + 1 / m))
    half = error * errors(n, m) if math.isfinite(errors(n, m)) else np.full_like(error, math.inf)
    return np.exp(change), np.exp(change - half), np.exp(change + half)


def verdict(low, high, threshold):
    """What intervals of a ratio say of B: "slower", "faster", "same" (within the threshold) or "undecided"."""
    same = (low >= 1 - threshold) & (high <= 1 + threshold)
    return np.select([low > 1, high < 1, same], ["slower", "faster", "same"], "undecided")


def ratio_interval(a, b):
    """(ratio of the medians b / a, low, high): the 95 % percentile bootstrap over batches; NaN below 6 samples."""
    if len(a) == 0 or len(b) == 0:
        return math.nan, math.nan, math.nan
    ratio = np.median(b) / np.median(a)
    if min(len(a), len(b)) < 6:
        return ratio, math.nan, math.nan
    random = np.random.default_rng(BOOTSTRAP_SEED)
    ratios = resampled_medians(b, random) / resampled_medians(a, random)
    return ratio, *np.quantile(ratios, [0.025, 0.975])


def resampled_medians(samples, random):
    batches = batch_medians(samples)
    return np.median(batches[random.integers(len(batches), size=(RESAMPLES, len(batches)))], axis=1)


def holm(p_values):
    """Holm's step-down correction: p-values to compare with the error rate of the whole family."""
    p_values = np.asarray(p_values, dtype=float)
    order = np.argsort(p_values)
    corrected = np.empty(len(p_values))
    steps = p_values[order] * np.arange(len(p_values), 0, -1)
    corrected[order] = np.minimum(np.maximum.accumulate(steps), 1)
    return corrected
