"""A copy of the tree, in which a test may change what it likes."""

import shutil
import subprocess
from pathlib import Path

from support.commands import ROOT


def listed_by_git():
    arguments = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(arguments, cwd=ROOT, capture_output=True, text=True, check=True)
    return list(filter(None, listed.stdout.split("\0")))


def copy_tree(path, folders=("gen", "obj", "san")):
    """What git has, as it is now, and the objects in these folders of build/, which are newer than it."""
    for name in listed_by_git():
        if (ROOT / name).is_file():
            (path / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, path / name)
    for folder in folders:
        if (ROOT / "build" / folder).exists():
            shutil.copytree(ROOT / "build" / folder, path / "build" / folder, ignore=programs_in)


def programs_in(folder, names):
    return [name for name in names if "." not in name and Path(folder, name).is_file()]
