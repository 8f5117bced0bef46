"""The peers: programs that print what the real ones print, and what becomes of it."""

import json
import os

import pytest

from antbench.data import cells, layouts, runs
from antbench.data.command import BadInput
from antbench.tools import peers
from thesis_run import made_row, write_run

ACOTSP = """echo "$*" >> calls
while [ $# -gt 1 ]; do [ "$1" = --tours ] && tours=$2; [ "$1" = --ants ] && ants=$2; shift; done
[ "$ants" -lt 1024 ] || { echo "Error: Option n_ants out of range [1, 1023]" >&2; exit 1; }
echo " t_avgbest = 0.1"
awk -v n=$((tours / ants)) 'BEGIN { printf " t_avgtotal = %f\\n", n * 0.25 }'"""
MMAS = """for word in "$@"; do case $word in --alg=*) alg=${word#--alg=};; --block-warps=*) warps=${word#*=};; esac; done
case $alg:$warps in mmas_wrs_ct:8) ms=0.4;; mmas_wrs_ct*) ms=0.5;; mmas_rwm_lc*) echo "CUDA assertion failed" >&2; exit 35;; *) ms=0.75;; esac
echo "Total time [s]: 1"
echo "Mean iter. time [ms]: $ms" """
ACOGPU = """[ "$9" = 4 ] && usec=$((600 * $6)) || usec=$((900 * $6))
awk -v usec=$usec 'BEGIN { printf "Compute time: %.2f ms %d usec \\n", usec / 1000, usec }'
echo "**** bestTour ****"; echo "  0   2   1 "
echo " ***  d198 50 6400 100 1 $usec 50 4 Y N" >&2"""
PROGRAMS = {"ACOTSP/acotsp": ACOTSP, "GPU-based-MMAS/mmas": MMAS, "AcoTsp/acogpu": ACOGPU}


