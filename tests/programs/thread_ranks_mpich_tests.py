# SPDX-License-Identifier: BSD-3-Clause
"""MPICH's own tests, built by MPICH's compiler, by MPICH's processes and by thread ranks."""

import re
import shutil
from pathlib import Path
from typing import Dict, List, NamedTuple

import sources
from jobs import ALONE, Ended, Launcher, THREADS, debian
from mpich_tests import is_made, make
from sources import Missing
from verdict import Verdict, end_of, together

SECONDS_PER_JOB = 180
IN_C = ("pt2pt", "coll", "comm", "datatype", "attr", "group", "topo", "errhan", "info", "init",
        "rma", "io", "part", "threads/pt2pt", "threads/coll", "threads/comm", "threads/init",
        "threads/mpi_t", "threads/part", "threads/rma")
# By mpif.h, `use mpi` and `use mpi_f08`. Left out: spawned ranks.
IN_FORTRAN = tuple("%s/%s" % (way, subject) for way, subjects in (
    ("f77", "attr coll comm datatype ext info init io profile pt2pt rma topo"),
    ("f90", "attr coll comm datatype ext f90types info init io misc profile pt2pt rma timer topo"),
    ("f08", "attr coll comm datatype ext info init io misc profile pt2pt rma subarray timer topo"))
    for subject in subjects.split())
FOLDERS = IN_C + IN_FORTRAN
LEAST_SHARE = 0.98  # of what passes under MPICH
MOST_MEMORY = 2.5  # GB; rows that say that they need more are left to larger machines

FLOATS = "MPI_LXOR takes no floating point numbers in the standard, which MPICH lets it"
BOUNDS = "MPI_LB and MPI_UB, which MPI 3.0 has removed, are not there"
FREED = "uses a freed type, whose handle MPICH has given to a new one"
VERSION = "MPI_Get_version says 5.0, and the header of MPICH's compiler 4.0"

# What passes under MPICH and not here, and why.
LEFT_OUT: Dict[str, str] = {
    "coll/oplxor of 4 ranks": FLOATS,
    "coll/oplxor of 5 ranks": FLOATS,
    "comm/cmsplit_type . of 4 ranks": "MPICH's own kinds of communicators for MPI_Comm_split_type",
    "datatype/indexed_misc of 1 ranks": FREED,
    "datatype/indexed_misc_oldapi of 1 ranks": FREED,
    "datatype/lbub_oldapi of 1 ranks": BOUNDS,
    "datatype/struct_no_real_types of 1 ranks": BOUNDS,
    "datatype/typename of 1 ranks": "MPI_C_COMPLEX and MPI_C_FLOAT_COMPLEX are one type here",
    "datatype/typename_oldapi of 1 ranks": BOUNDS,
    "topo/dims5 of 1 ranks": "where MPICH wants 14 x 14 x 9 x 8 x 7, we make 14 x 12 x 12 x 7 x 7",
    "init/version of 1 ranks": VERSION,
    "f77/datatype/allctypesf of 1 ranks": BOUNDS,
    "f77/init/baseenvf of 1 ranks": VERSION,
    "f90/datatype/allctypesf90 of 1 ranks": BOUNDS,
    "f90/init/baseenvf90 of 1 ranks": VERSION,
    "f08/datatype/allctypesf08 of 1 ranks": BOUNDS,
    "f08/init/baseenvf90 of 1 ranks": VERSION,
}


class Row(NamedTuple):
    """A line of a testlist."""

    folder: str
    words: List[str]  # program and arguments
    ranks: int
    must_fail: bool  # by its exit status; else it says that there are no errors

    def name(self) -> str:
        return "%s/%s of %d ranks" % (self.folder, " ".join(self.words)[2:], self.ranks)

    def is_well(self, ended: Ended) -> bool:
        if self.must_fail:
            return ended.status not in (0, None)
        said = re.search(r"^\s*No [Ee]rrors\s*$", ended.text, re.MULTILINE)
        return ended.status == 0 and said is not None


