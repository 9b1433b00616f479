# SPDX-License-Identifier: BSD-3-Clause
"""SUNDIALS' own programs in C and C++, with shared libraries of its own: tests of vectors and of
linear solvers, which count what passes, and differential equations.

The order of sums is an MPI's own, and the solvers' steps hang on it, so what they print is compared
as numbers, no closer than one MPI comes to itself with another number of ranks.
"""

import re
from pathlib import Path
from typing import Dict, List, NamedTuple

import builds
import sources
from jobs import ALONE, THREADS, Launcher, peer
from verdict import Verdict, differences, of_counts, together

SECONDS = 120
OFF = ("ARKODE", "CVODES", "IDAS", "STATIC_LIBS")
RECIPE = ["-DCMAKE_BUILD_TYPE=Release", "-DENABLE_MPI=ON", "-DCMAKE_C_COMPILER=%s" % builds.CC,
          "-DCMAKE_CXX_COMPILER=%s" % builds.CXX, "-DMPI_C_COMPILER=%s" % builds.CC,
          "-DMPI_CXX_COMPILER=%s" % builds.CXX, "-DCMAKE_C_FLAGS_RELEASE=-O1",
          "-DCMAKE_CXX_FLAGS_RELEASE=-O1", "-DEXAMPLES_ENABLE_C=ON", "-DEXAMPLES_ENABLE_CXX=ON",
          "-DEXAMPLES_INSTALL=OFF", "-G", "Ninja"] + ["-DBUILD_%s=OFF" % what for what in OFF]
# Against results of another order of sums. Advection's begin at 15.7; MPICH's own, of 1 to 8 ranks,
# lie 3e-4 apart in the end.
RELATIVE, ABSOLUTE = 0.02, 1e-3
MOST_HEAT_ERROR = 0.005  # from the solution that the program knows; on its grid 0.0033


class Run(NamedTuple):
    folder: str  # below examples
    program: str
    words: str = ""
    ranks: int = 0  # which its grid of processes wants; 0: any


CHECKS = (Run("nvector/parallel", "test_nvector_mpi", "1000 0"),
          Run("nvector/mpiplusx", "test_nvector_mpiplusx", "1000 0"),
          Run("nvector/mpimanyvector", "test_nvector_mpimanyvector_parallel1", "1000 200 0"),
          Run("nvector/mpimanyvector", "test_nvector_mpimanyvector_parallel2", "200 1000 0"),
          Run("sunlinsol/spgmr/parallel", "test_sunlinsol_spgmr_parallel", "100 1 1 50 1e-3 0"),
          Run("sunlinsol/spbcgs/parallel", "test_sunlinsol_spbcgs_parallel", "100 1 50 1e-3 0"),
          Run("sunlinsol/spfgmr/parallel", "test_sunlinsol_spfgmr_parallel", "100 1 50 1e-3 0"),
          Run("sunlinsol/sptfqmr/parallel", "test_sunlinsol_sptfqmr_parallel", "100 1 50 1e-3 0"))
EQUATIONS = (Run("cvode/parallel", "cvAdvDiff_diag_p"), Run("cvode/parallel", "cvAdvDiff_non_p"),
             Run("ida/parallel", "idaHeat2D_kry_p", ranks=4),
             Run("kinsol/parallel", "kinFoodWeb_kry_bbd_p", ranks=4))
HEAT = Run("cvode/CXX_parallel", "cv_heat2D_p", "--np %d %d")
FRACTION = r"-?\d+\.\d+(?:e[+-]\d+)?"


def are_close(one: str, other: str) -> bool:
    """Time and value; behind them may be the length of a step."""
    pairs = list(zip(re.findall(FRACTION, one)[:2], re.findall(FRACTION, other)[:2]))
    return bool(pairs) and all(
        abs(float(a) - float(b)) <= RELATIVE * max(abs(float(a)), abs(float(b))) + ABSOLUTE
        for a, b in pairs)


class Sundials:
    name = "sundials"
    mpis = (peer("mpich"),)
    modes = (ALONE, THREADS)
    ranks = (2, 4, 8)

    def prepare(self) -> None:
        folder = builds.unpacked("sundials", str(RECIPE))
        self.made = folder / "of_terrace"
        if not builds.is_made(folder):
            sources.run(["cmake", "-S", ".", "-B", str(self.made)] + RECIPE, folder, "SUNDIALS")
            folders = {run.folder for run in CHECKS + EQUATIONS + (HEAT,)}
            needed = ["examples/%s/all" % name for name in sorted(folders)]
            builds.make(["ninja"] + needed, self.made, "SUNDIALS")
            builds.finish(folder, self.path_of(HEAT))

    def path_of(self, run: Run) -> Path:
        return self.made / "examples" / run.folder / run.program

    def judge(self, launcher: Launcher, ranks: int, folder: Path) -> Verdict:
        verdicts = [self.judge_checks(launcher, ranks, folder, run) for run in CHECKS]
        verdicts += [self.judge_equation(launcher, ranks, folder, run)
                     for run in EQUATIONS if run.ranks in (0, ranks)]
        return together(verdicts + [self.judge_heat(launcher, ranks, folder)])

    def judge_checks(self, launcher: Launcher, ranks: int, folder: Path, run: Run) -> Verdict:
        """Its ranks write in any order."""
        ended = launcher.run(ranks, [str(self.path_of(run))] + run.words.split(), folder, SECONDS)
        return of_counts("%s of %d ranks" % (run.program, ranks), ended,
                         len(re.findall(r"PASSED test|SUCCESS", ended.text)),
                         len(re.findall(r"FAILED|FAIL:|ERROR", ended.text)))

    def judge_equation(self, launcher: Launcher, ranks: int, folder: Path, run: Run) -> Verdict:
        ended = launcher.run(ranks, [str(self.path_of(run))], folder, SECONDS)
        solution = ended.text.split("Final ")[0]  # steps and the like come behind it
        lines = ["%s of %d ranks: %s" % (run.program, ranks, " ".join(line.split()))
                 for line in solution.splitlines() if re.search(FRACTION, line)]
        return of_counts("%s of %d ranks" % (run.program, ranks), ended, int(len(lines) > 1), 0,
                         lines)

    def judge_heat(self, launcher: Launcher, ranks: int, folder: Path) -> Verdict:
        # Its 32 x 32 points do not do for a grid of 32 x 2 ranks.
        columns = max(n for n in range(1, ranks + 1) if ranks % n == 0 and n * n <= ranks)
        words = (HEAT.words % (ranks // columns, columns)).split()
        ended = launcher.run(ranks, [str(self.path_of(HEAT))] + words, folder, SECONDS)
        errors = [float(error) for error in re.findall(r"Max error = (\S+)", ended.text)]
        is_right = len(errors) == 1 and errors[0] < MOST_HEAT_ERROR
        return of_counts("%s of %d ranks" % (HEAT.program, ranks), ended, int(is_right),
                         int(not is_right))

    def faults(self, verdicts: Dict[str, Verdict]) -> List[str]:
        alone, threads = verdicts[ALONE], verdicts[THREADS]
        found = differences(alone._replace(results=[]), threads._replace(results=[]))
        if alone.failed or threads.failed:
            return found  # their lines do not belong together
        if len(alone.results) != len(threads.results):
            return found + ["%d lines of results alone, %d as threads"
                            % (len(alone.results), len(threads.results))]
        return found + ["results differ:\n  alone       %s\n  as threads  %s" % pair
                        for pair in zip(alone.results, threads.results) if not are_close(*pair)][:3]
