"""The actions for other repositories' workflows: their steps run here as GitHub runs them, on real processes.

action.yml measures and judges; .github/actions/report then writes the comment or the history. The program gh is a stand-in
(tests/support/fake_gh). Steps that use another action are not run; that it gets what it needs is checked.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from antbench.data.command import BadInput
from antbench.gate import changes, publish

ROOT = Path(__file__).resolve().parents[3]
PROCESSES = ROOT / "tests/data/gate/google.json"
GATE, REPORT = ROOT / "action.yml", ROOT / ".github/actions/report/action.yml"
EXAMPLES = sorted((ROOT / "docs/workflows").glob("*.yml"))
COMMIT, FORK = "0123456789abcdef0123456789abcdef01234567", "someone:faster"


class Workflow:
    """Runs the steps of an action in a folder, as a job of a user's workflow does."""

    def __init__(self, folder):
        self.folder, self.gh = folder, folder / "gh"
        (folder / "temp").mkdir()
        self.gh.mkdir()
        self.pulls = [{"number": 7, "state": "open", "head": {"label": FORK, "sha": COMMIT}}]
        self.write_comments([])
        (self.gh / "pulls.json").write_text(json.dumps(self.pulls))
        event = {"id": 1, "head_sha": COMMIT, "head_branch": "faster", "html_url": "https://x.test/runs/1"}
        self.known = {f"github.event.workflow_run.{name}": str(value) for name, value in event.items()}
        self.known |= {"github.event.workflow_run.head_repository.owner.login": "someone", "github.token": "token"}

    def write_comments(self, comments):
        (self.gh / "comments.json").write_text(json.dumps(comments))

    @property
    def comments(self):
        return json.loads((self.gh / "comments.json").read_text())

    def value(self, text):
        return re.sub(r"\$\{\{ (.*?) \}\}", lambda found: self.known.get(found[1], ""), str(text))

    def holds(self, condition):
        sides = [each.split(" == ") for each in condition.split(" && ")]
        return all(self.known.get(name.strip(), "") == value.strip().strip("'") for name, value in sides)

    def run(self, action, **inputs):
        """The exit code of the last step that ran, and what all steps printed."""
        found = yaml.safe_load(action.read_text())
        assert inputs.keys() <= found["inputs"].keys()
        given = {name: of.get("default", "") for name, of in found["inputs"].items()} | inputs
        self.known |= {f"inputs.{name}": self.value(value) for name, value in given.items()}
        told = ""
        for step in found["runs"]["steps"]:
            if not self.holds(step["if"]) if "if" in step else False:
                continue
            if "uses" in step:
                self.keep({name: self.value(value) for name, value in step["with"].items()})
                continue
            done = self.step(step, action.parent)
            told += done.stdout + done.stderr
            if done.returncode:
                return done.returncode, told
        return 0, told

    def step(self, step, action):
        files = {name: self.folder / name.lower() for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")}
        files["GITHUB_OUTPUT"].write_text("")
        assert step["shell"] == "bash" and "${{" not in step["run"]  # an expression in a script is an injection
        script = self.folder / "script"
        script.write_text(step["run"])
        environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith(("GITHUB_", "GH_"))},
            **{name: str(path) for name, path in files.items()},
            **{name: self.value(value) for name, value in step.get("env", {}).items()},
            "PATH": f"{ROOT / 'tests/support/fake_gh'}:{self.folder}:{os.environ['PATH']}",
            "FAKE_GH": str(self.gh),
            "RUNNER_TEMP": str(self.folder / "temp"),
            "GITHUB_ACTION_PATH": str(action),
            "GITHUB_REPOSITORY": "owner/kernels",
            "GITHUB_SERVER_URL": f"file://{self.folder}",
        }
        line = ["bash", "--noprofile", "--norc", "-eo", "pipefail", script]
        done = subprocess.run(line, cwd=self.folder, env=environment, capture_output=True, text=True)
        for output in files["GITHUB_OUTPUT"].read_text().splitlines():
            name, _, value = output.partition("=")
            self.known[f"steps.{step['id']}.outputs.{name}"] = value
        return done

    def keep(self, given):
        """The step that uploads the artifact."""
        assert given["name"] == "antbench-gate"
        shutil.rmtree(self.gh / "artifact", ignore_errors=True)
        shutil.copytree(given["path"], self.gh / "artifact")


