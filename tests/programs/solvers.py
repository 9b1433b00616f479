# SPDX-License-Identifier: BSD-3-Clause
"""PETSc's and hypre's own examples with Debian's libraries for Open MPI: systems of equations by
PETSc's, hypre's, MUMPS' and SuperLU_DIST's solvers. What they print must be the same, but for
times.
"""

import platform
import re
import shutil
from pathlib import Path
from typing import List, NamedTuple, Sequence, Tuple

import sources
from jobs import ALONE, THREADS, Launcher, debian
from sources import KEPT, Missing
from verdict import Verdict, of_counts, together

SECONDS_PER_JOB = 120
PETSC = Path("/usr/lib/petscdir/3.18")
PETSC_LIBRARIES = Path("/usr/lib/petscdir/petsc3.18/%s-linux-gnu-real" % platform.machine())
PETSC_EXAMPLES = Path("/usr/share/petsc/3.18/share/petsc/examples/src")


class Run(NamedTuple):
    program: str  # below the examples
    words: str
    ranks: Tuple[int, ...] = (2, 4)  # which its grid wants, or where one order of sums is left


PETSC_RUNS = (
    Run("ksp/ksp/tutorials/ex2", "-m 40 -n 40 -ksp_monitor_short -ksp_type cg -pc_type hypre"),
    Run("ksp/ksp/tutorials/ex2", "-m 30 -n 30 -ksp_monitor_short -pc_type lu "
                                 "-pc_factor_mat_solver_type superlu_dist"),
    Run("ksp/ksp/tutorials/ex2", "-m 30 -n 30 -ksp_monitor_short -pc_type cholesky "
                                 "-pc_factor_mat_solver_type mumps"),
    Run("ksp/ksp/tutorials/ex5", "-m 20 -ksp_gmres_cgs_refinement_type refine_always "
                                 "-s2_ksp_monitor_short"),
    Run("ksp/ksp/tutorials/ex56", "-ne 9 -alpha 1.e-3 -ksp_type cg -pc_type gamg -two_solves "
                                  "-use_mat_nearnullspace -ksp_monitor_short "
                                  "-mg_levels_ksp_type chebyshev -mg_levels_pc_type jacobi", (2,)),
    Run("snes/tutorials/ex19", "-da_refine 3 -pc_type mg -ksp_type fgmres -snes_monitor_short "
                               "-ksp_monitor_short"))
# ex11's 49 iterations magnify what the order of four ranks' sums changes in the last bits.
HYPRE_RUNS = (
    Run("ex1", "", (2,)), Run("ex3", "-n 33 -solver 0 -v 1 1", (4,)),
    Run("ex4", "-n 33 -solver 10 -K 3 -B 0 -C 1 -U0 2 -F 4", (4,)),
    Run("ex5", "-n 50 -solver 0"), Run("ex5", "-n 50 -solver 1"), Run("ex5", "-n 50 -solver 61"),
    Run("ex7", "-n 33 -solver 10 -K 3 -B 0 -C 1 -U0 2 -F 4 -a 100", (4,)),
    Run("ex9", "-n 33 -solver 0 -v 1 1", (4,)), Run("ex11", "", (2,)))


class Solvers:
    """Examples of one library."""

    mpis = (debian("openmpi"),)
    modes: Sequence[str] = (ALONE, THREADS)
    ranks = (2, 4)

    def __init__(self, name: str, runs: Tuple[Run, ...]):
        self.name = name
        self.runs = runs

    def compile(self, source: Path, words: List[str]) -> None:
        """Each program once, below .programs."""
        compiler = shutil.which("mpicc.openmpi")
        if compiler is None:
            raise Missing("no mpicc.openmpi (./dev setup)")
        for name in sorted({run.program for run in self.runs}):
            made = self.program(name)
            if not made.exists():
                made.parent.mkdir(parents=True, exist_ok=True)
                sources.run([compiler, "-O1", "-w", str(source / (name + ".c")), "-o", str(made)]
                            + words, made.parent, "%s's %s" % (self.name, name))

    def program(self, name: str) -> Path:
        return KEPT / (self.name + "-examples") / name.replace("/", "_")

    def judge(self, launcher: Launcher, ranks: int, folder: Path) -> Verdict:
        return together([self.judge_run(launcher, ranks, folder, run) for run in self.runs
                         if ranks in run.ranks])

    def judge_run(self, launcher: Launcher, ranks: int, folder: Path, run: Run) -> Verdict:
        ended = launcher.run(ranks, [str(self.program(run.program))] + run.words.split(), folder,
                             SECONDS_PER_JOB)
        said = [line for line in ended.text.splitlines()
                if line.strip() and not line.startswith(("terrace:", "mpirun"))
                and not re.search("time|MFLOPS", line, re.I)]
        name = "%s %s of %d ranks" % (run.program, run.words, ranks)
        return of_counts(name, ended, int(bool(said)), 0, said)


class Petsc(Solvers):
    def __init__(self) -> None:
        super().__init__("petsc", PETSC_RUNS)

    def prepare(self) -> None:
        if not PETSC_EXAMPLES.exists() or not (PETSC_LIBRARIES / "lib").exists():
            raise Missing("Debian's packages libpetsc-real3.18-dev and libpetsc3.18-dev-examples "
                          "are not installed")
        self.compile(PETSC_EXAMPLES, ["-I%s" % (place / "include")
                                      for place in (PETSC_LIBRARIES, PETSC)]
                     + ["-L%s" % (PETSC_LIBRARIES / "lib"), "-lpetsc_real", "-lm"])


class Hypre(Solvers):
    def __init__(self) -> None:
        super().__init__("hypre", HYPRE_RUNS)

    def prepare(self) -> None:
        tar = sources.debian_source("hypre", "libhypre-dev")
        place = tar.parent / "unpacked"
        if not place.exists():
            place.mkdir()
            sources.unpack(tar, place, "")
        examples = next(place.glob("*/src/examples"), None)
        if examples is None:
            raise Missing("%s has no src/examples" % tar.name)
        self.compile(examples, ["-I/usr/include/hypre", "-lHYPRE", "-lm"])
