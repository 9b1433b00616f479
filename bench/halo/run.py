#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Do messages pending during one of Terrace's collectives arrive as fast as with the MPI alone?

Each rank posts receives and sends to its neighbours, makes an allreduce of 64 bytes, and waits for
all. Terrace's and the MPI's allreduce take turns in one process; the ratio is the time with the
MPI's over the time with Terrace's, that is, throughput with Terrace over throughput without."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import answers  # noqa: E402
import peers  # noqa: E402

LEAST = 0.95


def samples_of(text):
    found = {}
    for line in text.splitlines():
        words = line.split(",")
        if words[0] == "H" and len(words) == 6:
            found.setdefault((int(words[1]), words[2]), []).append((float(words[4]), words[5]))
    return found


def row(mpi, ranks, count, found):
    ours, below = ([us for us, _ in found[(count, who)]] for who in ("ours", "below"))
    ratio = answers.median_of([b / a for a, b in zip(ours, below)])
    return {"mpi": peers.NAMES[mpi], "ranks": ranks, "bytes": count,
            "us": answers.median_of(ours)["value"], "us_below": answers.median_of(below)["value"],
            "ratio": ratio["value"], "ratio_low": ratio["low"], "ratio_high": ratio["high"],
            "samples": ratio["count"],
            "wrong": sum(right != "1" for values in found.values() for _, right in values),
            "verdict": "met" if ratio["value"] >= LEAST else "missed"}


def measure(mpi, ranks, program, chosen):
    crowded = ranks > answers.machine()["cpus"]
    words = peers.starter(mpi, ranks, crowded) + peers.with_terrace(program)
    words += ["--bytes", chosen.bytes, "--rounds", str(chosen.rounds)]
    found = {}
    for turn in range(chosen.turns):
        text = peers.output_of(words, peers.environment(mpi), chosen.patience,
                               "%s, %d ranks" % (peers.NAMES[mpi], ranks))
        for key, values in samples_of(text).items():
            found.setdefault(key, []).extend(values)
    sizes = sorted({count for count, _ in found})
    return [row(mpi, ranks, count, found) for count in sizes
            if all((count, who) in found for who in ("ours", "below"))]


def options():
    parser = answers.question_options("halo", __doc__, "one launch each, nothing kept")
    parser.add_argument("--ranks", default="2")
    parser.add_argument("--bytes", default="65536,262144,1048576", help="of each message")
    parser.add_argument("--rounds", type=int, default=20, help="batches per launch and size (20)")
    parser.add_argument("--turns", type=int, default=3, help="launches of each MPI (3)")
    chosen = parser.parse_args()
    chosen.turns = 1 if chosen.quick else chosen.turns
    return chosen


def main():
    chosen = options()
    source = Path(__file__).resolve().parent / "halo.c"
    rows = []
    for mpi in peers.NAMES:
        program = peers.compiled(mpi, source)
        for ranks in chosen.ranks.split(",") if program else ():
            rows += measure(mpi, int(ranks), program, chosen)
    if not rows:
        print("nothing measured: no MPI in .peers (./dev setup), or no launch ended",
              file=sys.stderr)
        return 1
    shown = [dict(one, **{key: answers.number(one[key]) for key in
                          ("us", "us_below", "ratio", "ratio_low", "ratio_high")}) for one in rows]
    print(answers.table(shown, list(shown[0])))
    if not chosen.quick:
        answers.keep("halo", __doc__.splitlines()[0], rows, chosen.results)
    return 1 if any(one["wrong"] for one in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
