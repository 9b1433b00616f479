# SPDX-License-Identifier: BSD-3-Clause
"""Real programs built from unmodified sources, to be run as processes and as threads.

MPICH's compilers for the ABI of MPI 5.0 build each; so one binary runs under MPICH, and with our
MPI under `terrace run`. What is built stays below .programs.
"""

import hashlib
import os
import shutil
from pathlib import Path
from typing import List

import sources
from jobs import ROOT
from sources import KEPT, Missing

BIN = ROOT / ".peers" / "mpich" / "bin"
CC, CXX = BIN / "mpicc_abi", BIN / "mpicxx_abi"


def make(words: List[str], folder: Path, what: str) -> None:
    sources.run(words + ["-j%d" % len(os.sched_getaffinity(0))], folder, what)


def place_for(source: str, tar: Path, recipe: str) -> Path:
    """A folder for what this recipe makes of this source; `is_made` where that is over."""
    name = hashlib.sha256((tar.name + recipe).encode()).hexdigest()[:12]
    return KEPT / ("%s-built-%s" % (source, name))


def unpacked(source: str, recipe: str) -> Path:
    """The source's only folder, fresh if the recipe has not been followed to its end."""
    if not CC.exists():
        raise Missing("no %s: ./dev setup installs MPICH 5" % CC)
    tar = sources.newest_debian_source(source)
    place = place_for(source, tar, recipe)
    if not (place / "is_made").exists():
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir(parents=True)
        print("programs: building %s" % tar.name, flush=True)
        sources.unpack(tar, place, "")
    folders = [path for path in place.iterdir() if path.is_dir()]
    if len(folders) != 1:
        raise Missing("%s has %d folders; is it another version?" % (tar.name, len(folders)))
    return folders[0]


def is_made(folder: Path) -> bool:
    return (folder.parent / "is_made").exists()


def finish(folder: Path, program: Path) -> None:
    if not program.exists():
        raise Missing("no %s was built" % program)
    (folder.parent / "is_made").write_text("")
