#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""How fast are collectives of threads, against the hardware's floors and OpenMP's own?

Terrace, floors and peers take turns on the same pinned threads, some hundred microseconds each;
ratios are paired. Batches in which a thread lost its PU or the regime changed are dropped. With
more ranks than PUs the floor is a bare barrier that yields. It judges no time: that depends on the
machine."""

import argparse
import json
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import answers  # noqa: E402

SIZES = "8,64,512,4096,32768,262144,1048576,4194304,16777216"
CROWDED_SIZES = "8,64,512,4096,32768"
CROWDED_COLLECTIVES = ("barrier,allreduce,allgather,gather,scatter,alltoall,reduce_scatter_block,"
                       "scan,exscan")


def measure(arguments):
    command = [str(answers.program("bench_teams"))] + arguments
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    if run.returncode != 0:
        sys.exit("%s failed (%d): %s" % (command[0], run.returncode, run.stderr))
    return [json.loads(line) for line in run.stdout.splitlines()]


def shown(point):
    floor = point["floor_us"]
    return {"collective": point["collective"], "bytes": answers.size(point["bytes"]),
            "ranks": point["ranks"], "regime": point["regime"], "plan": point["plan"],
            "us": answers.number(point["us_median"]), "floor us": answers.number(floor),
            "of floor": answers.number(point["of_floor"]), "peer": point["peer"] or "",
            "peer us": answers.number(point["peer_us_median"]),
            "ratio": answers.number(point["ratio"]),
            "ratio low": answers.number(point["ratio_low"]), "verdict": point["verdict"],
            "n": point["samples"], "dropped": point["dropped"],
            "": "WRONG RESULT" if point["wrong"] else ""}


def main():
    parser = argparse.ArgumentParser(prog="./dev bench teams", description=__doc__.splitlines()[0])
    parser.add_argument("--ranks", default="2,4,8", help="team sizes (2,4,8)")
    parser.add_argument("--rounds", type=int, default=120)
    parser.add_argument("--results", help="where to keep the answer")
    chosen = parser.parse_args()
    points = []
    cpus = answers.machine()["cpus"]
    for ranks in chosen.ranks.split(","):
        crowded = int(ranks) > cpus
        arguments = ["--ranks", ranks, "--rounds", str(chosen.rounds),
                     "--bytes", CROWDED_SIZES if crowded else SIZES]
        if crowded:
            arguments += ["--collective", CROWDED_COLLECTIVES, "--batch-us", "3000"]
        points += measure(arguments)
    print(answers.table([shown(point) for point in points], list(shown(points[0]))))
    answers.keep("teams", __doc__.splitlines()[0], points, chosen.results)
    return 1 if any(point["wrong"] for point in points) else 0


if __name__ == "__main__":
    sys.exit(main())
