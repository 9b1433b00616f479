# SPDX-License-Identifier: BSD-3-Clause
"""A row: what a test runs, and what ctest has to know of it. CMakeLists.txt reads these attributes
(`run.py --list`), as names or as `name=value`."""

from typing import Callable, Iterator, NamedTuple, Tuple

MPIS = ("debian_mpich", "debian_openmpi", "peer_mpich", "peer_openmpi", "peer_mpich_standard",
        "peer_impi", "peer_impi_standard")
NEEDS = ("python", "communicators", "fortran", "fortran_2008")


class Row(NamedTuple):
    run: Callable[..., object]  # is given a Job
    # Ranks are late, or wait for one that is: these come first, and six at once, as a twentieth of
    # their seconds is work.
    sleeps: bool = False
    # Times calls, or what happens on a wire; or plays for long, with ranks enough for the machine;
    # or has daemons that expect each other in time.
    alone: bool = False
    # Has many collectives of the MPI itself, or more ranks than most.
    spins: bool = False
    # Where each node's ranks are those of a kernel's namespaces; some MPIs have none of these.
    over_nodes: bool = False
    # Where only the adapter differs from an MPI that has all rows, these are enough.
    of_adapters: bool = False
    # Looks at what MPIs do differently: `./dev test` runs it, too, under those whose family it has
    # twice, beside `of_adapters` and `over_nodes`. `./dev sweep` runs the others.
    of_every_mpi: bool = False
    # Over nodes, what is above each MPI's messages: not for launchers that take longest.
    above_messages: bool = False
    # Takes long with two cores.
    for_the_sweep: bool = False
    for_the_sweep_of: Tuple[str, ...] = ()
    not_under: Tuple[str, ...] = ()
    needs: Tuple[str, ...] = ()
    # A job of it is ended from within, and its launcher cleans up, or fails in that (launchers.py).
    ends_jobs: bool = False
    # Until ctest ends it, where a busy machine makes that longer than for other rows.
    seconds: int = 0


def row(run: Callable[..., object], **attributes: object) -> Row:
    """A misspelt attribute is a TypeError, a misspelt value of one a ValueError."""
    made = Row(run, **attributes)  # type: ignore[arg-type]
    for name, value, known in (("for_the_sweep_of", made.for_the_sweep_of, MPIS),
                               ("not_under", made.not_under, MPIS), ("needs", made.needs, NEEDS)):
        wrong = set(value) - set(known)
        if wrong:
            raise ValueError("%s: %s" % (name, ", ".join(sorted(wrong))))
    return made


def attributes_of(one: Row) -> Iterator[str]:
    for name, value in one._asdict().items():
        if value is True:
            yield name
        elif name == "seconds" and value:
            yield "seconds=%d" % value
        elif isinstance(value, tuple):
            yield from ("%s=%s" % (name, each) for each in value)
