#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""How does Terrace do on a machine with many cores, that has no network, no compiler and no root?

Packs what measures, tunes and times Terrace into one file: the release build, the libraries that it
needs, MPICH's run time, and the programs of the other questions, compiled for x86-64-v2. Unpacked
on the machine in question, `./campaign` runs for some minutes a call, goes on where it was, and
leaves one folder of answers (play.py)."""

import argparse
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

import answers  # noqa: E402
import peers  # noqa: E402

MPI = "mpich"
MARCH = "x86-64-v2"
MOST_MIB = 60
QUESTIONS = ("preload", "threadranks", "applications_by_mpi")
PROGRAMS = ("terrace", "bench_teams")
TESTS = ("collectives", "blocks")
LAUNCHER = ("mpiexec.hydra", "hydra_pmi_proxy")
#: Of every Linux with glibc: taking another machine's would break it.
OF_THE_SYSTEM = ("linux-vdso", "ld-linux", "libc.so", "libm.so", "libdl.so", "libpthread.so",
                 "librt.so")


def needed_by(files):
    """The libraries of other packages, by ldd."""
    found = {}
    for file in files:
        for line in answers.output_of(["ldd", str(file)]).splitlines():
            name, arrow, place = line.strip().partition(" => ")
            if arrow and not name.startswith(OF_THE_SYSTEM) and place.startswith("/"):
                found[name] = Path(place.split(" (")[0])
    return found


def copy(source, target):
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy2(source, target)


def put_build(pack):
    built = answers.program().parent
    place = pack / "build" / "release"
    for name in PROGRAMS:
        copy(built / "bin" / name, place / "bin" / name)
    for name in TESTS:
        copy(built / "tests" / "mpi" / ("peer_" + MPI) / name, place / "tests" / name)
    for file in list((built / "lib").rglob("*.so*")) + list((built / "libexec").rglob("*")):
        if file.is_file():
            copy(file, place / file.relative_to(built))
    subprocess.run(["strip", "--strip-unneeded"] + [
        str(file) for folder in ("bin", "lib") for file in (place / folder).rglob("*")
        if file.is_file()], check=True)
    shutil.copytree(answers.ROOT / "machines", place / "share" / "terrace" / "machines")
    shutil.copytree(answers.ROOT / "tunings", place / "share" / "terrace" / "tunings")


def put_mpi(pack):
    ours, theirs = peers.PEERS / MPI, pack / ".peers" / MPI
    for name in LAUNCHER:
        copy(ours / "bin" / name, theirs / "bin" / name)
    shutil.copy2(ours / "bin" / "mpiexec.hydra", theirs / "bin" / "mpirun")
    own, below = (ours / "lib").glob("libmpi*.so.*"), (ours / "lib" / MPI).glob("*.so*")
    for file in list(own) + list(below):
        copy(file, theirs / file.relative_to(ours))


def put_programs(pack):
    """Compiled here: the machine in question may have no compiler."""
    folder = pack / "build" / "release" / "bench"
    folder.mkdir(parents=True)
    bench, apps = answers.BENCH, answers.ROOT / "apps"
    sources = [bench / "preload" / "collectives.c", bench / "threadranks" / "life.c",
               apps / "matvec.c", apps / "nbody.c"]
    for source in sources:
        peers.compiled(MPI, source, ["-lm"], MARCH, folder)
        peers.compiled_for_threads(source, ["-lm"], MARCH, folder)
        copy(source, pack / source.relative_to(answers.ROOT))


def put_scripts(pack):
    for file in answers.BENCH.glob("*.py"):
        copy(file, pack / "bench" / file.name)
    for question in QUESTIONS:
        copy(answers.BENCH / question / "run.py", pack / "bench" / question / "run.py")
    copy(HERE / "play.py", pack / "bench" / "campaign" / "play.py")
    start = pack / "campaign"
    start.write_text('#!/bin/sh\nexec python3 "$(dirname "$0")/bench/campaign/play.py" "$@"\n')
    start.chmod(0o755)
    (pack / "PACKED").write_text(answers.commit() + "\n")


def pack_into(path, level):
    if not (peers.PEERS / MPI / "bin" / "mpicc").exists():
        print("%s is not in .peers: ./dev setup installs it" % peers.NAMES[MPI], file=sys.stderr)
        return 1
    with tempfile.TemporaryDirectory() as folder:
        pack = Path(folder) / "terrace-campaign"
        put_build(pack)
        put_mpi(pack)
        put_programs(pack)
        put_scripts(pack)
        files = [file for file in pack.rglob("*") if file.is_file() and os.access(file, os.X_OK)]
        own = {file.name for file in pack.rglob("*.so*")}
        for name, place in needed_by(files).items():
            if name not in own:
                copy(place, pack / "build" / "release" / "lib" / "needed" / name)
        with tarfile.open(path, "w:xz", preset=level) as archive:
            archive.add(pack, pack.name)
    mib = path.stat().st_size / (1 << 20)
    print("%s: %.1f MiB. There: tar -xf %s && terrace-campaign/campaign" % (path, mib, path.name))
    if mib > MOST_MIB:
        print("more than %d MiB" % MOST_MIB, file=sys.stderr)
    return 1 if mib > MOST_MIB else 0


def main():
    parser = argparse.ArgumentParser(prog="./dev bench campaign",
                                     description=__doc__.splitlines()[0])
    parser.add_argument("-o", "--output", type=Path, default=Path("terrace-campaign.tar.xz"))
    parser.add_argument("--level", type=int, default=6, choices=range(10), metavar="0-9",
                        help="how hard to compress (6)")
    chosen = parser.parse_args()
    return pack_into(chosen.output, chosen.level)


if __name__ == "__main__":
    sys.exit(main())
