#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Should long vectors go from process to process by the kernel's copy (CMA) or through scratch?

Bounced, pulled and direct copies take turns, so ratios are paired. No MPI and no plan is in it:
the bare traffic of a bcast, gather, allgather and alltoall, on pages of 4 KiB and of 2 MiB."""

import argparse
import os
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import answers  # noqa: E402

SIZES = "262144,1048576,4194304"


def compiled():
    program = answers.program().parent / "bench" / "copies"
    program.parent.mkdir(parents=True, exist_ok=True)
    source = Path(__file__).resolve().parent / "copies.c"
    subprocess.run([os.environ.get("CC", "cc"), "-O3", "-march=native", "-Wall", str(source), "-o",
                    str(program)], check=True)
    return program


def samples(program, ranks, chosen):
    words = [str(program), str(ranks), chosen.bytes, str(chosen.rounds), str(chosen.seconds)]
    answer = subprocess.run(words, capture_output=True, text=True, check=True)
    found = {}
    for line in answer.stdout.splitlines():
        words = line.split(",")
        if words[0] == "N":
            print("the kernel does not copy between these processes: " + words[1])
        if words[0] != "S":
            continue
        point = (words[1], int(words[2]), int(words[3]), words[4])
        ways = found.setdefault(point, {})
        ways.setdefault(words[5], {})[int(words[6])] = (float(words[7]), words[8] == "1")
    return found


def row_of(point, ways):
    row = dict(zip(("pattern", "ranks", "bytes", "pages"), point))
    row["wrong"] = sum(not right for way in ways.values() for _, right in way.values())
    warm = [turn for turn in ways["bounced"] if turn > 0]  # the first touches the scratch
    for way, taken in ways.items():
        row[way + "_us"] = answers.median_of([taken[turn][0] for turn in warm])["value"]
    for way in ("pulled", "direct"):
        ratio = answers.median_of([ways["bounced"][turn][0] / ways[way][turn][0] for turn in warm])
        row[way] = ratio["value"]
        row[way + "_low"], row[way + "_high"] = ratio["low"], ratio["high"]
    row["samples"] = len(warm)
    return row


def verdict(row):
    return ("pulled is faster" if row["pulled_low"] > 1 else
            "bounced is faster" if row["pulled_high"] < 1 else "no difference")


def shown(row):
    return {"pattern": row["pattern"], "ranks": row["ranks"],
            "bytes": answers.size(row["bytes"]), "pages": row["pages"],
            "bounced us": answers.number(row["bounced_us"]),
            "bounced/pulled": answers.number(row["pulled"]),
            "low": answers.number(row["pulled_low"]), "high": answers.number(row["pulled_high"]),
            "bounced/direct": answers.number(row["direct"]), "n": row["samples"],
            "": "WRONG RESULT" if row["wrong"] else verdict(row)}


def main():
    parser = argparse.ArgumentParser(prog="./dev bench reach",
                                     description=__doc__.splitlines()[0])
    parser.add_argument("--ranks", default="2,4")
    parser.add_argument("--bytes", default=SIZES, help="sizes of a block (%s)" % SIZES)
    parser.add_argument("--rounds", type=int, default=40, help="per point, at most (40)")
    parser.add_argument("--seconds", type=float, default=0.5, help="per point, about (0.5)")
    parser.add_argument("--results", help="where to keep the answer")
    chosen = parser.parse_args()
    program = compiled()
    rows = [row_of(point, ways) for ranks in chosen.ranks.split(",")
            for point, ways in samples(program, int(ranks), chosen).items()]
    if not rows:
        return 1
    print(answers.table([shown(row) for row in rows], list(shown(rows[0]))))
    for pages in ("4 KiB", "2 MiB"):
        verdicts = [verdict(row) for row in rows if row["pages"] == pages]
        print("%s: %s" % (pages, ", ".join("%d %s" % (verdicts.count(one), one)
                                           for one in sorted(set(verdicts)))))
    answers.keep("reach", __doc__.splitlines()[0], rows, chosen.results)
    return 1 if any(row["wrong"] for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
