# SPDX-License-Identifier: BSD-3-Clause
"""Which calls of tests/mpi/mismatches.c do not match, and how they are named."""

from typing import Iterator, NamedTuple

COMBINING = ("reduce", "allreduce", "reduce_scatter_block", "reduce_scatter", "scan", "exscan")
ROOTED = ("bcast", "reduce", "gather", "scatter", "gatherv", "scatterv")
UNEVEN = ("reduce_scatter", "allgatherv", "gatherv", "scatterv", "alltoallv", "alltoallw")
ALL = ("barrier", "allgather", "alltoall") + tuple(dict.fromkeys(ROOTED + COMBINING + UNEVEN))
COUNTS = (2, 700, 40000)


class Cell(NamedTuple):
    call: str
    difference: str
    count: int
    after: str = "barrier"

    def words(self) -> list:
        return [self.call, self.difference, str(self.count), self.after]

    def other(self) -> str:
        """How the call of the last rank is named."""
        if self.difference == "collective":
            return "bcast" if self.call == "barrier" else "barrier"
        return self.call


def wrong_cells() -> Iterator[Cell]:
    for call in ALL:
        differences = ["collective"]
        if call in ROOTED:
            differences.append("root")
        if call not in ("barrier", "gatherv"):
            differences.append("size")
        if call in COMBINING:
            differences += ["operator", "type"]
        for difference in differences:
            for count in COUNTS:
                yield Cell(call, difference, count)
                # Two roots may not hear of each other before the end.
                if difference == "root":
                    yield Cell(call, difference, count, "free")
                    yield Cell(call, difference, count, "finalize")


def right_cells() -> Iterator[Cell]:
    """What differs here makes no difference to the MPI."""
    for call in ALL:
        for count in COUNTS:
            yield Cell(call, "nothing", count)
            if call not in COMBINING + ("barrier",):
                yield Cell(call, "type", count)
            if call == "gatherv":  # less is given than wanted
                yield Cell(call, "size", count)


def complaint_about(cell: Cell, status: int, text: str) -> str:
    """"" if the job has ended with both calls named, else what is wrong."""
    if "nobody noticed" in text:
        return "nobody noticed"
    if "a wrong value" in text:
        return "a wrong value was given"
    if status == 0:
        return "the job succeeded"
    if "MPI_ERR_TRUNCATE" in text and cell.difference == "size" and cell.call in UNEVEN:
        return "" if " makes " + cell.call in text else "the call is not named"
    if " makes " + cell.call not in text or " makes " + cell.other() not in text:
        return "not both calls are named"
    return ""
