# SPDX-License-Identifier: BSD-3-Clause
"""The programs that whole_programs times: Debian's, for Debian's Open MPI 4.1, each with an input
of a few seconds on two cores.

`command` is what ranks run, with the file `stdin`, if there is one. `prepare` puts the input into
an empty folder (Missing: what is not installed). `time_of` reads from the output of a launch, which
took so many seconds, how long the program took, and is None where its results are not right: what
the program says (`seconds`), or else the launch as a whole (`is_right`)."""

import random
import re
import shutil
import subprocess
import sys
from pathlib import Path

BENCH = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(BENCH), str(BENCH.parent / "tests" / "programs")]

import cavity  # noqa: E402
import gromacs  # noqa: E402
import hpcc  # noqa: E402
import mumps  # noqa: E402
import quantum_espresso  # noqa: E402
import scalapack  # noqa: E402
import solvers  # noqa: E402
from openfoam import replaced  # noqa: E402
from sources import Missing  # noqa: E402

GCMC = Path("/usr/share/lammps/examples/gcmc/in.gcmc.lj")
PSEUDOPOTENTIALS = Path("/usr/share/abinit/psp")
CP2K_DATA = Path("/usr/share/cp2k")
MRBAYES = Path("/usr/lib/mrbayes-mpi/mb-mpi")


def need(package, *paths):
    """What is not a path is a command."""
    for path in map(str, paths):
        if not (Path(path).exists() if "/" in path else shutil.which(path)):
            raise Missing("no %s: Debian's package %s has it (apt-get install)" % (path, package))


class Program:
    stdin = None

    def __init__(self, chosen):
        """`chosen` has the number of `steps`, for programs that scale with it."""

    def seconds(self, text):
        raise NotImplementedError

    def time_of(self, text, took):
        return self.seconds(text)


class TimedFromOutside(Program):
    """One that does not say how long it took."""

    def is_right(self, text):
        raise NotImplementedError

    def time_of(self, text, took):
        return took if self.is_right(text) else None


class IcoFoam(Program):
    name = "icoFoam"
    command = cavity.COMMAND

    def __init__(self, chosen):
        self.steps = chosen.steps

    def prepare(self, folder, ranks):
        need("openfoam", "icoFoam")
        cavity.write(folder, ranks, self.steps, interval=1000000)  # never: files take time

    def seconds(self, text):
        found = re.findall(r"^ExecutionTime = ([\d.]+) s", text, re.MULTILINE)
        return float(found[-1]) if len(found) == self.steps else None


