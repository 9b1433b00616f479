# SPDX-License-Identifier: BSD-3-Clause
"""CP2K, whose libraries are ScaLAPACK, ELPA and DBCSR: a molecule of water, its energy and
forces, with CP2K's potentials.
"""

import re
import shutil
from pathlib import Path

from jobs import ALONE, THREADS, Launcher, debian
from sources import Missing
from verdict import Verdict, of_counts

DATA = Path("/usr/share/cp2k")
SECONDS = 240
INPUT = """&GLOBAL
  PROJECT water
  RUN_TYPE ENERGY_FORCE
  PRINT_LEVEL LOW
&END GLOBAL
&FORCE_EVAL
  METHOD QS
  &PRINT
    &FORCES ON
    &END FORCES
  &END PRINT
  &DFT
    BASIS_SET_FILE_NAME %(data)s/BASIS_SET
    POTENTIAL_FILE_NAME %(data)s/POTENTIAL
    &MGRID
      CUTOFF 120
    &END MGRID
    &SCF
      EPS_SCF 1.0E-6
      MAX_SCF 100
      &OT
        MINIMIZER DIIS
      &END OT
    &END SCF
    &XC
      &XC_FUNCTIONAL PADE
      &END XC_FUNCTIONAL
    &END XC
  &END DFT
  &SUBSYS
    &CELL
      ABC 5.0 5.0 5.0
    &END CELL
    &COORD
      O 0.0  0.0      -0.065587
      H 0.0 -0.757136  0.520545
      H 0.0  0.757136  0.540545
    &END COORD
    &KIND H
      BASIS_SET DZVP-GTH-PADE
      POTENTIAL GTH-PADE-q1
    &END KIND
    &KIND O
      BASIS_SET DZVP-GTH-PADE
      POTENTIAL GTH-PADE-q6
    &END KIND
  &END SUBSYS
&END FORCE_EVAL
""" % {"data": DATA}


class Cp2k:
    name = "cp2k"
    mpis = (debian("openmpi"),)
    modes = (ALONE, THREADS)
    ranks = (2,)  # with more, sums in another order have other last digits

    def prepare(self) -> None:
        if not shutil.which("cp2k.psmp") or not (DATA / "BASIS_SET").exists():
            raise Missing("no `cp2k.psmp` or no %s/BASIS_SET: Debian's packages cp2k and "
                          "cp2k-data have them (apt-get install)" % DATA)

    def judge(self, launcher: Launcher, ranks: int, folder: Path) -> Verdict:
        (folder / "water.inp").write_text(INPUT)
        ended = launcher.run(ranks, ["cp2k.psmp", "-i", "water.inp"], folder, SECONDS)
        results = re.findall(r"^ *(?:\d+ OT |ENERGY\||\d+ +\d+ +[HO] |SUM OF ATOMIC).*$",
                             ended.text, re.MULTILINE)
        # The time of each step is not the same.
        results = [re.sub(r"^( *\d+ OT \w+ +\S+) +\S+", r"\1", line) for line in results]
        is_complete = "SCF run converged" in ended.text and "SUM OF ATOMIC" in ended.text
        return of_counts("cp2k on %d ranks" % ranks, ended, int(is_complete),
                         int(not is_complete), results)
