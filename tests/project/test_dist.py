"""The archive of a release: what may be in it, that it is alike however it is packed, and its list of parts. `make dist`
itself needs a network, so .github/workflows/release.yml makes it; an archive that lies in build/dist/ is tried here."""

import csv
import json
import os
import re
import subprocess
import sys

import pytest

from support.commands import ROOT

ARCHIVES = sorted((ROOT / "build/dist").glob("antbench-*.tar.xz"))
DEBIAN = ROOT / "packaging/debian"


def run(*command, code=0, **options):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, **options)
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout + done.stderr


def dist(*arguments, **options):
    return run(ROOT / "scripts/dist", *arguments, **options)


# ---- What may be in it ----


def shared_object(path, source, *arguments):
    run("gcc", "-shared", "-fPIC", "-nostdlib", "-x", "c", "-", "-x", "none", *arguments, "-o", path, input=source)
    return path


def user_of(folder, library, version="GLIBC_2.31"):
    """A folder with a program that calls a function of this version of a library."""
    (folder / "elsewhere").mkdir()
    (folder / "version").write_text(f"{version} {{ global: *; }};")
    used = folder / "elsewhere" / library
    shared_object(used, "void f(void) {}", f"-Wl,-soname,{library},--version-script={folder / 'version'}")
    (folder / "released/bin").mkdir(parents=True)
    shared_object(folder / "released/bin/program", "void f(void); void g(void) { f(); }", used)
    (folder / "released/bin/script").write_text("#!/bin/bash\n")
    return folder / "released"


@pytest.mark.parametrize("version, works", [("GLIBC_2.2.5", True), ("GLIBC_2.31", True), ("GLIBC_2.32", False)])
def test_a_program_needs_no_later_glibc(tmp_path, version, works):
    said = dist("check", user_of(tmp_path, "libm.so.6", version), code=0 if works else 1)
    assert said == "" if works else re.search(r"bin/program: needs GLIBC_2\.32, .* is for GLIBC_2\.31\b", said)


def test_a_library_that_a_machine_may_lack_is_beside_the_program(tmp_path):
    released = user_of(tmp_path, "libtbb.so.12")
    assert "bin/program: needs libtbb.so.12, which is not beside it" in dist("check", released, code=1)
    (tmp_path / "elsewhere/libtbb.so.12").rename(released / "bin/libtbb.so.12")
    assert dist("check", released) == ""


def test_a_release_has_a_program(tmp_path):
    assert "no program in it" in dist("check", tmp_path, code=1)


def test_the_linker_gets_what_make_dist_says():
    told = run("make", "-nB", "V=1", "NVCC=", "MPI=", "LDFLAGS=--planted", "build/bin/antbench", cwd=ROOT)
    assert re.search(r"^\S+ -fopenmp --planted -o build/bin/antbench ", told, re.M)


# ---- Packing ----


def packed(folder, names, umask, mtime):
    (folder / "antbench-1/bin").mkdir(parents=True)
    before = os.umask(umask)
    for name in names:
        path = folder / "antbench-1/bin" / name
        path.write_text(name)
        os.utime(path, (mtime, mtime))
    os.umask(before)
    (folder / "antbench-1/link").symlink_to("bin/a")
    dist("pack", folder / "antbench-1", 1_600_000_000)
    return (folder / "antbench-1.tar.xz").read_bytes()


def test_an_archive_does_not_depend_on_who_packs_it_and_when(tmp_path):
    one = packed(tmp_path / "one", ["a", "b", "C"], 0o022, 1)
    assert one == packed(tmp_path / "two", ["C", "b", "a"], 0o077, 1_700_000_000)
    assert one != packed(tmp_path / "three", ["a", "b"], 0o022, 1)
    listed = run("tar", "-tvf", tmp_path / "two/antbench-1.tar.xz", env={**os.environ, "TZ": "UTC"})
    assert re.search(r"^-rw-r--r-- 0/0 +1 2020-09-13 .* antbench-1/bin/C$", listed, re.M)


# ---- Its parts ----

MAP = """Archive member included to satisfy reference by file (symbol)

/usr/lib/x86_64-linux-gnu/libjansson.a(dump.o)
                              build/obj/bench/record/meta.o (json_dumpf)
/sysroot/usr/lib/x86_64-linux-gnu/libc_nonshared.a(stat.oS)
                              build/obj/base/root.o (stat)
/cuda/lib64/libcudart_static.a(a.o)
                              build/cuda/kernels/a.o (cudaMalloc)

LOAD /sysroot/usr/lib/x86_64-linux-gnu/Scrt1.o
LOAD build/obj/bench/antbench.o
LOAD /usr/lib/x86_64-linux-gnu/libcsv.a
"""