class Lammps(Program):
    name = "LAMMPS"
    command = ["lmp", "-in", GCMC.name, "-log", "none"]

    def __init__(self, chosen):
        # The input averages over a thousand steps; a step takes five times as long as icoFoam's.
        self.steps = max(1000, chosen.steps // 5000 * 1000)

    def prepare(self, folder, ranks):
        need("lammps", "lmp")
        need("lammps-examples", GCMC)
        shutil.copytree(GCMC.parent, folder, dirs_exist_ok=True)
        (folder / GCMC.name).write_text(replaced(r"^run\s+\d+\s*$", "run %d" % self.steps,
                                                 GCMC.read_text()))

    def seconds(self, text):
        found = re.search(r"^Loop time of ([\d.]+) on", text, re.MULTILINE)
        return float(found.group(1)) if found else None


class Gromacs(Program):
    name = "GROMACS"
    command = ["gmx_mpi", "mdrun", "-s", "run.tpr", "-ntomp", "1", "-deffnm", "end"]

    def __init__(self, chosen):
        self.inputs = gromacs.Gromacs()
        self.inputs.steps = max(500, chosen.steps // 5)

    def prepare(self, folder, ranks):
        self.log = folder / "end.log"
        self.inputs.prepare()
        self.inputs.make_input(folder)

    def seconds(self, text):
        """From how far it would come in a day; a step is 2 fs."""
        log = self.log.read_text() if self.log.exists() else ""
        self.log.unlink(missing_ok=True)
        found = re.search(r"^Performance: +([\d.]+)", log, re.MULTILINE)
        return self.inputs.steps * 2e-6 / float(found.group(1)) * 86400 if found else None


class QuantumEspresso(Program):
    name = "pw.x"
    command = ["pw.x", "-in", "silicon.in"]

    def __init__(self, chosen):
        self.cutoff = 24 + chosen.steps // 250

    def prepare(self, folder, ranks):
        quantum_espresso.QuantumEspresso().prepare()
        (folder / "silicon.in").write_text(replaced(
            r"ecutwfc=[\d.]+", "ecutwfc=%d" % self.cutoff, quantum_espresso.INPUT))

    def seconds(self, text):
        found = re.search(r"^ +PWSCF +:.*?CPU +(?:(\d+)m)? *([\d.]+)s WALL", text, re.MULTILINE)
        return 60 * int(found.group(1) or 0) + float(found.group(2)) if found else None


class Planner(Program):
    name = "FFTW's planner"
    command = ["./planner", "256"]

    def prepare(self, folder, ranks):
        need("libopenmpi-dev", "mpicc.openmpi")
        made = subprocess.run(
            ["mpicc.openmpi", "-O2", str(Path(__file__).with_name("planner.c")), "-o",
             str(folder / "planner"), "-lfftw3_mpi", "-lfftw3", "-lm"], check=False)
        if made.returncode != 0:
            raise Missing("Debian's package libfftw3-mpi-dev is not installed")

    def seconds(self, text):
        found = re.search(r"planned in ([\d.]+) ms, 0 wrong", text)
        return float(found.group(1)) / 1e3 if found else None


class NwChem(Program):
    """The shape of a water molecule by density functional theory; over Global Arrays, which use
    one-sided communication and a shared memory of their own."""

    name = "NWChem"
    command = ["nwchem.openmpi", "water.nw"]
    INPUT = """start water
geometry units angstroms noautosym
  O  0.000  0.000  0.000
  H  0.757  0.586  0.000
  H -0.757  0.586  0.000
end
basis
  * library 6-31g*
end
dft
  xc b3lyp
end
task dft optimize
"""

    def prepare(self, folder, ranks):
        need("nwchem-openmpi", "nwchem.openmpi")
        (folder / "water.nw").write_text(self.INPUT)

    def seconds(self, text):
        found = re.search(r"Total times +cpu: +[\d.]+s +wall: +([\d.]+)s", text)
        return float(found.group(1)) if found and "Optimization converged" in text else None


class Cp2k(Program):
    """Molecular dynamics of a water molecule, forces by density functional theory."""

    name = "CP2K"
    command = ["cp2k.popt", "-i", "water.inp"]
    STEPS = 2
    INPUT = """&GLOBAL
  PROJECT water
  RUN_TYPE MD
  PRINT_LEVEL LOW
&END GLOBAL
&FORCE_EVAL
  METHOD QS
  &DFT
    BASIS_SET_FILE_NAME %(data)s/GTH_BASIS_SETS
    POTENTIAL_FILE_NAME %(data)s/GTH_POTENTIALS
    &MGRID
      CUTOFF 140
    &END MGRID
    &SCF
      EPS_SCF 1.0E-5
    &END SCF
    &XC
      &XC_FUNCTIONAL PADE
      &END XC_FUNCTIONAL
    &END XC
  &END DFT
  &SUBSYS
    &CELL
      ABC 6.0 6.0 6.0
    &END CELL
    &COORD
      O 3.000 3.000 3.000
      H 3.757 3.586 3.000
      H 2.243 3.586 3.000
    &END COORD
    &KIND H
      BASIS_SET DZVP-GTH
      POTENTIAL GTH-PADE-q1
    &END KIND
    &KIND O
      BASIS_SET DZVP-GTH
      POTENTIAL GTH-PADE-q6
    &END KIND
  &END SUBSYS
&END FORCE_EVAL
&MOTION
  &MD
    ENSEMBLE NVE
    STEPS %(steps)d
    TIMESTEP 0.5
  &END MD
&END MOTION
"""

    def prepare(self, folder, ranks):
        need("cp2k", "cp2k.popt")
        need("cp2k-data", CP2K_DATA / "GTH_BASIS_SETS")
        (folder / "water.inp").write_text(self.INPUT % {"data": CP2K_DATA, "steps": self.STEPS})

    def seconds(self, text):
        """The last column is the longest time of a rank."""
        found = re.search(r"^ CP2K +1 .* ([\d.]+)$", text, re.MULTILINE)
        converged = text.count("SCF run converged") == self.STEPS + 1
        return float(found.group(1)) if found and converged else None


class Abinit(Program):
    """The energy of silicon by plane waves."""

    name = "ABINIT"
    command = ["abinit", "silicon.abi"]
    INPUT = """acell 3*10.18
rprim 0.0 0.5 0.5  0.5 0.0 0.5  0.5 0.5 0.0
ntypat 1  znucl 14  natom 2  typat 1 1
xred 0 0 0  0.25 0.25 0.25
pp_dirpath "%s"
pseudos "14si.pspnc"
ecut 24.0
kptopt 1  ngkpt 4 4 4  nshiftk 1  shiftk 0 0 0
nstep 30  toldfe 1.0d-8  diemac 12.0
prtwf 0  prtden 0  prteig 0  prtebands 0
""" % PSEUDOPOTENTIALS

    def prepare(self, folder, ranks):
        need("abinit", "abinit")
        need("abinit-data", PSEUDOPOTENTIALS / "14si.pspnc")
        self.folder = folder
        (folder / "silicon.abi").write_text(self.INPUT)

    def seconds(self, text):
        for output in self.folder.glob("silicon.abo*"):  # else it makes another each time
            output.unlink()
        found = re.search(r"Proc. +0 individual time .*wall= +([\d.]+)", text)
        return float(found.group(1)) if found and "Calculation completed" in text else None


class MrBayes(TimedFromOutside):
    """Trees of twelve invented species of 600 letters, by Markov chains, which now and then
    exchange a few numbers."""

    name = "MrBayes"
    command = [str(MRBAYES), "data.nex"]
    SPECIES, LETTERS = 12, 600
    INPUT = """#NEXUS
begin data;
dimensions ntax=%d nchar=%d;
format datatype=dna;
matrix
%s
;
end;
begin mrbayes;
set autoclose=yes nowarn=yes seed=1 swapseed=1;
lset nst=6 rates=gamma;
mcmc ngen=10000 nruns=2 nchains=4 samplefreq=500 printfreq=5000 diagnfreq=5000;
end;
"""

    def prepare(self, folder, ranks):
        need("mrbayes-mpi", MRBAYES)
        chance = random.Random(7)

        def changed(letters, share):
            return [chance.choice("ACGT") if chance.random() < share else letter
                    for letter in letters]

        ancestor = [chance.choice("ACGT") for _ in range(self.LETTERS)]
        families = [changed(ancestor, 0.1) for _ in range(4)]
        lines = ["s%d %s" % (i, "".join(changed(families[i % 4], 0.08)))
                 for i in range(self.SPECIES)]
        (folder / "data.nex").write_text(self.INPUT % (self.SPECIES, self.LETTERS,
                                                       "\n".join(lines)))

    def is_right(self, text):
        return "Analysis completed" in text


class Mpb(TimedFromOutside):
    """Frequencies of light in a crystal of spheres."""

    name = "MPB"
    command = ["mpb-mpi", "bands.ctl"]
    INPUT = """(set! num-bands 5)
(set! k-points (interpolate 1 (list (vector3 0 0 0) (vector3 0.5 0 0) (vector3 0.5 0.5 0))))
(set! geometry (list (make sphere (center 0 0 0) (radius 0.3)
                           (material (make dielectric (epsilon 12))))))
(set! geometry-lattice (make lattice (size 1 1 1)))
(set! resolution 16)
(run)
"""

    def prepare(self, folder, ranks):
        need("mpb-mpi", "mpb-mpi")
        (folder / "bands.ctl").write_text(self.INPUT)

    def is_right(self, text):
        return text.rstrip().endswith("done.") and text.count("freqs:") == 6


class Hpcc(TimedFromOutside):
    """All of its benchmarks, small; it checks its own results."""

    name = "HPCC"
    command = [str(hpcc.PROGRAM)]

    def prepare(self, folder, ranks):
        hpcc.Hpcc().prepare()
        self.output = folder / "hpccoutf.txt"
        (folder / "hpccinf.txt").write_text(hpcc.input_for(ranks))

    def is_right(self, text):
        told = self.output.read_text() if self.output.exists() else ""
        self.output.unlink(missing_ok=True)
        return "Success=1" in told


class Scalapack(TimedFromOutside):
    """Its tests of QR factorization, with Debian's input: many small matrices. (Those of LU hang
    now and then under Open MPI alone, once matrices are larger.)"""

    name = "ScaLAPACK"
    command = [str(scalapack.LIBRARIES / "openmpi-tests" / "xdqr")]

    def prepare(self, folder, ranks):
        scalapack.Scalapack((), ()).prepare()
        data = (scalapack.INPUTS / "QR.dat").read_text()
        (folder / "QR.dat").write_text(scalapack.for_grids_of(ranks, data))

    def is_right(self, text):
        passed = len(re.findall(r"\bPASSED\s*$", text, re.MULTILINE))
        return passed > 0 and "FAILED" not in text and "END OF TESTS." in text


class Mumps(TimedFromOutside):
    """Poisson's equation on a cube of 18 cells a side, by the program of MUMPS that reads a system
    from its standard input."""

    name = "MUMPS"
    command = [str(mumps.PROGRAMS / "dsimpletest")]
    stdin = "poisson.txt"
    SIDE = 18

    def prepare(self, folder, ranks):
        mumps.Mumps().prepare()
        side, entries = self.SIDE, []
        for x in range(side):
            for y in range(side):
                for z in range(side):
                    row = (x * side + y) * side + z + 1
                    entries.append("%d %d 6.5" % (row, row))
                    for inside, step in ((x > 0, -side * side), (x < side - 1, side * side),
                                         (y > 0, -side), (y < side - 1, side),
                                         (z > 0, -1), (z < side - 1, 1)):
                        if inside:
                            entries.append("%d %d -1.0" % (row, row + step))
        (folder / self.stdin).write_text("%d\n%d\n%s\n%s\n" % (
            side ** 3, len(entries), "\n".join(entries), "\n".join(["1.0"] * side ** 3)))

    def is_right(self, text):
        return "Solution is" in text and "ERROR RETURN" not in text


class PetscExample(TimedFromOutside):
    """One of PETSc's tutorials."""

    def prepare(self, folder, ranks):
        petsc = solvers.Petsc()
        petsc.prepare()
        self.command = [str(petsc.program(self.tutorial))] + self.words.split()


class PetscKrylov(PetscExample):
    """A system of 22,500 unknowns by conjugate gradients: two allreduces an iteration."""

    name = "PETSc CG"
    tutorial = "ksp/ksp/tutorials/ex2"
    words = "-m 150 -n 150 -ksp_type cg -pc_type jacobi -ksp_rtol 1e-12"

    def is_right(self, text):
        found = re.search(r"^Norm of error ([\d.e+-]+) iterations", text, re.MULTILINE)
        return bool(found) and float(found.group(1)) < 1e-3


class PetscHypre(PetscKrylov):
    """A system of 160,000 unknowns by hypre's BoomerAMG."""

    name = "PETSc hypre"
    words = ("-m 400 -n 400 -ksp_type cg -pc_type hypre -pc_hypre_type boomeramg "
             "-ksp_rtol 1e-12")


class PetscNewton(PetscExample):
    """A driven cavity with heat, by Newton's method and multigrid."""

    name = "PETSc Newton"
    tutorial = "snes/tutorials/ex19"
    words = "-da_refine 5 -pc_type mg -snes_monitor"

    def is_right(self, text):
        return "Number of SNES iterations" in text


PROGRAMS = {program.name: program for program in
            (IcoFoam, Lammps, Gromacs, QuantumEspresso, Planner, NwChem, Cp2k, Abinit, MrBayes, Mpb,
             Hpcc, Scalapack, Mumps, PetscKrylov, PetscHypre, PetscNewton)}
