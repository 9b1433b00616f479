# SPDX-License-Identifier: BSD-3-Clause
"""MUMPS solves the small system that it ships, in all kinds of numbers."""

import re
from pathlib import Path

from jobs import MODES, THREADS, Launcher, debian
from sources import Missing
from verdict import Verdict, of_counts, together

PROGRAMS = Path("/usr/lib/mumps")
SECONDS_PER_JOB = 120
TOLERANCE = {"s": 1e-4, "c": 1e-4, "d": 1e-12, "z": 1e-12}
NUMBER = r"-?\d+\.\d+(?:[ED][+-]\d+)?"


def is_solved(kind: str, numbers: str) -> bool:
    """The solution is 1, 2, 3, 4, 5; complex ones print each number's two parts."""
    values = [float(number.replace("D", "E")) for number in re.findall(NUMBER, numbers)]
    if kind in "cz":
        if len(values) % 2 != 0 or any(abs(part) > TOLERANCE[kind] for part in values[1::2]):
            return False
        values = values[::2]
    return (len(values) == 5
            and all(abs(value - at - 1) < TOLERANCE[kind] * 5 for at, value in enumerate(values)))


class Mumps:
    name = "mumps"
    mpis = (debian("openmpi"),)
    modes = MODES + (THREADS,)
    ranks = (2, 3, 4)
    is_quick = False

    def prepare(self) -> None:
        if not (PROGRAMS / "dsimpletest").exists():
            raise Missing("no %s/dsimpletest: Debian's package mumps-test has it (./dev setup)"
                          % PROGRAMS)

    def judge(self, launcher: Launcher, ranks: int, folder: Path) -> Verdict:
        kinds = "dz" if self.is_quick else "sdcz"
        return together([self.judge_kind(launcher, ranks, folder, kind) for kind in kinds])

    def judge_kind(self, launcher: Launcher, ranks: int, folder: Path, kind: str) -> Verdict:
        numbers = "cmplx" if kind in "cz" else "real"
        ended = launcher.run(ranks, [str(PROGRAMS / (kind + "simpletest"))], folder,
                             SECONDS_PER_JOB, PROGRAMS / ("input_simpletest_" + numbers))
        found = re.search(r"^ *Solution is(.*(?:\n[ \d.,()ED+-]+$)*)", ended.text, re.MULTILINE)
        solved = bool(found) and is_solved(kind, found.group(1) if found else "")
        return of_counts("%ssimpletest of %d ranks" % (kind, ranks), ended, int(solved),
                         int(not solved))
