#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""How much faster are the MPI's own algorithms for bcast and reduce when they run level by level?

Figures 5 to 10 of the paper on hierarchical communicators (ParCo 2018, 7.2), under Open MPI, whose
algorithms can be chosen by name: each over all ranks, and in a loop over the levels of a pretended
machine (terrace/hierarchical.h). The ratio is the time of the first over that of the second. Ranks
share the cores of this machine, so what shows is how many messages follow each other, not what
distances cost; on more cores, give --ranks and --machine of theirs."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import answers  # noqa: E402
import peers  # noqa: E402

ALGORITHMS = {  # the numbers of Open MPI's component `tuned`
    "bcast": {"linear": 1, "chain": 2, "pipeline": 3, "split_binary": 4, "binary": 5,
              "binomial": 6},
    "reduce": {"linear": 1, "chain": 2, "pipeline": 3, "binary": 4, "binomial": 5,
               "in_order_binary": 6},
}
COMPONENTS = "basic,libnbc,self,inter,tuned"  # without those that share memory by themselves


def samples_of(text):
    found = {"native": [], "levels": []}
    wrong = 0
    for line in text.splitlines():
        words = line.split(",")
        if words[0] == "L" and len(words) == 6:
            found[words[3]].append(float(words[4]))
            wrong += words[5] != "1"
    return found, wrong


def measure(program, call, algorithm, count, chosen):
    ranks = chosen.ranks
    words = peers.starter("openmpi", ranks, ranks > answers.machine()["cpus"])
    words += ["--mca", "coll", COMPONENTS, "--mca", "coll_tuned_use_dynamic_rules", "1",
              "--mca", "coll_tuned_%s_algorithm" % call, str(ALGORITHMS[call][algorithm])]
    words += [str(program), call, str(count), str(chosen.rounds)]
    variables = {"TERRACE_MACHINE": chosen.machine, "TERRACE_NODES": chosen.nodes}
    text = peers.output_of(words, peers.environment("openmpi", variables), chosen.patience,
                           "%s %s, %d bytes" % (call, algorithm, count))
    found, wrong = samples_of(text)
    if not found["levels"]:
        return None
    ratio = answers.median_of([a / b for a, b in zip(found["native"], found["levels"])])
    return {"call": call, "algorithm": algorithm, "ranks": ranks, "bytes": count,
            "us_native": answers.median_of(found["native"])["value"],
            "us_levels": answers.median_of(found["levels"])["value"], "ratio": ratio["value"],
            "ratio_low": ratio["low"], "ratio_high": ratio["high"], "samples": ratio["count"],
            "wrong": wrong, "machine": chosen.machine, "nodes": chosen.nodes}


def options():
    parser = answers.question_options("hierarchical", __doc__, "few rounds, nothing kept")
    parser.add_argument("--ranks", type=int, default=8)
    parser.add_argument("--machine", default="pack:2 [numa] core:2 pu:1", help="to pretend")
    parser.add_argument("--nodes", default="2", help="to pretend (2)")
    parser.add_argument("--bytes", default="8,4096,65536")
    parser.add_argument("--rounds", type=int, default=20, help="batches of each (20)")
    chosen = parser.parse_args()
    chosen.rounds = 3 if chosen.quick else chosen.rounds
    return chosen


def main():
    chosen = options()
    program = peers.compiled("openmpi", Path(__file__).resolve().parent / "levels.c",
                             peers.communicators())
    rows = [measure(program, call, algorithm, int(count), chosen)
            for call in ALGORITHMS for algorithm in ALGORITHMS[call]
            for count in chosen.bytes.split(",")] if program else []
    rows = [row for row in rows if row]
    if not rows:
        print("nothing measured: no Open MPI in .peers (./dev setup), or no launch ended",
              file=sys.stderr)
        return 1
    columns = ("call", "algorithm", "ranks", "bytes", "us_native", "us_levels", "ratio",
               "ratio_low", "ratio_high", "wrong")
    shown = [{key: answers.number(row[key]) if isinstance(row[key], float) else row[key]
              for key in columns} for row in rows]
    print(answers.table(shown, list(columns)))
    if not chosen.quick:
        answers.keep("hierarchical", __doc__.splitlines()[0], rows, chosen.results)
    return 1 if any(row["wrong"] for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
