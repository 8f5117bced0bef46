"""What the processes that measured BASE and those that measured NEW say about each other.

Samples of one process are not independent: the pheromone settles, so times drift by up to 15 % within a run, and a busy
CPU stays busy for a while. And whole processes differ: a launch-bound row of one process may be 4 % slower than in the
next from first sample to last, however many samples there are. So the unit is the process (Kalibera and Jones,
"Rigorous benchmarking in reasonable time", ISMM 2013): each gives one number for each STATISTIC, and processes are what
is compared; how samples vary inside is only the least that a difference must stand out from.

Few processes do not tell by themselves how much processes vary. Calibration does, for each kind of rows; a row's own
variance is drawn towards that of its kind, as if that had been found with PRIOR_DF degrees of freedom (a moderated t-test,
Smyth 2004).
"""

import math

import numpy as np
from scipy import stats

STATISTICS = ("median", "mean", "p95")
MIN_FOR_TAIL = 20  # samples below which there is no 95th percentile to speak of
PRIOR_DF = 10
BATCHES = 20  # at most
RESAMPLES = 2000  # of the bootstrap
BOOTSTRAP_SEED = 1  # one answer for one question


def matched(base, new):
    """Both sides' processes, cut to as many samples as all of them have: the same iterations of the same runs.

    Without those that were discarded, since a run of which some were was made again.
    """
    kept = [[samples[~np.isnan(samples)] for samples in side] for side in (base, new)]
    n = min(len(samples) for side in kept for samples in side)
    return [[samples[:n] for samples in side] for side in kept]


def log_statistics(samples):
    """The logarithms of a process's STATISTICS: its samples that were kept (NaN: discarded)."""
    kept = samples[~np.isnan(samples)]
    if len(kept) == 0:
        return np.full(len(STATISTICS), math.nan)
    tail = np.quantile(kept, 0.95) if len(kept) >= MIN_FOR_TAIL else math.nan
    return np.log([np.median(kept), kept.mean(), tail])


def within(samples):
    """The variance of log_statistics that the samples' own scatter explains, from contiguous batches."""
    kept = samples[~np.isnan(samples)]
    batches = np.log(batch_medians(kept)) if len(kept) else np.array([])
    if len(batches) < 3:
        return np.full(len(STATISTICS), math.nan)
    of_mean = batches.var(ddof=1) / len(batches)
    return np.array([of_mean * math.pi / 2, of_mean, 0.0])


def compare(base, new, sd, paired):
    """(log of the ratio, its standard error, degrees of freedom) of two arrays of processes x numbers.

    `sd`: how much processes of this kind vary, an array or None where nobody knows; `paired`: the i-th processes of both
    ran side by side. NaN errors where nothing tells.
    """
    k, of_base, of_new = len(new), len(base), len(new)
    if paired:
        differences = new - base
        change, own_df = differences.mean(axis=0), k - 1
        own = differences.var(axis=0, ddof=1) if k > 1 else 0
        prior, scale = None if sd is None else 2 * sd**2, 1 / k
    else:
        change, own_df = new.mean(axis=0) - base.mean(axis=0), of_base + of_new - 2
        own = (squares(base) + squares(new)) / own_df if own_df else 0
        prior, scale = None if sd is None else sd**2, 1 / of_base + 1 / of_new
    if prior is None:
        error = np.sqrt(own * scale) if own_df else np.full_like(change, math.nan)
        return change, error, own_df
    moderated = (PRIOR_DF * prior + own_df * own) / (PRIOR_DF + own_df)
    return change, np.sqrt(moderated * scale), PRIOR_DF + own_df


def squares(values):
    return ((values - values.mean(axis=0)) ** 2).sum(axis=0)


def greater_p(change, error, df):
    """One-sided: how often a difference as large would appear where there is none."""
    if math.isnan(error) or df == 0:
        return math.nan
    if error == 0:
        return 0.0 if change > 0 else 1.0
    return float(stats.t.sf(change / error, df))


def batch_medians(samples):
    """Medians of up to BATCHES contiguous batches of one size; what does not fill another is left out."""
    size = max(1, math.ceil(len(samples) / BATCHES))
    count = len(samples) // size
    return np.median(samples[: count * size].reshape(count, size), axis=1)


def process_ratio(a, b):
    """(ratio of the means b / a of two lists of processes, low, high): a t-test's 95 % interval of their logarithms."""
    means = [np.log([[np.nanmean(samples)] for samples in side]) for side in (a, b)]
    change, error, df = (np.ravel(each)[0] for each in compare(*means, sd=None, paired=False))
    half = stats.t.ppf(0.975, df) * error
    return tuple(np.exp([change, change - half, change + half]))


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
    """Holm's step-down correction: p-values that may be compared with the error rate of the whole family."""
    p_values = np.asarray(p_values, dtype=float)
    order = np.argsort(p_values)
    corrected = np.empty(len(p_values))
    steps = p_values[order] * np.arange(len(p_values), 0, -1)
    corrected[order] = np.minimum(np.maximum.accumulate(steps), 1)
    return corrected
