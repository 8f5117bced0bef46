"""Where the code behind a measured row is: its file as it was at the commit that the run was built from.

Which file an implementation is in says bench/registry.def, that of the commit where git has it, else today's.
"""

import functools
import hashlib
import re
import subprocess

from antbench.data.command import ROOT

REGISTRY, BEFORE = "bench/registry.def", "kernels/registry.def"
LINE = re.compile(r'^(?:CPU|GPU)\((\w+),\s*"([^"]+)",\s*\w+,\s*"([^"]+)"', re.M)
REMOTE = re.compile(r"(?:https?://(?:[^@/]+@)?|ssh://(?:[^@/]+@)?|[^@/:]+@)([\w.-]+)[:/](.+?)(?:\.git)?/?")


def git(*arguments):
    """What git prints; None where there is no git, no repository or no such thing in it.

    What a run says stands behind --end-of-options, so that it is no option.
    """
    try:
        done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, encoding="utf-8")
    except OSError:
        return None
    return done.stdout if done.returncode == 0 else None


@functools.cache
def repository():
    """Where a reader finds the repository, as https://host/owner/name; "" where `origin` is no such place."""
    found = REMOTE.fullmatch((git("config", "--get", "remote.origin.url") or "").strip())
    return f"https://{found[1]}/{found[2]}" if found else ""


@functools.cache
def files(commit):
    """{implementation: its file} at a commit, today's where that is not known."""
    places = (REGISTRY, BEFORE) if commit else ()
    found = (git("show", "--end-of-options", f"{commit}:{place}") for place in places)
    text = next(filter(None, found), None) or (ROOT / REGISTRY).read_text(encoding="utf-8")
    return {f"{operation.replace('_', '-')}/{name}": file for operation, name, file in LINE.findall(text)}


def of_row(row):
    """{"file", "commit", "url"} of a row's code, None where the registry does not know it.

    Without a place where others find the repository, `url` is of the file in this checkout, from its root.
    """
    commit = row["run"].meta.get("build", {}).get("commit", "")
    file = files(commit).get(row["implementation"]) or files("").get(row["implementation"])
    if not file:
        return None
    return {"file": file, "commit": commit, "url": url_of(file, commit)}


def name_of_kernel(path):
    """A file of kernels by its operation and name: "tsp/race.cu" of kernels/tsp/race.cu, in whatever folder of tsp.

    So code stays known where a file moves, and files of one name in two operations stay apart.
    """
    folders = path.removeprefix("kernels/").split("/")
    return f"{folders[0]}/{folders[-1]}"


def kernels_of(build):
    """{name_of_kernel: hash} of a build's device code; "" where two files of an operation have one name."""
    found = {}
    for path, digest in (build.get("kernels") or {}).items():
        name = name_of_kernel(path)
        found[name] = "" if name in found else digest
    return found


def device_code_of(build):
    """What all kernels of a build were compiled to, as scripts/build_info makes it: the SHA-256 of names and hashes.

    Builds of before have stored one that is of the paths too.
    """
    kernels = build.get("kernels")
    if not kernels:
        return build.get("device_code_sha256") or ""
    lines = sorted(f"{name_of_kernel(path)} {digest}\n" for path, digest in kernels.items())
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def url_of(file, commit):
    if repository() and commit:
        return f"{repository()}/blob/{commit}/{file}"
    return file if (ROOT / file).exists() else ""
