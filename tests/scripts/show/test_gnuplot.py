"""Every command that draws: a warning of gnuplot ends nothing, an error ends one figure, the command with 1."""

import resource
import shutil
import signal

import pytest

from antbench.data.command import ROOT, BadInput
from antbench.show import plots, report, times
from antbench.tools import time_to_target
from thesis_run import write_run

pytest.importorskip("jinja2")
WARNING = '"a.gp" line 37: warning: difficulty making room for xtic labels'
# Writes a drawing without looking, warns, and fails where the drawing is $FAULTY's.
FAKE = f"""#!/bin/sh
out=$(printf '%s' "$2" | sed "s/.*set output '\\([^']*\\)'.*/\\1/")
case $out in
*.svg) echo '<svg></svg>' ;;
*.png) printf 'IEND\\256B`\\202' ;;
*.pdf) echo '%%EOF' ;;
esac > "$out"
echo '{WARNING}' >&2
case $out in */$FAULTY.*) echo 'line 3: undefined variable: x' >&2; exit 1;; esac
"""


@pytest.fixture(scope="module")
def thesis(tmp_path_factory):
    return str(write_run(tmp_path_factory.mktemp("runs") / "thesis"))


@pytest.fixture
def gnuplot(tmp_path, monkeypatch):
    """Puts the fake in the place of gnuplot; a call names the drawing that it fails at."""
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "gnuplot").write_text(FAKE)
    (folder / "gnuplot").chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")
    monkeypatch.setenv("FAULTY", "none")
    return lambda faulty: monkeypatch.setenv("FAULTY", faulty)


def solved(thesis, out):
    """What make time-to-target draws, of runs that need no program."""
    rows = [{"length": 1, "seconds": seconds} for seconds in (1.0, 2.0, 3.0)]
    out.mkdir()
    return plots.attempt(time_to_target.draw, {"u200": rows}, 3, "seconds", out)


COMMANDS = {
    "plots": (lambda thesis, out: plots.main(["--run", thesis, "--out", str(out)]), "3.8", "3.7.svg"),
    "report": (lambda thesis, out: report.main(["--run", thesis, "--out", str(out)]), "3.8", "figures/3.7.svg"),
    "many GPUs": (
        lambda thesis, out: report.main(["--run", thesis, "--also", thesis, "--out", str(out)]),
        "gpus-3.3",
        "figures/gpus-3.4.svg",
    ),
    "gpus": (
        lambda thesis, out: times.main(["--run", thesis, "--run", thesis, "--out", str(out)]),
        "gpus-3.3",
        "gpus-3.4.svg",
    ),
}


@pytest.mark.parametrize("name", COMMANDS)
def test_a_warning_ends_nothing_and_is_told_once_for_a_figure(name, gnuplot, thesis, tmp_path, capsys):
    command, figure, other = COMMANDS[name]
    assert command(thesis, tmp_path / "out") == 0
    assert capsys.readouterr().err.splitlines().count(f"Figure {figure}: gnuplot: {WARNING}") == 1
    assert (tmp_path / "out" / other).exists()


@pytest.mark.parametrize("name", COMMANDS)
def test_an_error_is_told_and_the_other_figures_are_drawn(name, gnuplot, thesis, tmp_path, capsys):
    command, figure, other = COMMANDS[name]
    gnuplot(figure)
    assert command(thesis, tmp_path / "out") == 1
    said = capsys.readouterr()
    assert f"Figure {figure}: gnuplot: {WARNING} line 3: undefined variable: x" in said.err.splitlines()
    assert not [line for line in said.out.splitlines() if line.startswith(f"Figure {figure}:")]
    assert (tmp_path / "out" / other).exists() and not list((tmp_path / "out").rglob(f"{figure}.svg"))


def test_time_to_target_is_told_of_both(gnuplot, thesis, tmp_path, capsys):
    assert (
        solved(thesis, tmp_path / "out") and capsys.readouterr().err == f"Figure time-to-target: gnuplot: {WARNING}\n"
    )
    gnuplot("time-to-target")
    assert solved(thesis, tmp_path / "again") is None and "undefined variable" in capsys.readouterr().err


@pytest.mark.skipif(not shutil.which("gnuplot"), reason="gnuplot is not installed")
@pytest.mark.parametrize("kind, terminal", [("svg", "svg"), ("png", "pngcairo"), ("pdf", "pdfcairo")])
def test_half_a_drawing_is_told_and_the_old_one_stays(tmp_path, monkeypatch, kind, terminal):
    """gnuplot ends with 0 where the disk is full: here, where the file system takes 100 bytes of a file."""
    path, real = tmp_path / f"x.{kind}", plots.subprocess.run
    path.write_text("old")
    monkeypatch.setattr(plots.subprocess, "run", lambda command, **more: real(command, preexec_fn=limited, **more))
    (tmp_path / "x.gp").write_text("plot sin(x)\n")
    with pytest.raises(plots.NotDrawn, match=f"Figure x: gnuplot has not written all of {path}: is the disk full"):
        plots.call_gnuplot("x", terminal, path, "", f"../../{'../' * len(ROOT.parts)}{tmp_path}/x")
    assert path.read_text() == "old" and {each.name for each in tmp_path.iterdir()} == {path.name, "x.gp"}


def limited():
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))


def test_without_gnuplot_there_is_one_line(thesis, tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    for command, *_ in COMMANDS.values():
        with pytest.raises(BadInput, match="^gnuplot is not installed; make deps installs it$"):
            command(thesis, tmp_path / "out")


def test_one_function_runs_gnuplot():
    """All that is said above is said of it."""
    scripts = [path for path in (ROOT / "scripts").rglob("*") if path.is_file()]
    calls = [path.name for path in scripts if '"gnuplot"' in path.read_text(errors="replace")]
    assert calls == ["plots.py"] and (ROOT / "scripts/antbench/show/plots.py").read_text().count('"gnuplot"') == 1


@pytest.mark.skipif(not shutil.which("gnuplot"), reason="gnuplot is not installed")
def test_gnuplot_has_nothing_to_say_of_kth_10(tmp_path, capsys):
    """Its figure over the stored GPUs had names below its axis that gnuplot found no room for."""
    stored = sorted((ROOT / "results/reference").glob("nvidia-*/*/table-kth-10.csv"))
    assert len(stored) > 1
    named = [word for path in stored for word in ("--run", str(path.parent))]
    assert times.main([*named, "--table", "kth-10", "--out", str(tmp_path / "out")]) == 0
    assert (tmp_path / "out/gpus-kth-10.png").exists() and capsys.readouterr().err == ""
