#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""How fast do thread ranks read and write files, beside the processes of Debian's MPICH?

The same program runs as both, in turn. Two ranks have every second block of a file, by a view; the
file lies in a temporary folder, so this times copies and system calls, and no disk."""

import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

import answers  # noqa: E402

RANKS = "2"


def launch(words, patience):
    """{(bytes of a block, way): MB/s}"""
    rows = answers.printed_rows(words, patience)
    return {(int(row[0]), row[1]): float(row[2]) for row in rows}


def point(pairs, key):
    threads = [ours[key] for ours, _ in pairs]
    processes = [theirs[key] for _, theirs in pairs]
    return {"block": key[0], "way": key[1],
            "threads_MBps": round(statistics.median(threads)),
            "threads_low": min(threads), "threads_high": max(threads),
            "mpich_MBps": round(statistics.median(processes)),
            "mpich_low": min(processes), "mpich_high": max(processes),
            "ratio": round(statistics.median(a / b for a, b in zip(threads, processes)), 2)}


def main():
    parser = answers.question_options("files", __doc__, "one launch")
    parser.add_argument("--launches", type=int, default=7)
    chosen = parser.parse_args()
    if not shutil.which("mpicc.mpich") or not shutil.which("mpirun.mpich"):
        sys.exit("Debian's MPICH is not here: apt-get install libmpich-dev mpich")
    with tempfile.TemporaryDirectory() as folder:
        program, path = str(Path(folder) / "files"), str(Path(folder) / "data")
        subprocess.run(["mpicc.mpich", "-O2", "-fPIE", "-pie", str(HERE / "files.c"), "-o",
                        program], check=True)
        as_threads = [str(answers.program("terrace")), "run", "-n", RANKS, program, path]
        as_processes = ["mpirun.mpich", "-n", RANKS, program, path]
        pairs = [(launch(as_threads, chosen.patience), launch(as_processes, chosen.patience))
                 for _ in range(1 if chosen.quick else chosen.launches)]
    rows = [point(pairs, key) for key in pairs[0][0]]
    print(answers.table(rows, list(rows[0])))
    if not chosen.quick:
        answers.keep("files", __doc__.splitlines()[0], rows, chosen.results)
    return 0


if __name__ == "__main__":
    sys.exit(main())
