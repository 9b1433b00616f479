# SPDX-License-Identifier: BSD-3-Clause
"""LAMMPS with three of its inputs: Monte Carlo, a solvated peptide, a domain that is rebalanced.

Each ends in positions and velocities of all atoms with 17 digits. With 2 ranks sums have no order
that could differ, so they must be the same with Terrace and without.
"""

import re
import shutil
from pathlib import Path
from typing import List, NamedTuple

from jobs import MODES, THREADS, Launcher, debian
from sources import Missing
from verdict import Verdict, of_counts, together

EXAMPLES = Path("/usr/share/lammps/examples")
SECONDS_PER_JOB = 240
ATOMS = "atoms.end"
WRITE_ATOMS = ("\nwrite_dump all custom %s id type x y z vx vy vz"
               " modify sort id format float %%.17g\n" % ATOMS)


class Input(NamedTuple):
    path: str
    steps: int


INPUTS = (Input("gcmc/in.gcmc.lj", 1000), Input("peptide/in.peptide", 100),
          Input("balance/in.balance.bond.fast", 2000))


def results_in(text: str) -> List[str]:
    """The table of thermodynamics, without times."""
    found = re.search(r"^[\s-]*Step .*?^Loop time", text, re.MULTILINE | re.DOTALL)
    lines = found.group().splitlines()[:-1] if found else []
    return [re.sub(r"CPU = .*", "", line).rstrip() for line in lines
            if not line.startswith("terrace:")]


class Lammps:
    name = "lammps"
    mpis = (debian("openmpi"),)
    modes = MODES + (THREADS,)
    ranks = (2,)

    def prepare(self) -> None:
        for what in INPUTS:
            if not shutil.which("lmp") or not (EXAMPLES / what.path).exists():
                raise Missing("no `lmp` or no %s: Debian's packages lammps and lammps-examples"
                              " have them (./dev setup)" % (EXAMPLES / what.path))

    def judge(self, launcher: Launcher, ranks: int, folder: Path) -> Verdict:
        return together([self.judge_input(launcher, ranks, folder, what) for what in INPUTS])

    def judge_input(self, launcher: Launcher, ranks: int, folder: Path, what: Input) -> Verdict:
        for path in (EXAMPLES / what.path).parent.iterdir():
            if path.is_file() and not path.name.startswith("log."):
                shutil.copy(path, folder)
        script = folder / Path(what.path).name
        text, runs = re.subn(r"^run\s+\d+\s*$", "run %d" % what.steps, script.read_text(),
                             flags=re.MULTILINE)
        if runs != 1:
            raise Missing("%s has %d lines `run N`; is it another version?" % (script.name, runs))
        script.write_text(text + WRITE_ATOMS)
        (folder / ATOMS).unlink(missing_ok=True)
        ended = launcher.run(ranks, ["lmp", "-in", script.name, "-log", "none"], folder,
                             SECONDS_PER_JOB)
        atoms = (folder / ATOMS).read_text().splitlines() if (folder / ATOMS).exists() else []
        table = results_in(ended.text)
        is_complete = len(table) > 1 and len(atoms) > 10
        return of_counts("%s on %d ranks" % (what.path, ranks), ended, int(is_complete),
                         int(not is_complete), table + atoms)
