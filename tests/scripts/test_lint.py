"""scripts/lint checks every file that a commit would have, and says what `make format` mends."""

import os
import shutil
import subprocess

import pytest

from support.commands import ROOT

NEEDED = "dirname", "git", "grep", "xargs"


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)


@pytest.fixture
def tree(tmp_path):
    """A repository with scripts/lint and linters that say in FILE.txt what they are given."""
    tree, tools = tmp_path / "tree", tmp_path / "tools"
    tools.mkdir()
    for name in NEEDED:
        (tools / name).symlink_to(shutil.which(name))
    for name in ("clang-format", "shellcheck"):
        says = (
            f'[ "$1" = --version ] && echo "clang-format version 14.0.6" || printf "%s\\n" "$@" > {tmp_path}/{name}.txt'
        )
        write(tools / name, f"#!/bin/bash\n{says}\n[ ! -e {tmp_path}/complains ]\n")
    write(tree / "scripts/lint", (ROOT / "scripts/lint").read_text())
    for name in ("there.c", "deleted.cu", ".gitignore"):
        write(tree / name, "build/\n")
    write(tree / "deleted.sh", "#!/bin/bash\n")
    subprocess.run(["git", "init", "-q"], cwd=tree, check=True)
    subprocess.run(["git", "add", "."], cwd=tree, check=True)
    write(tree / "new folder/new.cu", "")
    write(tree / "new.sh", "#!/bin/bash\n")
    write(tree / "build/ignored.c", "")
    (tree / "deleted.cu").unlink()
    (tree / "deleted.sh").unlink()
    return tree


def lint(tree, *options):
    environment = dict(os.environ, PATH=str(tree.parent / "tools"))
    return subprocess.run([tree / "scripts/lint", *options], env=environment, capture_output=True, text=True)


def given(tree, linter):
    return (tree.parent / f"{linter}.txt").read_text().splitlines()


@pytest.mark.parametrize("options, first", [([], ["--dry-run", "-Werror"]), (["--fix"], ["-i"])])
def test_new_files_are_checked_and_deleted_ones_are_not(tree, options, first):
    done = lint(tree, *options)
    assert done.returncode == 0, done.stderr
    found = given(tree, "clang-format")
    assert found[: len(first)] == first and sorted(found[len(first) :]) == ["new folder/new.cu", "there.c"]
    assert sorted(given(tree, "shellcheck")) == ["new.sh", "scripts/completion.bash", "scripts/lint"]


def test_what_make_format_mends_is_said(tree):
    (tree.parent / "complains").touch()
    for options, mended in (([], "; make format mends it"), (["--fix"], "")):
        done = lint(tree, *options)
        assert done.returncode == 1
        assert done.stderr.splitlines() == [f"lint: clang-format complains{mended}", "lint: shellcheck complains"]
