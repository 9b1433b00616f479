#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""How fast are ranks that are switched in user space, where they outnumber the cores?

Short calls in loops, of fibres, of ranks that are threads of the same build, and of processes under
each MPI: launches take turns, next to busy loops if asked. A point's time is the median of all
batches of all launches, and a ratio is the best other one's median by that of the fibres."""

import os
import statistics
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

import answers  # noqa: E402
import launches as launched  # noqa: E402
import peers  # noqa: E402

FIBRES, THREADS = "fibres", "threads"
KINDS = ("barrier", "allreduce", "bcast", "allreduce_32k", "alltoall", "ping_pong", "ring")


class Ways:
    """Who runs the program: by name, the words of a launch and its variables."""

    def __init__(self, chosen):
        self.launches = launched.Launches(
            HERE / "calls.c", chosen.mpi, lambda peer: "crowded" in peer.where
            and (peer.is_default() or "yields" in peer.name))
        self.names = [FIBRES, THREADS] + [peer.name for peer in self.launches.peers]

    def launch(self, name, ranks, words):
        if name not in (FIBRES, THREADS):
            return self.launches.of_peer(name, ranks, True, words)
        switch = "on" if name == FIBRES else "off"
        return self.launches.of_threads(ranks, words, ["--fibres", switch])


def times_of(text):
    found = {}
    for line in text.splitlines():
        name, _, us = line.partition(",")
        if name in KINDS:
            found.setdefault(name, []).append(float(us))
    return found


def measured(ways, ranks, loops, chosen):
    """Rows of one number of ranks."""
    taken = {name: {kind: [] for kind in KINDS} for name in ways.names}
    given_up = set()
    for turn, name in launched.in_rotation(ways.names, chosen.turns):
        if name in given_up:
            continue
        words, variables = ways.launch(name, ranks, [str(chosen.seconds), str(chosen.batches)])
        with launched.BusyLoops(loops):
            text = peers.output_of(words, variables, chosen.patience,
                                   "%s, %d ranks" % (name, ranks))
        found = times_of(text)
        for kind, us in found.items():
            taken[name][kind] += us
        if len(found) < len(KINDS):  # it takes too long: once is enough
            given_up.add(name)
    return [row_of(taken, kind, ranks, loops, name) for kind in KINDS for name in ways.names
            if taken[name][kind]]


def row_of(taken, kind, ranks, loops, name):
    us, own = taken[name][kind], taken[FIBRES][kind]
    return {"call": kind, "ranks": ranks, "loops": loops, "who": name,
            "us": round(statistics.median(us), 4), "low": round(min(us), 4),
            "high": round(max(us), 4), "batches": len(us),
            "ratio": round(statistics.median(us) / statistics.median(own), 3) if own else None}


def summary(rows):
    """A line for each point: fibres, threads, and the best of the processes."""
    lines = []
    for loops, ranks, kind in sorted({(row["loops"], row["ranks"], KINDS.index(row["call"]))
                                      for row in rows}):
        some = {row["who"]: row for row in rows if row["call"] == KINDS[kind]
                and row["ranks"] == ranks and row["loops"] == loops}
        others = [row for who, row in some.items() if who not in (FIBRES, THREADS)]
        best = min(others, key=lambda row: row["us"], default=None)
        if FIBRES not in some:
            continue
        lines.append({"call": KINDS[kind], "ranks": ranks, "loops": loops,
                      "fibres us": answers.number(some[FIBRES]["us"]),
                      "threads us": answers.number(some.get(THREADS, {}).get("us")),
                      "times": answers.number(some.get(THREADS, {}).get("ratio")),
                      "best MPI us": answers.number(best and best["us"]),
                      "its name": best["who"] if best else "",
                      "times as long": answers.number(best and best["ratio"])})
    return answers.table(lines, list(lines[0])) if lines else "nothing was measured"


def main():
    parser = answers.question_options("fibres", __doc__, "once, with 8 ranks", patience=60)
    parser.add_argument("--ranks", default="4,8,16,64", help="(4,8,16,64)")
    parser.add_argument("--loops", default="0", help="busy loops meanwhile, such as 0,8 (0)")
    parser.add_argument("--mpi", default=",".join(peers.NAMES), help="against which")
    parser.add_argument("--turns", type=int, default=3, help="launches of each (3)")
    parser.add_argument("--batches", type=int, default=5, help="of each call in a launch (5)")
    parser.add_argument("--seconds", type=float, default=0.02, help="of a batch, about (0.02)")
    chosen = parser.parse_args()
    if chosen.quick:
        chosen.turns, chosen.ranks = 1, "8"
    ways = Ways(chosen)
    if ways.launches.own is None:
        return 1
    rows = [row for loops in map(int, chosen.loops.split(","))
            for ranks in map(int, chosen.ranks.split(","))
            for row in measured(ways, ranks, loops, chosen)]
    print(summary(rows))
    if not chosen.quick:
        answers.keep("fibres", __doc__.splitlines()[0], rows, chosen.results)
    return 0 if rows else 1


if __name__ == "__main__":
    sys.exit(main())
