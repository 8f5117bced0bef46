"""What every program of this package shares: exit codes, and errors of the user's files as one line."""

import html
import itertools
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
WORK = (
    ROOT if (ROOT / "Makefile").is_file() else Path.cwd()
)  # where is written to: installed, the data are not ours to change


def written_of(root):
    """Where what is measured by the program of a checkout is written: installed, this one's folder is not ours to change."""
    return WORK if root == ROOT else root


# As in bench/plan/options.h.
OK, ERROR, USAGE, REGRESSION, WRONG, INCONCLUSIVE, SKIPPED = 0, 1, 2, 3, 4, 5, 77


class BadInput(Exception):
    """A file or an option is wrong. The text is one line: "file:line: what is wrong"."""


def new_folder(path):
    """Makes the folder, or "path-2", "path-3" and so on where others have made that: its path."""
    path.parent.mkdir(parents=True, exist_ok=True)
    for count in itertools.count(1):
        folder = path if count == 1 else path.with_name(f"{path.name}-{count}")
        try:
            folder.mkdir()
            return folder
        except FileExistsError:
            continue


def as_markdown(value):
    """Text as it is to be read: nothing of it begins a tag, a cell or code, or ends a line."""
    if not isinstance(value, str):
        return value
    return html.escape(re.sub(r"[\r\n\t]+", " ", value), quote=False).replace("|", "\\|").replace("`", "'")


def run(main):
    """Ends the process with main()'s exit code; BadInput is one line on stderr and exit code 2."""
    try:
        sys.exit(main())
    except BadInput as error:
        print(error, file=sys.stderr)
        sys.exit(USAGE)
    except BrokenPipeError:  # the reader, head or less, has seen enough
        sys.stderr.close()
        sys.exit(OK)
