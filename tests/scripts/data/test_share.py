"""Runs that are given away: what is in the archive, what is not, and what is refused."""

import gzip
import io
import json
import lzma
import os
import shutil
import tarfile
from pathlib import Path

import numpy as np
import pytest

from antbench.data import archive, machines, runs, share
from antbench.data.command import BadInput
from antbench.show import compare, gpus
from antbench.tools import list_runs, results_check
from thesis_run import made_row, write_run

DATA = Path(__file__).resolve().parents[2] / "data/runs"
HOST, UUID, BUS = "secret-host", "GPU-51671b69-27cf-8c7c-ee73-83c17718794c", "0000:a1:00.0"
ID = "nvidia-h100-80gb-hbm3/20260101T000000Z-abcdef1"
NOTE = f"read /home/someone/data/d198.tsp and ~/data/more.tsp on {HOST}; {UUID}; tsp/ds-roulette of 512/768"


def meta_of(path):
    return json.loads((path / "meta.json").read_text())


@pytest.fixture
def private(tmp_path):
    """A run that says all that a run may say of whose it is."""
    run = Path(shutil.copytree(DATA / "newer", tmp_path / "private"))
    old_id, meta = meta_of(run)["run_id"], meta_of(run)
    meta["run_id"] = ID
    meta["command_line"] = [
        "/home/someone/antbench/build/bin/antbench",
        "3.3",
        "--out",
        "/home/someone/results/3.3",
        "--save=../private/images",
        "--verified",
        "/tmp/antbench-verified-x/3.3",
    ]
    meta["machine"]["host_name"] = HOST
    meta["devices"][0].update(uuid=UUID, pci_bus_id=BUS)
    meta["doctor"] = [
        {"what": "MIG", "verdict": "will spoil", "value": f"on {HOST}", "advice": f"nvidia-smi -i {BUS} -mig 0"}
    ]
    meta["inputs"] = [{"name": "d198", "sha256": "0" * 64, "path": "/home/someone/tsplib/d198.tsp"}]
    meta["build"]["cflags"] = "-O3 -I/home/someone/include -Ibuild/gen"
    meta["options"]["profile"], meta["complete"] = "quick", True
    (run / "meta.json").write_text(json.dumps(meta))
    table = run / "table-3.3.csv"
    header, first, *lines = table.read_text().replace(old_id, ID).splitlines()
    table.write_text("\n".join([header, f"{first}; {NOTE}", *lines]) + "\n")
    (run / "images").mkdir()
    return run


def shared(run, out):
    assert share.main([str(run), "--out", str(out)]) == 0
    (path,) = out.glob("*.tar.gz")
    return path


def contents(path):
    """{name inside: text} of an archive, samples unpacked."""
    with tarfile.open(path) as tar:
        found = {member.name: tar.extractfile(member).read() for member in tar}
    return {name: (lzma.decompress(data) if name.endswith(".xz") else data).decode() for name, data in found.items()}


def test_nothing_private_is_in_the_archive(private, tmp_path):
    path = shared(private, tmp_path / "out")
    assert path.name == f"{ID.replace('/', '-')}.tar.gz"
    found = contents(path)
    assert set(found) == {f"{ID}/meta.json", f"{ID}/table-3.3.csv", f"{ID}/samples.csv.xz"}
    everything = "\n".join([*found, *found.values(), gzip.decompress(path.read_bytes()).decode("latin-1")])
    for secret in (HOST, UUID, UUID[4:12], BUS, "someone", "/home", str(private.parent), "private", "~/"):
        assert secret not in everything, secret


def change_host(run, name):
    meta = meta_of(run)
    meta["machine"]["host_name"] = name
    (run / "meta.json").write_text(json.dumps(meta))


STORED = runs.RESULTS / "reference/nvidia-h200/20261129T192200Z-03881adb-jpdc-3.3"
WORDS = (
    "cuda thesis nvidia loads quality ok deposit jpdc jpdc-3.3 antbench d198 auto host NVIDIA H200 Xeon memory clock 1"
)


