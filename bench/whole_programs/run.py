#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Is a whole program as fast with Terrace as without it?

Debian's programs under Debian's Open MPI 4.1: OpenFOAM's icoFoam (cavity, 20 x 20 cells), LAMMPS
(Monte Carlo, half a million small allreduces), GROMACS (a box of water), Quantum ESPRESSO's pw.x
(silicon), and FFTW's MPI planner, which makes communicators for a few calls each. Launches with the
MPI alone, with Terrace, with Terrace turned off, with trials turned off, as thread ranks, and as
fibres take turns, next to busy loops if asked; ratios are of one turn, and `job` is a launch as a
whole. What icoFoam says of itself is the processor's time, which its thread ranks have together.
One more launch of each way is for the memory: what its processes have together (PSS), at most
times."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

BENCH = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(BENCH), str(BENCH.parent / "tests" / "programs")]

import answers  # noqa: E402
import cavity  # noqa: E402
import launches as launched  # noqa: E402
import gromacs  # noqa: E402
import peers  # noqa: E402
import quantum_espresso  # noqa: E402
from jobs import RUN_OPTIONS  # noqa: E402
from openfoam import replaced  # noqa: E402
from sources import Missing  # noqa: E402

WAYS = {"alone": None, "terrace": {}, "off": {"TERRACE": "off"},
        "no trials": {"TERRACE_TRIALS": "off"}, **{way: {} for way in RUN_OPTIONS}}
USUAL_WAYS = "alone,terrace,off,no trials"
GCMC = Path("/usr/share/lammps/examples/gcmc/in.gcmc.lj")


class IcoFoam:
    name = "icoFoam"
    command = cavity.COMMAND

    def __init__(self, chosen):
        self.steps = chosen.steps

    def prepare(self, folder, ranks):
        if not shutil.which("icoFoam"):
            raise Missing("Debian's package openfoam is not installed")
        cavity.write(folder, ranks, self.steps, interval=1000000)  # never: files take time

    def seconds(self, text):
        found = re.findall(r"^ExecutionTime = ([\d.]+) s", text, re.MULTILINE)
        return float(found[-1]) if len(found) == self.steps else None


