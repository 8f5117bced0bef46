"""Writes the gate's verdicts as text, Markdown and JUnit XML."""

import re
import xml.etree.ElementTree as xml
from collections import Counter

import numpy as np

from antbench.data import command, inference
from antbench.data.command import as_markdown, write_file
from antbench.gate import sides

# Verdicts, worst first, with their exit codes.
EXIT_CODES = {
    "wrong": command.WRONG,
    "worse": command.WRONG,
    "slower": command.REGRESSION,
    "inconclusive": command.INCONCLUSIVE,
    "missing": command.INCONCLUSIVE,
    "unconfirmed": command.OK,
    "unsteady": command.OK,
    "faster": command.OK,
    "same": command.OK,
    "as good": command.OK,
    "verified": command.OK,
    "not timed": command.OK,
    "not asked for": command.OK,
    "new": command.OK,
}
SKIPPED = ("inconclusive", "missing", "unconfirmed", "unsteady", "not timed")
BAD = ("wrong", "worse", "slower")
MANY, NEARLY_ALL = 5, 0.95  # fewest rows, and share of rows, that count as slower together
QUIET = ("as good", "verified", "not timed", "not asked for", "new")  # verdicts that are counted, not listed


NOT_XML = re.compile(
    "[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]"
)  # characters that XML forbids, even escaped


def tell(judgements, unlike, remarks, code, options):
    remarks = [*(f"not alike: {text}" for text in unlike), *remarks]
    print_text(judgements, remarks, code)
    if options.summary:
        write_file(options.summary, markdown(judgements, remarks, code))
    if options.junit:
        write_file(
            options.junit, NOT_XML.sub("?", xml.tostring(junit(judgements, unlike).getroot(), encoding="unicode"))
        )


def headline(judgements, code):
    said = {
        command.OK: "no regression shown",
        command.REGRESSION: "slower",
        command.WRONG: "WRONG OUTPUT" if any(j.verdict == "wrong" for j in judgements) else "WORSE OUTPUT",
        command.INCONCLUSIVE: "inconclusive",
    }[code]
    counts = Counter(j.verdict for j in judgements)
    return f"{said}: " + ", ".join(f"{counts[verdict]} {verdict}" for verdict in EXIT_CODES if counts[verdict])


def listed(judgements):
    """The judgements that a person should read, worst first."""
    order = list(EXIT_CODES)
    told = [j for j in judgements if j.verdict not in QUIET]
    return sorted(told, key=lambda j: (order.index(j.verdict), -np.nan_to_num(j.change)))


def cells(j):
    """(verdict, row, what, base, new, change, p, seen, reason) as text."""

    def shown(value, form):
        return "" if np.isnan(value) else form.format(value)

    return (
        j.verdict,
        j.name,
        j.of,
        shown(j.base_ms, "{:.4g}"),
        shown(j.new_ms, "{:.4g}"),
        shown(100 * j.change, "{:+.1f} %"),
        shown(j.p, "{:.1g}"),
        shown(100 * j.seen, "{:.1f} %"),
        j.reason,
    )


def sentence(j):
    """The numbers of a judgement in words: "median 0.1986 -> 0.2295 ms, +15.5 %, p 3e-07".

    For an unchanged row it adds the least further slowdown that the gate would have found.
    """
    _, _, of, base, new, change, p, seen, _ = cells(j)
    if not change:
        return ""
    told = f"{of} {base} -> {new}{'' if j.is_quality else ' ms'}, {change}"
    if j.is_together:
        told = f"{100 * abs(j.change):.1f} % {'slower' if j.change > 0 else 'faster'}"
    if j.verdict in ("same", "unsteady"):
        return told + (f"; {seen} more would have been seen" if seen else "; not calibrated: no limit is known")
    return told + (f", p {p}" if p else "")


def print_text(judgements, remarks, code):
    for j in listed(judgements):
        told = sentence(j)
        print(f"{j.verdict:12} {j.name}" + (f": {told}" if told else "") + (f" ({j.reason})" if j.reason else ""))
    for remark in remarks:
        print(remark)
    print(headline(judgements, code))