@pytest.fixture
def parts(tmp_path):
    """Runs packaging/parts.py on a map."""
    (tmp_path / "a.tar.xz").write_bytes(b"an archive\n")
    texts = tmp_path / "sysroot/usr/share/doc/libc6-dev"
    texts.mkdir(parents=True)
    (texts / "copyright").write_text("the licence of glibc")

    def call(text, *arguments, code=0):
        (tmp_path / "link.map").write_text(text)
        command = [sys.executable, ROOT / "packaging/parts.py", "link.map", "--sysroot", "sysroot", "--cuda", "13.0"]
        return run(*command, *arguments, cwd=tmp_path, code=code)

    return call


def test_the_list_has_what_the_linker_took_and_no_more(parts):
    whole, *linked = json.loads(parts(MAP, "--archive", "a.tar.xz", "--version", "1.2.3", "--epoch", 0))["packages"]
    assert [part["name"] for part in linked] == ["cuda-runtime", "libc6-dev", "libjansson-dev"]
    assert {part["licenseDeclared"] for part in linked} >= {"MIT", "LGPL-2.1-or-later"}
    assert linked[2]["versionInfo"] in run("dpkg-query", "-s", "libjansson-dev") and linked[2]["versionInfo"]
    assert whole["versionInfo"] == "1.2.3" and whole["packageFileName"] == "a.tar.xz"
    assert whole["checksums"][0]["checksumValue"].startswith("4cd36b3c")


def test_the_list_is_one_whole(parts):
    found = json.loads(parts(MAP, "--archive", "a.tar.xz", "--version", "1.2.3", "--epoch", 0))
    ids = [part["SPDXID"] for part in found["packages"]]
    assert len(set(ids)) == len(ids) == 4
    assert [link["relatedSpdxElement"] for link in found["relationships"]] == ids
    assert {link["relationshipType"] for link in found["relationships"][1:]} == {"STATIC_LINK"}
    declared = {word for part in found["packages"] for word in part["licenseDeclared"].split()}
    own = {licence["licenseId"] for licence in found["hasExtractedLicensingInfos"]}
    assert {word for word in declared if word.startswith("LicenseRef-")} == own
    assert found["creationInfo"]["created"] == "1970-01-01T00:00:00Z"


def test_a_library_without_a_licence_is_an_error(parts):
    told = parts(MAP.replace("libjansson.a", "libnowhere.a"), "--licences", "licences", code=1)
    assert re.fullmatch(
        r"\S+/packaging/parts\.csv: no line for \S+/libnowhere\.a, which is linked in: add its licence\n", told
    )


def test_each_part_has_its_licence(parts, tmp_path):
    parts(MAP, "--licences", "licences")
    texts = {path.name: path.read_text() for path in (tmp_path / "licences").iterdir()}
    assert texts.keys() == {"cuda-runtime", "libc6-dev", "libjansson-dev"}
    assert texts["libc6-dev"] == "the licence of glibc" and "Petri Lehtinen" in texts["libjansson-dev"]
    assert "https://docs.nvidia.com/cuda/eula/" in texts["cuda-runtime"]


def test_what_is_downloaded_has_its_hash():
    with open(ROOT / "packaging/parts.csv", encoding="utf-8", newline="") as file:
        lines = list(csv.DictReader(file))
    assert all(line["part"] and line["licence"] for line in lines)
    packages = [line for line in lines if re.search(r"\.(deb|tar\.xz)$", line["source"])]
    assert len(packages) > 3 and all(re.fullmatch("[0-9a-f]{64}", line["sha256"]) for line in packages)


# ---- The whole ----


@pytest.mark.skipif(not ARCHIVES, reason="no archive: make dist")
@pytest.mark.parametrize("archive", ARCHIVES, ids=lambda path: path.name)
def test_an_archive_that_is_here(archive, tmp_path):
    run("tar", "-xf", archive, cwd=tmp_path)
    (folder,) = tmp_path.iterdir()
    assert dist("check", folder) == ""
    assert run(folder / "bin/antbench", "--version").startswith(f"antbench {folder.name.split('-')[1]}")
    listed = json.loads(archive.with_name(f"{archive.name}.spdx.json").read_text())
    names = {part["name"] for part in listed["packages"][1:]}
    assert names == {path.name for path in (folder / "share/doc/antbench/licences").iterdir()}
    assert listed["packages"][0]["checksums"][0]["checksumValue"] in run("sha256sum", archive)
    assert str(ROOT).encode() not in (folder / "lib/antbench/antbench").read_bytes()


def test_the_debian_package_has_the_version_of_the_tree():
    version = (ROOT / "VERSION").read_text().strip()
    assert re.match(rf"antbench \({re.escape(version)}-\d+\) ", (DEBIAN / "changelog").read_text())


def test_the_debian_package_is_built_from_packages_of_packages_txt():
    needed = re.search(r"^Build-Depends: (.*(?:\n .*)*)", (DEBIAN / "control").read_text(), re.M)[1]
    packages = {line.split()[0] for line in (ROOT / "packages.txt").read_text().splitlines() if line.strip()}
    assert set(re.split(r",\s+", needed)) - packages == {"debhelper-compat (= 13)"}
    assert os.access(DEBIAN / "rules", os.X_OK)
