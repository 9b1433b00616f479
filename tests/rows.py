# SPDX-License-Identifier: BSD-3-Clause
"""What runners share: a row of their tables passes, fails, or is skipped with what is missing."""

import argparse
import tempfile
from pathlib import Path
from typing import Callable, Dict, Type

SKIPPED = 77  # to ctest


class Failure(Exception):
    pass


class Skipped(Exception):
    pass


def expect(holds: bool, what: str) -> None:
    if not holds:
        raise Failure(what)


def status_of(row: Callable[[], object], *faults: Type[Exception]) -> int:
    """Runs a row and says why it did not pass. These faults are failures, too."""
    try:
        row()
    except Skipped as missing:
        print("skipped: %s" % missing)
        return SKIPPED
    except (Failure, *faults) as failure:
        print("FAILED: %s" % failure)
        return 1
    return 0


def parser_of(*options: str) -> argparse.ArgumentParser:
    """Of a runner that needs these options."""
    parser = argparse.ArgumentParser()
    for option in options:
        parser.add_argument(option, required=True)
    return parser


def run_named(tests: Dict[str, Callable[..., object]], parser: argparse.ArgumentParser,
              run: Callable[[Callable[..., object], argparse.Namespace, Path], object],
              *faults: Type[Exception]) -> int:
    """Runs the row that the command line names behind the runner's own options: calls `run` with
    the row, what was given and an empty folder. Returns the exit status."""
    parser.add_argument("test", choices=sorted(tests))
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        return status_of(lambda: run(tests[given.test], given, Path(folder)), *faults)
