#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Is a whole program as fast with Terrace as without it?

Debian's programs under Debian's Open MPI 4.1, as programs.py lists them: OpenFOAM's icoFoam
(cavity, 20 x 20 cells), LAMMPS (Monte Carlo, half a million small allreduces), GROMACS (a box of
water), FFTW's MPI planner, which makes communicators for a few calls each, and others. Launches
with the MPI alone, with Terrace, with Terrace turned off, with trials turned off, as thread ranks,
and as fibres take turns, next to busy loops if asked; ratios are of one turn, and `job` is a launch
as a whole. What icoFoam says of itself is the processor's time, which its thread ranks have
together. With --memory, one more launch of each way tells what its processes have together (PSS),
at most times."""

import os
import re
import signal
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
import peers  # noqa: E402
from jobs import RUN_OPTIONS  # noqa: E402
from programs import PROGRAMS  # noqa: E402
from sources import Missing  # noqa: E402

WAYS = {"alone": None, "terrace": {}, "off": {"TERRACE": "off"},
        "no trials": {"TERRACE_TRIALS": "off"}, **{way: {} for way in RUN_OPTIONS}}
USUAL_WAYS = "alone,terrace,off,no trials"


def command_of(program, way, ranks):
    reading = ["sh", "-c", 'exec "$@" < %s' % program.stdin, "sh"] if program.stdin else []
    return reading + launcher_of(way, ranks) + program.command


def launcher_of(way, ranks):
    terrace = str(answers.program("terrace"))
    if way in RUN_OPTIONS:
        return [terrace, "run", "-n", str(ranks)] + RUN_OPTIONS[way]
    binding = ["--bind-to", "core"] if ranks <= len(os.sched_getaffinity(0)) else [
        "--oversubscribe", "--bind-to", "none"]
    through = [terrace, "exec"] if WAYS[way] is not None else []
    return ["mpirun.openmpi", "-n", str(ranks)] + binding + through


def variables_of(way, folder):
    return peers.environment("openmpi", {**cavity.VARIABLES, **(WAYS[way] or {}),
                                         "PWD": str(folder), "OMP_NUM_THREADS": "1"})


def launch(program, folder, way, ranks, patience):
    """What the program says that it took (None: it did not end well), and what the launch took."""
    start = time.monotonic()
    text, is_well = peers.ended(command_of(program, way, ranks), variables_of(way, folder),
                                patience, "%s, %s" % (program.name, way), folder)
    took = time.monotonic() - start
    return (program.time_of(text, took) if is_well else None), took


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


def usual_memory(program, folder, way, ranks, patience):
    """The median of a launch of its own, since looking takes time; None if it does not end well."""
    job = subprocess.Popen(command_of(program, way, ranks), env=variables_of(way, folder),
                           cwd=str(folder), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL, start_new_session=True)
    seen, end = [], time.monotonic() + patience
    while job.poll() is None and time.monotonic() < end:
        seen.append(memory_of(job.pid))
        time.sleep(0.05)
    if job.poll() is None:
        os.killpg(job.pid, signal.SIGTERM)
    return round(sorted(seen)[len(seen) // 2], 1) if job.wait() == 0 and seen else None


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
        memory = ({way: usual_memory(program, folder, way, ranks, chosen.patience)
                   for way in ways} if chosen.memory else {})
    # A turn in which one way failed tells nothing of the others; a way that always fails is told.
    failed = [way for way in ways if not any(turn[way][0] for turn in found)]
    whole = [turn for turn in found
             if all(inner for way, (inner, _) in turn.items() if way not in failed)]
    for way in ways if whole else ():
        row = {"program": program.name, "way": way, "ranks": ranks, "loops": loops,
               "steps": chosen.steps,
               "turns": 0 if way in failed else len(whole),
               "failed": sum(not turn[way][0] for turn in found)}
        if way not in failed:
            row.update(times_of(whole, way, "alone" in ways and "alone" not in failed))
        if memory:
            row["memory_mb"] = memory[way]
        yield {name: round(cell, 4) if isinstance(cell, float) else cell
               for name, cell in row.items()}


def times_of(turns, way, beside_alone):
    inner = answers.median_of([turn[way][0] for turn in turns])
    cells = {"s_median": inner["value"], "s_low": inner["low"], "s_high": inner["high"],
             "job_s": answers.median_of([turn[way][1] for turn in turns])["value"]}
    if beside_alone and way != "alone":
        ratio = answers.median_of([turn[way][0] / turn["alone"][0] for turn in turns])
        job = answers.median_of([turn[way][1] / turn["alone"][1] for turn in turns])
        cells.update(ratio=ratio["value"], ratio_low=ratio["low"], ratio_high=ratio["high"],
                     job_ratio=job["value"])
    return cells


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
    parser.add_argument("--memory", action="store_true",
                        help="one more launch of each way, to see what it has in memory")
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