@pytest.mark.parametrize("host", WORDS.split())
def test_a_host_called_like_a_word_of_the_benchmark_changes_no_data(tmp_path, host):
    run = Path(shutil.copytree(STORED, tmp_path / "run"))
    change_host(run, host)
    own, (given,) = runs.load_run(run), runs.load_runs(shared(run, tmp_path / "out"))
    columns = [name for name in runs.HEADER if name != "note"]
    assert given.rows[columns].equals(own.rows[columns]) and given.run_id == own.run_id
    for name in ("program", "options", "processes", "started_utc"):
        assert given.meta[name] == own.meta[name], name
    assert given.driver == own.driver and given.meta["command_line"][:6] == own.meta["command_line"][:6]
    assert [each["name"] for each in given.meta["inputs"]] == [each["name"] for each in own.meta["inputs"]]
    assert given.meta["devices"][0]["name"] == own.meta["devices"][0]["name"]
    for name in ("name", "cpu", "os"):
        assert given.meta["machine"][name] == own.meta["machine"][name], name
    for given_one, own_one in zip(given.meta["doctor"], own.meta["doctor"]):
        assert (given_one["what"], given_one["verdict"]) == (own_one["what"], own_one["verdict"])


def test_a_folder_called_like_the_host_is_not_told(private, tmp_path):
    meta = meta_of(private)
    meta["command_line"] = ["antbench", "3.3", "--out", f"/home/someone/{HOST}-3.3", f"--save=images/{HOST}"]
    meta["machine"]["kernel"] = f"Linux 6.1.0-{HOST} x86_64"
    meta["inputs"][0]["path"] = f"/home/someone/{HOST}.tsp"
    (private / "meta.json").write_text(json.dumps(meta))
    found = contents(shared(private, tmp_path / "out"))
    assert HOST not in "".join(found.values())
    meta = json.loads(found[f"{ID}/meta.json"])
    assert meta["command_line"] == ["antbench", "3.3", "--out", "host-3.3", "--save=host"]


def test_patterns_of_rows_are_no_paths(private, tmp_path):
    rows = ["3.3/race", "*/*/pr1002", "[3-4].3/race/pr1002"]
    options = {**meta_of(private)["options"], "rows": rows}
    change_meta(private, options=options, command_line=["antbench", "3.3", "--rows", ",".join(rows)])
    (given,) = runs.load_runs(shared(private, tmp_path / "out"))
    assert given.meta["options"]["rows"] == rows and given.meta["command_line"][3] == ",".join(rows)


def test_fingerprints_stay(private, tmp_path):
    own, (given,) = runs.load_run(private), runs.load_runs(shared(private, tmp_path / "out"))
    assert machines.gpus_of(given) == machines.gpus_of(own) == (own.device["fingerprint"],)
    assert machines.host_of(given) == machines.host_of(own) == own.meta["machine"]["fingerprint"]


def test_what_is_told_of_the_run_stays(private, tmp_path):
    found = contents(shared(private, tmp_path / "out"))
    meta = json.loads(found[f"{ID}/meta.json"])
    assert meta["command_line"] == ["antbench", "3.3", "--out", "3.3", "--save=images", "--verified", "3.3"]
    assert meta["inputs"][0] == {"name": "d198", "sha256": "0" * 64, "path": "d198.tsp"}
    assert meta["build"]["cflags"] == "-O3 -Iinclude -Ibuild/gen"
    assert meta["doctor"][0] == {
        "what": "MIG", "verdict": "will spoil", "value": "on host", "advice": "nvidia-smi -i host -mig 0"
    }  # fmt: skip
    assert meta["devices"][0]["name"] == "NVIDIA H100 80GB HBM3" and meta["devices"][0]["sm_count"] == 132
    assert "read d198.tsp and more.tsp on host; GPU; tsp/ds-roulette of 512/768" in found[f"{ID}/table-3.3.csv"]


def test_an_archive_is_a_run_like_its_directory(private, tmp_path, capsys):
    path = shared(private, tmp_path / "out")
    (run,), (again,) = runs.load_runs(private), runs.load_runs(path)
    assert again.rows[runs.NUMBERS].equals(run.rows[runs.NUMBERS])
    assert all(
        np.array_equal(again.all_samples[line], of_line, equal_nan=True) for line, of_line in run.all_samples.items()
    )
    assert compare.main([str(path), str(private)]) == 0 and "5 cells of both, 0 of A alone" in capsys.readouterr().out
    assert list_runs.main([str(path)]) == 0
    assert results_check.main([str(path)]) == 0
    said = capsys.readouterr().out
    assert f"{ID}: 5 rows" in said and "commit a4f6415" in said and "1 runs, 0 broken" in said


