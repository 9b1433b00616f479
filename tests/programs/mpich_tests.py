# SPDX-License-Identifier: BSD-3-Clause
"""MPICH's own tests of collectives, communicators, topologies and threads, with their errors: the
most demanding of all programs here."""

import re
import shutil
from pathlib import Path
from typing import List, NamedTuple, Tuple

import sources
from jobs import ALONE, Launcher, Mpi, debian, peer
from sources import Missing
from verdict import Verdict, end_of, together

SECONDS_PER_JOB = 120
FOLDERS = ("coll", "comm", "topo", "attr", "init", "threads/coll", "threads/comm", "errors/coll",
           "errors/comm")
NAMED = "All ranks of a communicator must make the same calls"


class Row(NamedTuple):
    """A line of a testlist."""

    folder: str
    words: List[str]  # program and arguments
    ranks: int

    def has_ranks_that_differ(self) -> bool:
        """In lengths or operators, against the standard: MPICH tells by an error, of which it
        expects some to fail; Terrace ends the job and names both calls."""
        return self.folder == "errors/coll" and self.words[0].endswith(("length", "reduceop"))

    def name(self) -> str:
        return "%s/%s of %d ranks" % (self.folder, " ".join(self.words), self.ranks)


def is_wanted(name: str) -> bool:
    """Nonblocking collectives of intercommunicators are the MPI's, and their 8 ranks of MPICH,
    which never yield, take minutes each on two cores."""
    return not name.startswith("nbic")


def rows_of(folder: str, testlist: str, build: Path) -> List[Row]:
    """Those whose program was built; the others are for what configure did not find."""
    rows = []
    for line in testlist.splitlines():
        words = line.split("#")[0].split()
        is_row = len(words) > 1 and words[1].isdigit() and is_wanted(words[0])
        if not is_row or not (build / folder / words[0]).exists():
            continue
        arguments = [word[len("arg="):] for word in words[2:] if word.startswith("arg=")]
        rows.append(Row(folder, ["./" + words[0]] + arguments, int(words[1])))
    return rows


def configure_of(source: Path) -> Path:
    """Their configure tries the module mpi_f08 only within MPICH's own build. Here an installed
    compiler has it."""
    text = (source / "configure").read_text()
    condition = 'test "$enable_f08" = "yes" -a "$FROM_MPICH" = "yes"'
    if condition not in text:
        raise Missing("MPICH's tests: their configure does not ask for mpi_f08 as it did")
    changed = source / "configure-installed"
    changed.write_text(text.replace(condition, 'test "$enable_f08" = "yes"'))
    changed.chmod(0o755)
    return changed


def make(source: Path, build: Path, folders: Tuple[str, ...], in_fortran: bool = False) -> None:
    """MPICH's tests in these folders, by its own configure."""
    print("programs: building MPICH's tests, some minutes", flush=True)
    what = "MPICH's tests"
    # gfortran takes arguments of several types for errors, which MPI's functions have.
    options = "-w -fallow-argument-mismatch"
    fortran = ["F77=gfortran", "FC=gfortran", "MPIF77=mpifort.mpich", "MPIFC=mpifort.mpich",
               "FFLAGS=" + options, "FCFLAGS=" + options]
    sources.run(["env", "CC=gcc", "MPICC=mpicc.mpich", "MPIEXEC=mpirun.mpich"]
                + (fortran if in_fortran else [])
                + [str(configure_of(source)), "--disable-cxx",
                   "--enable-fortran=all" if in_fortran else "--disable-fortran"],
                build, what)
    for folder in ("dtpools", "util") + folders:
        # Some programs are for later versions of MPI; what is not built is not run.
        keep_going = ["-k"] if folder in folders else []
        words = ["make", "-j2", "-C", folder] + keep_going + ["check", "TESTS="]
        try:
            sources.run(words, build, what)
        except Missing:
            if not keep_going:
                raise
    (build / "made").write_text(" ".join(folders))


def is_made(build: Path, folders: Tuple[str, ...]) -> bool:
    made = build / "made"
    return made.exists() and made.read_text() == " ".join(folders)


class MpichTests:
    name = "mpich"
    mpis = (debian("mpich"),)
    ranks = (0,)  # as its list says

    def prepare(self) -> None:
        tar = sources.debian_source("mpich", "libmpich12")
        self.build = tar.parent / "build"
        source = self.build.parent / "source"
        if not is_made(self.build, FOLDERS):
            for folder in (self.build, source):
                shutil.rmtree(folder, ignore_errors=True)
                folder.mkdir()
            sources.unpack(tar, source, "/test/mpi/")
            make(next(source.glob("*/test/mpi")), self.build, FOLDERS)
        self.rows = [row for folder in FOLDERS
                     for row in rows_of(folder, self.testlist(source, folder), self.build)]
        if len(self.rows) < 100:
            raise Missing("only %d of MPICH's tests were built in %s"
                          % (len(self.rows), self.build))

    def mpis_over_nodes(self) -> Tuple[Mpi, ...]:
        """MPICH 5, whose library has the same ABI and another name."""
        mpich = peer("mpich")
        if not mpich.mpirun:
            return (mpich,)
        libraries = self.build.parent / "mpich-5"
        libraries.mkdir(exist_ok=True)
        link = libraries / "libmpich.so.12"
        link.unlink(missing_ok=True)
        installed = Path(mpich.mpirun).parent.parent / "lib"
        link.symlink_to(installed / "libmpi.so.12")
        return (mpich._replace(libraries="%s:%s" % (libraries, installed / "mpich")),)

    def testlist(self, source: Path, folder: str) -> str:
        return next(source.glob("*/test/mpi/%s/testlist*" % folder)).read_text()

    def judge(self, launcher: Launcher, ranks: int, folder: Path) -> Verdict:
        return together([self.judge_row(launcher, row) for row in self.rows])

    def judge_row(self, launcher: Launcher, row: Row) -> Verdict:
        ended = launcher.run(row.ranks, row.words, self.build / row.folder, SECONDS_PER_JOB)
        if ended.status == 0 and re.search(r"^\s*No Errors\s*$", ended.text, re.MULTILINE):
            return Verdict(1, {})
        if launcher.mode != ALONE and row.has_ranks_that_differ() and NAMED in ended.text:
            return Verdict(1, {})
        return Verdict(0, {row.name(): ended.why_not_well() + "\n" + end_of(ended.text)})
