"""What unpacks to much, or is much to read, is refused in one line, within 300 MB of memory and 5 s of a core."""

import gzip
import lzma
import subprocess
import sys
import tarfile
import zlib
from pathlib import Path

import pytest

from antbench.data import archive, runs
from antbench.data.command import ROOT

DATA = Path(__file__).resolve().parents[2] / "data/runs/newer"
MOST_KB, MOST_S, MOST_TOLD = 300_000, 5.0, 10_000
MIB = 1 << 20
META = tarfile.TarInfo("m/r/meta.json")


# Runs a command and prints what it took. A process of its own, because Linux counts the memory that a process has before
# it becomes another program, and pytest has much.
LAUNCHER = """
import resource, subprocess, sys
done = subprocess.run(sys.argv[1:], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(done.returncode, used.ru_maxrss, used.ru_utime + used.ru_stime)
print(done.stdout, end="")
"""


def check(path):
    """(exit code, what is told, kB of memory, seconds of a core) of make results-check."""
    command = [sys.executable, "-c", LAUNCHER, sys.executable, "scripts/antbench", "results-check", str(path)]
    done = subprocess.run(command, cwd=ROOT, text=True, capture_output=True, check=True)
    first, told = done.stdout.split("\n", 1)
    code, memory, seconds = first.split()
    return int(code), told, int(memory), float(seconds)


def assert_refused(path, why):
    code, told, memory, seconds = check(path)
    assert code == 2 and why in told, told[:1000]
    assert "Traceback" not in told and len(told) < MOST_TOLD
    assert memory < MOST_KB and seconds < MOST_S, f"{memory} kB, {seconds:.1f} s"


def header(kind, size, format):
    member = tarfile.TarInfo("././@LongLink")
    member.type, member.size = kind, size
    return member.tobuf(format)


def write_archive(path, beginning, mib):
    with gzip.open(path, "wb", compresslevel=1) as file:
        file.write(beginning)
        for _ in range(mib):
            file.write(b"a" * MIB)
        file.write(META.tobuf(tarfile.USTAR_FORMAT) + bytes(1024))


@pytest.mark.parametrize("kind", [b"L", b"K", b"x", b"g", b"S", b"V"])
def test_headers_that_extend_another_are_refused(tmp_path, kind):
    """tarfile would read the name that follows whole, and a message would quote it."""
    write_archive(tmp_path / "small.tar.gz", header(kind, MIB, tarfile.GNU_FORMAT), 1)
    assert_refused(tmp_path / "small.tar.gz", "which is no file of a run")


def test_a_name_of_200_mib_is_refused(tmp_path):
    write_archive(tmp_path / "x.tar.gz", header(b"L", 200 * MIB, tarfile.GNU_FORMAT), 200)
    assert_refused(tmp_path / "x.tar.gz", "x.tar.gz: holds more than 32 MiB")


def test_as_much_as_is_unpacked_is_read(tmp_path):
    """One byte less than too much."""
    member = tarfile.TarInfo("m/r/meta.json")
    member.size = archive.LARGEST - 4 * tarfile.BLOCKSIZE
    with gzip.open(tmp_path / "x.tar.gz", "wb", compresslevel=1) as file:
        file.write(member.tobuf(tarfile.USTAR_FORMAT) + bytes(member.size + 1024))
    assert_refused(tmp_path / "x.tar.gz", "meta.json: holds more than 1 MiB")


@pytest.mark.parametrize(
    "cut, why",
    [
        (lambda data: data[:-9], "cut short, or followed by other bytes"),
        (lambda data: data + b"more", "followed by other bytes"),
        (lambda data: data + data, "followed by other bytes"),
    ],
)
def test_a_torn_archive_is_refused(tmp_path, cut, why):
    write_archive(tmp_path / "x.tar.gz", b"", 0)
    (tmp_path / "x.tar.gz").write_bytes(cut((tmp_path / "x.tar.gz").read_bytes()))
    with pytest.raises(runs.BadInput, match=why):
        runs.resolve(tmp_path / "x.tar.gz")


