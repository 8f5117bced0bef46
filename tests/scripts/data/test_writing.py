"""Files that a user keeps are written by one helper: whole or not at all, and never through a link."""

import ast
import os
import signal
import stat
import subprocess
import sys

import pytest

from antbench.data import command
from antbench.data.command import ROOT, BadInput, CannotWrite, new_file, new_path, write_file

# ---- The helper ----


def test_a_link_is_replaced_and_its_victim_stays(tmp_path):
    (tmp_path / "victim").write_text("precious")
    (tmp_path / "x.csv").symlink_to(tmp_path / "victim")
    write_file(tmp_path / "x.csv", "new")
    assert (tmp_path / "victim").read_text() == "precious"
    assert not (tmp_path / "x.csv").is_symlink() and (tmp_path / "x.csv").read_text() == "new"


def test_a_fifo_is_replaced(tmp_path):
    """Nobody reads it: opening it would wait for ever."""
    os.mkfifo(tmp_path / "x.csv")
    write_file(tmp_path / "x.csv", b"new")
    assert (tmp_path / "x.csv").read_bytes() == b"new"


@pytest.mark.parametrize("mask, mode", [(0o022, 0o644), (0o077, 0o600), (0o002, 0o664)])
def test_permissions_are_those_of_a_new_file(tmp_path, mask, mode):
    before = os.umask(mask)
    try:
        write_file(tmp_path / "x", "new")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "x").stat().st_mode) == mode


@pytest.mark.parametrize("fault", [RuntimeError, KeyboardInterrupt])
def test_after_an_error_the_old_file_is_there_alone(tmp_path, fault):
    (tmp_path / "x").write_text("old")
    with pytest.raises(fault), new_file(tmp_path / "x") as file:
        file.write("half")
        raise fault
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("x", "old")]


def test_until_the_end_the_old_file_is_there(tmp_path):
    (tmp_path / "x").write_text("old")
    with new_file(tmp_path / "x") as file:
        file.write("new")
        file.flush()
        assert (tmp_path / "x").read_text() == "old"
    assert (tmp_path / "x").read_text() == "new"


def test_another_program_writes_it(tmp_path):
    with new_path(tmp_path / "figure.svg") as new:
        assert new.name == "figure.svg" and stat.S_IMODE(new.parent.stat().st_mode) == 0o700
        new.write_text("<svg/>")
        assert not (tmp_path / "figure.svg").exists()
    assert [path.name for path in tmp_path.iterdir()] == ["figure.svg"]


def test_a_stream_is_written_and_not_replaced():
    done = subprocess.run(
        [sys.executable, "-c", "from antbench.data.command import write_file; write_file('/dev/stdout', 'told')"],
        cwd=ROOT / "scripts",
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stdout) == (0, "told") and stat.S_ISLNK(os.lstat("/dev/stdout").st_mode)


@pytest.mark.parametrize(
    "where, why", [("no/x", "No such file"), ("folder", "Is a directory"), ("file/x", "Not a dir")]
)
def test_a_wrong_place_is_one_line(tmp_path, where, why):
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_text("")
    with pytest.raises(BadInput, match=f"{where}: {why}") as raised:
        write_file(tmp_path / where, "new")
    assert raised.value.code == command.USAGE
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "folder"]


def test_a_full_disk_is_one_line():
    with pytest.raises(CannotWrite, match="^/dev/full: No space left on device$") as raised:
        write_file("/dev/full", "new")
    assert raised.value.code == command.ERROR


LIMITED = """
import resource, signal, sys
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
from antbench import __main__
sys.argv[:1] = ["antbench-results"]
__main__.run()
"""


def test_a_disk_that_fails_leaves_the_old_file_and_says_one_line(tmp_path):
    """The file system takes 1000 bytes of a file: an export fits as little as on a full disk."""
    out = tmp_path / "out.json"
    out.write_text("old")
    arguments = ["export", str(ROOT / "tests/data/runs/newer"), "--out", str(out)]
    done = subprocess.run(
        [sys.executable, "-c", LIMITED, *arguments], cwd=ROOT / "scripts", capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (1, f"{out}: File too large\n")
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("out.json", "old")]


@pytest.mark.parametrize(
    "arguments", [["list-runs"], ["results-check", "tests/data/runs/newer"], ["export", "tests/data/runs/newer"]]
)
def test_a_full_stdout_is_one_line(arguments):
    with open("/dev/full", "w") as full:
        command = [sys.executable, "scripts/antbench", *arguments]
        done = subprocess.run(command, cwd=ROOT, stdout=full, stderr=subprocess.PIPE, text=True)
    assert (done.returncode, done.stderr) == (1, "stdout: No space left on device\n")


def test_a_folder_that_cannot_be_made_is_one_line(tmp_path):
    (tmp_path / "file").write_text("")
    command = [
        sys.executable,
        "scripts/antbench",
        "report",
        "--run",
        "tests/data/runs/newer",
        "--out",
        tmp_path / "file/x",
    ]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 2 and done.stderr == f"{tmp_path}/file/x/figures: Not a directory\n"


