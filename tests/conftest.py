"""Lets the tests import the scripts, and what several files of tests look at."""

import signal
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "scripts"))

# What a shell starts in the background ignores Ctrl-C, and so would the programs that a test interrupts.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)


@pytest.fixture(scope="session")
def thesis_report(tmp_path_factory):
    """The folder of a report on a run that has the thesis's numbers."""
    pytest.importorskip("jinja2")
    from antbench.show import report
    from thesis_run import write_run

    folder = tmp_path_factory.mktemp("report")
    assert report.main(["--run", str(write_run(folder / "thesis")), "--out", str(folder / "out")]) == 0
    return folder / "out"


@pytest.fixture(scope="session")
def stored_report(tmp_path_factory):
    """The folder of a report on the stored runs alone, with figures of no content."""
    pytest.importorskip("jinja2")
    from antbench.data import cells, runs
    from antbench.show import report
    from support.figures import without_gnuplot

    out = tmp_path_factory.mktemp("stored")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(runs, "RESULTS", runs.ROOT / "results")
        patch.setattr(cells, "RESULTS", runs.ROOT / "results")
        patch.setattr(runs, "yours", lambda: out / "none")
        without_gnuplot(patch)
        assert report.main(["--out", str(out)]) == 0
    return out