def test_the_same_run_gives_the_same_bytes(private, tmp_path):
    assert shared(private, tmp_path / "a").read_bytes() == shared(private, tmp_path / "b").read_bytes()


def test_two_runs_that_began_in_one_second_are_two_archives(private, tmp_path):
    folder = tmp_path / "both"
    for name in ("gpu-0", "gpu-1"):
        shutil.copytree(private, folder / name)
    change_meta(folder / "gpu-1", exit_code=4)
    assert share.main([str(folder), "--out", str(tmp_path / "out")]) == 0
    archives = sorted((tmp_path / "out").iterdir(), key=lambda path: len(path.name))
    (first,), (second,) = map(runs.load_runs, archives)
    assert [first.run_id, second.run_id] == [ID, f"{ID}-b"]
    assert set(second.rows["run_id"]) == {f"{ID}-b"} and len(second.rows) == len(first.rows)
    assert [first.meta["exit_code"], second.meta["exit_code"]] == [0, 4]
    assert share.fault(second) is None


def test_samples_are_small(tmp_path):
    stored = runs.RESULTS / "reference/nvidia-h100-80gb-hbm3/20261126T112914Z-c8d43aae-jsc-5"
    whole = sum(len(runs.content(path)) for path in stored.iterdir())
    assert shared(stored, tmp_path).stat().st_size < whole / 5


def test_results_check_compresses_what_is_to_be_stored(private, capsys):
    """The samples stay what they are; a run that is not fine is left as it is."""
    samples = (private / "samples.csv").read_bytes()
    assert results_check.main([str(private)]) == 0 and (private / "samples.csv").is_file()
    assert results_check.main([str(private), "--compress"]) == 0 and "compressed" in capsys.readouterr().out
    assert not (private / "samples.csv").exists()
    assert runs.content(private / "samples.csv.xz") == samples
    assert results_check.main([str(private), "--compress"]) == 0
    (private / "samples.csv").write_bytes(samples[:-20])
    (private / "samples.csv.xz").unlink()
    assert results_check.main([str(private), "--compress"]) == 2 and (private / "samples.csv").is_file()


def test_every_stored_run_is_compressed():
    """make results-check RUN=results/reference/MACHINE/ID ARGS=--compress does it."""
    assert not list((runs.RESULTS / "reference").rglob("samples.csv"))
    assert list((runs.RESULTS / "reference").rglob("samples.csv.xz"))


def test_no_stored_run_names_a_host_a_gpu_or_a_path():
    """make share takes them out; what it unpacks to is stored."""
    stored = runs.load_below(runs.RESULTS / "reference")
    assert stored and {run.run_id: share.leak(run) for run in stored if share.leak(run)} == {}


def test_a_link_in_the_place_of_an_archive_is_not_followed(private, tmp_path):
    """As a file that is written anew it has the permissions that the umask gives; nothing else is left."""
    (tmp_path / "victim").write_text("precious")
    (tmp_path / "out").mkdir()
    path = tmp_path / "out" / f"{ID.replace('/', '-')}{archive.ENDING}"
    path.symlink_to(tmp_path / "victim")
    assert shared(private, tmp_path / "out") == path and list(path.parent.iterdir()) == [path]
    assert (tmp_path / "victim").read_text() == "precious" and not path.is_symlink()
    (tmp_path / "usual").write_text("")
    assert path.stat().st_mode == (tmp_path / "usual").stat().st_mode
    (private / "samples.csv.xz.new").symlink_to(tmp_path / "victim")
    archive.compress(private)
    assert (tmp_path / "victim").read_text() == "precious" and (private / "samples.csv.xz").is_file()


# ---- What is known of the code ----


