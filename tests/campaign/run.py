#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Packs a campaign, unpacks it elsewhere, and plays some of its steps, in two calls.

run.py --build FOLDER. Exit status: 0 passed, 1 failed, 77 where there is no MPICH to be packed."""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from rows import Failure, Skipped, expect, status_of  # noqa: E402

FIRST = "machine,measure,right-preload-collectives-2"
SECONDS = 200


def shown(words, **variables):
    """Runs and prints; an error where it fails."""
    answer = subprocess.run([str(word) for word in words], text=True, stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT, env=dict(os.environ, **variables),
                            timeout=SECONDS)
    print("$ %s\n%s[%d]" % (" ".join(map(str, words)), answer.stdout, answer.returncode))
    if answer.returncode != 0:
        raise Failure("status %d" % answer.returncode)
    return answer.stdout


def packed_runs(folder, build):
    if not (ROOT / ".peers" / "mpich" / "bin" / "mpicc").exists():
        raise Skipped("MPICH is not in .peers")
    packed = folder / "packed.tar.xz"
    shown([sys.executable, ROOT / "bench" / "campaign" / "run.py", "--level", "0", "-o",
           packed], TERRACE_BUILD=str(build))
    shown(["tar", "-xf", packed, "-C", folder])
    pack = folder / "terrace-campaign"
    text = shown([pack / "campaign", "--minutes", "2", "--only", FIRST])
    expect("all is done" in text, "not all was done")
    answers = pack / "answers"
    right = (answers / "right-preload-collectives-2.txt").read_text()
    expect("all right 0" in right and "report of rank 0 of 2" in right, right)
    if len(os.sched_getaffinity(0)) > 1:
        expect((answers / "config" / "terrace" / "machine.json").exists(), "nothing measured")
    # What was done is not done again; what is new is.
    text = shown([pack / "campaign", "--minutes", "2", "--only",
                  FIRST + ",right-threads-collectives-2"])
    expect("right-threads" in text and "preload" not in text, "begun again")
    steps = json.loads((answers / "state.json").read_text())
    expect(all(step["how"] == "done" and step["tries"] == 1 for step in steps.values()), steps)
    expect("all right 0" in (answers / "right-threads-collectives-2.txt").read_text(), "not right")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        return status_of(lambda: packed_runs(Path(folder), chosen.build))


if __name__ == "__main__":
    sys.exit(main())
