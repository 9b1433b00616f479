#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What does a communicator cost that makes N collectives and is freed?

Launches with the MPI alone, with Terrace, and with Terrace from the first call on (as reproducible
sums need it) take turns; from one thread and from four at once. Besides, the time until a job's
first calls have ended."""

import statistics
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import answers  # noqa: E402
import launches as launched  # noqa: E402
import peers  # noqa: E402

FIRST = {"TERRACE_REPRODUCIBLE": "1"}
WAYS = {"alone": (False, None), "terrace": (True, None), "first": (True, FIRST)}


def numbers_of(letter, mpi, program, ranks, way, words, patience):
    """The numbers of the line with that letter in a launch's output; None if it did not end."""
    terrace, variables = WAYS[way]
    command = peers.starter(mpi, ranks, ranks > answers.machine()["cpus"])
    command += (peers.with_terrace(program) if terrace else [str(program)]) + words
    name = "%s, %d ranks, %s, %s" % (peers.NAMES[mpi], ranks, way, " ".join(words))
    text = peers.output_of(command, peers.environment(mpi, variables), patience, name)
    lines = [line.split(",")[1:] for line in text.splitlines() if line.startswith(letter + ",")]
    return [float(word) for word in lines[0]] if lines else None


def in_turn(turns, ways, launch):
    """By way, the numbers of its launches, in the turns in which all ways' launches ended."""
    found = [{} for _ in range(turns)]
    for turn, way in launched.in_rotation(ways, turns):
        found[turn][way] = launch(way)
    whole = [numbers for numbers in found if all(numbers.values())]
    return {way: [numbers[way] for numbers in whole] for way in ways}


def lives(mpi, program, ranks, chosen):
    for threads in chosen.threads:
        for calls in chosen.calls:
            words = ["lives", str(calls), str(threads), str(chosen.seconds)]
            found = in_turn(chosen.turns, chosen.ways,
                            lambda way: numbers_of("L", mpi, program, ranks, way, words,
                                                   chosen.patience))
            row = {"what": "lives", "mpi": peers.NAMES[mpi], "ranks": ranks, "threads": threads,
                   "calls": calls, "turns": len(found[chosen.ways[0]])}
            if row["turns"] == 0:
                continue
            alone = [numbers[1] for numbers in found.get("alone", [])]
            for way in chosen.ways:
                us = [numbers[1] for numbers in found[way]]
                row[way + "_us"] = round(statistics.median(us), 2)
                if way != "alone" and alone:
                    row[way + "_ratio"] = round(statistics.median(
                        mine / other for mine, other in zip(us, alone)), 3)
            yield row


def start(mpi, program, ranks, chosen):
    found = in_turn(chosen.turns, chosen.ways,
                    lambda way: numbers_of("T", mpi, program, ranks, way, ["start"],
                                           chosen.patience))
    for way in chosen.ways:
        if found[way]:
            init, first, fourth, hundredth = (round(statistics.median(column), 2)
                                              for column in zip(*found[way]))
            yield {"what": "start", "mpi": peers.NAMES[mpi], "ranks": ranks, "way": way,
                   "turns": len(found[way]), "init_ms": init, "first_ms": first,
                   "fourth_ms": fourth, "hundredth_ms": hundredth}


def options():
    parser = answers.question_options("founding", __doc__, "two turns, nothing kept")
    parser.add_argument("--mpi", default=",".join(peers.NAMES))
    parser.add_argument("--ranks", default="2,4")
    parser.add_argument("--threads", default="1,4")
    parser.add_argument("--calls", default="1,4,16,64,1000")
    parser.add_argument("--ways", default=",".join(WAYS))
    parser.add_argument("--turns", type=int, default=5, help="launches of each way (5)")
    parser.add_argument("--seconds", default="0.2", help="that communicators are made for (0.2)")
    parser.add_argument("--no-start", action="store_true", help="no first calls of a job")
    chosen = parser.parse_args()
    for name in ("ranks", "threads", "calls"):
        setattr(chosen, name, [int(word) for word in getattr(chosen, name).split(",")])
    chosen.mpi, chosen.ways = chosen.mpi.split(","), chosen.ways.split(",")
    chosen.turns = 2 if chosen.quick else chosen.turns
    return chosen


def main():
    chosen = options()
    source = Path(__file__).resolve().parent / "founding.c"
    rows = []
    for mpi in chosen.mpi:
        program = peers.compiled(mpi, source, ["-pthread"])
        for ranks in chosen.ranks if program else ():
            rows += lives(mpi, program, ranks, chosen)
            rows += [] if chosen.no_start else start(mpi, program, ranks, chosen)
    for what in ("lives", "start"):
        some = [row for row in rows if row["what"] == what]
        if some:
            print(answers.table(some, [name for name in some[0] if name != "what"]) + "\n")
    if not rows:
        print("nothing measured: no MPI in .peers (./dev setup), or no launch ended",
              file=sys.stderr)
        return 1
    if not chosen.quick:
        answers.keep("founding", __doc__.splitlines()[0], rows, chosen.results)
    return 0


if __name__ == "__main__":
    sys.exit(main())
