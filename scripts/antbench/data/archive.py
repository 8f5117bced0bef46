"""A run as one file, MACHINE-ID.tar.gz: what `make share` writes, and what RUN= takes like the run's directory.

It holds MACHINE/ID/ with meta.json, the table and samples.csv.xz, and is the same byte for byte whenever it is made.
One may come from anybody: nothing but such files, of such names and of a sane size, is unpacked.
"""

import atexit
import gzip
import io
import lzma
import re
import shutil
import tarfile
import tempfile
import zlib
from pathlib import Path

from antbench.data.command import BadInput

SAMPLES, PACKED = "samples.csv", "samples.csv.xz"
ENDING = ".tar.gz"
MEMBER = re.compile(r"[a-z0-9][a-z0-9.-]*/[0-9A-Za-z][\w.-]*/(meta\.json|table-[\w.-]+\.csv|samples\.csv(\.xz)?)")
LARGEST = 1 << 28  # bytes of all files together
MOST = 64  # files: 21 runs
FOLDERS = []  # what has been unpacked


def pack_samples(data):
    """The bytes of samples.csv as samples.csv.xz has them."""
    return lzma.compress(data, preset=9 | lzma.PRESET_EXTREME)


def compress(run):
    """Replaces samples.csv in a run's folder by samples.csv.xz; at no moment is neither there."""
    plain, packed = run / SAMPLES, run / PACKED
    data = plain.read_bytes()
    new = packed.with_name(PACKED + ".new")
    new.write_bytes(pack_samples(data))
    if lzma.decompress(new.read_bytes()) != data:
        raise BadInput(f"{new}: is not what {plain} has")
    new.replace(packed)
    plain.unlink()


def pack(path, files):
    """Writes {name inside: bytes}."""
    inside = io.BytesIO()
    with tarfile.open(fileobj=inside, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for name, data in sorted(files.items()):
            member = tarfile.TarInfo(name)
            member.size, member.mode = len(data), 0o644
            tar.addfile(member, io.BytesIO(data))
    path.write_bytes(gzip.compress(inside.getvalue(), mtime=0))


def unpacked(path):
    """A folder with what an archive holds, which goes with the process."""
    folder = Path(tempfile.mkdtemp(prefix="antbench-"))
    FOLDERS.append(folder)
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    try:
        with tarfile.open(path, "r:gz") as tar:
            left = LARGEST
            for count, member in enumerate(tar):
                left -= member.size
                if not member.isfile() or not MEMBER.fullmatch(member.name):
                    raise BadInput(f"{path}: holds {member.name!r}, which is no file of a run")
                if left < 0 or count >= MOST:
                    raise BadInput(f"{path}: holds more than {LARGEST >> 20} MiB, or than {MOST} files")
                target = folder / member.name
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(tar.extractfile(member).read())
    except (tarfile.TarError, EOFError, zlib.error, OSError) as error:
        raise BadInput(f"{path}: no archive of a run: {error}") from None
    if not any(folder.rglob("meta.json")):
        raise BadInput(f"{path}: no archive of a run: there is no meta.json in it")
    return folder