def test_code_is_known_or_said_to_be_unknown(tmp_path, monkeypatch):
    stored = runs.load_run(runs.RESULTS / "reference/nvidia-h100-80gb-hbm3/20261126T112914Z-c8d43aae-jsc-5")
    monkeypatch.setattr(share, "is_known", lambda commit: commit == "c8d43aae")
    assert (
        share.code_of(stored, {stored.device_code: stored.run_id})
        == f"says that it is of commit c8d43aae, unverified; says that its device code is as in {stored.run_id}"
    )
    told = share.code_of(stored, {})
    assert told.endswith(f"; says that its device code is {stored.device_code[:12]}, of no stored run")
    assert stored.device_code in share.known_code()
    stored.meta["build"].update(commit="0000000", dirty=False)
    assert share.code_of(stored, {}).startswith("says that it is of commit 0000000, unverified and unknown here; ")
    stored.meta["build"]["dirty"] = True
    assert share.code_of(stored, {}).startswith(
        "says that it is of commit 0000000 with changes, unverified and unknown here; "
    )


def test_only_a_commit_of_this_history_is_known():
    assert not share.is_known("0000000") and not share.is_known("--help") and not share.is_known("HEAD; ls")


# ---- What is refused ----


def change_meta(run, **changes):
    meta = meta_of(run)
    for name, value in changes.items():
        (meta["options"] if name in meta["options"] else meta)[name] = value
    (run / "meta.json").write_text(json.dumps(meta))


@pytest.mark.parametrize(
    "changes, why",
    [
        ({"complete": False}, "it is unfinished; RESUME=1 finishes it"),
        ({"profile": "smoke"}, "its profile is smoke; expected quick or thesis"),
    ],
)
def test_runs_of_no_use_are_refused(private, tmp_path, changes, why):
    change_meta(private, **changes)
    with pytest.raises(BadInput, match=why):
        share.main([str(private), "--out", str(tmp_path / "out")])
    assert not list(tmp_path.glob("out/*"))


def name_input(meta):
    meta["inputs"].append({"name": f"{HOST}-roads", "sha256": "0" * 64, "path": "roads.tsp"})


@pytest.mark.parametrize(
    "spoil",
    [
        name_input,
        lambda meta: meta["options"].update(instances=["d198", f"/home/someone/{HOST}.tsp"]),
        lambda meta: meta["options"].update(rows=[f"3.3/race/{HOST}"]),
        lambda meta: meta["command_line"].__setitem__(0, f"bin/{HOST}"),
    ],
)
def test_an_input_called_like_the_host_is_refused(private, tmp_path, spoil):
    meta = meta_of(private)
    spoil(meta)
    (private / "meta.json").write_text(json.dumps(meta))
    with pytest.raises(BadInput, match=f'cannot be shared: ".*{HOST}.*" names the host or the GPU; give the input'):
        share.main([str(private), "--out", str(tmp_path / "out")])
    assert not list(tmp_path.glob("out/*"))


def test_a_note_that_tells_of_an_input_is_not_changed(private, tmp_path):
    change_host(private, "d198")
    table = private / "table-3.3.csv"
    table.write_text(table.read_text().replace(NOTE, "generated stand-in for d198"))
    with pytest.raises(BadInput, match="its archive has different"):
        share.main([str(private), "--out", str(tmp_path / "out")])
    assert not list(tmp_path.glob("out/*"))


@pytest.mark.parametrize("name", ["clean_table", "clean_meta"])
def test_an_archive_of_other_words_is_refused(private, tmp_path, monkeypatch, name):
    of = getattr(share, name)

    def spoilt(what, secrets, *others):
        found = of(what, secrets, *others)
        if isinstance(found, bytes):
            return found.replace(b"as-best", b"as-host")
        if secrets:
            found["options"]["backend"] = "cpu"
        return found

    monkeypatch.setattr(share, name, spoilt)
    with pytest.raises(BadInput, match="its archive has different"):
        share.main([str(private), "--out", str(tmp_path / "out")])
    assert not list(tmp_path.glob("out/*"))


def test_a_run_that_is_not_what_its_samples_say_is_refused(private, tmp_path):
    samples = private / "samples.csv"
    lines = samples.read_text().splitlines()
    samples.write_text("\n".join([lines[0], lines[1].replace(lines[1].split(",")[-2], "99"), *lines[2:]]) + "\n")
    with pytest.raises(BadInput, match="but its samples give"):
        share.main([str(private), "--out", str(tmp_path / "out")])


