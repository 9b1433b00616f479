#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What does a collective cost that is started and waited for, beside blocking ones and the MPIs'?

Nonblocking, persistent and four outstanding calls of thread ranks, and of each MPI with its
defaults, alone and with Terrace preloaded. Within a launch, batches of all ways take turns;
launches take turns, too. A ratio to the blocking call is that of two batches of one round; a ratio
to an MPI is that of medians over all launches."""

import os
import statistics
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

import answers  # noqa: E402
import launches as launched  # noqa: E402
import peers  # noqa: E402

THREADS = "thread ranks"
PRELOADED = ", preloaded"
WAYS = ("blocking", "nonblocking", "persistent", "four")
SIZES = {"even": (8, 512, 4096, 65536), "uneven": (16, 128, 1024, 8192, 65536),
         "neighbours": (16, 1024, 8192, 131072)}


class Ways:
    """Who runs the program: by name, the words of a launch and its variables."""

    def __init__(self, chosen):
        self.launches = launched.Launches(HERE / "nonblocking.c", chosen.mpi,
                                          launched.Peer.is_default)
        self.names = ([THREADS] if self.launches.own else []) + \
            [peer.name + suffix for peer in self.launches.peers for suffix in ("", PRELOADED)]

    def launch(self, name, ranks, words):
        if name == THREADS:
            return self.launches.of_threads(ranks, words)
        own = name.removesuffix(PRELOADED)
        return self.launches.of_peer(own, ranks, ranks > (os.cpu_count() or 1), words, own != name)


def batches_of(text):
    """(kind, bytes) -> way -> microseconds of each round."""
    found = {}
    for line in text.splitlines():
        words = line.split(",")
        if len(words) == 4 and words[2] in WAYS:
            point = found.setdefault((words[0], int(words[1])), {way: [] for way in WAYS})
            point[words[2]].append(float(words[3]))
    return found


def rows_of(taken, ranks):
    rows = []
    for name, of_name in taken.items():
        for (kind, count), batches in of_name.items():
            for way in WAYS:
                us = answers.median_of(batches[way])
                beside = answers.median_of([own / other for own, other in
                                            zip(batches[way], batches["blocking"])])
                ours = taken.get(THREADS, {}).get((kind, count), {}).get(way)
                alone = taken.get(name.removesuffix(PRELOADED), {}).get((kind, count), {}).get(way)
                rows.append({"ranks": ranks, "collective": kind, "bytes": count, "way": way,
                             "who": name, "us_median": us["value"], "us_low": us["low"],
                             "us_high": us["high"], "by_blocking": round(beside["value"], 3),
                             "by_thread_ranks": round(us["value"] / statistics.median(ours), 3)
                             if ours else None,
                             "by_preloaded": round(statistics.median(alone) / us["value"], 3)
                             if alone and name.endswith(PRELOADED) else None})
    return rows


def measured(ways, ranks, chosen):
    taken = {name: {} for name in ways.names}
    words = [chosen.blocks, str(chosen.rounds)] + [str(count) for count in SIZES[chosen.blocks]]
    for _, name in launched.in_rotation(ways.names, chosen.turns):
        command, variables = ways.launch(name, ranks, words)
        for point, batches in batches_of(
                peers.output_of(command, variables, chosen.patience, name)).items():
            of_point = taken[name].setdefault(point, {way: [] for way in WAYS})
            for way in WAYS:
                of_point[way] += batches[way]
    return rows_of(taken, ranks)


def summary(rows, ratio):
    """Of each MPI and way, the geometric mean of that ratio over all points."""
    lines = []
    for name in sorted({row["who"] for row in rows if row[ratio]} - {THREADS}):
        cells = {"": name.removesuffix(PRELOADED) if ratio == "by_preloaded" else name}
        for way in WAYS:
            ratios = [row[ratio] for row in rows
                      if row["who"] == name and row["way"] == way and row[ratio]]
            cells[way] = answers.number(launched.geometric_mean(ratios))
        lines.append(cells)
    return answers.table(lines, [""] + list(WAYS)) if lines else ""


def main():
    parser = answers.question_options("nonblocking", __doc__, "one turn of two rounds", 120)
    parser.add_argument("--mpi", default="openmpi,mpich,impi", help="which MPIs, by commas")
    parser.add_argument("--blocks", choices=SIZES, default="even",
                        help="of one length, of gatherv, allgatherv and alltoallv, or for two "
                             "neighbours of a ring")
    parser.add_argument("--ranks", default="2", help="how many, by commas")
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--rounds", type=int, default=8)
    chosen = parser.parse_args()
    if chosen.quick:
        chosen.turns, chosen.rounds = 1, 2
    ways, rows = Ways(chosen), []
    for ranks in map(int, chosen.ranks.split(",")):
        own = measured(ways, ranks, chosen)
        shown = [dict(row, us=answers.number(row["us_median"])) for row in own]
        print(answers.table(shown, ["ranks", "collective", "bytes", "way", "who", "us",
                                    "by_blocking", "by_thread_ranks", "by_preloaded"]))
        print("\ntimes as long as thread ranks, %d ranks\n%s\n" %
              (ranks, summary(own, "by_thread_ranks")))
        print("\ntimes as long alone as preloaded, %d ranks\n%s\n" %
              (ranks, summary(own, "by_preloaded")))
        rows += own
    if not chosen.quick:
        answers.keep("nonblocking", __doc__.splitlines()[0], rows, chosen.results)
    return 0


if __name__ == "__main__":
    sys.exit(main())
