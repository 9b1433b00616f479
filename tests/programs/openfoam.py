# SPDX-License-Identifier: BSD-3-Clause
"""OpenFOAM's icoFoam and simpleFoam with cases of its tutorial, cut into two parts.

All fields of all parts at the end are compared, as text with twelve digits.
"""

import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import List, NamedTuple

from jobs import MODES, THREADS, Launcher, debian
from sources import Missing
from verdict import Verdict, of_counts, together

EXAMPLES = Path("/usr/share/doc/openfoam-examples/examples/incompressible")
FOLDER = "/usr/share/openfoam"
SECONDS_PER_JOB = 240
PARTS = """FoamFile { version 2.0; format ascii; class dictionary; object decomposeParDict; }
numberOfSubdomains %d;
method simple;
coeffs { n (%d 1 1); }
"""


class Case(NamedTuple):
    path: str
    end: str  # of the simulated time


CASES = (Case("icoFoam/cavity/cavity", "0.5"), Case("simpleFoam/pitzDaily", "50"))


def replaced(pattern: str, words: str, text: str) -> str:
    text, count = re.subn(pattern, words, text, flags=re.MULTILINE)
    if count != 1:
        raise Missing("%d lines of an example's input look like %s; is it another version?"
                      % (count, pattern))
    return text


def control(case: Case, text: str) -> str:
    """Written once, at the end, with enough digits to see a difference."""
    text = replaced(r"^endTime .*", "endTime %s;" % case.end, text)
    text = replaced(r"^writeControl .*", "writeControl runTime;", text)
    text = replaced(r"^writeInterval .*", "writeInterval %s;" % case.end, text)
    return replaced(r"^writePrecision .*", "writePrecision 12;", text)


class OpenFoam:
    name = "openfoam"
    mpis = (debian("openmpi"),)
    modes = MODES + (THREADS,)
    ranks = (2,)  # with more, sums in another order have other last digits

    def prepare(self) -> None:
        for case in CASES:
            if not shutil.which(case.path.split("/")[0]) or not (EXAMPLES / case.path).exists():
                raise Missing("no %s: Debian's packages openfoam and openfoam-examples have it "
                              "(./dev setup)" % case.path)
        os.environ["WM_PROJECT_DIR"] = FOLDER

    def judge(self, launcher: Launcher, ranks: int, folder: Path) -> Verdict:
        return together([self.judge_case(launcher, ranks, folder / str(number), case)
                         for number, case in enumerate(CASES)])

    def judge_case(self, launcher: Launcher, ranks: int, folder: Path, case: Case) -> Verdict:
        shutil.copytree(EXAMPLES / case.path, folder)
        controls = folder / "system" / "controlDict"
        controls.write_text(control(case, controls.read_text()))
        (folder / "system" / "decomposeParDict").write_text(PARTS % (ranks, ranks))
        for command in (["blockMesh"], ["decomposePar"]):
            done = subprocess.run(command, cwd=str(folder), stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, text=True)
            if done.returncode != 0:
                raise Missing("%s fails:\n%s" % (command[0], done.stdout[-1000:]))
        solver = case.path.split("/")[0]
        ended = launcher.run(ranks, [solver, "-parallel"], folder, SECONDS_PER_JOB)
        fields: List[str] = []
        for part in sorted(folder.glob("processor*")):
            for path in sorted((part / case.end).glob("[a-zA-Z]*")):
                if path.is_file():
                    fields += ["%s %s %s" % (part.name, path.name, line)
                               for line in path.read_text().splitlines()]
        is_complete = "\nEnd\n" in ended.text and len(fields) > 100
        return of_counts("%s on %d ranks" % (solver, ranks), ended, int(is_complete),
                         int(not is_complete), fields)