@pytest.fixture
def contributed(private, tmp_path, monkeypatch):
    """results/ of a repository to which that run was contributed: the run's folder there."""
    monkeypatch.setattr(runs, "RESULTS", tmp_path / "results")
    with tarfile.open(shared(private, tmp_path / "out")) as tar:
        tar.extractall(tmp_path / "results/contributed")
    return tmp_path / "results/contributed" / ID


def test_a_contributed_run_is_checked_and_shown_and_is_no_stored_one(contributed, capsys):
    assert results_check.main([]) == 0
    assert f"{ID}: 5 rows" in capsys.readouterr().out
    (told,) = share.contributed()
    assert (told["run"], told["gpu"], told["tables"]) == (ID, "NVIDIA H100 80GB HBM3", "3.3 3.4")
    assert runs.resolve(f"contributed/{ID}") == contributed and runs.find_runs() == []
    with pytest.raises(BadInput, match=f"did you mean contributed/{ID.split('/')[0]}"):
        runs.resolve(ID.split("/")[0])


@pytest.mark.parametrize(
    "spoil, why",
    [
        (lambda meta: meta["machine"].update(host_name=HOST), f'meta.json names the host or the GPU: "{HOST}"'),
        (lambda meta: meta["devices"][0].update(uuid=UUID), f'meta.json names the host or the GPU: "{UUID}"'),
        (
            lambda meta: meta["command_line"].append("/home/someone/out"),
            'it contains a path or a UUID: "/home/someone/out"',
        ),
        (lambda meta: meta.update(complete=False), "it is unfinished"),
    ],
)
def test_a_contributed_run_that_was_not_shared_is_broken(contributed, capsys, spoil, why):
    meta = meta_of(contributed)
    spoil(meta)
    (contributed / "meta.json").write_text(json.dumps(meta))
    assert results_check.main([]) == 2
    assert why in capsys.readouterr().out


def test_a_contributed_run_in_the_place_of_another_is_broken(contributed, capsys):
    contributed.rename(contributed.parent / "other")
    assert results_check.main([]) == 2
    assert f"its run_id is {ID}, but it lies in {ID.split('/')[0]}/other" in capsys.readouterr().out


# ---- An archive as it was given ----


@pytest.fixture
def given(private, tmp_path, monkeypatch):
    """results/ of a repository to which that run was contributed as one file: the file there."""
    monkeypatch.setattr(runs, "RESULTS", tmp_path / "results")
    (tmp_path / "results/contributed").mkdir(parents=True)
    return shared(private, tmp_path / "results/contributed")


def test_an_archive_in_contributed_is_a_contributed_run(given, capsys):
    assert results_check.main([]) == 0
    said = capsys.readouterr().out
    assert f"{given}/{ID}: 5 rows" in said and "says that it is of commit a4f6415, unverified" in said
    (told,) = share.contributed()
    assert (told["run"], told["gpu"], told["tables"]) == (ID, "NVIDIA H100 80GB HBM3", "3.3 3.4")
    assert [gpu.label for gpu in gpus.measured_gpus()] == ["H100 (contributed)"] and runs.find_runs() == []
    assert list_runs.main([]) == 0
    listed = capsys.readouterr().out.splitlines()[1].split()
    assert listed[:2] == [f"contributed/{given.name}", "contributed"]
    (run,) = runs.load_runs(listed[0])
    assert run.run_id == ID and runs.commit_of(run).endswith(", unverified") and given.is_file()


def test_an_archive_is_unpacked_again_only_if_it_has_changed(given, private, tmp_path):
    before = archive.unpacked(given)
    assert archive.unpacked(given) == before
    os.utime(given, ns=(1, 1))
    assert archive.unpacked(given) != before


def test_an_archive_of_another_name_is_broken(given, capsys):
    given.rename(given.with_name("mine.tar.gz"))
    assert results_check.main([]) == 2
    assert f"mine.tar.gz/{ID}: its archive is mine.tar.gz; expected {given.name}" in capsys.readouterr().out


