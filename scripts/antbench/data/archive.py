"""A run as one file, MACHINE-ID.tar.gz: `make share` writes it, and RUN= takes it like the run's directory.

It holds MACHINE/ID/ with meta.json, the table and samples.csv.xz. Packing the same run again gives the same bytes.

An archive may come from anybody. At most LARGEST bytes are unpacked, into memory. Each header must describe a plain
file whose name matches MEMBER. Other types of headers, which extend names or sizes, are refused.
"""

import atexit
import functools
import gzip
import io
import lzma
import re
import shutil
import tarfile
import tempfile
import zlib
from pathlib import Path

from antbench.data.command import BadInput, write_file
from antbench.data.validate import bytes_of

SAMPLES, PACKED = "samples.csv", "samples.csv.xz"
ENDING = ".tar.gz"
MEMBER = re.compile(r"[a-z0-9][a-z0-9.-]*/[0-9A-Za-z][\w.-]*/(meta\.json|table-[\w.-]+\.csv|samples\.csv(\.xz)?)")
LARGEST = 1 << 25  # bytes of all files together, packed or not; the files of the largest kept run have 1 MB
MOST = 64  # number of files: 21 runs
PLAIN = tarfile.REGTYPE, tarfile.AREGTYPE
SHOWN = 80  # number of characters of a name in a message
FOLDERS = {}  # {temporary folder of this process: the archive that is unpacked there}


def pack_samples(data):
    """The bytes of samples.csv.xz for the bytes of samples.csv."""
    return lzma.compress(data, preset=9 | lzma.PRESET_EXTREME)


def compress(run):
    """Replaces samples.csv in a run's folder by samples.csv.xz. At each moment at least one of them is there."""
    plain, packed = run / SAMPLES, run / PACKED
    data = plain.read_bytes()
    new = pack_samples(data)
    if lzma.decompress(new) != data:
        raise BadInput(f"{packed}: its content differs from {plain}; {plain.name} is kept")
    write_file(packed, new)
    plain.unlink()


def pack(path, files):
    """Writes an archive of {name inside: bytes}."""
    inside = io.BytesIO()
    with tarfile.open(fileobj=inside, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for name, data in sorted(files.items()):
            member = tarfile.TarInfo(name)
            member.size, member.mode = len(data), 0o644
            try:
                tar.addfile(member, io.BytesIO(data))
            except ValueError as error:  # a name of more than 100 characters, or one that is no ASCII
                raise BadInput(f"{path}: {name[:SHOWN]!r} does not fit an archive: {error}") from None
    write_file(path, gzip.compress(inside.getvalue(), mtime=0))


def inflated(path):
    """The bytes of the .tar inside a .tar.gz; LARGEST bytes at most."""
    unpacker = zlib.decompressobj(wbits=16 + zlib.MAX_WBITS)
    try:
        data = unpacker.decompress(bytes_of(path, LARGEST), LARGEST + 1)
    except zlib.error as error:
        raise BadInput(f"{path}: no archive of a run: {error}") from None
    if len(data) > LARGEST:
        raise BadInput(f"{path}: holds more than {LARGEST >> 20} MiB")
    if not unpacker.eof or unpacker.unused_data:
        raise BadInput(f"{path}: no archive of a run: cut short, or followed by other bytes")
    return data


def members(path, data):
    """(name, bytes) of each file of a .tar."""
    at = 0
    while at < len(data):
        try:
            member = tarfile.TarInfo.frombuf(data[at : at + tarfile.BLOCKSIZE], "utf-8", "strict")
        except tarfile.EOFHeaderError:
            return
        except (tarfile.HeaderError, UnicodeDecodeError) as error:
            raise BadInput(f"{path}: no archive of a run: {error}") from None
        begin = at + tarfile.BLOCKSIZE
        if member.type not in PLAIN or not MEMBER.fullmatch(member.name):
            raise BadInput(f"{path}: holds {member.name[:SHOWN]!r}, which is no file of a run")
        if not 0 <= member.size <= len(data) - begin:
            raise BadInput(f"{path}: no archive of a run: {member.name} is cut short")
        yield member.name, data[begin : begin + member.size]
        at = begin + -(-member.size // tarfile.BLOCKSIZE) * tarfile.BLOCKSIZE


def unpacked(path):
    """A temporary folder with the files of an archive; it is deleted when the process ends.

    An archive is unpacked once, and again only if it has changed.
    """
    state = path.stat()
    return unpacked_once(path.absolute(), state.st_size, state.st_mtime_ns)


@functools.cache
def unpacked_once(path, size, changed):
    folder = Path(tempfile.mkdtemp(prefix="antbench-"))
    FOLDERS[folder] = path
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    for count, (name, data) in enumerate(members(path, inflated(path))):
        if count >= MOST:
            raise BadInput(f"{path}: holds more than {MOST} files")
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)  # temporary: mkdtemp's folder
    if twice := next((path.parent for path in folder.rglob(SAMPLES) if path.with_name(PACKED).exists()), None):
        raise BadInput(f"{path}: {twice.name} has samples twice, in {SAMPLES} and {PACKED}")
    if not any(folder.rglob("meta.json")):
        raise BadInput(f"{path}: no archive of a run: it holds no meta.json")
    return folder