def rows_of(folder: str, testlist: str, build: Path) -> List[Row]:
    """Those whose program was built; the others are for what configure did not find. A row that
    differs from another only in settings of MPICH's is the same row here."""
    rows = []
    for line in testlist.splitlines():
        words = line.split("#")[0].split()
        if len(words) < 2 or not words[1].isdigit() or not (build / folder / words[0]).exists():
            continue
        told = dict(word.split("=", 1) for word in words[2:] if "=" in word)
        arguments = [word[len("arg="):] for word in words[2:] if word.startswith("arg=")]
        row = Row(folder, ["./" + words[0]] + arguments, int(words[1]), "resultTest" in told)
        if float(told.get("mem", 0)) <= MOST_MEMORY and row not in rows:
            rows.append(row)
    return rows


class ThreadRanksMpichTests:
    name = "thread_ranks_mpich"
    mpis = (debian("mpich"),)
    ranks = (0,)  # as its lists say
    modes = (ALONE, THREADS)

    def prepare(self) -> None:
        tar = sources.debian_source("mpich", "libmpich12")
        self.build = tar.parent / "build-thread-ranks"
        source = tar.parent / "source"
        if not source.exists():
            source.mkdir()
            sources.unpack(tar, source, "/test/mpi/")
        if not is_made(self.build, FOLDERS):
            shutil.rmtree(self.build, ignore_errors=True)
            self.build.mkdir()
            make(next(source.glob("*/test/mpi")), self.build, FOLDERS, in_fortran=True)
        self.rows = [row for folder in FOLDERS
                     for row in rows_of(folder, self.testlist(source, folder), self.build)]
        if len(self.rows) < 300:
            raise Missing("only %d of MPICH's tests were built in %s"
                          % (len(self.rows), self.build))

    def testlist(self, source: Path, folder: str) -> str:
        """As configure writes it where it has to choose."""
        made = self.build / folder / "testlist"
        return (made if made.exists() else
                next(source.glob("*/test/mpi/%s/testlist" % folder))).read_text()

    def judge(self, launcher: Launcher, ranks: int, folder: Path) -> Verdict:
        return together([self.judge_row(launcher, row) for row in self.rows])

    def judge_row(self, launcher: Launcher, row: Row) -> Verdict:
        ended = launcher.run(row.ranks, row.words, self.build / row.folder, SECONDS_PER_JOB)
        if row.is_well(ended):
            return Verdict(1, {})
        why = ended.why_not_well() or "did not say that there are no errors"
        return Verdict(0, {row.name(): why + "\n" + end_of(ended.text)})

    def faults(self, verdicts: Dict[str, Verdict]) -> List[str]:
        """What passes under MPICH must pass here, but for what is left out for a reason, and that
        must not be much."""
        under_mpich, here = verdicts[ALONE].failed, verdicts[THREADS].failed
        for text in self.by_folder(under_mpich, here):
            print(text)
        lost = [name for name in sorted(here) if name not in under_mpich]
        for name in lost:
            if name in LEFT_OUT:
                print("    left out: %s: %s" % (name, LEFT_OUT[name]))
        found = ["%s passes under MPICH, not as thread ranks: %s" % (name, here[name])
                 for name in lost if name not in LEFT_OUT]
        passing = len(self.rows) - len(under_mpich)
        if len(lost) > (1 - LEAST_SHARE) * passing:
            found.append("only %d of %d that pass under MPICH" % (passing - len(lost), passing))
        return found

    def by_folder(self, under_mpich: Dict[str, str], here: Dict[str, str]) -> List[str]:
        lines = ["    %-13s %7s %12s %14s" % ("folder", "rows", "under MPICH", "thread ranks too")]
        for folder in FOLDERS:
            names = [row.name() for row in self.rows if row.folder == folder]
            passing = [name for name in names if name not in under_mpich]
            both = [name for name in passing if name not in here]
            lines.append("    %-13s %7d %12d %14d" % (folder, len(names), len(passing), len(both)))
        return lines
