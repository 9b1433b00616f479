#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What does a plan cost to build, in time and bytes, for 2, 16 and 128 ranks? And this project?

With --many: what does a rank need for its own part of a plan among 64 to 1024 ranks instead? With
--whole it also builds the release preset from nothing in a folder of its own, without a compiler
cache, on all PUs."""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import answers  # noqa: E402


def plans(words):
    run = subprocess.run([str(answers.program("plan_build_time"))] + words, capture_output=True,
                         text=True, check=False)
    if run.returncode != 0:
        sys.exit("plan_build_time failed (%d): %s" % (run.returncode, run.stderr))
    return [json.loads(line) for line in run.stdout.splitlines()]


def whole_build():
    """Seconds from an empty folder to everything built, tests included."""
    environment = dict(os.environ, CCACHE_DISABLE="1")
    with tempfile.TemporaryDirectory() as folder:
        start = time.monotonic()
        for command in (["cmake", "-S", str(answers.ROOT), "-B", folder, "-G", "Ninja",
                         "-DCMAKE_BUILD_TYPE=Release"],
                        ["cmake", "--build", folder, "--parallel",
                         str(answers.machine()["cpus"])]):
            done = subprocess.run(command, env=environment, capture_output=True, text=True,
                                  check=False)
            if done.returncode != 0:
                print("the whole build failed: %s" % done.stdout[-2000:], file=sys.stderr)
                return None
        return round(time.monotonic() - start, 1)


def main():
    parser = argparse.ArgumentParser(prog="./dev bench build_time",
                                     description=__doc__.splitlines()[0])
    parser.add_argument("--many", action="store_true",
                        help="one rank's part of plans of 64 to 1024 ranks instead")
    parser.add_argument("--whole", action="store_true", help="also time the whole clean build")
    parser.add_argument("--results", help="where to keep the answer")
    chosen = parser.parse_args()
    points = plans(["many"] if chosen.many else [])
    print(answers.table(points, list(points[0])))
    if chosen.whole:
        load = answers.load()
        seconds = whole_build()
        print("whole clean build: %s s (load before: %.1f)" % (seconds, load))
        points.append({"whole_build_s": seconds, "load_before": load})
    answers.keep("build_time", __doc__.splitlines()[0], points, chosen.results)
    return 0


if __name__ == "__main__":
    sys.exit(main())
