# SPDX-License-Identifier: BSD-3-Clause
"""Persistent collectives: initialized once, and started again and again."""

from job import Job, Output
from row import row
from rows import expect

INITIALIZED = ("barrier_init", "bcast_init", "reduce_init", "allreduce_init", "allgather_init",
               "gather_init", "scatter_init", "alltoall_init", "reduce_scatter_block_init",
               "scan_init", "exscan_init")
# Open MPI 4.1 has none.
UNDER = {"spins": True, "not_under": ("debian_openmpi",)}
# Intel MPI 2021.18 and MPICH 4.0 fail in their own, so all must be Terrace's there.
WHERE_OTHERS_WORK = {"spins": True, "not_under": ("debian_openmpi", "debian_mpich", "peer_impi",
                                                  "peer_impi_standard")}
NO_LANE = "more persistent calls of a communicator than have lanes"


def play(job: Job, ranks: int, words: str, **variables: str) -> Output:
    return job.run(ranks, [job.program("persistent")] + words.split(), TERRACE_TRIALS="off",
                   **variables).expect_right()


def kinds(ranks: int):
    def test(job: Job) -> None:
        output = play(job, ranks, "kinds").expect_at_work(*INITIALIZED)
        expect("_init" in output.text and NO_LANE not in output.text, "some call had no lane")
        play(job, ranks, "kinds", TERRACE_REPORT="0")
    return test


def kinds_alone(job: Job, ranks: int) -> None:
    """The first of a communicator waits for the team, though not for ever."""
    play(job, ranks, "cold kinds").expect_at_work(*INITIALIZED)


def orders(ranks: int):
    """Calls that have no lane are the MPI's, in one list with Terrace's."""
    def test(job: Job) -> None:
        output = play(job, ranks, "orders").expect_at_work("allreduce_init", "alltoall_init")
        expect(NO_LANE in output.text, "no call was left to the MPI")
    return test


def at_work(words: str, *collectives: str):
    return lambda job: play(job, 3, words).expect_at_work(*collectives) and None


def switched_off(job: Job) -> None:
    """(MPICH alone hangs in others: inactive requests of its own.)"""
    output = play(job, 2, "empty", TERRACE="off")
    expect(output.calls("alltoall_init", "fell back") == 1, "no alltoall_init fell back")


ROWS = {
    "persistent_kinds_of_2_ranks": row(kinds(2), of_every_mpi=True, **UNDER),
    "persistent_kinds_of_3_ranks": row(kinds(3), of_adapters=True, **UNDER),
    "persistent_kinds_of_4_ranks": row(kinds(4), **UNDER),
    "persistent_calls_alone_of_2_ranks": row(
        lambda job: kinds_alone(job, 2), of_every_mpi=True, **UNDER),
    "persistent_calls_alone_of_4_ranks": row(lambda job: kinds_alone(job, 4), **UNDER),
    "persistent_orders_of_2_ranks": row(orders(2), of_every_mpi=True, **WHERE_OTHERS_WORK),
    "persistent_orders_of_3_ranks": row(orders(3), of_adapters=True, **WHERE_OTHERS_WORK),
    "persistent_requests_that_are_inactive": row(
        at_work("inactive empty", "allreduce_init"), of_every_mpi=True, **UNDER),
    "persistent_calls_outlive_their_communicators": row(
        at_work("ends", "allgather_init"), of_every_mpi=True, **UNDER),
    "persistent_calls_of_communicators_freed_before": row(
        at_work("late", "allreduce_init", "gather_init"), sleeps=True,
        not_under=UNDER["not_under"], of_adapters=True),
    "persistent_calls_with_terrace_off": row(switched_off, of_every_mpi=True,
                                             **WHERE_OTHERS_WORK),
}
