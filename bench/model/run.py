#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""How far are predicted times of calls from measured ones, and is the order of algorithms right?

Two threads on two cores. Predictions are those of a machine file: one that `terrace measure` writes
first, or --machine. Parameters as a hand would measure them are printed, and each call's time is
kept next to its prediction."""

import itertools
import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import answers  # noqa: E402

CLEARLY = 1.1  # times that are nearer to each other than that have no order


def predicted(row, machine):
    command = [str(answers.program("terrace")), "cost", row["algorithm"], str(row["bytes"]),
               "--machine", machine, "--ranks", "2", "--json"]
    if row["reach"] == "bounced":
        command.append("--bounced")
    answer = subprocess.run(command, capture_output=True, text=True, check=True)
    return round(json.loads(answer.stdout)["ns"], 1)


def in_order(rows):
    """Pairs of algorithms for one call that clearly differ, and of how many the order is right."""
    right = pairs = 0
    for one, other in itertools.combinations(rows, 2):
        key = [(row["algorithm"].split(".")[0], row["bytes"], row["reach"]) for row in (one, other)]
        slow, fast = sorted((one, other), key=lambda row: -row["ns"])
        if key[0] == key[1] and slow["ns"] > CLEARLY * fast["ns"]:
            pairs += 1
            right += slow["predicted"] >= fast["predicted"]
    return right, pairs


def error_of(row):
    return abs(row["predicted"] / row["ns"] - 1)


def summary(rows):
    """The errors of each class, and of all."""
    for reach, size in sorted({(row["reach"], row["bytes"]) for row in rows}):
        errors = [error_of(row) for row in rows if (row["reach"], row["bytes"]) == (reach, size)]
        print("%-8s %8s: median error %3.0f %% of %d calls, worst %.0f %%"
              % (reach, answers.size(size), 100 * statistics.median(errors), len(errors),
                 100 * max(errors)))
    print("all: median error %.0f %% of %d calls"
          % (100 * statistics.median(map(error_of, rows)), len(rows)))
    print("order: %d of %d pairs right" % in_order(rows))


def measured_machine(folder, patience):
    """A machine file that `terrace measure` has just written."""
    path = str(Path(folder) / "machine.json")
    subprocess.run([str(answers.program("terrace")), "measure", "-o", path], check=True,
                   timeout=patience, capture_output=True)
    return path


def main():
    options = answers.question_options("model", __doc__, "parameters only", patience=120)
    options.add_argument("--machine", help="a machine file (one that is measured first)")
    asked = options.parse_args()
    command = [str(answers.program("model_calls"))] + ["--parameters"] * asked.quick
    done = subprocess.run(command, capture_output=True, text=True, timeout=asked.patience,
                          check=False)
    if done.returncode != 0:
        print(done.stderr.strip(), file=sys.stderr)
        return 1
    points = [json.loads(line) for line in done.stdout.splitlines()]
    for point in points:
        if "parameter" in point:
            print("%-45s %8.1f ns" % (point["parameter"], point["ns"]))
    rows = [point for point in points if "algorithm" in point]
    with tempfile.TemporaryDirectory() as folder:
        machine = asked.machine or (rows and measured_machine(folder, asked.patience))
        for row in rows:
            row["predicted"] = predicted(row, machine)
    if rows:
        summary(rows)
        answers.keep("model", __doc__.splitlines()[0], points, asked.results)
    return 0


if __name__ == "__main__":
    sys.exit(main())