def test_errors_of_other_files_stay_what_they_are(tmp_path):
    with pytest.raises(FileNotFoundError), new_file(tmp_path / "x"):
        open("/nonexistent/y")
    with pytest.raises(BrokenPipeError), new_file(tmp_path / "x"):
        raise BrokenPipeError


# ---- All that write ----

HELPER = "scripts/antbench/data/command.py"
ALLOWED = "# temporary: "  # and why, in the line of the call
OPENS = {"open", "fdopen"}
WRITES = {
    "write_text",
    "write_bytes",
    "savefig",
    "copy",
    "copy2",
    "copyfile",
    "copytree",
    "move",
    "touch",
    "save",
    "savetxt",
}
WRITES |= {"symlink_to", "hardlink_to", "mkstemp", "NamedTemporaryFile"}
TABLES = {"to_csv", "to_json", "to_html", "to_latex", "to_markdown", "to_string", "to_excel", "to_pickle"}


def name_of(call):
    return getattr(call.func, "attr", getattr(call.func, "id", ""))


MODULES = {"gzip", "lzma", "bz2", "io", "os", "tarfile", "zipfile", "Image"}  # whose open() takes the path first


def owner_of(call):
    return getattr(getattr(call.func, "value", None), "id", "")


def is_opened_to_write(call):
    """Also where the mode is no plain text. A file object that is given has been opened elsewhere."""
    if any(word.arg == "fileobj" for word in call.keywords):
        return False
    is_method = isinstance(call.func, ast.Attribute) and owner_of(call) not in MODULES
    given = [word.value for word in call.keywords if word.arg == "mode"] + call.args[0 if is_method else 1 :][:1]
    mode = ast.unparse(given[0]) if given else "'r'"
    return mode not in ("'r'", "'rb'", "'rt'", "os.O_RDONLY")


def is_plain_write(call):
    name = name_of(call)
    if name in OPENS:
        return is_opened_to_write(call)
    if name in TABLES:  # without a path these return a text
        return any(word.arg in ("path_or_buf", "buf", "path") for word in call.keywords) or bool(call.args)
    if name == "copy":
        return owner_of(call) == "shutil"
    return name in WRITES


def plain_writes(text, name):
    """["file:line: the call"] of what is not allowed."""
    lines = text.splitlines()
    calls = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call) and is_plain_write(node)]
    bad = [
        call.lineno for call in calls if not any(ALLOWED in line for line in lines[call.lineno - 1 : call.end_lineno])
    ]
    return [f"{name}:{line}: {lines[line - 1].strip()}" for line in sorted(set(bad))]


def programs():
    """Python that users run: by its ending, or its first line."""
    folders = [*(ROOT / "scripts").rglob("*"), *(ROOT / "docs").glob("*.py"), *(ROOT / "images").glob("*.py")]
    tools = [path for path in (ROOT / "tests/faults").glob("*.py") if not path.name.startswith("test_")]
    files = [path for path in [*folders, *tools] if path.is_file() and "__pycache__" not in path.parts]
    return [path for path in files if path.suffix == ".py" or b"python" in path.read_bytes().split(b"\n")[0]]


def test_every_file_is_written_by_the_helper():
    paths = programs()
    assert len(paths) > 60 and ROOT / HELPER in paths
    found = []
    for path in paths:
        name = str(path.relative_to(ROOT))
        if name != HELPER:
            found += plain_writes(path.read_text(encoding="utf-8"), name)
    assert found == [], "write by new_file() or write_file() of antbench.data.command"


@pytest.mark.parametrize(
    "planted",
    [
        'open(path, "w")',
        'open(path, mode="ab")',
        "open(path, mode)",
        'path.open("w")',
        'gzip.open(path, "wb")',
        'lzma.open(path, "wt")',
        'os.fdopen(handle, "w")',
        "os.open(path, os.O_WRONLY)",
        'tarfile.open(path, "w")',
        "image.save(path)",
        "path.write_text(text)",
        "(out / name).write_bytes(data)",
        "table.to_csv(path, index=False)",
        "table.to_json(path_or_buf=path)",
        "shutil.copyfile(a, b)",
        "figure.savefig(path)",
        "tempfile.NamedTemporaryFile()",
    ],
)
def test_a_planted_write_is_found(planted):
    assert plain_writes(f"def write():\n    {planted}\n", "x.py") == [f"x.py:2: {planted}"]
    assert plain_writes(f"def write():\n    {planted}  {ALLOWED}a folder of its own\n", "x.py") == []


@pytest.mark.parametrize(
    "read",
    [
        'open(path, newline="")',
        'open(path, "rb")',
        "path.open()",
        "lzma.open(path)",
        "table.to_csv(index=False)",
        "made.copy()",
    ],
)
def test_what_reads_is_no_write(read):
    assert plain_writes(read, "x.py") == []


def test_an_interruption_ends_a_command_by_its_signal(tmp_path):
    code = (
        "from antbench.data import command; import os, signal; command.run(lambda: os.kill(os.getpid(), signal.SIGINT))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": str(ROOT / "scripts")},
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stdout, done.stderr) == (-signal.SIGINT, "", "interrupted\n")
