# SPDX-License-Identifier: BSD-3-Clause
"""What runners share: a row of their tables passes, fails, or is skipped with what is missing."""

from typing import Callable, Type

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