def test_a_member_that_is_longer_than_its_archive_is_refused(tmp_path):
    member = tarfile.TarInfo("m/r/meta.json")
    member.size = 1 << 30
    (tmp_path / "x.tar.gz").write_bytes(gzip.compress(member.tobuf(tarfile.USTAR_FORMAT) + b"{}"))
    with pytest.raises(runs.BadInput, match="m/r/meta.json is cut short"):
        runs.resolve(tmp_path / "x.tar.gz")


@pytest.fixture
def run(tmp_path):
    """A run of links to a stored one, any of which may be replaced."""
    folder = tmp_path / "run"
    folder.mkdir()
    for path in DATA.iterdir():
        (folder / path.name).symlink_to(path)
    return folder


def put(path, data):
    path.unlink(missing_ok=True)
    path.write_bytes(data)


SAMPLES = ",".join(runs.SAMPLES_HEADER).encode() + b"\n"
OF_SAMPLES = {
    "zeros": (bytes(255 * MIB), "holds more than 64 MiB"),
    "empty lines": (SAMPLES + b"\n" * (63 * MIB), "samples.csv.xz:2: expected"),
    "many short lines": (SAMPLES + b"ab\n" * (21 * MIB), "samples.csv.xz:2: expected"),
    "one line of many cells": (SAMPLES + b"ab," * (21 * MIB) + b"\n", "has a line of more than 256 KiB"),
    "a header of many cells": (b"ab," * (21 * MIB) + b"\n", "has a line of more than 256 KiB"),
    "lines of many cells": (SAMPLES + (b"ab," * 80_000 + b"\n") * 240, "samples.csv.xz:2: expected"),
}


@pytest.mark.parametrize("what", OF_SAMPLES)
def test_samples_that_are_much_to_read_are_refused(run, what):
    data, why = OF_SAMPLES[what]
    (run / "samples.csv").unlink()
    put(run / "samples.csv.xz", lzma.compress(data, preset=1))
    assert_refused(run, why)


def test_samples_whose_dictionary_is_larger_than_any_of_ours_are_refused(run):
    """xz would take that much memory before the first byte."""
    (run / "samples.csv").unlink()
    put(run / "samples.csv.xz", with_dictionary(lzma.compress(SAMPLES), 1 << 29))
    assert_refused(run, "samples.csv.xz: not compressed by xz")


def with_dictionary(packed, size):
    """The same stream, whose header asks for a dictionary of so many bytes (a power of two)."""
    begin, length = 12, 4 * (packed[12] + 1)
    block = bytearray(packed[begin : begin + length - 4])
    assert block[2:4] == b"\x21\x01"
    block[4] = 2 * (size.bit_length() - 1) - 24
    crc = zlib.crc32(block).to_bytes(4, "little")
    return packed[:begin] + bytes(block) + crc + packed[begin + length :]


def test_a_table_or_metadata_that_are_much_to_read_are_refused(run):
    table = next(run.glob("table-*.csv"))
    text = table.read_bytes()
    put(table, text + text[text.index(b"\n") + 1 :] * (4 * MIB // len(text)))
    assert_refused(run, "the same row as line")
    put(table, text + text[text.index(b"\n") + 1 :] * (8 * MIB // len(text)))
    assert_refused(run, "holds more than 4 MiB")
    put(run / "meta.json", b"[" + b"[]," * 349_000 + b"[]]")
    assert_refused(run, "meta.json:1: not the description of a run")
    put(run / "meta.json", b'{"a":"' + b"x" * (1 << 20) + b'"}')
    assert_refused(run, "meta.json: holds more than 1 MiB")


def test_a_message_is_one_short_line(run):
    """However much of a foreign file it quotes."""
    table = next(run.glob("table-*.csv"))
    lines = table.read_bytes().split(b"\n")
    lines[1] = lines[1].replace(b",ok,", b"," + "\u202e\x9b".encode() + b"o" * 60_000 + b",")
    put(table, b"\n".join(lines))
    code, told, *_ = check(run)
    assert code == 2 and 'unknown status "\\u202e\\x9boooo' in told and len(told) < MOST_TOLD
