# SPDX-License-Identifier: BSD-3-Clause
"""Draws docs/pictures/*.svg, or says which of them are not what `terrace draw` draws today.

pictures.py --terrace PROGRAM [--check]. `./dev pictures` calls it. Exit status: 0, 1.
"""

import argparse
import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent.parent / "docs" / "pictures"

# The papers' machine of Figures 3, 4 and 7: a node of 4 sockets with 4 cores each.
FOUR_SOCKETS = ["--machine", "pack:4 [numa] core:4 pu:1", "--ranks", "16"]
TWO_SOCKETS = ["--machine", "pack:2 [numa] core:4 pu:1", "--ranks", "8"]

PICTURES = {
    "tree.svg": ["plan", "allreduce.tree_staged", "--radix", "2", *FOUR_SOCKETS],
    "tiled.svg": ["plan", "allreduce.tiled", *TWO_SOCKETS],
    "all_read.svg": ["plan", "allreduce.all_read", *TWO_SOCKETS],
    "machine.svg": ["machine", "--machine", "pack:2 [numa] l3:2 l2:4 core:1 pu:2", "--ranks", "16"],
    "timeline.svg": ["timeline", str(FOLDER / "late-rank.json")],
}


def drawn(terrace: str, words: list) -> str:
    return subprocess.run([terrace, "draw", *words, "--svg", "-"], check=True, text=True,
                          stdout=subprocess.PIPE).stdout


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--terrace", required=True)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    stale = []
    for name, words in PICTURES.items():
        path = FOLDER / name
        picture = drawn(options.terrace, words)
        if options.check and (not path.exists() or path.read_text(encoding="utf-8") != picture):
            stale.append(name)
        if not options.check:
            path.write_text(picture, encoding="utf-8")
    strangers = {path.name for path in FOLDER.glob("*.svg")} - set(PICTURES)
    for name in stale:
        print("docs/pictures/%s is not what is drawn today: run ./dev pictures, and look" % name)
    for name in sorted(strangers):
        print("docs/pictures/%s is not drawn: give it a row in tools/pictures.py" % name)
    return 1 if stale or strangers else 0


if __name__ == "__main__":
    sys.exit(main())
