"""What a sentence may claim about its cases. Each predicate gives a verdict and the cases that decide.

If a predicate compares the cases with numbers, it knows these bounds, and `crossed` names the one that leaves it open.

A predicate reads intervals only. Wider intervals can change its verdict only to undecided, so that noise never gives a
verdict. `chance` uses this: it searches the smallest share of misses at which the intervals still decide. This share is
the probability that chance alone gives the verdict. `kept_below` is the bound on it by Benjamini and Hochberg (1995)
for many tests.
"""

import functools
import itertools
import math
from dataclasses import dataclass, replace

from scipy import special

from antbench.data import cells, spread
from antbench.data.cells import Estimate

HOLDS, EXCEEDED, TIE, FAILS, UNDECIDED = "holds", "exceeded", "tie", "fails", "undecided"
NEAR = 1.1  # "up to 82 times" is met within a factor of 1.1
AROUND = 1.25  # "around 5 times" is met within a factor of 1.25
EQUAL = 1.03  # a smaller factor is a tie, since runs of one program differ by 1 to 5 %
TREND = 0.75  # share of the pairs of cases that makes a trend: Kendall's tau of a half
MISSES = spread.MISSES  # share of misses of an Estimate's interval; also most verdicts that may rest on chance
LEAST_CHANCE = 1e-12  # a smaller probability counts as 0
FAILS_BELOW, FAILS_ABOVE = "below which the sentence fails", "above which the sentence fails"  # what a bound means
TIE_ABOVE, TIE_BELOW = "up to which it is a tie", "down to which it is a tie"


@dataclass(frozen=True, eq=False)
class Case:
    name: str
    measured: Estimate

    @property
    def value(self):
        return self.measured.value

    @property
    def known(self):
        """True if there is an interval."""
        return self.measured.low <= self.measured.high

    @property
    def open(self):
        """True if the interval says nothing, because the interval of a part reaches 0."""
        return self.measured.high == math.inf

    @property
    def exact(self):
        """True if the number was counted and is the same each time."""
        return self.measured.low == self.measured.high

    def above(self, limit):
        return self.known and self.measured.low > limit

    def below(self, limit):
        return self.known and self.measured.high < limit

    def within(self, low, high):
        return self.known and low <= self.measured.low and self.measured.high <= high

    def crosses(self, bound):
        return self.known and self.measured.low <= bound <= self.measured.high

    def missing_in(self, share):
        """The case with an interval that misses in this share of samples."""
        return (
            self if self.exact or not self.known or self.open else replace(self, measured=widened(self.measured, share))
        )

    @property
    def of_endless(self):
        """The case as endless machines would show it if they differed as the interval assumes."""
        if self.exact:
            return self
        logs = list(self.measured.by_machine.values())
        center, half = spread.for_one_more(logs, spread.ENDLESS, self.measured.of_hosts)
        low, high = math.exp(center - half), math.exp(center + half)
        return replace(self, measured=replace(self.measured, low=low, high=high, misses=spread.ENDLESS))

    @property
    def of_one_machine(self):
        """The case as if its number were the same on all machines."""
        return replace(self, measured=Estimate(self.value, self.value, self.value))


def widened(measured, share):
    """An Estimate whose interval misses in `share` of samples: Student's, on a logarithmic scale above 0."""
    df = max(measured.n - 1, 1) + (measured.of_hosts[0] if measured.by_machine and measured.of_hosts else 0.0)
    if measured.misses == spread.ENDLESS:
        df = math.inf
    factor = quantile(share, df) / quantile(MISSES, df)
    value, ends = measured.value, (measured.low, measured.high)
    if measured.low > 0:
        steps = [max(-spread.LARGEST, min(spread.LARGEST, factor * math.log(end / value))) for end in ends]
        low, high = (value * math.exp(step) for step in steps)
    else:
        low, high = (value + factor * (end - value) for end in ends)
    return replace(measured, low=low, high=high, misses=share)


@functools.cache
def quantile(share, df):
    return -(special.ndtri(share / 2) if df == math.inf else special.stdtrit(df, share / 2))


# ---- Predicates: (verdict, the cases that decide) ----


def bounded(bounds):
    """Makes a predicate of cases and bounds one of cases and a threshold.

    `bounds` computes {what lies beyond a bound: the bound} from the numbers of the threshold.
    """

    def decorate(predicate):
        @functools.wraps(predicate)
        def judge(found, threshold):
            return predicate(found, *judge.bounds(threshold).values())

        judge.bounds = lambda threshold: bounds(*map(float, threshold.split()))
        return judge

    return decorate


