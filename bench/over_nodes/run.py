#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""How fast are MPI's collectives over several nodes with Terrace preloaded, against the MPI below?

Nodes are namespaces of the kernel (`./dev nodes`) with a core each, over a wire as fast as the
machine, or shaped. In one process MPI_X is Terrace's and PMPI_X the MPI's, so their batches take
turns and ratios are paired. The ranks of a node share its core: figures say how they wait for each
other as much as what crosses the network."""

import re
import statistics
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent / "tools"))

import answers  # noqa: E402
import launches as launched  # noqa: E402
import peers  # noqa: E402
from nodes import cluster  # noqa: E402

NODES = answers.ROOT / "tools" / "nodes" / "run.py"
COLLECTIVES = ("barrier,bcast,reduce,allreduce,gather,scatter,allgather,alltoall,"
               "reduce_scatter_block")
VARIABLES = {"TERRACE_ACROSS_NODES": "1", "I_MPI_PIN": "0"}


def samples_of(mpi, program, chosen, rate):
    slots = chosen.slots.split(",")
    environment = peers.environment(mpi, VARIABLES)
    environment.pop("I_MPI_FABRICS", None)
    name = "mpiexec.hydra" if mpi == "impi" else "mpirun"
    start = [str(peers.PEERS / mpi / "bin" / name)]
    if mpi == "openmpi":
        start += ["-x", "TERRACE_ACROSS_NODES", "--bind-to", "none"]
    words = [sys.executable, str(NODES), "-n", str(len(slots)), "--slots", chosen.slots]
    words += (["--rate", rate] if rate != "unshaped" else []) + ["--"] + start
    words += ["-n", str(sum(map(int, slots))), *cluster.ON_OWN_CORE]
    words += peers.with_terrace(program)
    words += [chosen.collectives, chosen.sizes, str(chosen.rounds), str(chosen.batch_us)]
    text = peers.output_of(words, environment, chosen.patience, "%s, %s" % (mpi, rate))
    points = {}
    for collective, size, who, us in re.findall(r"^S,(\w+),(\d+),(\w+),\d+,([\d.]+)$", text,
                                                re.MULTILINE):
        points.setdefault((collective, int(size)), {}).setdefault(who, []).append(float(us))
    return points


def rows_of(mpi, program, chosen, rate):
    for (collective, size), found in samples_of(mpi, program, chosen, rate).items():
        pairs = list(zip(found.get("mpi", []), found.get("below", [])))
        if not pairs:
            continue
        ratio = answers.median_of([below / ours for ours, below in pairs])
        yield {"mpi": peers.NAMES[mpi], "nodes": chosen.slots, "wire": rate,
               "collective": collective, "bytes": size,
               "us": round(statistics.median(ours for ours, _ in pairs), 1),
               "below_us": round(statistics.median(below for _, below in pairs), 1),
               "times_as_fast": round(ratio["value"], 2), "low": round(ratio["low"], 2),
               "high": round(ratio["high"], 2)}


def options():
    parser = answers.question_options("over_nodes", __doc__, "three rounds, nothing kept")
    parser.add_argument("--mpi", default="openmpi,mpich,impi")
    parser.add_argument("--slots", default="2,2", help="ranks of each node (2,2)")
    parser.add_argument("--rates", default="unshaped,1gbit")
    parser.add_argument("--collectives", default=COLLECTIVES)
    parser.add_argument("--sizes", default="8,512,4096,32768,262144,1048576")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--batch-us", type=int, default=20000)
    chosen = parser.parse_args()
    chosen.rounds = 3 if chosen.quick else chosen.rounds
    return chosen


def main():
    chosen = options()
    source = Path(__file__).resolve().parent / "over_nodes.c"
    rows = []
    for mpi in chosen.mpi.split(","):
        program = peers.compiled(mpi, source)
        for rate in chosen.rates.split(",") if program else ():
            rows += rows_of(mpi, program, chosen, rate)
    if not rows:
        print("nothing measured: no MPI in .peers (./dev setup), or the kernel makes no nodes",
              file=sys.stderr)
        return 1
    print(answers.table(rows, list(rows[0])))
    for mpi, rate in sorted({(row["mpi"], row["wire"]) for row in rows}):
        of = [row["times_as_fast"] for row in rows if (row["mpi"], row["wire"]) == (mpi, rate)]
        print("%s, %s: %.2f times as fast as the MPI below in the mean of %d points; %d below 0.95"
              % (mpi, rate, launched.geometric_mean(of), len(of), sum(x < 0.95 for x in of)))
    if not chosen.quick:
        answers.keep("over_nodes", __doc__.splitlines()[0], rows, chosen.results)
    return 0


if __name__ == "__main__":
    sys.exit(main())
