#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What does a message between two thread ranks cost if its memory is handed over, not copied?

Half a round trip: of memory that nobody looks at, and of memory that its sender writes and its
receiver reads, all of it, which then has to move anyway."""

import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

import answers  # noqa: E402


def launch(program, patience):
    """{(bytes, whether it is used, way): us}"""
    words = [str(answers.program("terrace")), "run", "-n", "2", program]
    rows = answers.printed_rows(words, patience)
    return {(int(row[0]), row[1], row[2]): float(row[3]) for row in rows}


def point(launches, bytes_, used):
    copied = [one[bytes_, used, "copied"] for one in launches]
    given = [one[bytes_, used, "given"] for one in launches]
    return {"bytes": bytes_, "written and read": used,
            "copied_us": round(statistics.median(copied), 2),
            "copied_low": min(copied), "copied_high": max(copied),
            "given_us": round(statistics.median(given), 2),
            "given_low": min(given), "given_high": max(given),
            "ratio": round(statistics.median(c / g for c, g in zip(copied, given)), 2)}


def main():
    parser = answers.question_options("ownership", __doc__, "one launch")
    parser.add_argument("--launches", type=int, default=7)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        program = str(Path(folder) / "ownership")
        subprocess.run([str(answers.program("terrace")), "cc", "-O3", "-march=native",
                        str(HERE / "ownership.c"), "-o", program], check=True)
        launches = [launch(program, chosen.patience)
                    for _ in range(1 if chosen.quick else chosen.launches)]
    rows = [point(launches, bytes_, used)
            for bytes_, used in sorted({key[:2] for key in launches[0]})]
    print(answers.table(rows, list(rows[0])))
    if not chosen.quick:
        answers.keep("ownership", __doc__.splitlines()[0], rows, chosen.results)
    return 0


if __name__ == "__main__":
    sys.exit(main())
