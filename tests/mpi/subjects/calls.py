# SPDX-License-Identifier: BSD-3-Clause
"""Collectives of all lengths, types and operators, alone and between other calls of the program."""

import re

from job import Job
from row import row
from rows import expect


def collectives(ranks: int):
    def test(job: Job) -> None:
        most = str((4 << 20) if ranks <= 3 else (1 << 20))
        output = job.run(ranks, [job.program("collectives"), most]).expect_right()
        if ranks > 1:
            output.expect_at_work()
    return test


BLOCKS = ("allgather", "gather", "scatter", "alltoall", "reduce_scatter_block", "scan", "exscan")
UNEVEN = ("allgatherv", "gatherv", "scatterv", "alltoallv", "alltoallw", "reduce_scatter")


def many_ranks(job: Job) -> None:
    """More than have their waits derived together; other MPIs take a minute to start so many."""
    if not job.mpirun.endswith("mpirun.mpich"):
        print("not looked at: one MPI's is enough")
        return
    # From the first call on, so that each of the collectives has one run.
    output = job.run(132, [job.program("many")], TERRACE_REPRODUCIBLE="1").expect_right()
    output.expect_at_work("barrier", "bcast", "reduce", "allreduce", "scan", "exscan", "allgather",
                          "alltoall", "gather", "scatter", "reduce_scatter_block")
    expect("fell back to the MPI" not in output.text, "calls fell back to the MPI")


def blocks(ranks: int, most: int):
    return lambda job: job.run(ranks, [job.program("blocks"), str(most)]).expect_right() \
        .expect_at_work(*BLOCKS, *UNEVEN) and None


def exchanges_like_the_last(job: Job) -> None:
    """A call that is reported takes no short cut."""
    for reports in ("1", "0"):
        output = job.run(3, [job.program("repeats")], TERRACE_REPORT=reports).expect_right()
        if reports == "1":
            output.expect_at_work("allgather", "alltoall", "gather", "scatter")


def matrix(ranks: int):
    def test(job: Job) -> None:
        output = job.run(ranks, [job.program("matrix")], TERRACE_TRIALS="off").expect_right()
        wanted = re.search(r"of each collective, (\d+) calls are what the MPI takes", output.text)
        expect(wanted is not None and int(wanted.group(1)) > 600, "too few pairs were tried")
        for collective in ("reduce", "allreduce"):
            ran = output.calls(collective, "ran")
            expect(ran == int(wanted.group(1)),
                   "Terrace ran %d %s, not %s" % (ran, collective, wanted.group(1)))
        for collective in ("scan", "reduce_scatter_block"):
            expect(output.calls(collective, "ran") == int(wanted.group(1)) // 6,
                   "Terrace did not run all " + collective)
    return test


def operators(ranks: int):
    """User-defined operators: Terrace runs every call that the MPI would accept."""
    def test(job: Job) -> None:
        output = job.run(ranks, [job.program("operators")], TERRACE_TRIALS="off").expect_right()
        wanted = re.search(r"^(\d+) calls of each collective", output.text, re.MULTILINE)
        expect(wanted is not None and int(wanted.group(1)) > 200, "too few calls were made")
        for collective in ("reduce", "allreduce"):
            ran = output.calls(collective, "ran")
            expect(ran == int(wanted.group(1)),
                   "Terrace ran %d %s, not %s" % (ran, collective, wanted.group(1)))
    return test


def soak(ranks: int, *words: str):
    """Some seconds of what `./dev sweep` does for minutes."""
    def test(job: Job) -> None:
        words_of_all = [job.program("soak"), "1", "3", "--steps", "300"] + list(words)
        # The MPIs' own collectives do not survive this test, so none are left to them.
        output = job.run(ranks, words_of_all, TERRACE_TRIALS="off")
        output.expect_right().expect_at_work(*BLOCKS, *UNEVEN)
        output.expect_at_work()
    return test


def situation(name: str, ranks: int = 4):
    return lambda job: job.situation(name, ranks) and None


def corner(names: str, *collectives: str, ranks: int = 3):
    return lambda job: job.run(ranks, [job.program("corners"), *names.split()]).expect_right() \
        .expect_at_work(*collectives) and None


def situation_needing_barrier(name: str, ranks: int = 4):
    return lambda job: job.situation(name, ranks).expect_at_work("barrier") and None


def exceptions(job: Job) -> None:
    """Those of an error handler that the MPI calls, through it and through Terrace. Of an operator
    whose result others wait for, they end the job."""
    job.run(2, [job.program("throws")]).expect_right().expect_at_work("allreduce")
    output = job.run(2, [job.program("throws"), "in_collective"], TERRACE_TRIALS="off")
    expect(output.status != 0, "the job was not ended")
    expect("operators must not throw" in output.text, "it is not said why")


