# SPDX-License-Identifier: BSD-3-Clause
"""./dev demo: a real MPI program with and without Terrace, then a table of allreduces.

The program is Debian's LAMMPS under Debian's Open MPI, with an input that LAMMPS ships: a grand-
canonical Monte Carlo simulation of some 60 atoms. Each of its 400 000 trial moves ends in a small
allreduce, so the collectives are a part of its time that can be seen; in the inputs with dynamics
(melt, peptide) they are far below a percent. Its number of steps is set here, and a line added
that writes the atoms at the end, so that there is more to compare.
"""

import argparse
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Dict, List, NamedTuple, Optional, Tuple

ROOT = Path(__file__).resolve().parent.parent
INPUT = Path("/usr/share/lammps/examples/gcmc/in.gcmc.lj")
PROFILE = "rho_vs_p.dat"  # the averages that this input writes beside its log
ATOMS = "atoms.end"
WRITE_ATOMS = ("write_dump all custom %s id type x y z vx vy vz"
               " modify sort id format float %%.17g\n" % ATOMS)
RANKS = 2
SIZES = [8, 64, 512, 4096, 32768, 262144, 1048576]
SECONDS_PER_RUN = 240
AS_ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


class Outcome(NamedTuple):
    """What one run of LAMMPS gave."""

    seconds: float  # LAMMPS's own clock around its loop: without start and end of the processes
    results: List[str]
    report: List[str]


def say(text: str = "") -> None:
    print(text, flush=True)


def stop(sentence: str) -> None:
    sys.exit("demo: " + sentence)


def steady_prefix() -> List[str]:
    """Real-time priority where we may have it and no rank shares a PU: what else the machine does
    then hardly blurs the times."""
    if len(os.sched_getaffinity(0)) < RANKS or not shutil.which("chrt"):
        return []
    prefix = ["chrt", "-f", "1"]
    return prefix if subprocess.run(prefix + ["true"], capture_output=True).returncode == 0 else []


def mpirun(prefix: List[str], command: List[str], folder: Path,
           variables: Dict[str, str]) -> str:
    """Runs a command on two ranks; its whole output, or the end of the demo."""
    words = prefix + ["mpirun.openmpi", "-n", str(RANKS), "--bind-to", "core"] + command
    try:
        answer = subprocess.run(words, cwd=str(folder), text=True, stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT, timeout=SECONDS_PER_RUN,
                                env=dict(os.environ, **AS_ROOT, **variables))
    except subprocess.TimeoutExpired:
        stop("`%s` took more than %d seconds; is the machine busy?"
             % (" ".join(words), SECONDS_PER_RUN))
    if answer.returncode != 0:
        say(answer.stdout)
        stop("`%s` failed; its output is above" % " ".join(words))
    return answer.stdout


def results_in(output: str, folder: Path) -> List[str]:
    """The lines that physics decides: the thermodynamic table, averages, the atoms at the end."""
    table: List[str] = []
    inside = False
    for line in output.splitlines():
        inside = inside or line.startswith("Step ")
        if line.startswith("Loop time"):
            break
        if inside and not line.startswith("terrace:"):
            table.append(line.rstrip())
    return (table + (folder / PROFILE).read_text().splitlines()
            + (folder / ATOMS).read_text().splitlines())


def run_lammps(prefix: List[str], launcher: List[str], script: str,
               variables: Dict[str, str]) -> Outcome:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "in.gcmc").write_text(script)
        output = mpirun(prefix, launcher + ["lmp", "-in", "in.gcmc", "-log", "none"], folder,
                        variables)
        loop = re.search(r"^Loop time of ([0-9.]+)", output, re.MULTILINE)
        if not loop:
            say(output)
            stop("LAMMPS ended without a loop time; its output is above")
        report = [line for line in output.splitlines() if line.startswith("terrace:")]
        return Outcome(float(loop.group(1)), results_in(output, folder), report)


def compare(without: Outcome, within: Outcome) -> None:
    """Line by line; the first difference ends the demo, with both lines."""
    if len(without.results) != len(within.results):
        stop("RESULTS DIFFER: %d lines without Terrace, %d with it"
             % (len(without.results), len(within.results)))
    for a, b in zip(without.results, within.results):
        if a != b:
            stop("RESULTS DIFFER:\n  without  %s\n  with     %s" % (a, b))