@pytest.fixture
def workflow(tmp_path):
    """A workflow in a folder with the files of real processes: base, unchanged and slower."""
    for name, of_side in json.loads(PROCESSES.read_text()).items():
        (tmp_path / name).mkdir()
        for i, found in enumerate(of_side, start=1):
            (tmp_path / name / f"{i}.json").write_text(json.dumps(found))
    (tmp_path / "python3").symlink_to(sys.executable)
    return Workflow(tmp_path)


def measured(name):
    return f'cp {name}/$PROCESS.json "$OUT"'


def gate(workflow, new, **inputs):
    return workflow.run(GATE, base=measured("base"), new=measured(new), time="cpu", **inputs)


def report(workflow, do="comment"):
    code, told = workflow.run(REPORT, do=do)
    assert code == 0, told


def test_unchanged_code_passes_without_a_comment(workflow):
    code, told = gate(workflow, "unchanged")
    assert code == 0 and "no regression shown: 4 same" in told, told
    report(workflow)
    assert workflow.comments == []


def test_slower_code_fails_and_its_comment_names_the_slower_rows_alone(workflow):
    (workflow.folder / "new").mkdir()
    (workflow.folder / "new/map").write_text("# the code of rows\npoly/* rows.cpp:poly(\nsort/* rows.cpp:1\n")
    shutil.copy(ROOT / "tests/data/gate/rows.cpp", workflow.folder / "new")
    code, told = gate(workflow, "slower", map="new/map")
    assert code == 3 and "slower: 2 slower, 1 unsteady, 1 same" in told, told
    assert told.count("confirmed by a second measurement of both") >= 2
    line = next(
        i for i, text in enumerate((ROOT / "tests/data/gate/rows.cpp").read_text().splitlines(), 1) if "poly(" in text
    )
    errors = re.findall(
        r"^::error file=rows\.cpp,line=(\d+),title=slower%3A poly/(\d+)::median .* -> .* ms, \+", told, re.M
    )
    assert errors == [(str(line), "1000"), (str(line), "100000")] and told.count("::error") == 2
    assert {"gate.json", "gate.xml", "base", "new", "base-again"} <= {
        each.name for each in (workflow.gh / "artifact").iterdir()
    }
    assert (
        "## Regression gate: slower: 2 slower, 1 unsteady, 1 same"
        in (workflow.folder / "github_step_summary").read_text()
    )
    report(workflow)
    (comment,) = workflow.comments
    assert comment["issue"] == 7 and comment["body"].startswith(publish.MARK)
    assert "**Benchmarks: 2 slower of 4 rows**" in comment["body"]
    assert re.findall(r"^\| (\w+) \| `(\S+)` \|", comment["body"], re.M) == [
        ("slower", "poly/1000"),
        ("slower", "poly/100000"),
    ]
    assert "µs" in comment["body"] and "[all rows](https://x.test/runs/1)" in comment["body"]


@pytest.mark.parametrize(
    "text, told",
    [
        ("a b.cu", "map:1: expected PATTERN FILE:LINE or PATTERN FILE:TEXT"),
        ("\n\na code:nowhere", "map:3: code has no line with nowhere$"),
        ("a b.cu:main", "b.cu: No such file"),
    ],
)
def test_a_wrong_map_is_one_line(tmp_path, monkeypatch, text, told):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "code").write_text("void here()")
    (tmp_path / "map").write_text(text)
    with pytest.raises(BadInput, match=told):
        changes.read_map("map")


def test_the_one_comment_is_updated_in_place(workflow):
    others = [{"id": 1, "issue": 7, "user": {"type": "User"}, "body": f"{publish.MARK} not the gate's"}]
    workflow.write_comments(others)
    assert gate(workflow, "slower", rerun="false")[0] == 3
    report(workflow)
    report(workflow)
    assert len(workflow.comments) == 2 and workflow.comments[0] == others[0]
    assert gate(workflow, "unchanged")[0] == 0
    report(workflow)
    assert len(workflow.comments) == 2 and "no row has changed" in workflow.comments[1]["body"]


