"""What is linked into the program of a release, by the linker's own map: the licences, or a list of parts as SPDX 2.3.

    packaging/parts.py link.map --sysroot DIR --cuda VERSION --licences FOLDER
    packaging/parts.py link.map --sysroot DIR --cuda VERSION --archive FILE --version VERSION --epoch TIME

parts.csv has the licence of each part. A part is a package of this Debian, or has a line with `files` or `source`. A file
of the map that belongs to none is an error, so a new library cannot go without its licence.
"""

import argparse
import csv
import datetime
import hashlib
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PARTS = ROOT / "packaging/parts.csv"
EULA = "LicenseRef-NVIDIA-CUDA-EULA"


def linked(text):
    """The files outside of the tree that a map of ld names: archives that it took members of, and objects."""
    archives = re.findall(r"^(/\S+\.a)\(\S+\)", text, re.M)
    objects = re.findall(r"^LOAD (/\S+\.o)$", text, re.M)
    return sorted({*archives, *objects})


def package_of(path):
    """The Debian package of a file; empty without one."""
    done = subprocess.run(["dpkg-query", "--search", path.resolve()], capture_output=True, text=True)
    return re.split(r"[:,]", done.stdout)[0]


def version_of(package):
    shown = ["dpkg-query", "--show", "--showformat=${Version}", package]
    return subprocess.run(shown, capture_output=True, text=True, check=True).stdout


def parts_of(map_text, cuda, table=PARTS):
    """The lines of parts.csv for what is linked, by name, with versions."""
    with open(table, encoding="utf-8", newline="") as file:
        known = {line["part"]: line for line in csv.DictReader(file)}
    by_file = {name: line["part"] for line in known.values() for name in line["files"].split()}
    found = {}
    for path in map(Path, linked(map_text)):
        part = by_file.get(path.name) or package_of(path)
        if part not in known:
            sys.exit(f"{table}: no line for {part or path}, which is linked in: add its licence")
        found[part] = known[part]
    for name, part in found.items():
        part["version"] = part["version"] or (cuda if name == "cuda-runtime" else version_of(name))
    return [found[name] for name in sorted(found)]


def write_licences(parts, sysroot, folder):
    """Leaves each part's licence in a file of its name: the distribution's, or else where it is."""
    folder.mkdir(parents=True, exist_ok=True)
    for part in parts:
        name = part["part"]
        candidates = [top / "usr/share/doc" / name / "copyright" for top in (sysroot, Path("/"))]
        text = next((path for path in candidates if path.is_file()), None)
        if text:
            shutil.copyfile(text, folder / name)
        else:
            (folder / name).write_text(f"{name} {part['version']}: {part['licence']}, {part['source']}\n")


def spdx(parts, archive, version, epoch):
    """The list of parts of an archive, as SPDX 2.3."""
    digest = hashlib.sha256(archive.read_bytes()).hexdigest()
    unknown = {"copyrightText": "NOASSERTION", "licenseConcluded": "NOASSERTION", "filesAnalyzed": False}

    def package(part):
        name, given = part["part"], part["sha256"]
        of_debian = {"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl"}
        of_debian["referenceLocator"] = f"pkg:deb/debian/{name.replace('+', '%2B')}@{part['version']}?arch=amd64"
        return {
            "SPDXID": f"SPDXRef-{re.sub('[^a-zA-Z0-9.-]', '-', name)}",
            "name": name,
            "versionInfo": part["version"],
            "downloadLocation": part["source"] if "://" in part["source"] else "NOASSERTION",
            "licenseDeclared": part["licence"],
            **unknown,
            **({"checksums": [{"algorithm": "SHA256", "checksumValue": given}]} if given else {}),
            **({} if name == "antbench" or "://" in part["source"] else {"externalRefs": [of_debian]}),
        }

    packages = [package(part) for part in parts]
    whole = {
        "part": "antbench", "version": version, "source": "", "licence": "MIT", "sha256": digest
    }  # fmt: skip
    described = {"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES"}
    return {
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT",
        "name": archive.name,
        "documentNamespace": f"https://spdx.org/spdxdocs/{archive.name}-{digest}",
        "creationInfo": {
            "created": datetime.datetime.fromtimestamp(epoch, datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "creators": ["Tool: packaging/parts.py"],
        },
        "packages": [{**package(whole), "packageFileName": archive.name}, *packages],
        "relationships": [
            {**described, "relatedSpdxElement": "SPDXRef-antbench"},
            *(
                {
                    "spdxElementId": "SPDXRef-antbench",
                    "relationshipType": "STATIC_LINK",
                    "relatedSpdxElement": package["SPDXID"],
                }
                for package in packages
            ),
        ],
        "hasExtractedLicensingInfos": [
            {"licenseId": EULA, "extractedText": part["source"], "name": "NVIDIA's licence of CUDA"}
            for part in parts
            if part["licence"] == EULA
        ],
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("map", type=Path, help="what ld -Map has written")
    parser.add_argument("--sysroot", type=Path, required=True, help="folder with the unpacked packages of parts.csv")
    parser.add_argument("--cuda", default="", help="version of the CUDA runtime")
    parser.add_argument("--licences", type=Path, metavar="FOLDER", help="write licences there")
    parser.add_argument("--archive", type=Path, help="print the list of parts of this archive")
    parser.add_argument("--version", help="of the program")
    parser.add_argument("--epoch", type=int, help="seconds since 1970 of the commit")
    given = parser.parse_args()
    parts = parts_of(given.map.read_text(encoding="utf-8"), given.cuda)
    if given.licences:
        write_licences(parts, given.sysroot, given.licences)
    if given.archive:
        print(json.dumps(spdx(parts, given.archive, given.version, given.epoch), indent=1))


if __name__ == "__main__":
    main()
