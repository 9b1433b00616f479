# SPDX-License-Identifier: BSD-3-Clause
"""./dev programs: real programs and other people's tests, each alone and with Terrace.

Whatever passes alone must pass with Terrace, results that have one right value must be the same
to the last digit, and Terrace's report must show that it ran calls. Each program runs in several
ways: alone; with Terrace; with Terrace from the first call on each communicator, since many tests
make hardly more than one; and as thread ranks, most of them as Debian has compiled them. Sources
that Debian's packages leave out are fetched once, into .programs.
"""

import argparse
import os
import re
import sys
import tempfile
import time
from pathlib import Path
from typing import Dict, List, NamedTuple, Optional, Tuple

from abinit import Abinit
from cp2k import Cp2k
from gromacs import Gromacs
from hpcc import Hpcc, HpccAsThreads
from jobs import ALONE, FIRST, MODES, ROOT, THREADS, WITH, Calls, Launcher, Mpi, debian
from lammps import Lammps
from mpi4py_tests import Mpi4pyTests
from mpich_tests import MpichTests
from mumps import Mumps
from openfoam import OpenFoam
from p4est import P4est
from pnetcdf import Pnetcdf
from quantum_espresso import QuantumEspresso
from scalapack import Scalapack
from scotch import Scotch
from solvers import Hypre, Petsc
from sources import Missing
from sundials import Sundials
from superlu_dist import SuperluDist
from tachyon import Tachyon
from thread_ranks_mpich_tests import ThreadRanksMpichTests
from verdict import Verdict, differences

# Four ranks of MPICH never yield: on two cores they are at ScaLAPACK for hours, alone as well.
PROGRAMS = (MpichTests(), Mpi4pyTests(),
            Scalapack((debian("mpich"), debian("openmpi")), ranks=(2,)),
            Scalapack((debian("openmpi"),), ranks=(4,)), Hpcc(), Mumps(), Lammps(),
            OpenFoam(), Gromacs(), QuantumEspresso(), Abinit(), Cp2k(), Tachyon(),
            HpccAsThreads(), Sundials(), Petsc(), Hypre(), Scotch(), SuperluDist(), P4est(),
            Pnetcdf(), ThreadRanksMpichTests())
SKIPPED = 77  # to ctest


class Line(NamedTuple):
    """Of the table."""

    program: str
    mpi: str
    ranks: int
    verdicts: Dict[str, Verdict]  # by mode; empty where it was skipped
    calls: Calls
    faults: List[str]
    seconds: float

    def text(self) -> str:
        checks = " ".join("%21s" % (self.verdicts[mode].text() if mode in self.verdicts else "")
                          for mode in MODES + (THREADS,))
        ran, fallbacks = sum(self.calls.ran.values()), sum(self.calls.fallbacks.values())
        return "%-11s %-15s %5s %s %9d of %9d %5.0f s  %s" % (
            self.program, self.mpi, self.ranks or "listed", checks, ran, ran + fallbacks,
            self.seconds, "FAULT" if self.faults else "same")


HEADING = "%-11s %-15s %5s %21s %21s %21s %21s %22s" % (
    "program", "MPI", "ranks", "alone", "with Terrace", "from the first call", "as thread ranks",
    "calls ours")


def faults_of(program, verdicts: Dict[str, Verdict], calls: Calls) -> List[str]:
    if hasattr(program, "faults"):  # one that compares by itself
        return program.faults(verdicts)
    found = ["%s Terrace: %s" % (mode, what) for mode in verdicts if mode != ALONE
             for what in differences(verdicts[ALONE], verdicts[mode])]
    if not calls.ran and WITH in verdicts:
        found.append("Terrace ran no call, so nothing is shown")
    return found


def line_of(program, mpi: Mpi, ranks: int, terrace: Path, nodes: int) -> Line:
    begin = time.monotonic()
    calls = Calls()
    verdicts: Dict[str, Verdict] = {}
    for mode in getattr(program, "modes", MODES):
        if mode == THREADS and nodes > 1:
            continue
        launcher = Launcher(mpi, mode, terrace, nodes)
        with tempfile.TemporaryDirectory() as folder:
            verdicts[mode] = program.judge(launcher, ranks, Path(folder))
        calls.add_all(launcher.calls)
    return Line(program.name, mpi.name, ranks, verdicts, calls, faults_of(program, verdicts, calls),
                time.monotonic() - begin)


