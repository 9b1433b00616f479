# SPDX-License-Identifier: BSD-3-Clause
"""ABINIT: silicon with an atom out of place, its energies and forces, with ABINIT's potentials."""

import re
import shutil
from pathlib import Path

from jobs import MODES, THREADS, Launcher, debian
from sources import Missing
from verdict import Verdict, of_counts

POTENTIALS = Path("/usr/share/abinit/psp")
POTENTIAL = "14si.pspnc"
SECONDS = 240
INPUT = """pp_dirpath "%s"
pseudos "%s"
ecut 8  ngkpt 2 2 2  nshiftk 4
shiftk 0.5 0.5 0.5  0.5 0.0 0.0  0.0 0.5 0.0  0.0 0.0 0.5
acell 3*10.217  rprim 0.0 0.5 0.5  0.5 0.0 0.5  0.5 0.5 0.0
ntypat 1  znucl 14  natom 2  typat 1 1
xred 0.0 0.0 0.0  0.26 0.25 0.25
nstep 15  toldfe 1.0d-8  chksymtnons 0
""" % (POTENTIALS, POTENTIAL)


class Abinit:
    name = "abinit"
    mpis = (debian("openmpi"),)
    modes = MODES + (THREADS,)
    ranks = (2,)  # with more, sums in another order have other last digits

    def prepare(self) -> None:
        if not shutil.which("abinit") or not (POTENTIALS / POTENTIAL).exists():
            raise Missing("no `abinit` or no %s: Debian's packages abinit and abinit-data have "
                          "them (apt-get install)" % POTENTIAL)

    def judge(self, launcher: Launcher, ranks: int, folder: Path) -> Verdict:
        (folder / "silicon.abi").write_text(INPUT)
        answer = folder / "silicon.abo"
        ended = launcher.run(ranks, ["abinit", "silicon.abi"], folder, SECONDS)
        text = answer.read_text() if answer.exists() else ""
        energies = re.findall(r"^ ETOT .*$", text, re.MULTILINE)
        forces = re.search(r"cartesian forces \(hartree/bohr\).*\n(?:.*\n){2}", text)
        is_complete = ("Calculation completed" in text and len(energies) > 3 and
                       forces is not None)
        results = energies + (forces.group().splitlines() if forces else [])
        return of_counts("abinit on %d ranks" % ranks, ended, int(is_complete),
                         int(not is_complete), results)