class Lammps:
    name = "LAMMPS"
    command = ["lmp", "-in", GCMC.name, "-log", "none"]

    def __init__(self, chosen):
        # The input averages over a thousand steps; a step takes five times as long as icoFoam's.
        self.steps = max(1000, chosen.steps // 5000 * 1000)

    def prepare(self, folder, ranks):
        if not shutil.which("lmp") or not GCMC.exists():
            raise Missing("Debian's packages lammps and lammps-examples are not installed")
        shutil.copytree(GCMC.parent, folder, dirs_exist_ok=True)
        (folder / GCMC.name).write_text(replaced(r"^run\s+\d+\s*$", "run %d" % self.steps,
                                                 GCMC.read_text()))

    def seconds(self, text):
        found = re.search(r"^Loop time of ([\d.]+) on", text, re.MULTILINE)
        return float(found.group(1)) if found else None


class Gromacs:
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


class QuantumEspresso:
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


class Planner:
    name = "FFTW's planner"
    command = ["./planner", "256"]

    def __init__(self, chosen):
        pass

    def prepare(self, folder, ranks):
        made = subprocess.run(
            ["mpicc.openmpi", "-O2", str(Path(__file__).with_name("planner.c")), "-o",
             str(folder / "planner"), "-lfftw3_mpi", "-lfftw3", "-lm"], check=False)
        if made.returncode != 0:
            raise Missing("Debian's package libfftw3-mpi-dev is not installed")

    def seconds(self, text):
        found = re.search(r"planned in ([\d.]+) ms, 0 wrong", text)
        return float(found.group(1)) / 1e3 if found else None


PROGRAMS = {program.name: program for program in
            (IcoFoam, Lammps, Gromacs, QuantumEspresso, Planner)}


def command_of(program, way, ranks):
    terrace = str(answers.program("terrace"))
    if way in RUN_OPTIONS:
        return [terrace, "run", "-n", str(ranks)] + RUN_OPTIONS[way] + program.command
    binding = ["--bind-to", "core"] if ranks <= len(os.sched_getaffinity(0)) else [
        "--oversubscribe", "--bind-to", "none"]
    through = [terrace, "exec"] if WAYS[way] is not None else []
    return ["mpirun.openmpi", "-n", str(ranks)] + binding + through + program.command


def variables_of(way, folder):
    return peers.environment("openmpi", {**cavity.VARIABLES, **(WAYS[way] or {}),
                                         "PWD": str(folder), "OMP_NUM_THREADS": "1"})


def launch(program, folder, way, ranks, patience):
    start = time.monotonic()
    text = peers.output_of(command_of(program, way, ranks), variables_of(way, folder), patience,
                           "%s, %s" % (program.name, way), folder)
    return program.seconds(text), time.monotonic() - start


def memory_of(session):
    """What a session's processes have in memory, in MB; shared pages count in part for each."""
    kilobytes = 0
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if os.getsid(int(process.name)) == session:
                kilobytes += int(re.search(r"^Pss: +(\d+)", (process / "smaps_rollup").read_text(),
                                           re.MULTILINE).group(1))
        except (OSError, AttributeError):
            pass  # it has ended
    return kilobytes / 1e3


def usual_memory(program, folder, way, ranks):
    """The median of a launch of its own, since looking takes time."""
    job = subprocess.Popen(command_of(program, way, ranks), env=variables_of(way, folder),
                           cwd=str(folder), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL, start_new_session=True)
    seen = []
    while job.poll() is None:
        seen.append(memory_of(job.pid))
        time.sleep(0.05)
    return sorted(seen)[len(seen) // 2]


def measured(program, ways, ranks, chosen, loops):
    with tempfile.TemporaryDirectory(prefix="terrace-bench-") as name:
        folder = Path(name)
        try:
            program.prepare(folder, ranks)
        except Missing as sentence:
            print("%s: left out: %s" % (program.name, sentence), file=sys.stderr)
            return
        found = [{} for _ in range(chosen.turns)]
        with launched.BusyLoops(loops):
            for turn, way in launched.in_rotation(ways, chosen.turns):
                found[turn][way] = launch(program, folder, way, ranks, chosen.patience)
        memory = {way: usual_memory(program, folder, way, ranks) for way in ways}
    whole = [turn for turn in found if all(inner for inner, _ in turn.values())]
    for way in ways if whole else ():
        inner = answers.median_of([turn[way][0] for turn in whole])
        row = {"program": program.name, "way": way, "ranks": ranks, "loops": loops,
               "turns": len(whole), "s_median": inner["value"], "s_low": inner["low"],
               "s_high": inner["high"],
               "job_s": answers.median_of([turn[way][1] for turn in whole])["value"],
               "memory_mb": round(memory[way], 1)}
        if "alone" in ways and way != "alone":
            ratio = answers.median_of([turn[way][0] / turn["alone"][0] for turn in whole])
            job = answers.median_of([turn[way][1] / turn["alone"][1] for turn in whole])
            row.update(ratio=ratio["value"], ratio_low=ratio["low"], ratio_high=ratio["high"],
                       job_ratio=job["value"])
        yield {name: round(cell, 4) if isinstance(cell, float) else cell
               for name, cell in row.items()}


def options():
    parser = answers.question_options("whole_programs", __doc__, "two turns, nothing kept")
    parser.add_argument("--programs", default=",".join(PROGRAMS))
    parser.add_argument("--ways", default=USUAL_WAYS,
                        help="of %s (%s)" % (",".join(WAYS), USUAL_WAYS))
    parser.add_argument("--ranks", default="2", help="such as 2,4,8 (2)")
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
            for ranks in map(int, chosen.ranks.split(",")):
                rows += measured(PROGRAMS[name](chosen), chosen.ways.split(","), ranks, chosen,
                                 loops)
    if not rows:
        print("nothing measured: no program, or no launch ended", file=sys.stderr)
        return 1
    print(answers.table(rows, list(max(rows, key=len))))
    if not chosen.quick:
        answers.keep("whole_programs", __doc__.splitlines()[0], rows, chosen.results)
    return 0


if __name__ == "__main__":
    sys.exit(main())