def test_a_command_that_fails_fails_the_job_and_publishes_nothing(workflow):
    code, told = workflow.run(GATE, base=measured("base"), new="echo broken >&2; exit 9")
    assert code == 1 and "exit 9: ended with 9 as process 1" in told
    report(workflow)
    assert workflow.comments == []
    shutil.rmtree(workflow.gh / "artifact")
    report(workflow)


def test_a_newer_commit_or_a_closed_pull_request_gets_no_comment(workflow):
    assert gate(workflow, "slower", rerun="false")[0] == 3
    for changed in (
        {"state": "closed"},
        {"head": {"label": FORK, "sha": 40 * "f"}},
        {"head": {"label": "a:b", "sha": COMMIT}},
    ):
        (workflow.gh / "pulls.json").write_text(json.dumps([workflow.pulls[0] | changed]))
        report(workflow)
    assert workflow.comments == []


def test_the_history_grows_on_the_pages_branch(workflow):
    remote = workflow.folder / "owner/kernels.git"
    subprocess.run(["git", "init", "--quiet", "--bare", remote], check=True)
    assert gate(workflow, "slower", rerun="false")[0] == 3
    for commit in (COMMIT, COMMIT[::-1], COMMIT[::-1]):  # the last is a run that was started again
        workflow.known["github.event.workflow_run.head_sha"] = commit
        report(workflow, do="history")

    def show(name):
        line = ["git", "-C", remote, "show", f"gh-pages:benchmarks/{name}"]
        return subprocess.run(line, check=True, capture_output=True, text=True).stdout

    points = json.loads(show("history.json"))
    assert [point["commit"] for point in points] == [COMMIT, COMMIT[::-1]]
    assert points[0]["rows"].keys() == {"poly/1000", "poly/100000", "sort/1000", "sum/4096"}
    page = show("index.html")
    assert page.count("<polyline") == 4 and "Medians of 2 commits" in page and "sort/1000" in page


# ---- What a fork may write ----


def row(**members):
    numbers = {"base_ms": 1.0, "new_ms": 2.0, "change": 1.0, "median_ms": 2.0}
    return {"verdict": "slower", "row": "a", "reason": "", "together": False, **numbers, **members}


def written(folder, *rows, **members):
    path = folder / "gate.json"
    path.write_text(json.dumps({"schema": 1, "rows": rows, **members}))
    return path


def test_a_text_of_a_fork_is_plain_text(tmp_path):
    evil = "x | <img src=a> @everyone [b](https://c.test) `d`\n\n# e"
    found = publish.read(written(tmp_path, row(row=evil, reason=evil)))
    *_, line = publish.comment(found, COMMIT, "https://x.test").splitlines()
    code = "`x \\| <img src=a> @everyone [b](https://c.test) 'd' # e`"  # no link, no mention, no further cell
    assert line == f"| slower | {code} | 1 ms | 2 ms | +100.0 % | {code} |"
    publish.append(tmp_path, found, COMMIT)
    assert "<img" not in (tmp_path / "index.html").read_text()


@pytest.mark.parametrize(
    "members",
    [
        {"schema": 2},
        {"rows": [row(change="1")]},
        {"rows": [row(new_ms=float("inf"))]},
        *({"rows": [row(**{name: 10**400})]} for name in ("base_ms", "new_ms", "change", "median_ms")),
        {"rows": [row(base_ms=-1e31)]},
        {"rows": [row(median_ms=True)]},
        *({"rows": [row(**{name: "a \ud800"})]} for name in ("verdict", "row", "reason")),
        {"rows": [row(row=None)]},
        {"rows": 3},
    ],
)
def test_a_forged_result_is_one_line(tmp_path, members):
    with pytest.raises(BadInput, match=r"gate\.json:1: no result of antbench-results gate --json"):
        publish.read(written(tmp_path, **members))


