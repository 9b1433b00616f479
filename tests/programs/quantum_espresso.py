# SPDX-License-Identifier: BSD-3-Clause
"""Quantum ESPRESSO's pw.x: silicon, its energy, forces and stress, with Debian's potentials."""

import re
import shutil
from pathlib import Path

from jobs import MODES, THREADS, Launcher, debian
from sources import Missing
from verdict import Verdict, of_counts

POTENTIALS = Path("/usr/share/espresso/pseudo")
POTENTIAL = "Si.pz-vbc.UPF"
SECONDS_PER_JOB = 240
INPUT = """&control calculation='scf' prefix='silicon' pseudo_dir='%s' outdir='./out'
  tprnfor=.true. tstress=.true. /
&system ibrav=2 celldm(1)=10.2 nat=2 ntyp=1 ecutwfc=24.0 /
&electrons conv_thr=1.0d-8 /
ATOMIC_SPECIES
  Si 28.086 %s
ATOMIC_POSITIONS alat
  Si 0.00 0.00 0.00
  Si 0.26 0.25 0.25
K_POINTS automatic
  4 4 4 1 1 1
""" % (POTENTIALS, POTENTIAL)


class QuantumEspresso:
    name = "pw.x"
    mpis = (debian("openmpi"),)
    modes = MODES + (THREADS,)
    ranks = (2,)  # with more, sums in another order have other last digits

    def prepare(self) -> None:
        if not shutil.which("pw.x") or not (POTENTIALS / POTENTIAL).exists():
            raise Missing("no `pw.x` or no %s: Debian's packages quantum-espresso and "
                          "quantum-espresso-data have them (apt-get install)" % POTENTIAL)

    def judge(self, launcher: Launcher, ranks: int, folder: Path) -> Verdict:
        (folder / "silicon.in").write_text(INPUT)
        ended = launcher.run(ranks, ["pw.x", "-in", "silicon.in"], folder, SECONDS_PER_JOB)
        energies = re.findall(r"^!? *(?:total energy|Total force|atom +\d+ type).*$", ended.text,
                              re.MULTILINE)
        stress = re.search(r"total   stress.*\n(?:.*\n){3}", ended.text)
        is_complete = "JOB DONE." in ended.text and len(energies) > 3 and stress is not None
        results = energies + (stress.group().splitlines() if stress else [])
        return of_counts("pw.x on %d ranks" % ranks, ended, int(is_complete),
                         int(not is_complete), results)
