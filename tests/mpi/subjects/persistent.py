# SPDX-License-Identifier: BSD-3-Clause
"""Persistent collectives: initialized once, and started again and again."""

from job import Job, Output
from row import row
from rows import expect

INITIALIZED = ("barrier_init", "bcast_init", "reduce_init", "allreduce_init", "allgather_init",
               "gather_init", "scatter_init", "alltoall_init", "reduce_scatter_block_init",
               "scan_init", "exscan_init")
UNEVEN = ("allgatherv_init", "gatherv_init", "scatterv_init", "alltoallv_init", "alltoallw_init",
          "reduce_scatter_init")
# Open MPI 4.1 has none.
UNDER = {"spins": True, "not_under": ("debian_openmpi",)}
# Intel MPI 2021.18 and MPICH 4.0 fail in their own, so all must be Terrace's there.
WHERE_OTHERS_WORK = {"spins": True, "not_under": ("debian_openmpi", "debian_mpich", "peer_impi",
                                                  "peer_impi_standard")}
NO_LANE = "more persistent calls of a communicator than have lanes"


def play(job: Job, ranks: int, words: str, **variables: str) -> Output:
    return job.run(ranks, [job.program("persistent")] + words.split(), TERRACE_TRIALS="off",
                   **variables).expect_right()


def kinds(ranks: int, word: str = "kinds", initialized: tuple = INITIALIZED):
    """Terrace runs all, with a report and without one, when it repeats calls as prepared."""
    def test(job: Job) -> None:
        output = play(job, ranks, word).expect_at_work(*initialized)
        expect("_init" in output.text and NO_LANE not in output.text, "some call had no lane")
        for collective in initialized:
            expect(output.calls(collective, "fell back") == 0, "the MPI ran an " + collective)
        play(job, ranks, word, TERRACE_REPORT="0")
    return test


def uneven(ranks: int):
    return kinds(ranks, "uneven", UNEVEN)


def kinds_alone(job: Job, ranks: int) -> None:
    """The first of a communicator waits for the team, though not for ever."""
    play(job, ranks, "cold kinds uneven").expect_at_work(*INITIALIZED, *UNEVEN)


def left_to_faster_mpis(job: Job) -> None:
    """As nonblocking calls are, of which these MPIs are faster."""
    output = job.run(2, [job.program("persistent"), "orders"]).expect_right()
    expect("blocks of different length, which this MPI moves faster" in output.text,
           "no call was left to the MPI")


def orders(ranks: int):
    """Calls that have no lane are the MPI's, in one list with Terrace's."""
    def test(job: Job) -> None:
        output = play(job, ranks, "orders").expect_at_work("allreduce_init", "alltoall_init",
                                                           *UNEVEN)
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
    "persistent_uneven_blocks_of_2_ranks": row(uneven(2), of_every_mpi=True, **UNDER),
    "persistent_uneven_blocks_of_3_ranks": row(uneven(3), of_adapters=True, **UNDER),
    "persistent_uneven_blocks_of_4_ranks": row(uneven(4), **UNDER),
    "persistent_blocks_that_are_truncated": row(
        at_work("truncated", "gatherv_init"), of_every_mpi=True, **UNDER),
    "persistent_blocks_left_to_faster_mpis": row(
        left_to_faster_mpis, spins=True,
        not_under=WHERE_OTHERS_WORK["not_under"] + ("peer_mpich", "peer_mpich_standard")),
    "persistent_calls_alone_of_2_ranks": row(
        lambda job: kinds_alone(job, 2), of_every_mpi=True, **UNDER),
    "persistent_calls_alone_of_4_ranks": row(lambda job: kinds_alone(job, 4), **UNDER),
    "persistent_orders_of_2_ranks": row(orders(2), of_every_mpi=True, **WHERE_OTHERS_WORK),
    "persistent_orders_of_3_ranks": row(orders(3), of_adapters=True, **WHERE_OTHERS_WORK),
    "persistent_requests_that_are_inactive": row(
        at_work("inactive empty", "allreduce_init", "allgatherv_init", "alltoallv_init",
                "reduce_scatter_init"), of_every_mpi=True, **UNDER),
    "persistent_calls_outlive_their_communicators": row(
        at_work("ends", "allgather_init", "alltoallw_init"), of_every_mpi=True, **UNDER),
    "persistent_calls_of_communicators_freed_before": row(
        at_work("late", "allreduce_init", "gather_init"), sleeps=True,
        not_under=UNDER["not_under"], of_adapters=True),
    "persistent_calls_with_terrace_off": row(switched_off, of_every_mpi=True,
                                             **WHERE_OTHERS_WORK),
}