@pytest.mark.parametrize("members", [{"base_ms": 10**400}, {"row": "a \ud800"}])
def test_a_forged_result_leaves_the_history_as_it_is(tmp_path, capfd, members):
    def publish_history(of):
        gate_json = str(written(tmp_path, of))
        line = [sys.executable, ROOT / "scripts/antbench", "publish", "history", gate_json, "--commit", COMMIT]
        code = subprocess.run([*line, "--folder", tmp_path / "benchmarks"]).returncode
        told = capfd.readouterr().err
        return code, told, {path.name: path.read_bytes() for path in (tmp_path / "benchmarks").glob("*")}

    code, told, _ = publish_history(row(**members))
    assert code == 2 and told.count("\n") == 1 and not (tmp_path / "benchmarks").exists()
    code, _, files = publish_history(row())
    assert code == 0 and files.keys() == {"history.json", "index.html"}
    code, told, after = publish_history(row(**members))
    assert code == 2 and told.count("\n") == 1 and after == files


@pytest.mark.parametrize(
    "content",
    [
        '{"commit": 1}',
        "[3]",
        '[{"commit": "a", "utc": "b", "rows": {"a \\ud800": 1}}]',
        '[{"commit": "a", "utc": "b", "rows": {"a": 1e999}}]',
        "[",
    ],
)
def test_a_broken_history_is_one_line_and_stays(tmp_path, content):
    path = tmp_path / "history.json"
    path.write_text(content)
    with pytest.raises(BadInput, match=r"history\.json:1: no history of antbench-results publish"):
        publish.append(tmp_path, publish.read(written(tmp_path, row())), COMMIT)
    assert path.read_text() == content and not (tmp_path / "index.html").exists()


def test_a_commit_that_is_no_text_is_refused(tmp_path, capsys):
    with pytest.raises(SystemExit) as ended:
        publish.main(["comment", str(written(tmp_path, row())), "--commit", "\udcff"])
    assert ended.value.code == 2 and "--commit" in capsys.readouterr().err


def test_a_long_comment_is_cut(tmp_path):
    found = publish.read(written(tmp_path, *[row(row=1000 * "x") for _ in range(2000)]))
    text = publish.comment(found, COMMIT, "https://x.test")
    assert len(text) < 65536 and "1950 more rows changed" in text


def test_without_a_repository_the_comment_is_printed(tmp_path, capsys):
    assert publish.main(["comment", str(written(tmp_path, row(base_ms=2e-6, new_ms=4e3))), "--commit", COMMIT]) == 0
    assert "| slower | `a` | 2 ns | 4 s | +100.0 % |" in capsys.readouterr().out


# ---- The files that users copy ----


def test_the_actions_are_pinned_and_the_examples_fit_them():
    inputs = {"OWNER/antbench": GATE, "OWNER/antbench/.github/actions/report": REPORT}
    found = {path.stem: yaml.safe_load(path.read_text()) for path in EXAMPLES}
    assert found.keys() == {"antbench-gate", "antbench-report"}
    used = set()
    for name, workflow in found.items():
        assert workflow["name"] == name
        for step in (step for job in workflow["jobs"].values() for step in job["steps"] if "uses" in step):
            action, _, version = step["uses"].partition("@")
            used.add(action)
            if action in inputs:
                known = yaml.safe_load(inputs[action].read_text())["inputs"]
                needed = {key for key, of in known.items() if of.get("required")}
                assert version == "v1" and needed <= step["with"].keys() <= known.keys()
            else:
                assert re.fullmatch("[0-9a-f]{40}", version)
    assert inputs.keys() <= used
    # Nothing of the measuring workflow may write or has a secret; the other one starts by its name.
    assert found["antbench-gate"]["permissions"] == {"contents": "read"}
    text = (ROOT / "docs/workflows/antbench-gate.yml").read_text()
    assert "secrets." not in text and "write" not in re.sub("#.*", "", text) and "pull_request_target" not in text
    assert found["antbench-report"][True]["workflow_run"]["workflows"] == ["antbench-gate"]
    assert "checkout" not in (ROOT / "docs/workflows/antbench-report.yml").read_text()
    for path in (GATE, REPORT):
        for step in yaml.safe_load(path.read_text())["runs"]["steps"]:
            assert "uses" not in step or re.fullmatch(r"[\w/-]+@[0-9a-f]{40}", step["uses"])
