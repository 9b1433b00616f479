#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Is a whole program as fast with Terrace as without it?

Debian's programs under Debian's Open MPI 4.1, on 2 ranks: OpenFOAM's icoFoam (cavity, 20 x 20
cells), LAMMPS (Monte Carlo, half a million small allreduces), and FFTW's MPI planner, which makes
communicators for a few calls each. Launches with the MPI alone, with Terrace, with Terrace turned
off, and with trials turned off take turns, next to busy loops if asked; ratios are of one turn."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import answers  # noqa: E402
import launches as launched  # noqa: E402
import peers  # noqa: E402

RANKS = 2
WAYS = {"alone": None, "terrace": {}, "off": {"TERRACE": "off"},
        "no trials": {"TERRACE_TRIALS": "off"}}
OPENFOAM = {"WM_PROJECT_DIR": "/usr/share/openfoam"}
CAVITY = Path("/usr/share/doc/openfoam-examples/examples/incompressible/icoFoam/cavity/cavity")
TWO_PARTS = """FoamFile { version 2.0; format ascii; class dictionary; object decomposeParDict; }
numberOfSubdomains 2;
method simple;
coeffs { n (2 1 1); }
"""
GCMC = Path("/usr/share/lammps/examples/gcmc/in.gcmc.lj")


class Missing(Exception):
    """A sentence that says what is not installed."""


def replaced(pattern, words, text):
    text, count = re.subn(pattern, words, text, flags=re.MULTILINE)
    if count != 1:
        raise Missing("%d lines of an example's input look like %s; is it another version?"
                      % (count, pattern))
    return text


class IcoFoam:
    name = "icoFoam"
    command = ["icoFoam", "-parallel"]

    def __init__(self, chosen):
        self.steps = chosen.steps

    def prepare(self, folder):
        if not shutil.which("icoFoam") or not CAVITY.exists():
            raise Missing("Debian's packages openfoam and openfoam-examples are not installed")
        shutil.copytree(CAVITY, folder, dirs_exist_ok=True)
        for path in folder.rglob("*.gz"):
            subprocess.run(["gunzip", str(path)], check=True)
        control = folder / "system" / "controlDict"
        text = replaced(r"^endTime .*;", "endTime %.3f;" % (0.005 * self.steps),
                        control.read_text())
        control.write_text(replaced(r"^writeInterval .*;", "writeInterval 1000000;", text))
        (folder / "system" / "decomposeParDict").write_text(TWO_PARTS)
        for step in ("blockMesh", "decomposePar"):
            subprocess.run([step], cwd=folder, env=dict(os.environ, **OPENFOAM), check=True,
                           stdout=subprocess.DEVNULL)

    def seconds(self, text):
        found = re.findall(r"^ExecutionTime = ([\d.]+) s", text, re.MULTILINE)
        return float(found[-1]) if len(found) == self.steps else None


