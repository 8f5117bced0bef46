"""What every command of this package shares: exit codes, and errors of the user's files as one line."""

import contextlib
import errno
import html
import itertools
import os
import re
import signal
import sys
import tempfile
from pathlib import Path

# The source tree, or its installed part: share/antbench after `make install`, tree/ in a Python package.
OF_PACKAGE = Path(__file__).resolve().parents[1] / "tree"
ROOT = OF_PACKAGE if OF_PACKAGE.is_dir() else Path(__file__).resolve().parents[3]
# Folder for results; an installed copy writes below the current directory.
WORK = ROOT if (ROOT / "Makefile").is_file() else Path.cwd()


def written_of(root):
    """A folder to write results of a checkout's program to; an installed copy writes below the current directory."""
    return WORK if root == ROOT else root


def shown(path):
    """A path as it is printed: relative to the folder that results are written to, if it lies below that folder."""
    return path.relative_to(WORK) if path.is_relative_to(WORK) else path


# The same numbers as in bench/plan/options.h.
OK, ERROR, USAGE, REGRESSION, WRONG, INCONCLUSIVE, SKIPPED = 0, 1, 2, 3, 4, 5, 77

LONGEST = 4096  # number of characters of a message; a path may have as many
# Characters that control a terminal, change the direction of text, break a line or are invisible (base/text.c has the
# same list), and characters that XML forbids.
CONTROL = re.compile(
    r"[\x00-\x1f\x7f-\x9f\xad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ud800-\udfff\ufeff\ufffe\uffff]"
)


class BadInput(Exception):
    """A file or an option is wrong. The text is one line: "file:line: what is wrong".

    A text from a foreign file may be long and may control a terminal. It is cut, and its control characters are
    escaped.
    """

    code = USAGE

    def __str__(self):
        text = super().__str__()
        cut = text if len(text) <= LONGEST else text[:LONGEST] + "..."
        return CONTROL.sub(lambda found: ascii(found[0])[1:-1], cut)


def expect(usage, **values):
    """Raises BadInput if a value is empty: expect("make ab A=ROW B=ROW", A=a, B=b)."""
    missing = [name for name, value in values.items() if not value]
    if missing:
        raise BadInput(f"{' and '.join(missing)} {'is' if len(missing) == 1 else 'are'} missing: type {usage}")


class CannotWrite(BadInput):
    """A disk is full, or fails."""

    code = ERROR


class CannotMeasure(BadInput):
    """A program that measures has failed."""

    code = ERROR


def new_folder(path):
    """Makes the folder and returns its path: "path-2", "path-3" and so on if another process has made it already."""
    path.parent.mkdir(parents=True, exist_ok=True)
    for count in itertools.count(1):
        folder = path if count == 1 else path.with_name(f"{path.name}-{count}")
        try:
            folder.mkdir()
            return folder
        except FileExistsError:
            continue


# ---- Writing ----

STREAMS = Path("/dev"), Path("/dev/fd"), Path("/proc/self/fd")  # folders whose names are written to, never replaced
NO_PLACE = (
    errno.ENOENT,
    errno.ENOTDIR,
    errno.EISDIR,
    errno.EACCES,
    errno.EPERM,
    errno.ENAMETOOLONG,
    errno.ELOOP,
    errno.EROFS,
)


@contextlib.contextmanager
def told_of(path):
    """An error of writing there is one line. Errors of other files, and of a reader who left, stay what they are."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        if error.filename is not None and not Path(error.filename).is_relative_to(path.parent):
            raise
        raise (BadInput if error.errno in NO_PLACE else CannotWrite)(f"{path}: {error.strerror}") from None


@contextlib.contextmanager
def new_path(path):
    """A path for another program to write. Where all went well the file there then replaces `path` as a whole.

    It is in a folder beside `path` that this process alone may enter, so no link is followed: one at `path` is replaced.
    """
    path = Path(path)
    parent = path.absolute().parent
    with told_of(parent / path.name), tempfile.TemporaryDirectory(prefix=".new-", dir=parent) as folder:
        new = Path(folder) / path.name
        yield new
        os.replace(new, path)


@contextlib.contextmanager
def new_file(path, mode="w"):
    """A file to write, text or, by mode "wb", bytes. It replaces `path` as a whole, as base/files.c does it."""
    told = {} if "b" in mode else {"encoding": "utf-8", "newline": ""}
    if Path(path).absolute().parent in STREAMS:
        with told_of(Path(path)), open(path, mode, **told) as file:
            yield file
    else:
        with new_path(path) as new, open(new, mode, **told) as file:
            yield file


def write_file(path, data):
    """Replaces a file by bytes or text."""
    with new_file(path, "wb" if isinstance(data, bytes) else "w") as file:
        file.write(data)


# ---- Markdown ----


MARKDOWN = re.compile(r"([\\*_|]|\](?=[(\[:]))")  # characters that need a backslash to be plain text
ADDRESS = re.compile(r"(?<=\w)(://)|(?<=www)(\.)|(?<=\S)(@)(?=\S)")  # parts of a text that GitHub makes a link of


class Code(str):
    """Markdown that as_code() has made; it is not escaped again."""


def as_markdown(value):
    """Text escaped for Markdown: nothing in it begins a tag, a cell, a link, emphasis or code, or ends a line."""
    if not isinstance(value, str) or isinstance(value, Code):
        return value
    text = html.escape(re.sub(r"[\r\n\t]+", " ", value), quote=False)
    text = ADDRESS.sub(lambda found: "".join(f"&#{ord(char)};" for char in found[0]), text)
    return MARKDOWN.sub(r"\\\1", text).replace("`", "'")


def as_code(value):
    """A text between backticks. Backticks in it, and bars, which divide the cells of a table, are replaced."""
    return Code("`" + re.sub(r"[\r\n\t]+", " ", value).replace("`", "'").replace("|", "\\|") + "`")


def run(main):
    """Ends the process with main()'s exit code; an error of files is one line on stderr, and exit code 2 or 1."""
    try:
        code = main()
        sys.stdout.flush()
        sys.exit(code)
    except BadInput as error:
        print(error, file=sys.stderr)
        sys.exit(error.code)
    except KeyboardInterrupt:  # ends by the signal, without Python's traceback
        print("interrupted", file=sys.stderr)
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGINT)
    except BrokenPipeError:  # the reader, such as head or less, has closed the pipe
        sys.stderr.close()
        sys.exit(OK)
    except OSError as error:  # without a name it is of stdout
        print(BadInput(f"{error.filename or 'stdout'}: {error.strerror or error}"), file=sys.stderr)
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # or Python tells it again, at its end
        sys.exit(USAGE if error.errno in NO_PLACE else ERROR)
