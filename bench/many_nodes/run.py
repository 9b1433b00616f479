#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""How long do composed allreduces take beside a flat one, on more nodes than there are?

Simulated: nodes of two Rome processors with the network of NTW24E5, both as their machine files
have them. Recursive doubling across nodes by leaders, by all ranks on a tile each, and by all ranks
on whole vectors, as if nodes were not known. Numbers of nodes are powers of two, of which 16 384
takes as many rounds as 10 000.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "bench"))

import answers  # noqa: E402

JOBS = ((64, 64), (16384, 128))  # nodes, ranks of each
SIZES = (8, 1 << 10, 8 << 10, 64 << 10, 1 << 20)
WAYS = {"leaders": "allreduce.symmetric", "lanes": "allreduce.symmetric_lanes",
        "flat": "allreduce.symmetric_flat"}


def machine() -> dict:
    node, cluster = (json.loads((ROOT / "machines" / (name + ".json")).read_text())
                     for name in ("rome-2x64", "ntw24e5"))
    return dict(node, name="rome-nodes", networks=cluster["networks"], nodes=cluster["nodes"])


def microseconds(way: str, size: int, nodes: int, each: int, file: str) -> float:
    words = [str(answers.program("terrace")), "simulate", WAYS[way], str(size), "--machine", file,
             "--nodes", str(nodes), "--ranks", str(nodes * each), "--json"]
    run = subprocess.run(words, capture_output=True, text=True, check=False)
    if run.returncode != 0:
        sys.exit("%s failed (%d): %s" % (" ".join(words), run.returncode, run.stderr))
    return json.loads(run.stdout)["max_ns"] / 1000


def main() -> int:
    parser = argparse.ArgumentParser(prog="./dev bench many_nodes",
                                     description=__doc__.splitlines()[0])
    parser.add_argument("--results", help="where to keep the answer")
    chosen = parser.parse_args()
    points = []
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(machine(), file)
        file.flush()
        for nodes, each in JOBS:
            for size in SIZES:
                point = {"where": "%d nodes of %d" % (nodes, each), "bytes": size}
                point.update({way + " us": round(microseconds(way, size, nodes, each, file.name), 2)
                              for way in WAYS})
                best = min(point["leaders us"], point["lanes us"])
                points.append(dict(point, gain=round(point["flat us"] / best, 2)))
    print(answers.table(points, list(points[0])))
    answers.keep("many_nodes", __doc__.splitlines()[0], points, chosen.results)
    return 0


if __name__ == "__main__":
    sys.exit(main())
