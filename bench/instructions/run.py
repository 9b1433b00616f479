#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""How many instructions does an 8-byte allreduce take, per rank, in a thread team and preloaded?

Callgrind counts a program of COUNT and one of twice as many calls, and the difference is divided:
set-up falls out. What is spent in waiting is subtracted, because it depends on when peers come."""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import answers  # noqa: E402

HERE = Path(__file__).resolve().parent
PEERS = answers.ROOT / ".peers"
COUNT = 2000
RANKS = 2
# Waits, and waking those who sleep in them; both come and go with the moment.
WAITING = (r"terrace::wait_until\(", r"terrace::wake\(")
# Where a call is the endpoint's: an inlined endpoint begins with its run.
ENDPOINT = r"terrace::(TeamEndpoint::(allreduce|run)|Run::repeat)\("
# What lies between the user's call and the endpoint, its own instructions only.
WRAPPER = (r"^(P?MPI_Allreduce$|terrace::LastCall::"
           r"|terrace::preload::(repeat|CommunicatorCounts::|has_devices|end_run))")
# What each call goes through by itself, however long it waits: a test has a limit for it.
PATH = (r"^(P?MPI_Allreduce$|void terrace::N_\w+::reduce<|terrace::TeamEndpoint::(allreduce|run$)"
        r"|terrace::Run::(repeat|advance|has_arrived|blocked)"
        r"|terrace::preload::(repeat|CommunicatorCounts::|has_devices|end_run))")
SKIPPED = 77
# Looks at the machine and trials are not every call's.
STEADY = {"TERRACE_MEASURE": "off", "TERRACE_TRIALS": "off"}
ROOT_MAY = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


def run(command, what):
    done = subprocess.run(command, capture_output=True, text=True, check=False,
                          env=dict(os.environ, **ROOT_MAY, **STEADY))
    if done.returncode != 0:
        print("%s failed (%d): %s" % (what, done.returncode, done.stderr[-600:]), file=sys.stderr)
    return done.returncode == 0


def annotated(file, inclusive):
    """Function -> instructions, as callgrind_annotate prints them."""
    text = subprocess.run(["callgrind_annotate", "--threshold=100",
                           "--inclusive=" + ("yes" if inclusive else "no"), str(file)],
                          capture_output=True, text=True, check=False).stdout
    found = {}
    for line in text.splitlines():
        match = re.match(r"\s*([\d,]+) \([ \d.]+%\)\s+(?:\*\s+)?\S*?:(.*?)(?: \[[^]]*\])?$", line)
        if match:
            name = re.sub(r"'\d+$", "", match.group(2))
            found[name] = max(found.get(name, 0), int(match.group(1).replace(",", "")))
    return found


def first(functions, pattern):
    return max((count for name, count in functions.items() if re.search(pattern, name)), default=0)


def counted(files):
    """Instructions inside our seats' calls without waiting, summed over files. The MPI below is
    driven in waiting alone, so none of its instructions are left."""
    total = 0
    for file in files:
        functions = annotated(file, True)
        entry = first(functions, ENDPOINT)
        if entry == 0:
            return None
        total += entry - sum(first(functions, one) for one in WAITING)
    return total


def files_in(folder, stem):
    return sorted(Path(folder).glob(stem + ".*"))


def parts_of(once, twice, calls):
    """Our functions' own share of one call, largest first."""
    own = [{}, {}]
    for index, files in enumerate((once, twice)):
        for file in files:
            for name, count in annotated(file, False).items():
                own[index][name] = own[index].get(name, 0) + count
    shares = {name: (count - own[0].get(name, 0)) / calls for name, count in own[1].items()}
    return sorted(((round(share, 1), short(name)) for name, share in shares.items()
                   if share >= 5), reverse=True)


def short(name):
    """A function's name without its arguments."""
    return re.sub(r"\(.*", "", name.replace("(anonymous namespace)::", ""))


