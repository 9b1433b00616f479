# SPDX-License-Identifier: BSD-3-Clause
"""Fetches the source of programs that are installed without their tests, in the version installed.

Nothing is fetched twice. Everything lies below .programs, which git ignores. What apt fetches it
compares with the checksums that Debian has signed; pip compares with those of its index.
"""

import re
import shutil
import subprocess
import tarfile
from pathlib import Path
from typing import List

from jobs import ROOT

KEPT = ROOT / ".programs"
KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"


class Missing(Exception):
    """What a program needs is not here, and why."""


def run(words: List[str], folder: Path, what: str) -> str:
    """A command whose failure means that `what` is missing; all it printed."""
    try:
        answer = subprocess.run(words, cwd=str(folder), text=True, stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)
    except OSError as error:
        raise Missing("%s: %s" % (what, error))
    if answer.returncode != 0:
        print(answer.stdout[-4000:])
        raise Missing("%s: `%s` failed; its output is above" % (what, " ".join(words[:3])))
    return answer.stdout


def source_version(package: str) -> str:
    """Of the source that an installed Debian package was built from; "" if it is not there."""
    if not shutil.which("dpkg-query"):
        return ""
    answer = subprocess.run(["dpkg-query", "-W", "-f", "${db:Status-Abbrev} ${source:Version}",
                             package], text=True, capture_output=True)
    words = answer.stdout.split()
    return words[1] if answer.returncode == 0 and len(words) == 2 and words[0] == "ii" else ""


def apt_options(folder: Path) -> List[str]:
    """An apt of its own that knows the system's Debian archives as archives of sources, so that
    the system's lists stay as they are."""
    told = run(["apt-get", "indextargets", "--format", "$(ORIGIN)|$(REPO_URI)|$(CODENAME)",
                "Created-By: Packages"], folder, "Debian's archive")
    lines = sorted({"deb-src [signed-by=%s] %s %s main\n" % (KEYRING, site, suite)
                    for origin, site, suite in (line.split("|") for line in told.splitlines())
                    if origin == "Debian"})
    if not lines:
        raise Missing("apt knows no archive of Debian here (apt-get update makes it look)")
    (folder / "lists").mkdir(exist_ok=True)
    (folder / "archives.list").write_text("".join(lines))
    return ["-qq", "-o", "Dir::Etc::SourceList=%s" % (folder / "archives.list"),
            "-o", "Dir::Etc::SourceParts=/dev/null",
            "-o", "Dir::State::Lists=%s" % (folder / "lists"),
            "-o", "Dir::Cache::pkgcache=", "-o", "Dir::Cache::srcpkgcache=",
            "-o", "APT::Sandbox::User=root"]


def fetch(source: str, version: str, what: str, wanted: str) -> Path:
    """A folder with the upstream tar, in that version or, if it is "", the newest."""
    fetching = KEPT / "fetching"
    shutil.rmtree(fetching, ignore_errors=True)
    fetching.mkdir(parents=True)
    print("programs: fetching %s" % what, flush=True)
    options = apt_options(fetching)
    run(["apt-get"] + options + ["update"], fetching, what)
    run(["apt-get"] + options + ["source", "--download-only", "--tar-only",
                                 "%s=%s" % (source, version) if version else source],
        fetching, what)
    if not list(fetching.glob(wanted)):
        raise Missing("%s: no %s came" % (what, wanted))
    return fetching


def tar_in(folder: Path, wanted: str) -> Path:
    return next(tar for tar in folder.glob(wanted) if tar.suffix != ".asc")


def newest_debian_source(source: str) -> Path:
    """The upstream tar of a source package that nothing installed is built from."""
    folder, wanted = KEPT / ("%s-newest" % source), "%s_*.orig.tar.*" % source
    if not folder.exists():
        what = "the source package %s (is there a network?)" % source
        fetch(source, "", what, wanted).rename(folder)
    return tar_in(folder, wanted)


def debian_source(source: str, package: str) -> Path:
    """The upstream tar of a source package, of the version that `package` is installed in."""
    version = source_version(package)
    if not version:
        raise Missing("Debian's package %s is not installed (./dev setup)" % package)
    folder = KEPT / ("%s-%s" % (source, version.replace(":", "_")))
    wanted = "%s_%s.orig.tar.*" % (source, re.sub(r"-[^-]*$", "", version.split(":")[-1]))
    if not list(folder.glob(wanted)):
        what = "the source package %s %s (is there a network?)" % (source, version)
        fetch(source, version, what, wanted).rename(folder)
    return tar_in(folder, wanted)


def python_source(python: str, package: str) -> Path:
    """The unpacked source distribution of a package, in the version that a Python has."""
    asked = "import importlib.metadata as m; print(m.version('%s'))" % package
    version = run([python, "-c", asked], ROOT, package).strip()
    folder = KEPT / ("%s-%s" % (package, version))
    if not folder.exists():
        fetching = KEPT / "fetching"
        shutil.rmtree(fetching, ignore_errors=True)
        fetching.mkdir(parents=True)
        print("programs: fetching the source of %s %s" % (package, version), flush=True)
        run([python, "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary", package,
             "--disable-pip-version-check", "%s==%s" % (package, version)], fetching,
            "the source of %s %s (is there a network?)" % (package, version))
        unpack(fetching / ("%s-%s.tar.gz" % (package, version)), fetching, "")
        (fetching / folder.name).rename(folder)
    return folder


def unpack(tar: Path, into: Path, only: str) -> None:
    """What lies in folders whose names hold `only`."""
    if not tar.exists():
        raise Missing("%s was not fetched" % tar.name)
    with tarfile.open(str(tar)) as content:
        members = [member for member in content if only in member.name]
        if hasattr(tarfile, "data_filter"):
            content.extractall(str(into), members, filter="data")
        else:
            content.extractall(str(into), members)