def late_set_up_among_threads(job: Job) -> None:
    output = job.run(2, [job.program("situations"), "late_among_threads"],
                     TERRACE_REPRODUCIBLE="1", TERRACE_STALL_SECONDS="1").expect_right()
    expect(output.text.count("waits for ranks of its communicator that have not come") == 1,
           "nobody said who waits, or more than one did")


def abi(job: Job) -> None:
    output = job.run(1, [job.program("abi")], through_exec=False)
    expect(output.status == 0 and "all right 0" in output.text, "the ABI differs from mpi.h")


ROWS = {
    "abi_is_as_in_mpi_h": row(abi, of_adapters=True),
    "collectives_of_1_rank": row(collectives(1), spins=True, of_every_mpi=True),
    "collectives_of_2_ranks": row(collectives(2), spins=True, of_every_mpi=True),
    "collectives_of_3_ranks": row(collectives(3), spins=True, of_adapters=True),
    "collectives_of_5_ranks": row(collectives(5), spins=True, of_every_mpi=True),
    "blocks_of_2_ranks": row(blocks(2, 100000), spins=True, of_every_mpi=True),
    "blocks_of_3_ranks": row(blocks(3, 30000), spins=True, of_adapters=True),
    "blocks_of_5_ranks": row(blocks(5, 3000), spins=True),
    "exchanges_like_the_last": exchanges_like_the_last,
    "types_and_operators_of_2_ranks": row(matrix(2), of_every_mpi=True),
    "types_and_operators_of_3_ranks": row(matrix(3), of_every_mpi=True),
    "operators_of_the_programs_of_2_ranks": operators(2),
    "operators_of_the_programs_of_5_ranks": operators(5),
    "a_soak_of_3_ranks": row(soak(3), alone=True),
    # MPICH 4.0 crashes by itself when two threads make collectives and communicators for long.
    "a_soak_of_2_ranks_with_2_threads": row(
        soak(2, "--threads", "2"), alone=True, not_under=("debian_mpich",)),
    "pending_isend_progresses": row(situation_needing_barrier("pending_isend"), of_adapters=True),
    "what_came_before_a_barrier_is_seen_at_once": situation_needing_barrier("seen_at_once", 3),
    "passive_target_progresses": situation_needing_barrier("passive_target"),
    "pending_iallreduce_progresses": row(
        situation_needing_barrier("pending_iallreduce"), of_every_mpi=True),
    "threads_use_different_communicators": situation("threads", 2),
    "layouts_differ_between_ranks": row(situation("layouts"), spins=True, of_adapters=True),
    "communicators_are_freed_in_any_order": row(
        situation("free_order"), spins=True, of_adapters=True),
    "communicators_that_cannot_be_teams_fall_back": row(situation("fall_back"), spins=True),
    "late_ranks_are_awaited": situation("late_rank"),
    "a_set_up_among_threads_says_who_waits": late_set_up_among_threads,
    "mixed_calls_do_not_disturb_each_other": row(situation("mixed"), of_every_mpi=True),
    "all_ranks_get_the_same_bits": situation("rounded"),
    "callbacks_may_call_while_mpi_ends": row(situation("calls_at_the_end"), spins=True),
    # Intel MPI crashes or hangs by itself when a communicator that has had a nonblocking collective
    # is freed and a callback of its attributes makes a collective; Terrace's teams are founded by
    # such.
    "callbacks_may_call_on_what_is_freed": row(
        situation("calls_while_freed", 3), spins=True, of_adapters=True,
        not_under=("peer_impi", "peer_impi_standard")),
    "a_callback_may_refuse_to_free": situation("refused_free", 3),
    "errors_are_returned_where_a_handler_returns": row(
        situation("returned_errors", 2), of_adapters=True),
    "what_a_handler_throws_reaches_the_caller": row(exceptions, ends_jobs=True),
    "buffers_that_mpi_does_not_allow_are_errors": situation("wrong_buffers", 2),
    "types_that_are_not_committed_are_errors": row(situation("uncommitted", 2), of_adapters=True),
    "buffers_at_one_address_may_be_apart": row(
        corner("same_addresses", "alltoall", "alltoallw", "allgather", "gatherv", "scatter"),
        of_adapters=True),
    "wrong_types_are_said_to_the_communicators_handler": corner(
        "wrong_types equal_buffers", "allreduce"),
    "types_larger_than_an_int_tells_count_like_others": situation("huge_types", 2),
    "more_than_128_ranks_have_teams": many_ranks,
}
