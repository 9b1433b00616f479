#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What does a split of communicators cost, in time and memory, up to a million ranks?

Under each MPI, 2 to 64 ranks on two pretended nodes: the first call of a process, which also reads
the machine, and the median of the others. Then what each rank computes by itself, for 1,000,000
ranks on 10,000 nodes, without an MPI."""

import json
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import answers  # noqa: E402
import peers  # noqa: E402

MACHINE = {"TERRACE_MACHINE": "pack:2 [numa] l3:2 core:8 pu:1", "TERRACE_NODES": "2"}


def samples_of(text):
    found = {}
    for line in text.splitlines():
        words = line.split(",")
        if words[0] == "S" and len(words) == 4:
            found.setdefault(words[1], []).append((float(words[2]), float(words[3])))
    return found


def row(mpi, ranks, call, samples):
    later = samples[1:] or samples
    us = answers.median_of([us for us, _ in later])
    return {"mpi": peers.NAMES[mpi], "ranks": ranks, "call": call, "us_first": samples[0][0],
            "us": us["value"], "us_low": us["low"], "us_high": us["high"],
            "bytes_per_rank": answers.median_of([count for _, count in later])["value"],
            "samples": us["count"]}


def measure(mpi, ranks, program, chosen):
    words = peers.starter(mpi, ranks, ranks > answers.machine()["cpus"])
    text = peers.output_of(words + [str(program), str(chosen.rounds)],
                           peers.environment(mpi, MACHINE), chosen.patience,
                           "%s, %d ranks" % (peers.NAMES[mpi], ranks))
    return [row(mpi, ranks, call, samples) for call, samples in samples_of(text).items()]


def alone(chosen):
    words = [str(answers.program("bench_split_alone")), str(chosen.many), str(chosen.nodes)]
    return json.loads(subprocess.run(words, check=True, stdout=subprocess.PIPE, text=True).stdout)


def options():
    parser = answers.question_options("communicators", __doc__, "up to 4 ranks, nothing kept")
    parser.add_argument("--ranks", default="2,4,8,16,32,64")
    parser.add_argument("--rounds", type=int, default=11, help="calls per launch (11)")
    parser.add_argument("--many", type=int, default=1000000, help="ranks without an MPI (1000000)")
    parser.add_argument("--nodes", type=int, default=10000, help="nodes of these (10000)")
    chosen = parser.parse_args()
    chosen.ranks = "2,4" if chosen.quick else chosen.ranks
    return chosen


def main():
    chosen = options()
    rows = []
    for mpi in peers.NAMES:
        program = peers.compiled(mpi, Path(__file__).resolve().parent / "splits.c",
                                 peers.communicators())
        for ranks in chosen.ranks.split(",") if program else ():
            rows += measure(mpi, int(ranks), program, chosen)
    many = alone(chosen)
    if rows:
        shown = [{key: answers.number(value) if isinstance(value, float) else value
                  for key, value in row.items()} for row in rows]
        print(answers.table(shown, list(shown[0])))
    print(json.dumps(many))
    if not chosen.quick:
        answers.keep("communicators", __doc__.splitlines()[0], rows + [many], chosen.results)
    return 0


if __name__ == "__main__":
    sys.exit(main())
