"""Where the code behind a measured row is: its file as it was at the commit that the run was built from.

bench/registry.def says which file an implementation is in. It is read at that commit if git has it, else as it is
today.
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
    """What git prints; None without git, without a repository, or if git reports an error.

    What a run says stands behind --end-of-options, so that it is no option.
    """
    try:
        done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, encoding="utf-8")
    except OSError:
        return None
    return done.stdout if done.returncode == 0 else None


@functools.cache
def repository():
    """The address of the repository, https://host/owner/name; "" if the remote `origin` has no such address."""
    found = REMOTE.fullmatch((git("config", "--get", "remote.origin.url") or "").strip())
    return f"https://{found[1]}/{found[2]}" if found else ""


@functools.cache
def files(commit):
    """{implementation: its file} at a commit; today's files if git does not know the commit."""
    places = (REGISTRY, BEFORE) if commit else ()
    found = (git("show", "--end-of-options", f"{commit}:{place}") for place in places)
    text = next(filter(None, found), None) or (ROOT / REGISTRY).read_text(encoding="utf-8")
    return {f"{operation.replace('_', '-')}/{name}": file for operation, name, file in LINE.findall(text)}


def of_row(row):
    """{"file", "commit", "url"} of a row's code; None if the registry does not know the implementation.

    If no public address of the repository is known, or git does not know the commit, `url` is the path of the file in
    this checkout.
    """
    commit = row["run"].meta.get("build", {}).get("commit", "")
    file = files(commit).get(row["implementation"]) or files("").get(row["implementation"])
    if not file:
        return None
    return {"file": file, "commit": commit, "url": url_of(file, commit)}


def name_of_kernel(path):
    """A kernel's name from the path of its file: operation and file, such as "tsp/race.cu" for kernels/tsp/race.cu.

    Folders between the two do not count, so that code stays known if a file moves within its operation.
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
    """The hash of all kernels of a build, as scripts/build_info computes it: SHA-256 of names and hashes; "" without
    kernels.
    """
    return digest_of(build.get("kernels") or {})


def digest_of(kernels):
    """The SHA-256 of kernels {path or name: hash}; "" without kernels."""
    lines = sorted(f"{name_of_kernel(path)} {digest}\n" for path, digest in kernels.items())
    return hashlib.sha256("".join(lines).encode()).hexdigest() if lines else ""


@functools.cache
def is_there(file, commit):
    """True if git knows the commit, and the commit has the file."""
    return git("cat-file", "-e", "--end-of-options", f"{commit}:{file}") is not None


def url_of(file, commit):
    if repository() and commit and is_there(file, commit):
        return f"{repository()}/blob/{commit}/{file}"
    return file if (ROOT / file).exists() else ""
