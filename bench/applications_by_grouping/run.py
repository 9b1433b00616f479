#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""How much faster are the papers' applications when their groups follow the hardware?

Figures 11 to 14 of the paper on hierarchical communicators (ParCo 2018, 7.3 and 7.4) under Open MPI
with its binary broadcast: SUMMA, simple, with groups of a configuration, and topological, a block
of 8 x 8 doubles per rank; and hierarchical processing of vectors, with four configurations and
topological. The ratio is a way's time over that of the topological one. Ranks share the cores of
this machine, and the machine is pretended; on more cores, give --ranks and --machine of theirs."""

import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import answers  # noqa: E402
import peers  # noqa: E402

COMPONENTS = "basic,libnbc,self,inter,tuned"
CONFIGURATIONS = {  # the paper's conf1 to conf4, and smaller ones
    576: ("3,4,2,3,8", "6,2,2,3,8", "3,2,2,8,6", "3,2,4,6,4"),
    8: ("8", "2,4", "4,2", "2,2,2"),
    4: ("4", "2,2"),
}


def launch(program, words, chosen):
    ranks = chosen.ranks
    start = peers.starter("openmpi", ranks, ranks > answers.machine()["cpus"])
    start += ["--mca", "coll", COMPONENTS, "--mca", "coll_tuned_use_dynamic_rules", "1",
              "--mca", "coll_tuned_bcast_algorithm", "5"]
    variables = {"TERRACE_MACHINE": chosen.machine, "TERRACE_NODES": chosen.nodes}
    return peers.output_of(start + [str(program)] + words,
                           peers.environment("openmpi", variables), chosen.patience,
                           "%s %s" % (program.name, " ".join(words)))


def us_of(text):
    """All that the program says it took; None if it is wrong or did not end."""
    if "all right 0" not in text:
        return None
    return sum(float(us) for us in re.findall(r"([\d.]+) us", text))


def ways_of(chosen):
    groups = [str(size) for size in (2, 4, 8) if size < chosen.ranks]
    for words in (["simple"], *(["groups", size] for size in groups), ["topological"]):
        yield "summa", " ".join(words), [words[0], "8", str(chosen.rounds)] + words[1:]
    for way in (*CONFIGURATIONS.get(chosen.ranks, (str(chosen.ranks),)), "topological"):
        yield "vectors", way, [str(chosen.count), str(chosen.rounds), way]


def measure(programs, chosen):
    found = {}
    for _ in range(chosen.turns):
        for application, way, words in ways_of(chosen):
            us = us_of(launch(programs[application], words, chosen))
            if us is not None:
                found.setdefault((application, way), []).append(us)
    medians = {key: answers.median_of(values)["value"] for key, values in found.items()}
    return [{"application": application, "way": way, "ranks": chosen.ranks, "us": us,
             "times_topological": us / medians[(application, "topological")],
             "samples": len(found[(application, way)]), "machine": chosen.machine,
             "nodes": chosen.nodes}
            for (application, way), us in medians.items()
            if (application, "topological") in medians]


def options():
    parser = answers.question_options("applications_by_grouping", __doc__,
                                      "one launch each, nothing kept")
    parser.add_argument("--ranks", type=int, default=8)
    parser.add_argument("--machine", default="pack:2 [numa] core:2 pu:1", help="to pretend")
    parser.add_argument("--nodes", default="2", help="to pretend (2)")
    parser.add_argument("--count", type=int, default=1000, help="doubles in a vector (1000)")
    parser.add_argument("--rounds", type=int, default=50, help="of each launch (50)")
    parser.add_argument("--turns", type=int, default=5, help="launches of each way (5)")
    chosen = parser.parse_args()
    chosen.turns = 1 if chosen.quick else chosen.turns
    return chosen


def main():
    chosen = options()
    programs = {name: peers.compiled("openmpi", answers.ROOT / "apps" / (name + ".c"),
                                     peers.communicators()) for name in ("summa", "vectors")}
    rows = measure(programs, chosen) if all(programs.values()) else []
    if not rows:
        print("nothing measured: no Open MPI in .peers (./dev setup), or no launch ended",
              file=sys.stderr)
        return 1
    shown = [{key: answers.number(row[key]) if isinstance(row[key], float) else row[key]
              for key in ("application", "way", "ranks", "us", "times_topological", "samples")}
             for row in rows]
    print(answers.table(shown, list(shown[0])))
    if not chosen.quick:
        answers.keep("applications_by_grouping", __doc__.splitlines()[0], rows, chosen.results)
    return 0


if __name__ == "__main__":
    sys.exit(main())