def crossed(name, deciding, threshold):
    """(the first bound that an interval of a deciding case crosses, what lies beyond it); None if no interval does."""
    bounds = getattr(PREDICATES[name], "bounds", lambda _: {})(threshold)
    found = (
        (bound, beyond)
        for beyond, bound in bounds.items()
        if any(case.crosses(bound) and may_decide(case, beyond, bounds) for case in deciding)
    )
    return next(found, None)


def may_decide(case, beyond, bounds):
    """False of the limit itself for a case that may be a tie by its value, and of a tie's end for other cases."""
    if not {TIE_ABOVE, TIE_BELOW} & bounds.keys() or beyond in (FAILS_BELOW, FAILS_ABOVE):
        return True
    near = min(bounds.values()) <= case.value <= max(bounds.values())
    return near == (beyond in (TIE_ABOVE, TIE_BELOW))


def or_more(low, high):
    return {FAILS_BELOW: low, "above which it is exceeded": high}


def by_value(found):
    return sorted(found, key=lambda case: case.value)


@bounded(lambda limit: or_more(limit / NEAR, limit * NEAR))
def up_to(found, low, high):
    """ "Up to 82 times": the largest value is near the limit. If one is clearly larger, the sentence is exceeded."""
    return largest_in_range(found, low, high)


@bounded(lambda limit: or_more(limit / NEAR, limit * NEAR))
def average(found, low, high):
    """ "The average gain is 2.00x": the mean of the values is near the limit, or clearly larger."""
    count = Estimate(*3 * [len(found)])
    mean = Case("the mean", cells.divide(cells.add([case.measured for case in found]), count))
    return largest_in_range([mean], low, high)


def largest_in_range(found, low, high):
    falling = by_value(found)[::-1]
    if larger := [case for case in falling if case.above(high)]:
        return EXCEEDED, larger[:1]
    not_smaller = [case for case in falling if not case.below(low)]
    if not not_smaller:
        return FAILS, falling[:1]
    return HOLDS if falling[0].within(low, high) else UNDECIDED, not_smaller[:1]


@bounded(lambda limit: or_more(limit / AROUND, limit * AROUND))
def around(found, low, high):
    """ "Around 5 times": every value is near the limit, within AROUND."""
    return in_range(found, low, high)


@bounded(lambda low, high: or_more(low / (EQUAL if low == 1 else NEAR), high * (EQUAL if high == 1 else NEAR)))
def from_to(found, low, high):
    """ "4 to 8.5 times": every value lies between the ends, within NEAR of them.

    At an end of 1 the values must stay within EQUAL, as for a tie, since beyond it faster is slower.
    """
    return in_range(found, low, high)


def in_range(found, low, high):
    ordered = by_value(found)
    smaller, larger = [case for case in ordered if case.below(low)], [case for case in ordered if case.above(high)]
    ends = [ordered[0], ordered[-1]]
    if smaller:
        return FAILS, ends
    if all(case.above(low) or case.within(low, high) for case in found):
        if larger:
            return EXCEEDED, ends
        if all(case.within(low, high) for case in found):
            return HOLDS, ends
    return UNDECIDED, unclear(found, lambda case: case.within(low, high) or case.above(high))


@bounded(lambda low, high: {FAILS_BELOW: low, FAILS_ABOVE: high})
def between(found, low, high):
    """Every value lies between two limits; beyond either the sentence fails."""
    ordered = by_value(found)
    if any(case.below(low) or case.above(high) for case in found):
        return FAILS, [ordered[0], ordered[-1]]
    outside = unclear(ordered, lambda case: case.within(low, high))
    return (UNDECIDED, outside) if outside else (HOLDS, [ordered[0], ordered[-1]])


@bounded(lambda limit: {FAILS_BELOW: limit / EQUAL, "": limit, TIE_ABOVE: limit * EQUAL})
def all_above(found, low, limit, high):
    """Every value is larger than the limit. It is a tie if none fails, and one is within EQUAL of the limit."""
    ordered = by_value(found)
    if any(case.below(low) or (case.exact and case.value == limit == 0) for case in found):
        return FAILS, [ordered[0], ordered[-1]]
    clear = [case for case in found if case.value > high and case.above(limit)]
    return clear_or_tied(ordered, low, high, clear, lambda case: case.known and case.measured.low >= low)