def test_a_run_that_is_given_twice_is_broken(given, capsys):
    with tarfile.open(given) as tar:
        tar.extractall(given.parent)
    assert results_check.main([]) == 2
    said = capsys.readouterr().out
    assert f"it is there twice; the other one is {given.parent / ID}" in said or f"is {given}/{ID}" in said
    assert "2 runs, 1 broken" in said


def test_a_broken_archive_in_contributed_is_one_line(given):
    given.write_bytes(given.read_bytes()[:-20])
    with pytest.raises(BadInput, match=f"^{given}: no archive of a run: cut short"):
        results_check.main([])


def packed(path, *members):
    """An archive of any members: (TarInfo, bytes)."""
    with tarfile.open(path, "w:gz") as tar:
        for member, data in members:
            member.size = len(data) if member.isfile() else 0
            tar.addfile(member, io.BytesIO(data))
    return path


@pytest.mark.parametrize("name", ["../meta.json", "/etc/meta.json", "a/b/c/meta.json", "a/b/run.sh", "a/../meta.json"])
def test_an_archive_with_other_files_is_refused(tmp_path, name):
    path = packed(tmp_path / "x.tar.gz", (tarfile.TarInfo(name), b"{}"))
    with pytest.raises(BadInput, match=f"x.tar.gz: holds '{name}', which is no file of a run"):
        runs.resolve(path)


def test_an_archive_with_a_link_is_refused(tmp_path):
    link = tarfile.TarInfo("a/b/meta.json")
    link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
    with pytest.raises(BadInput, match="which is no file of a run"):
        runs.resolve(packed(tmp_path / "x.tar.gz", (link, b"")))


def test_bombs_are_refused(tmp_path, monkeypatch, private):
    monkeypatch.setattr(archive, "LARGEST", 100)
    with pytest.raises(BadInput, match="holds more than"):
        runs.resolve(packed(tmp_path / "x.tar.gz", (tarfile.TarInfo("a/b/meta.json"), b" " * 101)))
    (private / "samples.csv").unlink()
    (private / "samples.csv.xz").write_bytes(lzma.compress(b"0" * 5000))
    monkeypatch.setattr(runs, "LARGEST_SAMPLES", 4999)
    with pytest.raises(BadInput, match="samples.csv.xz: holds more than"):
        _ = runs.load_run(private).processes


@pytest.mark.parametrize("data", [b"", b"no archive", gzip.compress(b"no tar"), gzip.compress(b"no tar" * 1000)[:40]])
def test_what_is_no_archive_is_one_line(tmp_path, data):
    (tmp_path / "x.tar.gz").write_bytes(data)
    with pytest.raises(BadInput, match="x.tar.gz: no archive of a run"):
        runs.resolve(tmp_path / "x.tar.gz")


def test_broken_compression_is_one_line(private):
    (private / "samples.csv").unlink()
    (private / "samples.csv.xz").write_bytes(b"no xz")
    with pytest.raises(BadInput, match="samples.csv.xz: not compressed by xz"):
        _ = runs.load_run(private).processes


def test_the_report_has_a_section_of_contributed_runs(tmp_path, monkeypatch):
    from antbench.show import report

    pytest.importorskip("jinja2")
    run = write_run(tmp_path / "run", [made_row("3.3", "ds-roulette", "d198", 1.0, "protocol=as-best")])
    monkeypatch.setattr(
        share,
        "contributed",
        lambda: [dict(run=ID, gpu="A GPU", cpu="A <CPU>", tables="3.3", profile="quick", date="2026", code="x|y")],
    )
    assert report.main(["--run", str(run), "--out", str(tmp_path / "out")]) == 0
    page, markdown = ((tmp_path / "out" / name).read_text() for name in ("index.html", "report.md"))
    assert '<section id="contributed">' in page and "A &lt;CPU&gt;" in page and 'href="#contributed"' in page
    assert f"| {ID} | A GPU | A &lt;CPU&gt; | 3.3 | quick | 2026 | x\\|y |" in markdown


def test_one_process_of_a_run_is_refused(private, tmp_path):
    change_meta(private)
    meta = meta_of(private)
    meta["options"].update(process=2, processes=3)
    (private / "meta.json").write_text(json.dumps(meta))
    with pytest.raises(BadInput, match="one process's part of a run"):
        share.main([str(private), "--out", str(tmp_path / "out")])