def interval(values: List[float]) -> Tuple[float, float]:
    """95 % interval of the median, from the order of the values alone."""
    ordered = sorted(values)
    n = len(ordered)
    reach = int(round(0.98 * n ** 0.5))
    return ordered[max(0, n // 2 - reach)], ordered[min(n - 1, (n - 1) // 2 + reach)]


def verdict(ratios: List[float]) -> str:
    if len(ratios) < 6:
        return ("time without / time with, %d pair%s: from %.3f to %.3f\n  "
                "too few to say more; --pairs 15 --seconds 900 would"
                % (len(ratios), "" if len(ratios) == 1 else "s", min(ratios), max(ratios)))
    low, high = interval(ratios)
    text = ("time without / time with, %d pairs: median %.3f, 95 %% interval %.3f to %.3f\n  "
            % (len(ratios), statistics.median(ratios), low, high))
    if low > 1:
        return text + "faster with Terrace"
    if high < 1:
        return text + "SLOWER with Terrace"
    return text + "no difference that stands out from the spread"


def script_of(steps: int) -> Tuple[str, str]:
    """LAMMPS's input with our two lines, and the line with the number of steps as it was."""
    text = INPUT.read_text()
    found = re.search(r"^run\s+\d+\s*$", text, re.MULTILINE)
    if not found:
        stop("no line `run N` in %s; is it another version of LAMMPS?" % INPUT)
    script = text[:found.start()] + "run %d\n" % steps + text[found.end():] + WRITE_ATOMS
    return script, found.group().strip()


def show_program(terrace: Path, prefix: List[str], chosen: argparse.Namespace) -> None:
    script, before = script_of(chosen.steps)
    say("== LAMMPS, unmodified, on %d ranks of Open MPI" % RANKS)
    say("   input  %s, `%s` made `run %d`,"
        % (INPUT, " ".join(before.split()), chosen.steps))
    say("          and a line added that writes the atoms at the end")
    say("   before mpirun -n %d lmp -in in.gcmc.lj" % RANKS)
    say("   after  mpirun -n %d terrace exec lmp -in in.gcmc.lj" % RANKS)
    end = time.monotonic() + chosen.seconds
    ratios: List[float] = []
    last: Optional[Outcome] = None
    while len(ratios) < chosen.pairs and (not ratios or time.monotonic() < end):
        def without() -> Outcome:
            return run_lammps(prefix, [], script, {})

        def within() -> Outcome:
            return run_lammps(prefix, [str(terrace), "exec"], script, {"TERRACE_REPORT": "1"})
        # Who goes first changes from pair to pair, so that a drift favours neither.
        if len(ratios) % 2 == 0:
            plain, last = without(), within()
        else:
            last, plain = within(), without()
        compare(plain, last)
        if not any(" ran " in line for line in last.report):
            say("\n".join(last.report))
            stop("Terrace ran nothing in LAMMPS; its report, if any, is above")
        ratios.append(plain.seconds / last.seconds)
        say("   pair %d: without %8.3f s   with %8.3f s   ratio %.3f   results: same"
            % (len(ratios), plain.seconds, last.seconds, ratios[-1]))
    assert last is not None
    say("  results agree in all pairs, %d lines, character by character:"
        % len(last.results))
    say("    thermodynamics, averages, and positions and velocities of the atoms with 17 digits")
    say("  " + verdict(ratios))
    say("  what Terrace says of its last run (TERRACE_REPORT=1):")
    for line in last.report:
        say("    " + line)


def bytes_text(count: int) -> str:
    for unit in ("B", "KiB", "MiB"):
        if count < 1024 or unit == "MiB":
            return "%d %s" % (count, unit)
        count //= 1024
    return ""


def compile_bench(folder: Path) -> Optional[Path]:
    source = ROOT / "bench" / "preload" / "collectives.c"
    if not shutil.which("mpicc.openmpi") or not source.exists():
        return None
    program = folder / "collectives"
    answer = subprocess.run(["mpicc.openmpi", "-O2", "-o", str(program), str(source)], text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if answer.returncode != 0:
        say(answer.stdout)
        stop("bench/preload/collectives.c does not compile; the compiler's output is above")
    return program


def samples_of(output: str) -> Dict[int, Dict[str, Dict[int, float]]]:
    """Microseconds by bytes, by who, by round. A wrong sum ends the demo."""
    samples: Dict[int, Dict[str, Dict[int, float]]] = {}
    for line in output.splitlines():
        if not line.startswith("S,"):
            continue
        _, _, size, who, number, us, _, _, _, right = line.split(",")
        if right != "1":
            stop("WRONG RESULT in the allreduce of %s bytes by %s" % (size, who))
        samples.setdefault(int(size), {}).setdefault(who, {})[int(number)] = float(us)
    return samples


def row_of_table(size: int, by_who: Dict[str, Dict[int, float]]) -> str:
    """Microseconds and their ratio. A busy machine may not come to all in its time."""
    ours, below, floor = (by_who.get(who, {}) for who in ("mpi", "below", "floor"))
    ratios = [below[i] / ours[i] for i in ours if i in below]
    if not ratios or not floor:
        return "   %9s not timed: the machine was too busy; try again" % bytes_text(size)
    low, high = interval(ratios)
    return "   %9s %9.2f %9.2f %9.2f   %6.2f  (%.2f to %.2f)%s" % (
        bytes_text(size), statistics.median(ours.values()), statistics.median(below.values()),
        statistics.median(floor.values()), statistics.median(ratios), low, high,
        "" if low > 1 else "  not faster" if low >= 0.95 else "  SLOWER" if high < 1
        else "  not sure")


def show_table(terrace: Path, prefix: List[str]) -> None:
    say()
    say("== MPI_Allreduce, doubles, sum, %d ranks: microseconds per call" % RANKS)
    with tempfile.TemporaryDirectory() as name:
        program = compile_bench(Path(name))
        if program is None:
            say("   left out: needs mpicc.openmpi (./dev setup) and bench/preload/collectives.c")
            return
        command = [str(terrace), "exec", str(program), "--beside", "below", "--collectives",
                   "allreduce", "--bytes", ",".join(map(str, SIZES)), "--rounds", "40",
                   "--seconds", "4"]
        samples = samples_of(mpirun(prefix, command, Path(name), {}))
    say("   floor: the least the hardware takes, a hand-written exchange or copy")
    say("   %9s %9s %9s %9s   %s" % ("bytes", "Terrace", "Open MPI", "floor",
                                     "Open MPI / Terrace, 95 % interval"))
    for size, by_who in sorted(samples.items()):
        say(row_of_table(size, by_who))


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="./dev demo", description=__doc__.split("\n", 1)[0])
    parser.add_argument("--pairs", type=int, default=15, help="pairs of LAMMPS runs, at most [15]")
    parser.add_argument("--seconds", type=float, default=120,
                        help="no new pair after this long [120]")
    parser.add_argument("--steps", type=int, default=2000,
                        help="steps of LAMMPS, a multiple of 1000 [2000]")
    parser.add_argument("--real-time", action="store_true",
                        help="take real-time priority where we may: steadier times, but other "
                        "programs of this machine stand still meanwhile")
    chosen = parser.parse_args()
    if chosen.steps < 1000 or chosen.steps % 1000 != 0:
        parser.error("--steps: %d given, expected a multiple of 1000" % chosen.steps)
    if chosen.pairs < 1:
        parser.error("--pairs: %d given, expected 1 or more" % chosen.pairs)
    return chosen


def main() -> int:
    chosen = arguments()
    build = Path(os.environ.get("TERRACE_BUILD", ROOT / "build" / "release"))
    terrace = build / "bin" / "terrace"
    if not terrace.exists():
        stop("no %s: ./dev build makes it" % terrace)
    for program in ("lmp", "mpirun.openmpi"):
        if not shutil.which(program):
            stop("`%s` is missing; ./dev setup names the package" % program)
    if not INPUT.exists():
        stop("%s is missing; the package lammps-examples has it" % INPUT)
    prefix = steady_prefix() if chosen.real_time else []
    say("load of the machine before: %.1f on %d PUs; times are %s"
        % (os.getloadavg()[0], len(os.sched_getaffinity(0)),
           "taken with real-time priority (chrt -f 1)" if prefix
           else "blurred by whatever else runs (--real-time)"))
    show_program(terrace, prefix, chosen)
    show_table(terrace, prefix)
    say()
    say("Next: docs/start.md for a program of your own; `./dev bench` measures more.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
