#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""How long do the HPDC'13 paper's applications take as threads, with the preload, with MPIs alone?

The same sources, compiled for each MPI: matrix times vector, and the division of space of a
Barnes-Hut tree. Each turn launches every way once; times are those that the slowest rank of a
launch has in the mean, ratios are those of launches of one turn."""

import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import answers  # noqa: E402
import peers  # noqa: E402

THREADS = "threads"
MPIS = ("openmpi", "mpich")
# What a program prints: the name in the answer, and the words before the microseconds.
TIMES = {"matvec": {"talking": "talking", "computing": "computing", "scatter": "scatter"},
         "nbody": {"division": "division", "allreduce": "allreduce", "forces": "forces"}}


def ways_of(application):
    """Name of a way, the MPI, the program, and whether Terrace is in it."""
    source = answers.ROOT / "apps" / (application + ".c")
    threads = peers.compiled_for_threads(source, ["-lm"])
    ways = [("thread ranks", THREADS, threads, True)] if threads else []
    for mpi in MPIS:
        program = peers.compiled(mpi, source, ["-lm"])
        if program:
            ways += [("%s with Terrace" % peers.NAMES[mpi], mpi, program, True),
                     (peers.NAMES[mpi], mpi, program, False)]
    return ways


def launch(way, ranks, words, chosen):
    name, mpi, program, has_terrace = way
    if mpi == THREADS:
        start = [str(answers.program("terrace")), "run", "-n", str(ranks), str(program)]
        variables = peers.environment("")
    else:
        start = peers.starter(mpi, ranks, ranks > answers.machine()["cpus"])
        start += peers.with_terrace(program) if has_terrace else [str(program)]
        variables = peers.environment(mpi)
    text = peers.output_of(start + words, variables, chosen.patience,
                           "%s, %s of %d ranks" % (name, program.stem, ranks))
    return text if "all right 0" in text else ""


def times_in(text, application):
    """None where the program found itself wrong, or did not end."""
    found = {name: re.search(r"%s ([\d.]+) us" % words, text)
             for name, words in TIMES[application].items()}
    return {name: float(match.group(1)) for name, match in found.items() if match}


def measure(application, words, ranks, chosen):
    ways = ways_of(application)
    turns = []
    for _ in range(chosen.turns):
        turns.append({way[0]: times_in(launch(way, ranks, words, chosen), application)
                      for way in ways})
    return [row(application, words, ranks, way, what, turns)
            for what in TIMES[application] for way in ways
            if any(what in turn[way[0]] for turn in turns)]


def row(application, words, ranks, way, what, turns):
    """`times_alone`: how many times as long the MPI alone took, in the same turns."""
    own = answers.median_of([turn[way[0]][what] for turn in turns if what in turn[way[0]]])
    result = {"application": application, "words": " ".join(words), "ranks": ranks,
              "time": what, "way": way[0], "us": own["value"], "us_low": own["low"],
              "us_high": own["high"], "samples": own["count"]}
    for mpi in MPIS if way[3] else ():
        alone = peers.NAMES[mpi]
        ratios = [turn[alone][what] / turn[way[0]][what] for turn in turns
                  if what in turn.get(alone, {}) and turn[way[0]].get(what)]
        if ratios and way[1] in (THREADS, mpi):
            result["faster_than_" + mpi] = answers.median_of(ratios)["value"]
    return result


def options():
    parser = answers.question_options("applications_by_mpi", __doc__, "one turn, nothing kept")
    parser.add_argument("--ranks", default="2,4,8")
    parser.add_argument("--matvec", default="1024 128", metavar="WORDS",
                        help="rows and columns of the matrix, iterations (1024 128)")
    parser.add_argument("--nbody", default="2000 20", metavar="WORDS",
                        help="bodies, steps (2000 20)")
    parser.add_argument("--turns", type=int, default=7, help="launches of each way (7)")
    chosen = parser.parse_args()
    chosen.turns = 1 if chosen.quick else chosen.turns
    return chosen


def main():
    chosen = options()
    rows = []
    for ranks in chosen.ranks.split(","):
        for application in TIMES:
            words = getattr(chosen, application).split()
            rows += measure(application, words, int(ranks), chosen)
    if not rows:
        print("nothing measured: no launch ended", file=sys.stderr)
        return 1
    columns = ("application", "ranks", "time", "way", "us", "us_low", "us_high",
               "faster_than_openmpi", "faster_than_mpich")
    shown = [{key: answers.number(one[key]) if isinstance(one.get(key), float)
              else one.get(key, "") for key in columns} for one in rows]
    print(answers.table(shown, columns))
    if not chosen.quick:
        answers.keep("applications_by_mpi", __doc__.splitlines()[0], rows, chosen.results)
    return 0


if __name__ == "__main__":
    sys.exit(main())