@bounded(lambda limit: {FAILS_ABOVE: limit * EQUAL, "": limit, TIE_BELOW: limit / EQUAL})
def all_below(found, high, limit, low):
    """Every value is smaller than the limit: the reverse of all_above()."""
    ordered = by_value(found)
    if any(case.above(high) or (case.exact and case.value == limit == 0) for case in found):
        return FAILS, [ordered[0], ordered[-1]]
    clear = [case for case in found if case.value < low and case.below(limit)]
    return clear_or_tied(ordered[::-1], low, high, clear, lambda case: case.known and case.measured.high <= high)


def clear_or_tied(ordered, low, high, clear, cannot_fail):
    """The verdict on cases of which none fails: a tie if one is tied and no other can fail.

    Its value alone says whether a case can be clear or tied. So a wider interval never makes a clear case a tied one.
    """
    tied = [case for case in ordered if case.within(low, high)]
    settled = [case for case in ordered if (cannot_fail(case) if tied else case in clear)]
    if len(settled) < len(ordered):
        return UNDECIDED, by_value(unclear(ordered, lambda case: case in settled))
    return (TIE, by_value(dict.fromkeys([tied[0], ordered[-1]]))) if tied else (HOLDS, [ordered[0]])


@bounded(lambda limit: {"": limit})
def most_below(found, limit):
    """The value is smaller in more than half of the cases. If it is larger in half of them the sentence fails.

    A missing case counts as neither (`fill`).
    """
    half, ordered = len(found) / 2, by_value(found)
    middle = ordered[len(found) // 2]
    if sum(case.below(limit) for case in found) > half:
        return HOLDS, [middle]
    fails = sum(case.above(limit) for case in found) >= half
    return (FAILS if fails else UNDECIDED), [ordered[0], middle, ordered[-1]]


@bounded(lambda limit: {"": limit})
def most_above(found, limit):
    """The value is larger in more than half of the cases, as in most_below()."""
    half, ordered = len(found) / 2, by_value(found)
    middle = ordered[len(found) // 2]
    if sum(case.above(limit) for case in found) > half:
        return HOLDS, [middle]
    fails = sum(case.below(limit) for case in found) >= half
    return (FAILS if fails else UNDECIDED), [ordered[0], middle, ordered[-1]]


def smallest_at(found, name):
    """The named case beats all others by more than EQUAL. It is a tie if one is as good and none is better."""
    named = next(case for case in found if case.name == name)
    others = [case for case in by_value(found) if case is not named]
    deciding = [named, *others[:1]]
    rivals = [cells.divide(case.measured, named.measured) for case in others]
    if any(rival.high < 1 / EQUAL for rival in rivals):
        return FAILS, deciding
    if all(rival.low > EQUAL for rival in rivals):
        return HOLDS, deciding
    tied = all(rival.low >= 1 / EQUAL for rival in rivals) and any(rival.high <= EQUAL for rival in rivals)
    return (TIE if tied else UNDECIDED), deciding


def falls_after(found, name):
    """After this case every value is smaller than the one before it. There must be at least two such steps."""
    tail = found[[case.name for case in found].index(name) :]
    steps = list(zip(tail, tail[1:]))
    ends = [tail[0], tail[-1]]
    if rising := [step for step in steps if clearly_less(*step)]:
        return FAILS, list(rising[0])
    falls = len(steps) > 1 and all(clearly_less(b, a) for a, b in steps)
    return (HOLDS if falls else UNDECIDED), ends


def grows(found, _):
    """In three of four pairs of cases the later one is larger, by more than their intervals."""
    pairs = list(itertools.combinations(found, 2))
    ends, needed = [found[0], found[-1]], TREND * len(pairs)
    if sum(clearly_less(a, b) for a, b in pairs) >= needed:
        return HOLDS, ends
    falling = [(a, b) for a, b in pairs if clearly_less(b, a)]
    if len(pairs) - len(falling) < needed:
        return FAILS, list(max(falling, key=lambda pair: pair[0].value / pair[1].value))
    return UNDECIDED, ends


def clearly_less(a, b):
    """True if a is less on one more machine too, or if a's interval ends before b's begins; False without intervals."""
    quotient = cells.quotient_of_machines(b.measured, a.measured)
    return quotient.low > 1 if quotient else a.measured.high < b.measured.low


@bounded(lambda limit: {FAILS_ABOVE: limit})
def spread_at_most(found, limit):
    """The largest value is at most `limit` times the smallest."""
    low, *_, high = by_value(found)
    ratio = Case(f"{high.name} over {low.name}", cells.divide(high.measured, low.measured))
    verdict = HOLDS if ratio.below(limit) else FAILS if ratio.above(limit) else UNDECIDED
    return verdict, [ratio] if verdict == UNDECIDED else [low, high]


def unclear(found, clear):
    """The cases that leave the verdict open."""
    return [case for case in found if not clear(case)][:2]


PREDICATES = {
    predicate.__name__: predicate
    for predicate in (
        up_to,
        average,
        around,
        from_to,
        between,
        all_above,
        all_below,
        most_below,
        most_above,
        smallest_at,
        falls_after,
        grows,
        spread_at_most,
    )
}
WORDS = {
    "up_to": "the largest is near {}",
    "average": "their mean is near {}",
    "around": "each is around {}",
    "from_to": "each is from {}",
    "between": "each is between {}",
    "all_above": "each is above {}",
    "all_below": "each is below {}",
    "most_below": "most are below {}",
    "most_above": "most are above {}",
    "smallest_at": "the smallest is at {}",
    "falls_after": "they fall from {} on",
    "grows": "they grow",
    "spread_at_most": "the largest is at most {} times the smallest",
}
COMPARE_CASES = (
    "average",
    "smallest_at",
    "falls_after",
    "grows",
    "spread_at_most",
)  # predicates for which a single case says nothing
BY_ONE = {  # verdicts that a single case decides, whatever the others are
    "up_to": EXCEEDED,
    **dict.fromkeys(
        ("around", "from_to", "between", "all_above", "all_below", "smallest_at", "falls_after", "spread_at_most"),
        FAILS,
    ),
}


FINAL = {**BY_ONE, "most_below": FAILS, "most_above": FAILS}  # verdicts that no missing case can change


def fill(name, found, missing, threshold):
    """The cases for a predicate, with stand-ins for the missing ones."""
    return (
        [*found, *(Case(case.name, Estimate(float(threshold))) for case in missing)]
        if name.startswith("most_")
        else found
    )


def machines_differ(name, found, threshold, is_kept):
    """True if the cases would be undecided on endless machines too, and only because the measured ones differ.

    `is_kept` tells whether a verdict is kept that chance alone gives with this probability.
    """
    if not all(case.exact or len(case.measured.by_machine) >= spread.ENOUGH for case in found):
        return False

    def undecided(made):
        verdict, _, by_chance = chance(name, made, threshold)
        return verdict == UNDECIDED or not is_kept(by_chance or 0.0)

    return undecided([case.of_endless for case in found]) and not undecided([case.of_one_machine for case in found])


# ---- Chance ----


def chance(name, found, threshold):
    """(verdict, the cases that decide, the probability that chance alone gives it); None if chance plays no part.

    If one case of k is enough, the probability is multiplied by k (Bonferroni).
    """
    verdict, deciding = PREDICATES[name](found, threshold)
    if all(case.exact for case in found):
        return verdict, deciding, None
    if verdict == UNDECIDED:
        return verdict, deciding, 1.0

    def decided(share):
        return PREDICATES[name]([case.missing_in(share) for case in found], threshold)[0] == verdict

    ways = len(found) if BY_ONE.get(name) == verdict else 1
    return verdict, deciding, min(1.0, ways * smallest(decided))


def smallest(decided, steps=20):
    """The smallest share of misses, up to MISSES, at which the intervals still decide."""
    if decided(LEAST_CHANCE):
        return LEAST_CHANCE
    low, high = math.log(LEAST_CHANCE), math.log(MISSES)
    for _ in range(steps):
        middle = (low + high) / 2
        low, high = (low, middle) if decided(math.exp(middle)) else (middle, high)
    return math.exp(high)


def kept_below(chances):
    """The largest probability of chance with which a verdict is kept, over all tests together.

    On average at most MISSES of the kept verdicts rest on chance.
    """
    ordered = sorted(chances)
    return max((p for i, p in enumerate(ordered, start=1) if p <= MISSES * i / len(ordered)), default=0.0)
