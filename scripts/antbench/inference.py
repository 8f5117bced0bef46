"""What two sets of samples say about each other, when samples within a run depend on one another.

Iterations of one run are not independent: the pheromone settles, so times drift by up to 15 % within a run, and a busy
CPU stays busy for a while (in the stored runs the correlation of neighbours reaches 0.9 on a CPU and 0.4 on a GPU). So
samples are paired by their number, which is the same iteration of the same run in both, and cut into contiguous batches
whose medians are taken for the independent observations. What no test on the samples of two runs can see is that one
whole run is slower than another of the same code; the threshold, the second measurement and the calibration of
antbench.regress are for that.
"""

import math

import numpy as np
from scipy.stats import mannwhitneyu

BATCHES = 20  # at most: full separation is then significant among hundreds of rows (p = 1e-11)
RESAMPLES = 2000  # of the bootstrap
BOOTSTRAP_SEED = 1  # one answer for one question


def matched(a, b):
    """The samples of both that have the same number and were kept in both (NaN: discarded)."""
    n = min(len(a), len(b))
    kept = ~np.isnan(a[:n]) & ~np.isnan(b[:n])
    return a[:n][kept], b[:n][kept]


def batch_medians(samples):
    """Medians of up to BATCHES contiguous batches of one size; what does not fill another is left out."""
    size = max(1, math.ceil(len(samples) / BATCHES))
    count = len(samples) // size
    return np.median(samples[: count * size].reshape(count, size), axis=1)


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


def difference_p(a, b):
    """Two-sided p-value of Mann and Whitney's test on batch medians: exact without ties."""
    a, b = batch_medians(a), batch_medians(b)
    if len(a) == 0 or np.ptp(np.concatenate([a, b])) == 0:
        return 1.0
    ties = len(np.unique(np.concatenate([a, b]))) < len(a) + len(b)
    return float(mannwhitneyu(a, b, method="asymptotic" if ties else "exact").pvalue)


def holm(p_values):
    """Holm's step-down correction: p-values that may be compared with the error rate of the whole family."""
    p_values = np.asarray(p_values, dtype=float)
    order = np.argsort(p_values)
    corrected = np.empty(len(p_values))
    steps = p_values[order] * np.arange(len(p_values), 0, -1)
    corrected[order] = np.minimum(np.maximum.accumulate(steps), 1)
    return corrected