def put(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/bash\n{text}\n")
    path.chmod(0o755)


@pytest.fixture
def folder(tmp_path):
    """Checkouts, built."""
    for name, text in PROGRAMS.items():
        put(tmp_path / "peers" / name, text)
    return tmp_path / "peers"


@pytest.fixture
def ours(tmp_path, monkeypatch):
    """The run of our own rows, on d198 and on an instance of more cities than ACOTSP takes ants."""
    path = write_run(
        tmp_path / "ours",
        [{**made_row("frontier", "race", x, 1.0, "protocol=as"), "size": n} for x, n in (("d198", 198), ("big", 2392))],
    )
    meta = json.loads((path / "meta.json").read_text())
    meta["inputs"] = [{"name": x, "sha256": "0", "path": f"/tsplib/a folder/{x}.tsp"} for x in ("d198", "big")]
    (path / "meta.json").write_text(json.dumps(meta))
    monkeypatch.setattr(peers, "ours", lambda options: [runs.load_run(path)] * 2)


def measured(folder, out):
    """{(row, instance): the row}, of the run that is left, each checked against its samples."""
    code = peers.main([str(folder), "--out", str(out)])
    run = runs.load_run(out / "peers")
    assert run.processes.keys() == set(map(int, run.rows["line"]))
    return code, run, {(row["row"], row["instance"]): row for row in run.rows.to_dict("records")}


def test_what_they_print_becomes_rows(folder, ours, tmp_path):
    code, run, rows = measured(folder, tmp_path / "out")
    assert code == 0 and run.meta["complete"] and run.driver == "peers"
    assert rows["acotsp", "d198"]["mean_ms"] == pytest.approx(
        250
    )  # seconds of the CPU for a try, of so many iterations
    assert rows["gpu-mmas", "d198"]["mean_ms"] == 0.4
    assert rows["acotsp-gpu", "d198"]["mean_ms"] == pytest.approx(0.6)
    assert all(row["implementation"].startswith("peer/") and row["table"] == "peers" for row in rows.values())
    assert (
        rows["gpu-mmas", "d198"]["processes"] == peers.PROCESSES
        and "not verified here" in rows["gpu-mmas", "d198"]["note"]
    )


def test_the_fastest_choice_is_measured_and_named(folder, ours, tmp_path):
    _, _, rows = measured(folder, tmp_path / "out")
    assert rows["gpu-mmas", "d198"]["params"] == "protocol=mmas;ants=198;alg=mmas_wrs_ct;warps=8"
    assert rows["gpu-mmas-nn", "d198"]["params"] == "protocol=mmas;ants=198;nn=32;alg=mmas_wrs_ct_cl;warps=1"
    assert rows["acotsp-gpu", "d198"]["params"] == "protocol=as;ants=198;warps=4;blocks=50"


def test_ants_iterations_and_seeds_are_what_was_asked_for(folder, ours, tmp_path):
    measured(folder, tmp_path / "out")
    calls = (folder / "ACOTSP/calls").read_text().splitlines()
    of_d198 = [call for call in calls if "d198" in call]
    assert len(of_d198) == 1 + peers.PROCESSES and all(
        "--ants 198 " in call and "--localsearch 0" in call for call in of_d198
    )
    assert [call.split("--seed ")[1].split()[0] for call in of_d198[1:]] == ["1", "2", "3"]
    assert all(call.endswith("--tsplibfile /tsplib/a folder/d198.tsp") for call in of_d198)


def test_one_that_refuses_says_why_and_costs_no_other(folder, ours, tmp_path):
    _, _, rows = measured(folder, tmp_path / "out")
    refused = rows["acotsp", "big"]
    assert (
        refused["status"] == "unsupported" and refused["note"] == "exit 1: Error: Option n_ants out of range [1, 1023]"
    )
    assert rows["gpu-mmas", "big"]["status"] == "ok"


@pytest.mark.parametrize("text, status, note", [
    ("kill -SEGV $$", "error", "signal 11"),
    ("echo nothing", "error", "exit 0: nothing"),
    ("echo ' t_avgtotal = 0.0'", "error", "its output says that an iteration takes 0 ms"),
    ("sleep 5", "timeout", "more than 0.2 s"),
    ("printf '0:\\tbest\\e[1m 5\\n'", "error", "exit 0: 0: best [1m 5"),
    ("echo a tour of {1..999}", "error", f"exit 0: a tour of {' '.join(map(str, range(1, 39)))} ..."),
])  # fmt: skip
def test_one_that_tells_no_time_has_none(folder, ours, tmp_path, monkeypatch, text, status, note):
    monkeypatch.setattr(peers, "LIMIT_S", 0.2 if status == "timeout" else 60)
    put(folder / "ACOTSP/acotsp", f"exec {text}" if status == "timeout" else text)
    row = peers.measure(peers.PEERS[0], folder, {"name": "d198", "n": 198, "path": "d198.tsp"})
    assert row[:2] == (status, note) and row[-1] == []


@pytest.mark.parametrize("more, status, note", [
    ("echo 'Duplicate city: 7'; echo 'Duplicate city: 8'", "wrong", "exit 0: Duplicate city: 7"),
    ("echo 'Shared memory is not enough.'; echo ' *** d198 0 0 N N' >&2; exit 255", "unsupported", "exit 255: Shared memory is not enough."),
])  # fmt: skip
def test_what_tells_of_a_fault_beside_a_time_has_no_time(folder, ours, tmp_path, more, status, note):
    put(folder / "AcoTsp/acogpu", f"{ACOGPU}\n{more}")
    _, _, rows = measured(folder, tmp_path / "out")
    row = rows["acotsp-gpu", "d198"]
    assert (row["status"], row["note"], row["samples"]) == (status, note, 0) and rows["gpu-mmas", "d198"][
        "status"
    ] == "ok"


def test_checkouts_and_the_run_beside_are_named(folder, ours, tmp_path, monkeypatch):
    _, run, _ = measured(folder, tmp_path / "out")
    assert run.meta["beside"] == [runs.load_run(tmp_path / "ours").run_id] * 2
    monkeypatch.setenv("PATH", str(tmp_path))  # no git
    assert (
        peers.checkout_of(peers.GPU_MMAS, folder)["commit"]
        == ""
        != peers.checkout_of(peers.GPU_MMAS, folder)["executable_sha256"]
    )


def test_of_our_own_rows_those_asked_for_are_measured(folder, tmp_path, monkeypatch):
    put(tmp_path / "antbench", f"echo $* > {tmp_path}/asked; exit 2")
    monkeypatch.setattr(peers, "PROGRAM", tmp_path / "antbench")
    for more, told in (([], ""), (["--implementations", "tsp/race*"], " --implementations tsp/race*")):
        with pytest.raises(SystemExit, match="2"):
            peers.main([str(folder), "--out", str(tmp_path / "out"), "--instances", "d198", *more])
        assert (
            tmp_path / "asked"
        ).read_text() == f"frontier --instances d198 --profile quick --out {tmp_path}/out/frontier{told}\n"


def test_a_max_min_ant_system_stands_beside_one_of_ours(folder, tmp_path, monkeypatch):
    """GPU-MMAS is no Ant System: beside it in the report are rows of ours by its rule, which are measured with it."""
    run = write_run(tmp_path / "ours", [made_row("frontier", "race", "d198", 1.0, "protocol=as")])
    put(tmp_path / "antbench", f"echo $* >> {tmp_path}/asked; while [ $1 != --out ]; do shift; done; cp -r {run} $2")
    monkeypatch.setattr(peers, "PROGRAM", tmp_path / "antbench")
    (tmp_path / "out").mkdir()
    peers.main([str(folder), "--out", str(tmp_path / "out"), "--instances", "d198"])
    first, second = (tmp_path / "asked").read_text().splitlines()
    assert first.startswith("frontier ") and second.startswith("improve ") and "--set protocol=mmas" in second
    assert {peer.params.partition(";")[0] for peer in peers.PEERS if peer.program == "mmas"} == {"protocol=mmas"}
    for table in ("frontier-best", "frontier-nn-best"):
        told = [(column["table"], column["row"], column["params"]) for column in layouts.columns()[table]]
        assert any(place == "improve" and params == "protocol=mmas" for place, _, params in told), table


def test_what_is_not_there_is_told_how_to_get(folder, ours, tmp_path):
    os.remove(folder / "AcoTsp/acogpu")
    (folder / "ACOTSP").rename(folder / "elsewhere")
    _, _, rows = measured(folder, tmp_path / "out")
    assert (
        rows["acotsp", "d198"]["note"] == f"no checkout: git clone https://github.com/juherask/ACOTSP {folder}/ACOTSP"
    )
    assert rows["acotsp-gpu", "d198"]["note"].startswith(f"not built: cd {folder}/AcoTsp && ")
    assert rows["gpu-mmas", "d198"]["status"] == "ok"


def test_a_generated_instance_is_no_file(folder, ours, tmp_path, capsys, monkeypatch):
    run = peers.ours(None)[0]
    run.meta["inputs"][1]["path"] = "generated"
    monkeypatch.setattr(peers, "ours", lambda options: [run] * 2)
    _, _, rows = measured(folder, tmp_path / "out")
    assert {instance for _, instance in rows} == {"d198"}
    assert "big: generated, but the peers read files; make instances downloads them" in capsys.readouterr().err


def test_without_a_folder_none_is_taken(capsys):
    with pytest.raises(SystemExit, match="2"):
        peers.main([""])
    assert "name the folder with the checkouts: make bench-peers PEERS=DIR" in capsys.readouterr().err


def test_without_any_nothing_ran(tmp_path, ours):
    (tmp_path / "peers").mkdir()
    assert peers.main([str(tmp_path / "peers"), "--out", str(tmp_path / "out")]) == 77
    with pytest.raises(BadInput, match="PEERS=.*: no such folder; expected a folder with checkouts of https://"):
        peers.main([str(tmp_path / "nowhere")])


def test_they_stand_beside_ours_under_names_of_their_own(folder, ours, tmp_path):
    _, _, _ = measured(folder, tmp_path / "out")
    source = cells.choose(str(tmp_path / "out/peers"))[0]
    beside = [column for column in layouts.columns()["frontier"] if column["table"] == "peers"]
    assert [column["label"] for column in beside] == ["AcoTsp, by its own clock"]
    assert cells.look_up(source, layouts.address(beside[0]), "d198").value == pytest.approx(0.6)
    best = {column["table"] for column in layouts.columns()["frontier-best"]}
    assert best == {"frontier", "improve", "peers"}


def test_their_rows_are_those_of_the_report():
    """report/peers.csv is what make index writes of PEERS."""
    from antbench.data import rows

    assert (cells.REPORT / "peers.csv").read_text() == peers.as_csv(rows.HEADER)
