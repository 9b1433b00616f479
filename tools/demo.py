# SPDX-License-Identifier: BSD-3-Clause
"""./dev demo: a real MPI program with and without Terrace, then a table of allreduces.

The program is Debian's OpenFOAM under Debian's Open MPI: the liquid in a square box whose lid
moves, small enough that its ranks wait for each other thousands of times a second. It runs
without and beside busy loops, as processes without and with Terrace, and as ranks that are
threads. `--first` shows one turn of the first two, for which thread ranks need not be built.
"""

import argparse
import os
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Dict, List, Optional, Tuple

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "bench"), str(ROOT / "bench" / "whole_programs"),
                str(ROOT / "python")]

import cavity  # noqa: E402
from launches import BusyLoops, in_rotation  # noqa: E402
from terrace.sizes import bytes_text  # noqa: E402

RANKS = 2
SIZES = [8, 64, 512, 4096, 32768, 262144, 1048576]
SECONDS_OF_TABLE = 240
FLOORS = ("lines", "copied")  # what bench/preload/collectives.c writes by hand, each for its sizes
AS_ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
QUIET_CORES = 0.15  # if other programs use more, of all cores, the machine is called busy
PROCESSES, TERRACE, THREADS = "processes", "Terrace", "thread ranks"


def say(text: str = "") -> None:
    print(text, flush=True)


def stop(sentence: str) -> None:
    sys.exit("demo: " + sentence)


def cores() -> int:
    return len(os.sched_getaffinity(0))


def cores_in_use() -> Optional[float]:
    """By other programs, during a second; None where the kernel does not tell."""
    def busy_ticks() -> int:
        fields = [int(word) for word in Path("/proc/stat").read_text().split("\n")[0].split()[1:9]]
        return sum(fields) - fields[3] - fields[4]  # idle, waiting for a disk
    try:
        before = busy_ticks()
        time.sleep(1)
        return (busy_ticks() - before) / os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError, IndexError):
        return None


def say_how_busy() -> None:
    used = cores_in_use()
    if used is not None and used > QUIET_CORES:
        say("   Other programs use %.1f of %d cores now: this machine is busy, and times spread."
            % (used, cores()))


def steady_prefix() -> List[str]:
    """Real-time priority where we may have it and no rank shares a PU: what else the machine does
    then hardly blurs the times."""
    if cores() < RANKS or not shutil.which("chrt"):
        return []
    prefix = ["chrt", "-f", "1"]
    return prefix if subprocess.run(prefix + ["true"], capture_output=True).returncode == 0 else []


def end(job: subprocess.Popen) -> None:
    """A launcher takes its ranks with it, and their memory, if it is asked to; it is not always
    able to."""
    for way in (signal.SIGTERM, signal.SIGKILL):
        os.killpg(job.pid, way)
        try:
            job.communicate(timeout=10)
            return
        except subprocess.TimeoutExpired:
            pass


def output_of(words: List[str], folder: Path, variables: Dict[str, str],
              patience: float) -> Optional[str]:
    """The whole output of a command, None if it did not end in time; its failure ends the demo.

    It stays in the session of the busy loops, as what one user starts in one terminal: Linux gives
    sessions equal shares of a core, and programs of one session share theirs."""
    with subprocess.Popen(words, cwd=str(folder), text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, preexec_fn=os.setpgrp,
                          env=dict(os.environ, **AS_ROOT, **variables, PWD=str(folder))) as job:
        try:
            output, _ = job.communicate(timeout=patience)
        except subprocess.TimeoutExpired:
            end(job)
            return None
        except BaseException:  # such as ^C, which does not reach the job's group
            end(job)
            raise
    if job.returncode != 0:
        say(output)
        stop("`%s` failed; its output is above" % " ".join(words))
    return output


def mpirun() -> List[str]:
    return ["mpirun.openmpi", "-n", str(RANKS)] + (
        ["--bind-to", "core"] if RANKS <= cores() else ["--oversubscribe", "--bind-to", "none"])


