"""What a run says of its commit is never an option of git, nor a path: META refuses it, and git is told so besides."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from antbench.data import code, runs, share, validate
from antbench.data.command import BadInput
from antbench.show import coverage, report

RUN = Path(__file__).resolve().parents[2] / "data/runs/newer"
ASKS = {
    "files": lambda commit: code.files.__wrapped__(commit),
    "blob": lambda commit: coverage.blob.__wrapped__(commit, "Makefile"),
    "is_known": share.is_known,
    "is_there": lambda commit: code.is_there.__wrapped__("Makefile", commit),
}


@pytest.fixture
def victim(tmp_path):
    """Where `git show --output=FOLDER/x:bench/registry.def` would write."""
    for folder in (code.REGISTRY, code.BEFORE):
        (tmp_path / f"x:{folder}").parent.mkdir(parents=True)
    return tmp_path


def written_in(folder):
    return [path for path in folder.rglob("*") if path.is_file()]


def test_a_run_whose_commit_is_an_option_is_refused(victim):
    run = Path(shutil.copytree(RUN, victim / "run"))
    meta = json.loads((run / "meta.json").read_text())
    meta["build"]["commit"] = f"--output={victim}/x"
    (run / "meta.json").write_text(json.dumps(meta))
    before = written_in(victim)
    with pytest.raises(BadInput, match="build.commit is "):
        report.main(["--run", str(run), "--out", str(victim / "out")])
    assert written_in(victim) == before


@pytest.mark.parametrize("who", ASKS)
def test_git_takes_a_commit_for_no_option(victim, monkeypatch, who):
    """Also where META let it through."""
    asked = []
    real = subprocess.run
    monkeypatch.setattr(subprocess, "run", lambda command, **more: (asked.append(command), real(command, **more))[1])
    commit = f"--output={victim}/x"
    ASKS[who](commit)
    assert written_in(victim) == [] and asked
    for command in asked:
        place = next(i for i, word in enumerate(command) if commit in word)
        assert "--end-of-options" in command[:place], command


def test_every_question_to_git_is_asked_here():
    """A file that asks git by a commit of a run is in ASKS."""
    of_runs = {code.__file__, coverage.__file__, share.__file__}
    scripts = Path(code.__file__).parents[1]
    asking = {str(path) for path in scripts.rglob("*.py") if "git(" in path.read_text().replace("isdigit(", "")}
    own = {"peers.py", "campaigns.py", "site.py"}  # ask of a checkout, by no commit of a run
    assert {path for path in asking if Path(path).name not in own} == of_runs


def test_a_commit_is_found(monkeypatch):
    """What is refused above is what keeps git from finding it, and nothing else."""
    head = code.git("rev-parse", "HEAD")
    if head is None:
        pytest.skip("no repository")
    head = head.strip()
    assert validate.is_commit(head) and share.is_known(head)
    assert coverage.blob(head, "Makefile") and code.files(head)
    assert not share.is_known("0" * 40) and coverage.blob("0" * 40, "Makefile") is None
    assert runs.load_run(RUN).meta["build"]["commit"]