def markdown(judgements, remarks, code):
    lines = [f"## Regression gate: {headline(judgements, code)}", ""]
    if told := listed(judgements):
        lines += ["| verdict | row | of | base | new | change | p | would have been seen | |"]
        lines += ["|---|---|---|--:|--:|--:|---|--:|---|"]
        lines += ["| " + " | ".join(map(as_markdown, cells(j))) + " |" for j in told] + [""]
    return "\n".join(lines + [f"- {as_markdown(remark)}" for remark in remarks]) + "\n"


def junit(judgements, unlike):
    """One test case per row that was asked for. An undecided row counts as skipped, a bad row as failed."""
    cases = [j for j in judgements if j.verdict not in ("not asked for", "new")]
    suite = xml.Element(
        "testsuite",
        name="regress",
        tests=str(len(cases) + len(unlike)),
        errors="0",
        failures=str(sum(j.verdict in BAD for j in cases)),
        skipped=str(sum(j.verdict in SKIPPED for j in cases) + len(unlike)),
    )
    for text in unlike:
        case = xml.SubElement(suite, "testcase", classname="conditions", name=text)
        xml.SubElement(case, "skipped", message="inconclusive: BASE and NEW were not measured alike")
    for j in cases:
        name = f"{j.name} {j.of}" if j.is_quality else j.name
        case = xml.SubElement(suite, "testcase", classname=f"table {j.row['table']}", name=name)
        message = f"{j.verdict}: " + "; ".join(text for text in (sentence(j), j.reason) if text)
        if j.verdict in BAD:
            xml.SubElement(case, "failure", message=message)
        elif j.verdict in SKIPPED:
            xml.SubElement(case, "skipped", message=message)
        elif j.verdict == "same":
            xml.SubElement(case, "system-out").text = message
    return xml.ElementTree(suite)


def remarks_on(base, new, rules, judgements):
    ids = [sides.named(side.runs) for side in (base, new)]
    return [
        f"BASE {ids[0]}; NEW {ids[1]}",
        *sides.counts(base, new),
        rule(rules),
        *known_of(rules, judgements),
        *together(rules, judgements),
    ]


def rule(rules):
    return (
        f"slower: {', '.join(inference.STATISTICS[:-1])} or {inference.STATISTICS[-1]} higher by "
        f"at least {100 * rules.least:g} %, by more than its processes vary, and all of NEW's processes are slower than "
        "three quarters of BASE's"
    )


def together(rules, judgements):
    """A line if nearly all rows take longer and all rows together are not calibrated. It does not
    change the exit code.
    """
    if any(j.is_together for j in judgements):
        return
    changes = [j.change for j in judgements if j.processes and j.verdict != "slower" and not np.isnan(j.change)]
    longer = sum(change >= rules.least for change in changes)
    if longer >= max(MANY, NEARLY_ALL * len(changes)):
        yield (
            f"slower together: {longer} of {len(changes)} rows take {100 * rules.least:g} % longer or more, "
            f"{100 * np.median(changes):.1f} % in the median, though none of them alone is judged slower"
        )


def percent(limit):
    """A limit as text. The gate does not look beyond tenfold."""
    return f"{100 * np.expm1(limit):.1f} %" if limit < np.log(10) else "1000 %"


def known_of(rules, judgements):
    """A line for each kind of row: its limits, and the least further slowdown that the gate would have found."""
    kinds = {}
    for j in judgements:
        if j.processes:
            kinds.setdefault(j.kind, []).append(j)
    for kind, of_kind in sorted(kinds.items()):
        enough = [j for j in of_kind if rules.known.knows(kind, j.processes)]
        processes = min(j.processes for j in enough or of_kind)
        limits = rules.limits(kind, (processes, processes))
        if enough:
            seen = [100 * j.seen for j in of_kind if not np.isnan(j.seen)]
            known = [(name, limit) for name, limit in zip(inference.STATISTICS, limits) if limit < np.inf]
            told = ", ".join(f"{name} {percent(limit)}" for name, limit in known)
            range_ = f"; {min(seen):.1f} to {max(seen):.1f} % more would have been seen" if seen else ""
            yield f"{kind}: {processes} processes per side; limits of a usual row: {told}{range_}"
        else:
            yield f"{kind}: {processes} processes per side; {rules.known.lack}, so no row of it can be slower ({rules.known.remedy})"
