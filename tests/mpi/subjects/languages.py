# SPDX-License-Identifier: BSD-3-Clause
"""Fortran and Python."""

from pathlib import Path
from typing import Callable

from job import HERE, Job
from row import row
from rows import expect
from subjects.calls import BLOCKS, UNEVEN
from subjects.communicators import FIGURE_1, example_of_communicators
from subjects.memory import can_pull


def manglings(job: Job) -> None:
    """Each of the four names of each call, on a communicator of its own: 10 rounds of the four
    collectives, a barrier the last of each, so that the 20th call, which makes the team, is one."""
    output = job.run(3, [job.program("manglings")],
                     TERRACE_TRIALS="off").expect_right().expect_at_work()
    for collective, ran in (("allreduce", 20), ("reduce", 20), ("bcast", 20), ("barrier", 24)):
        expect(output.calls(collective, "ran") == ran, "Terrace ran %d %s, not %d" % (
            output.calls(collective, "ran"), collective, ran))


def with_python(job: Job) -> None:
    output = job.run(2, [job.python, str(HERE / "with_python.py")]).expect_right()
    output.expect_at_work().expect_at_work("allgather", "alltoall", "scatter", "gather", "scan")
    output.expect_at_work("allgatherv", "scatterv", "gatherv", "alltoallv", "reduce_scatter")


def fortran(program: str):
    def test(job: Job) -> None:
        output = job.run(3, [job.program(program), "started"]).expect_right()
        output.expect_at_work().expect_at_work(*BLOCKS, *UNEVEN)
        output.expect_at_work("ibarrier", "ibcast", "iallreduce", "iallgather")
        if can_pull(job):
            output.expect_at_work("neighbour_alltoall", "ineighbour_alltoall")
        if "made persistent calls" in output.text:
            output.expect_at_work("allreduce_init", "bcast_init")
    return test


def fortran_and_c(job: Job) -> None:
    """Ranks of one job come by Fortran's entry points of both kinds, and by C's."""
    programs = [job.with_terrace([job.program(name)])
                for name in ("with_module", "as_fortran", "with_f08", "as_fortran")]
    output = job.run_together([["1"] + words for words in programs])
    output.expect_right().expect_at_work()
    expect("wrong results" not in output.text, "a rank has wrong results")


def example_in_fortran(job: Job) -> None:
    """It prints what that in C does."""
    example_of_communicators(job, "example_of_communicators_fortran")


def communicators_of_fortran(form: int) -> Callable[[Job], None]:
    return lambda job: job.run(8, [job.program("communicators_fortran_%d" % form)],
                               through_exec=False, TERRACE_MACHINE=FIGURE_1, TERRACE_NODES="4,4"
                               ).expect_right() and None


def communicators_of_python(job: Job) -> None:
    """terrace.mpix, and that the example in Python prints what that in C does."""
    root = HERE.parent.parent
    libraries = str(Path(job.terrace).resolve().parent.parent / "lib")
    variables = {"PYTHONPATH": str(root / "python"), "LD_LIBRARY_PATH": libraries}
    job.run(4, [job.python, str(HERE / "communicators.py")], through_exec=False,
            TERRACE_MACHINE="l3:1 core:2 pu:1", TERRACE_NODES="2", **variables).expect_right()
    output = job.run(6, [job.python, str(root / "examples" / "communicators.py")],
                     through_exec=False, TERRACE_MACHINE="pack:2 [numa] l3:1 core:2 pu:1",
                     TERRACE_NODES="4,2", **variables)
    expected = (root / "examples" / "communicators.txt").read_text(encoding="utf-8")
    expect(output.status == 0 and expected in output.text, "the example prints something else")


ROWS = {
    "communicators_of_python": row(
        communicators_of_python, spins=True, of_every_mpi=True, needs=("python", "communicators")),
    "python": row(with_python, of_every_mpi=True, needs=("python",)),
    "fortran_2008": row(
        fortran("with_f08"), spins=True, of_every_mpi=True, needs=("fortran_2008",)),
    "fortran_90": row(fortran("with_module"), spins=True, of_every_mpi=True, needs=("fortran",)),
    "fortran_77": row(fortran("with_header"), spins=True, of_every_mpi=True, needs=("fortran",)),
    "fortran_under_all_its_names": row(
        manglings, spins=True, of_every_mpi=True, needs=("fortran",)),
    "fortran_and_c_in_one_job": row(
        fortran_and_c, spins=True, of_every_mpi=True, needs=("fortran_2008",)),
    "fortran_2008_communicators": row(
        communicators_of_fortran(2008), spins=True, of_every_mpi=True,
        needs=("communicators", "fortran_2008")),
    "fortran_90_communicators": row(
        communicators_of_fortran(90), spins=True, of_every_mpi=True,
        needs=("communicators", "fortran")),
    "fortran_77_communicators": row(
        communicators_of_fortran(77), spins=True, of_every_mpi=True,
        needs=("communicators", "fortran")),
    "fortran_2008_communicators_of_the_guide": row(
        example_in_fortran, spins=True, of_every_mpi=True, needs=("communicators", "fortran_2008")),
}