def show(line: Line) -> None:
    print(line.text(), flush=True)
    for name, why in sorted(line.verdicts[ALONE].failed.items()):
        print("    fails alone: %s: %s" % (name, why.splitlines()[0] if why else ""))
    for fault in line.faults:
        print("    FAULT: " + fault.replace("\n", "\n      "))


def mpis_of(program, nodes: int) -> Tuple[Mpi, ...]:
    """MPICH 4.0 hangs in MPI_Finalize by itself where ranks of several nodes have talked."""
    if nodes == 1:
        return program.mpis
    if hasattr(program, "mpis_over_nodes"):
        return program.mpis_over_nodes()
    return tuple(mpi for mpi in program.mpis if mpi.name != "debian_mpich")


def ranks_of(program, nodes: int) -> Tuple[int, ...]:
    """Over nodes, numbers with which some node has several: calls of one rank per node are the
    MPI's. 0: as the program's own list says."""
    if nodes == 1:
        return program.ranks
    return tuple(ranks for ranks in program.ranks if ranks == 0 or ranks > nodes) or (2 * nodes,)


def play(program, terrace: Path, chosen: argparse.Namespace) -> List[Line]:
    """All its lines; Missing if it cannot run anywhere here."""
    program.is_quick = chosen.quick
    program.prepare()
    if chosen.rows and hasattr(program, "rows"):
        program.rows = [row for row in program.rows if re.search(chosen.rows, row.name())]
    lines = []
    for mpi in mpis_of(program, chosen.nodes):
        if not mpi.mpirun:
            print("%-11s %-15s skipped: no mpirun of it was found (./dev setup)"
                  % (program.name, mpi.name))
            continue
        for ranks in ranks_of(program, chosen.nodes):
            if chosen.ranks in (None, ranks) and chosen.mpi in (None, mpi.name):
                lines.append(line_of(program, mpi, ranks, terrace, chosen.nodes))
                show(lines[-1])
    return lines


def show_calls(lines: List[Line]) -> None:
    all_calls = Calls()
    for line in lines:
        all_calls.add_all(line.calls)
    print("\ncalls by collective, from %d reports:" % all_calls.reports)
    for text in all_calls.by_collective():
        print("  " + text)


def arguments(words: Optional[List[str]]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="./dev programs", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", nargs="*", metavar="PROGRAM",
                        help="of %s [all]" % ", ".join(program.name for program in PROGRAMS))
    parser.add_argument("--ranks", type=int, help="only with this number of ranks")
    parser.add_argument("--mpi", help="only under this MPI, as the table names it")
    parser.add_argument("--rows", metavar="REGEX",
                        help="of MPICH's tests only those, as `topo/|init/`")
    parser.add_argument("--nodes", type=int, default=1,
                        help="over so many nodes that the kernel makes (./dev nodes) [1]")
    parser.add_argument("--terrace", type=Path, help="the command [of the release build]")
    parser.add_argument("--quick", action="store_true",
                        help="where a program can, the part of it that takes seconds")
    chosen = parser.parse_args(words)
    unknown = set(chosen.programs) - {program.name for program in PROGRAMS}
    if unknown:
        parser.error("no program %s" % " ".join(sorted(unknown)))
    return chosen


def main(words: Optional[List[str]] = None) -> int:
    chosen = arguments(words)
    build = Path(os.environ.get("TERRACE_BUILD", ROOT / "build" / "release"))
    terrace = chosen.terrace or build / "bin" / "terrace"
    if not terrace.exists():
        sys.exit("programs: no %s: ./dev build makes it" % terrace)
    lines: List[Line] = []
    skipped: List[str] = []
    print(HEADING)
    for program in PROGRAMS:
        if chosen.programs and program.name not in chosen.programs:
            continue
        try:
            lines += play(program, terrace, chosen)
        except Missing as missing:
            skipped.append("%s: %s" % (program.name, missing))
            print("%-11s skipped: %s" % (program.name, missing))
    if not lines:
        print("skipped: " + "; ".join(skipped or ["no such program, MPI and number of ranks"]))
        return SKIPPED
    show_calls(lines)
    return 1 if any(line.faults for line in lines) else 0


if __name__ == "__main__":
    sys.exit(main())
