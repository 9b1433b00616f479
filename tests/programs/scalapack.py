# SPDX-License-Identifier: BSD-3-Clause
"""ScaLAPACK's and the BLACS's own test programs, from Debian's package, under both of its MPIs."""

import re
from pathlib import Path
from typing import Tuple

from jobs import MODES, THREADS, Launcher, Mpi, debian
from sources import Missing
from verdict import Verdict, of_counts, together

LIBRARIES = Path("/usr/lib/x86_64-linux-gnu/scalapack")
INPUTS = Path("/usr/share/scalapack")
SECONDS_PER_JOB = 240

# One or two programs for each way in which ScaLAPACK communicates, in all kinds of numbers. Not
# Cholesky's, xsllt and xdllt: at times one rank makes a reduce where the other makes a bcast, and
# they hang or are told so (xdllt of 2 ranks of Open MPI 4.1, without Terrace: 2 runs of 8).
PROGRAMS = ("xdlu", "xzlu", "xdqr", "xdls", "xcinv", "xdtrd", "xdhrd", "xdbrd", "xdgblu",
            "xdpbllt", "xzdtlu")
BLACS = ("xCbtest", "xFbtest")
QUICK = ("xdhrd",)
# Their inputs ask for grids of 4 ranks; on fewer, they end with an error.
PROGRAMS_OF_4_RANKS = ("xdsep", "xcsep")
# Of band matrices, whose inputs are too small for more ranks: they end with an error, too.
PROGRAMS_OF_FEW_RANKS, FEW_RANKS = ("xdgblu", "xdpbllt", "xzdtlu"), 8


def programs_of(ranks: int) -> Tuple[str, ...]:
    if ranks == 4:
        return PROGRAMS + PROGRAMS_OF_4_RANKS
    return tuple(name for name in PROGRAMS
                 if ranks <= FEW_RANKS or name not in PROGRAMS_OF_FEW_RANKS)


def for_grids_of(ranks: int, data: str) -> str:
    """An input with all grids of so many ranks, instead of its own, of which one has a single
    rank and others more than there are."""
    rows = [row for row in range(1, ranks + 1) if ranks % row == 0]
    columns = [ranks // row for row in rows]
    for label, values in ((r"[Nn]umber of (?:process(?:or)? )?grids.*", [len(rows)]),
                          (r"(?:values of P|NPROW) *", rows),
                          (r"(?:values of Q|NPCOL) *", columns)):
        data = re.sub(r"^[ \t\d]+(?=%s\s*$)" % label, " ".join(map(str, values)) + "  ", data,
                      flags=re.MULTILINE)
    return data


class Scalapack:
    name = "scalapack"
    modes = MODES + (THREADS,)
    is_quick = False

    def __init__(self, mpis: Tuple[Mpi, ...], ranks: Tuple[int, ...],
                 testers: Tuple[str, ...] = BLACS):
        self.mpis = mpis
        self.ranks = ranks
        self.testers = testers

    def prepare(self) -> None:
        if not list(LIBRARIES.glob("*-tests/xdlu")) or not INPUTS.exists():
            raise Missing("no %s: Debian's package scalapack-mpi-test has it (./dev setup)"
                          % LIBRARIES)

    def judge(self, launcher: Launcher, ranks: int, folder: Path) -> Verdict:
        for data in INPUTS.glob("*.dat"):
            (folder / data.name).write_text(for_grids_of(ranks, data.read_text()))
        names, testers = programs_of(ranks), self.testers
        if self.is_quick:
            names, testers = QUICK, ()
        return together([self.judge_program(launcher, ranks, folder, name) for name in names]
                        + [self.judge_blacs(launcher, ranks, folder, name) for name in testers])

    def program(self, launcher: Launcher, name: str) -> str:
        return str(LIBRARIES / (launcher.mpi.family + "-tests") / name)

    def judge_program(self, launcher: Launcher, ranks: int, folder: Path, name: str) -> Verdict:
        ended = launcher.run(ranks, [self.program(launcher, name)], folder, SECONDS_PER_JOB)
        passed = len(re.findall(r"\bPASSED\s*$", ended.text, re.MULTILINE))
        failed = len(re.findall(r"\bFAILED\s*$", ended.text, re.MULTILINE))
        return of_counts("%s of %d ranks" % (name, ranks), ended, passed, failed)

    def judge_blacs(self, launcher: Launcher, ranks: int, folder: Path, name: str) -> Verdict:
        """All but its auxiliary tests, the last of which aborts the job as it should."""
        for data in (INPUTS / "BLACS").glob("*.dat"):
            (folder / data.name).write_text(for_grids_of(ranks, data.read_text()))
        wanted = (folder / "bt.dat").read_text()
        (folder / "bt.dat").write_text(re.sub(r"'T'(\s+Run AUX)", r"'F'\1", wanted))
        ended = launcher.run(ranks, [self.program(launcher, name)], folder, SECONDS_PER_JOB)
        passed = failed = 0
        for all_of_row in re.findall(r"^.*?(\d+)\s+PASSED", ended.text, re.MULTILINE):
            passed += int(all_of_row)
        return of_counts("%s of %d ranks" % (name, ranks), ended, passed, failed)

