#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What does Terrace cost besides a call's median: tails, the start, memory, with little /dev/shm?

Single calls are timed one by one, Terrace's and the MPI's in turn, in one process, 2 ranks. Start
and memory are of launches with and without Terrace, in turn; memory is each rank's share of the
pages that it has touched (Pss), and what is set aside for teams."""

import argparse
import shutil
import statistics
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import answers  # noqa: E402
import peers  # noqa: E402

SMALL = ["unshare", "-m", "sh", "-c",
         'mount -t tmpfs -o size=64m none /dev/shm && exec "$@"', "small"]


class Launches:
    def __init__(self, mpi, program, patience):
        self.mpi, self.program, self.patience = mpi, program, patience

    def lines(self, ranks, arguments, terrace=True, before=(), variables=None):
        crowded = ranks > answers.machine()["cpus"]
        words = list(before) + peers.starter(self.mpi, ranks, crowded)
        words += peers.with_terrace(self.program) if terrace else [str(self.program)]
        name = "%s, %d ranks, %s" % (peers.NAMES[self.mpi], ranks, " ".join(arguments))
        text = peers.output_of(words + arguments, peers.environment(self.mpi, variables),
                               self.patience, name)
        return [line.split(",") for line in text.splitlines() if line[1:2] == ","]


def rows_of_calls(launches, count, where, before=()):
    found = {}
    for words in launches.lines(2, ["calls", str(count)], before=before):
        found.setdefault((words[1], int(words[2])), {})[words[3]] = [float(us) for us in words[4:]]
    return [{"what": "calls", "mpi": peers.NAMES[launches.mpi], "where": where,
             "collective": name, "bytes": size, "p50_us": us["mpi"][0], "p99_us": us["mpi"][1],
             "below_p50_us": us["below"][0], "below_p99_us": us["below"][1]}
            for (name, size), us in found.items() if len(us) == 2]


def rows_of_start(launches, turns):
    found = {True: [], False: []}
    for _ in range(turns):
        for terrace in found:
            found[terrace] += [[float(ms) for ms in words[1:]]
                               for words in launches.lines(2, ["start"], terrace)]
    rows = []
    for terrace, times in found.items():
        if times:
            init, first, tenth = (statistics.median(column) for column in zip(*times))
            rows.append({"what": "start", "mpi": peers.NAMES[launches.mpi], "terrace": terrace,
                         "init_ms": round(init, 2), "first_ms": round(first, 2),
                         "tenth_ms": round(tenth, 2), "launches": len(times)})
    return rows


def rows_of_memory(launches, ranks, communicators):
    rows = []
    for terrace in (True, False):
        for words in launches.lines(ranks, ["memory", str(communicators)], terrace):
            init, now, most, teams = (float(kb) / 1024 for kb in words[2:])
            rows.append({"what": "memory", "mpi": peers.NAMES[launches.mpi], "ranks": ranks,
                         "communicators": communicators, "terrace": terrace,
                         "after_init_mib": round(init, 2), "mib": round(now, 2),
                         "most_mib": round(most, 2), "teams_mib": round(teams, 2)})
    return rows


def is_small_possible():
    if not shutil.which("unshare"):
        return False
    return bool(answers.output_of(SMALL + ["echo", "yes"]))


def measure(launches, chosen):
    rows = rows_of_calls(launches, chosen.calls, "as it is") + rows_of_start(launches, chosen.turns)
    for ranks in (int(word) for word in chosen.ranks.split(",")):
        rows += rows_of_memory(launches, ranks, 1)
    rows += rows_of_memory(launches, 2, chosen.communicators)
    if is_small_possible():
        rows += rows_of_calls(launches, chosen.calls // 10, "64 MB of /dev/shm", SMALL)
    else:
        print("no namespace for mounts here: not tried with 64 MB of /dev/shm", file=sys.stderr)
    return rows


def print_tables(rows):
    for what in ("calls", "start", "memory"):
        some = [row for row in rows if row["what"] == what]
        if some:
            print(answers.table(some, [name for name in some[0] if name != "what"]) + "\n")


def options():
    parser = argparse.ArgumentParser(prog="./dev bench footprint",
                                     description=__doc__.splitlines()[0])
    parser.add_argument("--mpi", default=",".join(peers.NAMES))
    parser.add_argument("--ranks", default="2,16,64", help="whose memory is looked at (2,16,64)")
    parser.add_argument("--communicators", type=int, default=1000)
    parser.add_argument("--calls", type=int, default=20000)
    parser.add_argument("--turns", type=int, default=5, help="launches to time the start (5)")
    parser.add_argument("--patience", type=int, default=60, help="seconds for one launch (60)")
    parser.add_argument("--quick", action="store_true", help="nothing kept")
    parser.add_argument("--results", help="where to keep the answer")
    return parser.parse_args()


def main():
    chosen = options()
    source = Path(__file__).resolve().parent / "footprint.c"
    rows = []
    for mpi in chosen.mpi.split(","):
        program = peers.compiled(mpi, source)
        if program:
            rows += measure(Launches(mpi, program, chosen.patience), chosen)
    if not rows:
        print("nothing measured: no MPI in .peers (./dev setup), or no launch ended",
              file=sys.stderr)
        return 1
    print_tables(rows)
    if not chosen.quick:
        answers.keep("footprint", __doc__.splitlines()[0], rows, chosen.results)
    return 0


if __name__ == "__main__":
    sys.exit(main())
