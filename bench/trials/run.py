#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What do trials cost a program in its first thousand calls of a class of sizes, and afterwards?

A launch makes 6000 calls of one collective with vectors of one length, after its team is founded.
Launches with trials and without take turns; ratios are of launches of one turn. Where trials find
something faster, the ratio of the later calls is below 1, and that of the first ones may be."""

import re
import statistics
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import answers  # noqa: E402
import launches as launched  # noqa: E402
import peers  # noqa: E402

WAYS = {"trials": None, "no trials": {"TERRACE_TRIALS": "off"}}
COLLECTIVES = "bcast,reduce,allreduce,allgather,alltoall"


def us_of(mpi, program, ranks, way, words, patience):
    """The first thousand calls and a later thousand; None if the launch did not end."""
    command = peers.starter(mpi, ranks, ranks > answers.machine()["cpus"])
    command += peers.with_terrace(program) + words
    text = peers.output_of(command, peers.environment(mpi, WAYS[way]), patience,
                           "%s, %s, %s" % (peers.NAMES[mpi], way, " ".join(words)))
    found = re.search(r"^F,([\d.]+),([\d.]+)$", text, re.MULTILINE)
    return found and (float(found.group(1)), float(found.group(2)))


def rows_of(mpi, program, ranks, chosen):
    for collective in chosen.collectives.split(","):
        for size in chosen.sizes.split(","):
            turns = [{} for _ in range(chosen.turns)]
            for turn, way in launched.in_rotation(list(WAYS), chosen.turns):
                turns[turn][way] = us_of(mpi, program, ranks, way, [collective, size],
                                         chosen.patience)
            whole = [turn for turn in turns if all(turn.values())]
            if not whole:
                continue
            row = {"mpi": peers.NAMES[mpi], "ranks": ranks, "collective": collective,
                   "bytes": int(size), "turns": len(whole),
                   "first_us": round(statistics.median(t["no trials"][0] for t in whole) / 1e3, 3)}
            for place, name in enumerate(("first", "later")):
                ratio = answers.median_of([t["trials"][place] / t["no trials"][place]
                                           for t in whole])
                row.update({name + "_ratio": round(ratio["value"], 3),
                            name + "_low": round(ratio["low"], 3),
                            name + "_high": round(ratio["high"], 3)})
            yield row


def options():
    parser = answers.question_options("trials", __doc__, "two turns, nothing kept")
    parser.add_argument("--mpi", default="openmpi,mpich")
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--collectives", default=COLLECTIVES)
    parser.add_argument("--sizes", default="8,512,4096,65536")
    parser.add_argument("--turns", type=int, default=7, help="launches of each way (7)")
    chosen = parser.parse_args()
    chosen.turns = 2 if chosen.quick else chosen.turns
    return chosen


def main():
    chosen = options()
    source = Path(__file__).resolve().parent / "trials.c"
    rows = []
    for mpi in chosen.mpi.split(","):
        program = peers.compiled(mpi, source)
        rows += rows_of(mpi, program, chosen.ranks, chosen) if program else ()
    if not rows:
        print("nothing measured: no MPI in .peers (./dev setup), or no launch ended",
              file=sys.stderr)
        return 1
    print(answers.table(rows, list(rows[0])))
    for name in ("first", "later"):
        mean = launched.geometric_mean([row[name + "_ratio"] for row in rows])
        print("%s thousand: %.3f times as long with trials in the mean of all points"
              % (name, mean))
    if not chosen.quick:
        answers.keep("trials", __doc__.splitlines()[0], rows, chosen.results)
    return 0


if __name__ == "__main__":
    sys.exit(main())