class Program:
    """icoFoam with its case in a folder. All launches must leave the same results."""

    def __init__(self, terrace: Path, folder: Path, chosen: argparse.Namespace):
        self.folder, self.chosen = folder, chosen
        self.before = {PROCESSES: mpirun(), TERRACE: mpirun() + [str(terrace), "exec"],
                       THREADS: [str(terrace), "run", "-n", str(RANKS)]}
        self.expected: List[str] = []
        self.report: Optional[List[str]] = None  # until a launch with Terrace has ended
        try:
            cavity.write(folder, RANKS, chosen.steps, interval=chosen.steps)
        except subprocess.CalledProcessError as failure:
            say(failure.output)
            stop("OpenFOAM's `%s` failed; its output is above" % " ".join(failure.cmd))

    def seconds(self, way: str) -> Optional[float]:
        cavity.forget_results(self.folder, self.chosen.steps)
        start = time.monotonic()
        output = output_of(self.before[way] + cavity.COMMAND, self.folder,
                           dict(cavity.VARIABLES, **({"TERRACE_REPORT": "1"} if way == TERRACE
                                                     else {})), self.chosen.patience)
        took = time.monotonic() - start
        if output is None:
            return None
        self.compare(cavity.results(self.folder, self.chosen.steps), way)
        if way == TERRACE:
            self.report = [line for line in output.splitlines() if line.startswith("terrace:")]
        return took

    def compare(self, found: List[str], way: str) -> None:
        """Line by line; the first difference ends the demo, with both lines."""
        self.expected = self.expected or found
        if len(found) != len(self.expected):
            stop("RESULTS DIFFER: %d lines before, %d as %s"
                 % (len(self.expected), len(found), way))
        for a, b in zip(self.expected, found):
            if a != b:
                stop("RESULTS DIFFER:\n  before  %s\n  %s  %s" % (a, way, b))


def cell(seconds: Optional[float], patience: float) -> str:
    return "%12s" % (">%d" % patience if seconds is None else "%.2f" % seconds)


def show_turns(program: Program, ways: List[str], turns: int) -> List[Dict[str, Optional[float]]]:
    say("     %-14s" % "seconds" + "".join("%13s" % way for way in ways))
    found: List[Dict[str, Optional[float]]] = [{} for _ in range(turns)]
    for turn, way in in_rotation(ways, turns):
        found[turn][way] = program.seconds(way)
        if len(found[turn]) == len(ways):
            say("     turn %-9d" % (turn + 1)
                + "".join(" " + cell(found[turn][way], program.chosen.patience) for way in ways))
    return found


def ratios_line(way: str, found: List[Dict[str, Optional[float]]], patience: float) -> str:
    """Of each turn, processes to this way. A launch that was stopped took at least as long as it
    was given, so that ratios to it are too small."""
    ratios = sorted((turn.get(PROCESSES) or patience) / ours
                    for turn in found for ours in [turn.get(way)] if ours)
    if not ratios:
        return "     %s did not end within %d s: is the machine too busy?" % (way, patience)
    bound = any(turn.get(way) and not turn.get(PROCESSES) for turn in found)
    text = "     %s: %s%.2f times as fast" % (way, "at least " if bound else "",
                                              statistics.median(ratios))
    if len(ratios) == 1:
        return text + ", in a single turn"
    return text + ", %.2f to %.2f: %s" % (
        ratios[0], ratios[-1], "faster in each turn" if ratios[0] > 1
        else "SLOWER in each turn" if ratios[-1] < 1 else "no difference that stands out")


def say_ratios(found: List[Dict[str, Optional[float]]], ways: List[str], patience: float) -> None:
    for way in ways[1:]:
        say(ratios_line(way, found, patience))


def show_program(terrace: Path, chosen: argparse.Namespace) -> None:
    ways = [PROCESSES, TERRACE] + ([] if chosen.first else [THREADS])
    say("== OpenFOAM's icoFoam, unmodified, on %d ranks of Open MPI: a launch from start to end"
        % RANKS)
    say("   %d steps of the liquid in a box of 20 x 20 cells whose lid moves" % chosen.steps)
    say("   %-13s mpirun -n %d icoFoam -parallel" % (PROCESSES, RANKS))
    say("   %-13s mpirun -n %d terrace exec icoFoam -parallel" % (TERRACE, RANKS))
    if THREADS in ways:
        say("   %-13s terrace run -n %d icoFoam -parallel" % (THREADS, RANKS))
    with tempfile.TemporaryDirectory() as name:
        program = Program(terrace, Path(name), chosen)
        say("   without busy loops")
        say_how_busy()
        say_ratios(show_turns(program, ways, chosen.turns), ways, chosen.patience)
        say("   beside %d busy loops of the same session, one for each core" % cores())
        with BusyLoops(cores()):
            found = show_turns(program, ways, min(chosen.turns, 3))
        say_ratios(found, ways, chosen.patience)
        if program.expected:
            say("   results: the same in all launches, %d lines of velocity, pressure and flux"
                % len(program.expected))
        if program.report is not None:
            show_report(program.report)


