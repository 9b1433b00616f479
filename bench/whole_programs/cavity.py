# SPDX-License-Identifier: BSD-3-Clause
"""A case of OpenFOAM's icoFoam: a square full of liquid, whose lid moves; 20 x 20 cells. It is that
of OpenFOAM's tutorial, written here, since smaller Debian systems leave examples out."""

import os
import subprocess
from pathlib import Path

VARIABLES = {"WM_PROJECT_DIR": "/usr/share/openfoam"}  # where Debian has what OpenFOAM looks for
COMMAND = ["icoFoam", "-parallel"]
STEP = 0.005  # of simulated time, in seconds

MESH = """scale 0.1;
vertices ((0 0 0) (1 0 0) (1 1 0) (0 1 0) (0 0 0.1) (1 0 0.1) (1 1 0.1) (0 1 0.1));
blocks (hex (0 1 2 3 4 5 6 7) (20 20 1) simpleGrading (1 1 1));
boundary
(
  lid { type wall; faces ((3 7 6 2)); }
  walls { type wall; faces ((0 4 7 3) (2 6 5 1) (1 5 4 0)); }
  frontAndBack { type empty; faces ((0 3 2 1) (4 5 6 7)); }
);
"""
CONTROL = """application icoFoam;
startFrom startTime; startTime 0; stopAt endTime; endTime %(end)s; deltaT %(step)s;
writeControl timeStep; writeInterval %(interval)d; writePrecision 12;
"""
SCHEMES = """ddtSchemes { default Euler; }
gradSchemes { default Gauss linear; }
divSchemes { default none; div(phi,U) Gauss linear; }
laplacianSchemes { default Gauss linear orthogonal; }
interpolationSchemes { default linear; }
snGradSchemes { default orthogonal; }
"""
SOLUTION = """solvers
{
  p { solver PCG; preconditioner DIC; tolerance 1e-6; relTol 0.05; }
  pFinal { $p; relTol 0; }
  U { solver smoothSolver; smoother symGaussSeidel; tolerance 1e-5; relTol 0; }
}
PISO { nCorrectors 2; nNonOrthogonalCorrectors 0; pRefCell 0; pRefValue 0; }
"""
VELOCITY = """dimensions [0 1 -1 0 0 0 0];
internalField uniform (0 0 0);
boundaryField
{
  lid { type fixedValue; value uniform (1 0 0); }
  walls { type noSlip; }
  frontAndBack { type empty; }
}
"""
PRESSURE = """dimensions [0 2 -2 0 0 0 0];
internalField uniform 0;
boundaryField
{
  lid { type zeroGradient; }
  walls { type zeroGradient; }
  frontAndBack { type empty; }
}
"""
PARTS = "numberOfSubdomains %(ranks)d; method simple; coeffs { n (%(ranks)d 1 1); }\n"
FILES = {"system/blockMeshDict": MESH, "system/controlDict": CONTROL, "system/fvSchemes": SCHEMES,
         "system/fvSolution": SOLUTION, "system/decomposeParDict": PARTS,
         "constant/transportProperties": "nu 0.01;\n", "0/U": VELOCITY, "0/p": PRESSURE}
CLASSES = {"0/U": "volVectorField", "0/p": "volScalarField"}
HEAD = "FoamFile { version 2.0; format ascii; class %s; object %s; }\n"


def write(folder: Path, ranks: int, steps: int, interval: int) -> None:
    """The case, cut into a part for each rank; its fields are written after each interval of steps.
    CalledProcessError says what OpenFOAM said."""
    values = {"ranks": ranks, "interval": interval, "step": STEP, "end": "%.3f" % (steps * STEP)}
    for name, text in FILES.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(HEAD % (CLASSES.get(name, "dictionary"), path.name) + text % values)
    for tool in ("blockMesh", "decomposePar"):
        subprocess.run([tool], cwd=folder, env=dict(os.environ, **VARIABLES), check=True,
                       stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def results(folder: Path, steps: int) -> list:
    """All fields of all parts at the end, line by line."""
    lines = []
    for part in sorted(folder.glob("processor*")):
        for name in ("U", "p", "phi"):
            lines += (part / ("%g" % (steps * STEP)) / name).read_text().splitlines()
    return lines


def forget_results(folder: Path, steps: int) -> None:
    for part in folder.glob("processor*"):
        for path in (part / ("%g" % (steps * STEP))).rglob("*"):
            if path.is_file():
                path.unlink()