class Lammps:
    name = "LAMMPS"
    command = ["lmp", "-in", GCMC.name, "-log", "none"]

    def __init__(self, chosen):
        # The input averages over a thousand steps; a step takes five times as long as icoFoam's.
        self.steps = max(1000, chosen.steps // 5000 * 1000)

    def prepare(self, folder):
        if not shutil.which("lmp") or not GCMC.exists():
            raise Missing("Debian's packages lammps and lammps-examples are not installed")
        shutil.copytree(GCMC.parent, folder, dirs_exist_ok=True)
        (folder / GCMC.name).write_text(replaced(r"^run\s+\d+\s*$", "run %d" % self.steps,
                                                 GCMC.read_text()))

    def seconds(self, text):
        found = re.search(r"^Loop time of ([\d.]+) on", text, re.MULTILINE)
        return float(found.group(1)) if found else None


class Planner:
    name = "FFTW's planner"
    command = ["./planner", "256"]

    def __init__(self, chosen):
        pass

    def prepare(self, folder):
        made = subprocess.run(
            ["mpicc.openmpi", "-O2", str(Path(__file__).with_name("planner.c")), "-o",
             str(folder / "planner"), "-lfftw3_mpi", "-lfftw3", "-lm"], check=False)
        if made.returncode != 0:
            raise Missing("Debian's package libfftw3-mpi-dev is not installed")

    def seconds(self, text):
        found = re.search(r"planned in ([\d.]+) ms, 0 wrong", text)
        return float(found.group(1)) / 1e3 if found else None


PROGRAMS = {program.name: program for program in (IcoFoam, Lammps, Planner)}


class BusyLoops:
    """Other programs on the machine."""

    def __init__(self, count):
        self.count, self.running = count, []

    def __enter__(self):
        self.running = [subprocess.Popen([sys.executable, "-c", "while True: pass"])
                        for _ in range(self.count)]

    def __exit__(self, *_):
        for loop in self.running:
            loop.kill()
            loop.wait()


def launch(program, folder, way, patience):
    words = ["mpirun.openmpi", "-n", str(RANKS), "--bind-to", "core"]
    words += [str(answers.program("terrace")), "exec"] if WAYS[way] is not None else []
    variables = peers.environment("openmpi", {**OPENFOAM, **(WAYS[way] or {}),
                                              "PWD": str(folder)})
    start = time.monotonic()
    text = peers.output_of(words + program.command, variables, patience,
                           "%s, %s" % (program.name, way), folder)
    return program.seconds(text), time.monotonic() - start


def measured(program, ways, chosen, loops):
    with tempfile.TemporaryDirectory(prefix="terrace-bench-") as name:
        folder = Path(name)
        try:
            program.prepare(folder)
        except Missing as sentence:
            print("%s: left out: %s" % (program.name, sentence), file=sys.stderr)
            return
        found = [{} for _ in range(chosen.turns)]
        with BusyLoops(loops):
            for turn, way in launched.in_rotation(ways, chosen.turns):
                found[turn][way] = launch(program, folder, way, chosen.patience)
    whole = [turn for turn in found if all(inner for inner, _ in turn.values())]
    for way in ways if whole else ():
        inner = answers.median_of([turn[way][0] for turn in whole])
        row = {"program": program.name, "way": way, "ranks": RANKS, "loops": loops,
               "turns": len(whole), "s_median": inner["value"], "s_low": inner["low"],
               "s_high": inner["high"],
               "job_s": answers.median_of([turn[way][1] for turn in whole])["value"]}
        if "alone" in ways and way != "alone":
            ratio = answers.median_of([turn[way][0] / turn["alone"][0] for turn in whole])
            row.update(ratio=ratio["value"], ratio_low=ratio["low"], ratio_high=ratio["high"])
        yield {name: round(cell, 4) if isinstance(cell, float) else cell
               for name, cell in row.items()}


def options():
    parser = answers.question_options("whole_programs", __doc__, "two turns, nothing kept")
    parser.add_argument("--programs", default=",".join(PROGRAMS))
    parser.add_argument("--ways", default=",".join(WAYS))
    parser.add_argument("--turns", type=int, default=7, help="launches of each way (7)")
    parser.add_argument("--steps", type=int, default=10000,
                        help="of icoFoam, five times as many as of LAMMPS (10000)")
    parser.add_argument("--loops", default="0", help="busy loops meanwhile, such as 0,2 (0)")
    chosen = parser.parse_args()
    unknown = [name for name in chosen.programs.split(",") if name not in PROGRAMS]
    unknown += [name for name in chosen.ways.split(",") if name not in WAYS]
    if unknown:
        parser.error("there is no %s; programs: %s; ways: %s"
                     % (unknown[0], ", ".join(PROGRAMS), ", ".join(WAYS)))
    chosen.turns = 2 if chosen.quick else chosen.turns
    return chosen


def main():
    chosen = options()
    rows = []
    for loops in map(int, chosen.loops.split(",")):
        for name in chosen.programs.split(","):
            rows += measured(PROGRAMS[name](chosen), chosen.ways.split(","), chosen, loops)
    if not rows:
        print("nothing measured: no program, or no launch ended", file=sys.stderr)
        return 1
    print(answers.table(rows, list(max(rows, key=len))))
    if not chosen.quick:
        answers.keep("whole_programs", __doc__.splitlines()[0], rows, chosen.results)
    return 0


if __name__ == "__main__":
    sys.exit(main())