def show_report(report: List[str]) -> None:
    ran = [line for line in report if " ran " in line]
    if not ran:
        say("\n".join(report))
        stop("Terrace ran nothing in icoFoam; its report, if any, is above")
    say("   what Terrace says of a launch (TERRACE_REPORT=1):")
    for line in ran:
        say("     " + line)


def interval(values: List[float]) -> Tuple[float, float]:
    """95 % interval of the median, from the order of the values alone."""
    ordered = sorted(values)
    n = len(ordered)
    reach = int(round(0.98 * n ** 0.5))
    return ordered[max(0, n // 2 - reach)], ordered[min(n - 1, (n - 1) // 2 + reach)]


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
        _, _, size, who, number, us, _, _, _, _, right = line.split(",")
        if right != "1":
            stop("WRONG RESULT in the allreduce of %s bytes by %s" % (size, who))
        samples.setdefault(int(size), {}).setdefault(who, {})[int(number)] = float(us)
    return samples


def row_of_table(size: int, by_who: Dict[str, Dict[int, float]]) -> str:
    """Microseconds and their ratio. A busy machine may not come to all in its time."""
    ours, below = (by_who.get(who, {}) for who in ("mpi", "below"))
    ratios = [below[i] / ours[i] for i in ours if i in below]
    floors = [statistics.median(by_who[form].values()) for form in FLOORS if form in by_who]
    if not ratios or not floors:
        return "   %9s not timed: the machine was too busy; try again" % bytes_text(size)
    low, high = interval(ratios)
    return "   %9s %9.2f %9.2f %9.2f   %6.2f  (%.2f to %.2f)%s" % (
        bytes_text(size), statistics.median(ours.values()), statistics.median(below.values()),
        min(floors), statistics.median(ratios), low, high,
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
        output = output_of(prefix + mpirun() + command, Path(name), {}, SECONDS_OF_TABLE)
    if output is None:
        say("   not timed within %d s: the machine is too busy; try again" % SECONDS_OF_TABLE)
        return
    samples = samples_of(output)
    say("   floor: a hand-written exchange or copy that checks nothing; Terrace may be faster")
    say("   %9s %9s %9s %9s   %s" % ("bytes", "Terrace", "Open MPI", "floor",
                                     "Open MPI / Terrace, 95 % interval"))
    for size, by_who in sorted(samples.items()):
        say(row_of_table(size, by_who))


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="./dev demo", description=__doc__.split("\n", 1)[0])
    parser.add_argument("--turns", type=int, default=5,
                        help="launches of each way without busy loops, and as many, at most 3, "
                        "beside them [5]; the first figure is always of one")
    parser.add_argument("--steps", type=int, default=2000, help="steps of icoFoam [2000]")
    parser.add_argument("--patience", type=int, default=120, help="seconds for one launch [120]")
    parser.add_argument("--first", action="store_true",
                        help="the first figure: one turn without thread ranks, and no table")
    parser.add_argument("--real-time", action="store_true",
                        help="take real-time priority for the table where we may: steadier times, "
                        "but other programs of this machine stand still meanwhile")
    chosen = parser.parse_args()
    for name in ("turns", "steps", "patience"):
        if getattr(chosen, name) < 1:
            parser.error("--%s: %d given, expected 1 or more" % (name, getattr(chosen, name)))
    if chosen.first:
        chosen.turns = 1
    return chosen


def main() -> int:
    chosen = arguments()
    signal.signal(signal.SIGTERM, lambda *_: stop("was asked to end"))  # as at the end of a script
    build = Path(os.environ.get("TERRACE_BUILD", ROOT / "build" / "release"))
    terrace = build / "bin" / "terrace"
    if not terrace.exists():
        stop("no %s: ./dev build makes it" % terrace)
    if not shutil.which("mpirun.openmpi"):
        stop("`mpirun.openmpi` is missing; ./dev setup names the package")
    if shutil.which("icoFoam"):
        show_program(terrace, chosen)
    else:
        say("OpenFOAM is left out: `icoFoam` is missing; Debian's package openfoam has it.")
    if chosen.first:
        return 0
    show_table(terrace, steady_prefix() if chosen.real_time else [])
    say()
    say("Next: docs/start.md for a program of your own; `./dev bench` measures more.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
