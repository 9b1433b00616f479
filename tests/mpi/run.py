# SPDX-License-Identifier: BSD-3-Clause
"""Runs one test of the preload under one MPI, and judges what it printed.

run.py --mpi FAMILY --mpirun PROGRAM --build FOLDER --terrace PROGRAM [--python PROGRAM]
       [--emulator COMMAND] TEST
run.py --list

With an emulator, programs and Terrace are for another processor than the launcher. --list prints a
line for each test: its name and its attributes.

Exit status: 0 passed, 1 failed, 77 skipped (with a reason).
"""

import sys
from importlib import import_module
from pathlib import Path
from typing import Dict

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

from job import Job  # noqa: E402
from row import Row, attributes_of, row  # noqa: E402
from rows import parser_of, run_named  # noqa: E402


def rows_there_are() -> Dict[str, Row]:
    """Those in the tables of subjects/."""
    found: Dict[str, Row] = {}
    for path in sorted((HERE / "subjects").glob("*.py")):
        for name, one in import_module("subjects." + path.stem).ROWS.items():
            if name in found:
                raise ValueError("two rows are named " + name)
            found[name] = one if isinstance(one, Row) else row(one)
    return found


def main() -> int:
    rows = rows_there_are()
    if sys.argv[1:] == ["--list"]:
        for name, one in rows.items():
            print(name, *attributes_of(one))
        return 0
    parser = parser_of("--mpi", "--mpirun", "--build", "--terrace")
    parser.add_argument("--python", default="")
    parser.add_argument("--emulator", default="")
    return run_named(rows, parser, lambda one, given, _: one.run(Job(given, one)))


if __name__ == "__main__":
    sys.exit(main())
