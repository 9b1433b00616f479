#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""How many steps a second does the simulator play, and in how much memory?

Up to 12 million ranks, on nodes that do alike and of which one is played."""

import argparse
import json
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import answers  # noqa: E402


def main():
    parser = argparse.ArgumentParser(prog="./dev bench simulate",
                                     description=__doc__.splitlines()[0])
    parser.add_argument("--results", help="where to keep the answer")
    chosen = parser.parse_args()
    run = subprocess.run([str(answers.program("simulate_speed"))], capture_output=True, text=True,
                         check=False)
    if run.returncode != 0:
        sys.exit("simulate_speed failed (%d): %s" % (run.returncode, run.stderr))
    points = [json.loads(line) for line in run.stdout.splitlines()]
    print(answers.table(points, list(points[0])))
    answers.keep("simulate", __doc__.splitlines()[0], points, chosen.results)
    return 0


if __name__ == "__main__":
    sys.exit(main())
