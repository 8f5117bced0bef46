"""instances/fetch against a local server: what it keeps, what it refuses, what it says."""

import csv
import gzip
import hashlib
import os
import subprocess
from pathlib import Path

import pytest

from support.file_server import server  # noqa: F401 (a fixture)

FETCH = Path(__file__).resolve().parents[2] / "instances/fetch"
GOOD = b"NAME: good\n" + b"1 2 3\n" * 1000


def fetch(tmp_path, entries, mirrors=""):
    """Runs instances/fetch for entries of (name, url, content) and returns (exit code, lines, directory)."""
    catalogue = tmp_path / "catalogue.csv"
    catalogue.write_text(
        "name,n,edge_weight_type,optimum,url,sha256\n"
        + "".join(f"{name},1,EUC_2D,1,{url},{hashlib.sha256(content).hexdigest()}\n" for name, url, content in entries)
    )
    directory = tmp_path / "tsplib"
    environment = {key: value for key, value in os.environ.items() if not key.lower().endswith("_proxy")}
    done = subprocess.run(
        [FETCH, catalogue, directory],
        env=dict(environment, MIRRORS=mirrors),
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=60,
    )
    return done.returncode, done.stdout.splitlines(), directory


def names(directory):
    return sorted(path.name for path in directory.iterdir())


def test_downloads_plain_and_packed_files_once(server, tmp_path):
    server.files = {"/a.tsp": GOOD, "/b.tsp.gz": gzip.compress(GOOD + b"b")}
    entries = [("a", f"{server.base}/a.tsp", GOOD), ("b", f"{server.base}/b.tsp.gz", GOOD + b"b")]
    code, lines, directory = fetch(tmp_path, entries)
    assert code == 0
    assert lines == [
        f"a.tsp: downloaded from {server.base}/a.tsp",
        f"b.tsp: downloaded from {server.base}/b.tsp.gz",
        f"{directory}: 2 downloaded, 0 already there, 0 failed",
    ]
    assert names(directory) == ["a.tsp", "b.tsp"]
    assert (directory / "a.tsp").read_bytes() == GOOD and (directory / "b.tsp").read_bytes() == GOOD + b"b"

    server.requests.clear()
    code, lines, directory = fetch(tmp_path, entries)
    assert code == 0 and server.requests == []
    assert lines == [
        "a.tsp: already there",
        "b.tsp: already there",
        f"{directory}: 0 downloaded, 2 already there, 0 failed",
    ]


def test_goes_on_after_a_wrong_checksum_and_a_missing_file(server, tmp_path):
    server.files = {"/wrong.tsp": b"something else", "/broken.tsp.gz": b"not gzip", "/good.tsp": GOOD}
    code, lines, directory = fetch(
        tmp_path,
        [
            (name.split(".")[0], f"{server.base}/{name}", GOOD)
            for name in ("wrong.tsp", "broken.tsp.gz", "absent.tsp", "good.tsp")
        ],
    )
    assert code == 1
    assert lines[0] == f"wrong.tsp: FAILED: {server.base}/wrong.tsp: checksum does not match"
    assert lines[1] == f"broken.tsp: FAILED: {server.base}/broken.tsp.gz: checksum does not match"
    assert lines[2].startswith(f"absent.tsp: FAILED: {server.base}/absent.tsp: ") and "404" in lines[2]
    assert lines[3] == f"good.tsp: downloaded from {server.base}/good.tsp"
    assert lines[4] == f"{directory}: 1 downloaded, 0 already there, 3 failed"
    assert "stand-in" in lines[5] and len(lines) == 6
    assert names(directory) == ["good.tsp"]


def test_asks_mirrors_in_order(server, tmp_path):
    server.files = {"/one/a.tsp": b"differs in white space", "/two/a.tsp": GOOD, "/three/a.tsp": GOOD}
    code, lines, _ = fetch(
        tmp_path,
        [("a", f"{server.base}/a.tsp.gz", GOOD)],
        " ".join(f"{server.base}/{n}/{{name}}.tsp" for n in ("one", "two", "three")),
    )
    assert code == 0
    assert lines[0] == f"a.tsp: downloaded from {server.base}/two/a.tsp"
    assert [path for path, _ in server.requests] == ["/a.tsp.gz", "/one/a.tsp", "/two/a.tsp"]


