# SPDX-License-Identifier: BSD-3-Clause
"""SuperLU_DIST's own examples, Debian's binaries for Open MPI, which are linked to its own library:
systems of equations in three kinds of numbers. What they print must be the same, but for times and
memory.
"""

import platform
import re
from pathlib import Path

from jobs import ALONE, THREADS, Launcher, debian
from sources import Missing
from verdict import Verdict, of_counts, together

SECONDS = 120
EXAMPLES = Path("/usr/lib/%s-linux-gnu/superlu-dist/tests/EXAMPLE" % platform.machine())
# Each with the matrix that it reads. The fourth examples want 10 ranks.
PROGRAMS = tuple((kind + "drive" + which, matrix)
                 for kind, matrix in (("pd", "g20.rua"), ("ps", "g20.rua"), ("pz", "cg20.cua"))
                 for which in ("", "1", "2", "3", "_ABglobal", "1_ABglobal", "3_ABglobal")
                 if kind != "ps" or "global" not in which)
DIFFERS = re.compile(r"time|flops|memory|\bMB\b|^\s*\. |Sum-of-all|Total :", re.IGNORECASE)


class SuperluDist:
    name = "superlu_dist"
    mpis = (debian("openmpi"),)
    modes = (ALONE, THREADS)
    ranks = (2, 4)

    def prepare(self) -> None:
        if not (EXAMPLES / "pddrive").exists():
            raise Missing("no %s: Debian's package libsuperlu-dist-dev has it (./dev setup)"
                          % EXAMPLES)

    def judge(self, launcher: Launcher, ranks: int, folder: Path) -> Verdict:
        return together([self.judge_example(launcher, ranks, folder, program, matrix)
                         for program, matrix in PROGRAMS])

    def judge_example(self, launcher: Launcher, ranks: int, folder: Path, program: str,
                      matrix: str) -> Verdict:
        """Its ranks write in any order. Each right-hand side has a line with its error."""
        words = [str(EXAMPLES / program), "-r", str(ranks // 2), "-c", "2", str(EXAMPLES / matrix)]
        ended = launcher.run(ranks, words, folder, SECONDS)
        errors = [float(error) for error in
                  re.findall(r"\|\|X ?- ?Xtrue\|\| ?/ ?\|\|X\|\| = (\S+)", ended.text)]
        most = 1e-3 if program.startswith("ps") else 1e-6
        wrong = sum(not error < most for error in errors)
        name = "%s of %d ranks" % (program, ranks)
        lines = sorted(name + ": " + line.strip() for line in ended.text.splitlines()
                       if line.strip() and not DIFFERS.search(line)
                       and not line.startswith(("terrace:", "mpirun")))
        return of_counts(name, ended, len(errors) - wrong, wrong, lines)