def measure(mode, start):
    """`start(count, stem)` runs the program under callgrind with that many calls."""
    with tempfile.TemporaryDirectory() as folder:
        for stem, count in (("once", COUNT), ("twice", 2 * COUNT)):
            if not start(count, "%s/%s.%%p" % (folder, stem)):
                return None
        once, twice = files_in(folder, "once"), files_in(folder, "twice")
        a, b = counted(once), counted(twice)
        if a is None or b is None:
            print("%s: callgrind saw no call of an endpoint" % mode, file=sys.stderr)
            return None
        calls = COUNT * RANKS
        own = parts_of(once, twice, calls)
        endpoint = (b - a) / calls
        wrapper = sum(share for share, name in own if re.search(WRAPPER, name))
        return {"mode": mode, "collective": "allreduce", "bytes": 8, "ranks": RANKS,
                "instructions_per_call_and_rank": round(endpoint + wrapper, 1),
                "in_the_seat": round(endpoint, 1), "before_the_seat": round(wrapper, 1),
                "on_the_path": round(sum(share for share, name in own if re.search(PATH, name)), 1),
                "own": [{"function": name, "instructions": share} for share, name in own]}


def callgrind(stem):
    # In turns: a thread that yields would otherwise keep the simulator's only processor.
    return ["valgrind", "--tool=callgrind", "--fair-sched=yes", "--callgrind-out-file=" + stem]


def threads():
    program = str(answers.program("team_calls"))
    return measure("threads", lambda count, stem: run(
        callgrind(stem) + [program, str(count)], "team_calls under callgrind"))


def preload(mpi):
    compiler = PEERS / mpi / "bin" / "mpicc"
    library = answers.program().parent / "lib" / "libterrace-mpi.so"
    if not compiler.exists() or not library.exists():
        print("preload, %s: %s is missing: left out"
              % (mpi, library if compiler.exists() else compiler), file=sys.stderr)
        return None
    folder = answers.program().parent / "bench"
    folder.mkdir(parents=True, exist_ok=True)
    program = folder / ("mpi_calls-" + mpi)
    subprocess.run([str(compiler), "-O2", str(HERE / "mpi_calls.c"), "-o", str(program)],
                   check=True)
    words = [str(PEERS / mpi / "bin" / "mpirun"), "-np", str(RANKS)]

    def start(count, stem):
        return run(words + ["env", "LD_PRELOAD=" + str(library)] + callgrind(stem)
                   + ["--trace-children=no", str(program), str(count)], "mpi_calls, " + mpi)

    return measure("preload, " + mpi, start)


MODES = {"threads": threads, "openmpi": lambda: preload("openmpi"),
         "mpich": lambda: preload("mpich")}


def judge(points, at_most):
    """The exit status of the test that the path has not grown."""
    for point in points:
        print("%s: %.0f instructions on the path, at most %.0f allowed" % (
            point["mode"], point["on_the_path"], at_most))
    return 0 if points and all(point["on_the_path"] <= at_most for point in points) else 1


def main():
    parser = argparse.ArgumentParser(prog="./dev bench instructions",
                                     description=__doc__.splitlines()[0])
    parser.add_argument("--results", help="where to keep the answer")
    parser.add_argument("--mode", choices=sorted(MODES), help="one of them alone")
    parser.add_argument("--at-most", type=float, help="fail if a call's path takes more")
    chosen = parser.parse_args()
    if not shutil.which("valgrind"):
        print("valgrind is missing; ./dev setup installs it", file=sys.stderr)
        return SKIPPED if chosen.at_most else 1
    asked = [chosen.mode] if chosen.mode else MODES
    points = [point for point in (MODES[mode]() for mode in asked) if point]
    if chosen.at_most:
        return judge(points, chosen.at_most)
    for point in points:
        print("%s: %.0f instructions per call and rank, %.0f of them before the endpoint" % (
            point["mode"], point["instructions_per_call_and_rank"], point["before_the_seat"]))
        for share in [one for one in point["own"] if one["function"].startswith(("terrace", "void"
                      " terrace", "MPI_", "PMPI_"))][:16]:
            print("  %7.1f  %s" % (share["instructions"], share["function"]))
    if points:
        answers.keep("instructions", __doc__.splitlines()[0], points, chosen.results)
    return 0 if points else 1


if __name__ == "__main__":
    sys.exit(main())