def test_replaces_a_file_only_by_the_right_one(server, tmp_path):
    (tmp_path / "tsplib").mkdir()
    mine = tmp_path / "tsplib/a.tsp"
    mine.write_bytes(b"edited by hand")
    server.files = {"/a.tsp": b"wrong"}
    code, lines, _ = fetch(tmp_path, [("a", f"{server.base}/a.tsp", GOOD)])
    assert code == 1 and "(the one that was there had another checksum)" in lines[0]
    assert mine.read_bytes() == b"edited by hand"

    server.files = {"/a.tsp": GOOD}
    code, _, directory = fetch(tmp_path, [("a", f"{server.base}/a.tsp", GOOD)])
    assert code == 0 and mine.read_bytes() == GOOD and names(directory) == ["a.tsp"]


@pytest.mark.parametrize("ranges", [True, False])
def test_continues_an_interrupted_download(server, tmp_path, ranges):
    server.files, server.cut = {"/a.tsp": GOOD}, "/a.tsp"
    code, lines, directory = fetch(tmp_path, [("a", f"{server.base}/a.tsp", GOOD)])
    assert code == 1 and "FAILED" in lines[0]
    (part,) = directory.iterdir()
    assert part.suffix == ".part" and part.read_bytes() == GOOD[: len(GOOD) // 2]

    server.cut, server.ranges = None, ranges
    server.requests.clear()
    code, _, directory = fetch(tmp_path, [("a", f"{server.base}/a.tsp", GOOD)])
    assert code == 0 and names(directory) == ["a.tsp"] and (directory / "a.tsp").read_bytes() == GOOD
    resumed = ("/a.tsp", f"bytes={len(GOOD) // 2}-")
    assert server.requests == ([resumed] if ranges else [resumed, ("/a.tsp", None)])


def test_finishes_when_killed_between_download_and_rename(server, tmp_path):
    server.files, server.cut = {"/a.tsp": GOOD}, "/a.tsp"
    _, _, directory = fetch(tmp_path, [("a", f"{server.base}/a.tsp", GOOD)])
    (part,) = directory.iterdir()
    part.write_bytes(GOOD)
    server.cut = None
    code, _, directory = fetch(tmp_path, [("a", f"{server.base}/a.tsp", GOOD)])
    assert code == 0 and names(directory) == ["a.tsp"]


def test_says_when_there_is_no_network(server, tmp_path):
    server.http.shutdown()  # first: a thread that still waits on the socket would keep it open
    server.http.server_close()
    code, lines, directory = fetch(
        tmp_path, [(name, f"{server.base}/{name}.tsp", GOOD) for name in "ab"], "http://no-such-host.invalid/{name}.tsp"
    )
    assert code == 1
    refused = f"FAILED: {server.base[7:]} cannot be reached; no-such-host.invalid cannot be reached"
    assert lines == [
        f"a.tsp: {refused}",
        f"b.tsp: {refused}",
        f"{directory}: 0 downloaded, 0 already there, 2 failed",
        "No server could be reached: there seems to be no network.",
        "In place of a missing file the benchmarks use a generated stand-in, and say so.",
    ]


def test_asks_a_server_that_does_not_answer_only_once(tmp_path, monkeypatch):
    curl = tmp_path / "bin/curl"
    curl.parent.mkdir()
    curl.write_text(f"#!/bin/sh\necho >> {tmp_path}/calls\nexit 28\n")
    curl.chmod(0o755)
    monkeypatch.setenv("PATH", f"{curl.parent}:{os.environ['PATH']}")
    code, lines, _ = fetch(tmp_path, [(name, f"http://slow.invalid/{name}.tsp", GOOD) for name in "abc"])
    assert code == 1 and lines[2] == "c.tsp: FAILED: slow.invalid cannot be reached"
    assert (tmp_path / "calls").read_text() == "\n"


@pytest.mark.parametrize(
    "name, url, fault",
    [
        ("../../evil", "{base}/a.tsp", 'the name "../../evil" cannot be a file\'s name'),
        ("-x", "{base}/a.tsp", 'the name "-x" cannot be a file\'s name'),
        ("a b", "{base}/a.tsp", 'the name "a b" cannot be a file\'s name'),
        ("", "{base}/a.tsp", 'the name "" cannot be a file\'s name'),
        ("a", "file:///etc/passwd", 'the URL "file:///etc/passwd" is not of https or http'),
        ("a", "--output=/tmp/x", 'the URL "--output=/tmp/x" is not of https or http'),
    ],
)
def test_strange_names_and_urls_are_refused(server, tmp_path, name, url, fault):
    server.files = {"/a.tsp": GOOD}
    code, lines, directory = fetch(
        tmp_path, [(name, url.format(base=server.base), GOOD), ("b", f"{server.base}/a.tsp", GOOD)]
    )
    assert code == 1 and lines[0] == f"{tmp_path}/catalogue.csv:2: FAILED: {fault}"
    assert lines[1].startswith("b.tsp: downloaded") and names(directory) == ["b.tsp"] and len(server.requests) == 1


def test_a_mirror_of_another_protocol_is_not_asked(tmp_path):
    (tmp_path / "here.tsp").write_bytes(GOOD)
    code, lines, _ = fetch(
        tmp_path, [("here", "http://no-such-host.invalid/x", GOOD)], f"file://{tmp_path}/{{name}}.tsp"
    )
    assert code == 1 and "FAILED" in lines[0]


def test_a_catalogue_whose_last_line_has_no_end_and_one_that_is_short(server, tmp_path):
    server.files = {"/a.tsp": GOOD}
    digest = hashlib.sha256(GOOD).hexdigest()
    catalogue = tmp_path / "catalogue.csv"
    catalogue.write_text(f"name,url,sha256\nshort\nlast,{server.base}/a.tsp,{digest}")
    done = subprocess.run(
        [FETCH, catalogue, tmp_path / "tsplib"],
        env=dict(os.environ, MIRRORS="", no_proxy="*"),
        text=True,
        capture_output=True,
        timeout=60,
    )
    assert done.returncode == 1 and done.stderr == ""
    assert f'{catalogue}:2: FAILED: the URL "" is not of https or http' in done.stdout
    assert "last.tsp: downloaded" in done.stdout and "1 downloaded, 0 already there, 1 failed" in done.stdout


def test_a_directory_or_a_link_in_the_way(server, tmp_path):
    server.files = {"/a.tsp": GOOD}
    (tmp_path / "tsplib/a.tsp").mkdir(parents=True)
    entries = [("a", f"{server.base}/a.tsp", GOOD)]
    code, lines, directory = fetch(tmp_path, entries)
    assert (
        code == 1
        and lines[0] == f"a.tsp: FAILED: {directory}/a.tsp is a directory"
        and names(directory / "a.tsp") == []
    )
    (directory / "a.tsp").rmdir()
    number = subprocess.run(["cksum"], input=f"{entries[0][1]}\n", capture_output=True, text=True).stdout.split()[0]
    (tmp_path / "mine").write_text("mine")
    for link in (f"a.tsp.{number}.part", f"a.tsp.{number}.part.unpacked"):
        (directory / link).symlink_to(tmp_path / "mine")
    code, _, _ = fetch(tmp_path, entries)
    assert code == 0 and (directory / "a.tsp").read_bytes() == GOOD and (tmp_path / "mine").read_text() == "mine"


def test_a_catalogue_or_directory_that_cannot_be_used(tmp_path):
    done = subprocess.run([FETCH, tmp_path / "absent.csv", tmp_path], capture_output=True, text=True)
    assert done.returncode == 1 and done.stderr == f"{tmp_path}/absent.csv: cannot be read\n"
    (tmp_path / "file").write_text("")
    done = subprocess.run([FETCH, FETCH.parent / "catalogue.csv", tmp_path / "file/x"], capture_output=True, text=True)
    assert done.returncode == 1 and "Not a directory" in done.stderr


def test_the_catalogue_is_whole():
    with open(FETCH.parent / "catalogue.csv", newline="", encoding="utf-8") as file:
        entries = list(csv.DictReader(file))
    assert len(entries) >= 21
    for entry in entries:
        assert len(entry["sha256"]) == 64
        assert entry["url"].startswith("http") and entry["url"].endswith(f"/{entry['name']}.tsp.gz")
