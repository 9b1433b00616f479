# SPDX-License-Identifier: BSD-3-Clause
"""GROMACS' mdrun: a box of water, prepared by its own tools, and where its atoms are in the end."""

import shutil
import subprocess
from pathlib import Path
from typing import List

from jobs import MODES, THREADS, Launcher, debian
from sources import Missing
from verdict import Verdict, of_counts

SECONDS_PER_JOB = 240
TOPOLOGY = """#include "oplsaa.ff/forcefield.itp"
#include "oplsaa.ff/spce.itp"
[ system ]
water
[ molecules ]
"""
PARAMETERS = """integrator = %s
nsteps = %d
dt = 0.002
cutoff-scheme = Verlet
coulombtype = PME
rcoulomb = 0.9
rvdw = 0.9
tcoupl = no
gen_vel = %s
gen_seed = 1
constraints = none
"""


class Gromacs:
    name = "gromacs"
    mpis = (debian("openmpi"),)
    modes = MODES + (THREADS,)
    ranks = (2, 4)
    steps = 200

    def prepare(self) -> None:
        for program in ("gmx", "gmx_mpi"):
            if not shutil.which(program):
                raise Missing("no `%s`: Debian's package gromacs has it (apt-get install)"
                              % program)

    def make_input(self, folder: Path) -> None:
        """Water that has been relaxed, since else it flies apart."""
        (folder / "water.top").write_text(TOPOLOGY)
        (folder / "relax.mdp").write_text(PARAMETERS % ("steep", 100, "no"))
        (folder / "run.mdp").write_text(PARAMETERS % ("md", self.steps, "yes"))
        for words in ("solvate -cs spc216 -box 3 3 3 -p water.top -o start.gro",
                      "grompp -f relax.mdp -c start.gro -p water.top -o relax.tpr -maxwarn 5",
                      "mdrun -s relax.tpr -ntmpi 1 -ntomp 1 -deffnm relax",
                      "grompp -f run.mdp -c relax.gro -p water.top -o run.tpr -maxwarn 5"):
            self.run_tool(["gmx"] + words.split(), folder)

    def run_tool(self, words: List[str], folder: Path) -> None:
        done = subprocess.run(words, cwd=str(folder), stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True)
        if done.returncode != 0:
            raise Missing("%s fails:\n%s" % (" ".join(words), done.stdout[-1000:]))

    def judge(self, launcher: Launcher, ranks: int, folder: Path) -> Verdict:
        self.make_input(folder)
        ended = launcher.run(ranks, ["gmx_mpi", "mdrun", "-s", "run.tpr", "-ntomp", "1", "-reprod",
                                     "-deffnm", "end"], folder, SECONDS_PER_JOB)
        atoms = folder / "end.gro"
        results = atoms.read_text().splitlines()[1:] if atoms.exists() else []
        is_complete = len(results) > 1000
        return of_counts("mdrun on %d ranks" % ranks, ended, int(is_complete),
                         int(not is_complete), results)
