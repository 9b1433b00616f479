# SPDX-License-Identifier: BSD-3-Clause
"""Neighbourhood collectives: along the edges that the MPI itself takes for those of the graph."""

from pathlib import Path

from job import Job, Output
from row import row
from rows import expect

BLOCKING = ("neighbour_allgather", "neighbour_alltoall")
STARTED = ("ineighbour_allgather", "ineighbour_alltoall")
PULLED = "ran neighbour_alltoall.pull, pulled"


def play(job: Job, ranks: int, words: str, **variables: str) -> Output:
    return job.run(ranks, [job.program("neighbours")] + words.split(), **variables).expect_right()


def any_graph(ranks: int):
    def test(job: Job) -> None:
        output = play(job, ranks, "any_graph").expect_at_work(*BLOCKING, *STARTED)
        expect(PULLED in output.text, "no long block was copied by the kernel")
        play(job, ranks, "any_graph", TERRACE_REPORT="0")
    return test


def cold_graphs(ranks: int):
    """Nonblocking calls alone set up the team."""
    return lambda job: play(job, ranks, "cold_graphs", TERRACE_TRIALS="off").expect_at_work(
        *BLOCKING, *STARTED) and None


def cold_persistent(job: Job) -> None:
    """Persistent calls alone do, too."""
    play(job, 3, "cold_persistent", TERRACE_TRIALS="off").expect_at_work(
        "neighbour_allgather_init", "neighbour_alltoall_init")


def at_work(ranks: int, words: str, *collectives: str):
    return lambda job: play(job, ranks, words).expect_at_work(*collectives) and None


def left_to_the_mpi(words: str, sentence: str, **variables: str):
    """Where calls are the MPI's, the report says why."""
    def test(job: Job) -> None:
        output = play(job, 2, words, **variables)
        expect(output.calls("neighbour_alltoall", "fell back") > 0, "no call fell back")
        expect(sentence in output.text, "the report does not say: " + sentence)
        expect("ran neighbour" not in output.text, "a call ran")
    return test


def in_shared_heaps(job: Job) -> None:
    """Blocks elsewhere are still read."""
    output = job.run(2, ["--shared-heap", job.program("neighbours"), "any_graph"]).expect_right()
    output.expect_at_work(*BLOCKING)
    expect(PULLED in output.text, "no long block was copied by the kernel")


def recorded(job: Job) -> None:
    path = Path(job.folder.name) / "run.json"
    play(job, 2, "grids", TERRACE_TRACE=str(path)).expect_at_work(*BLOCKING)
    events = path.read_text()
    expect("neighbour_alltoall of 0 B, neighbour_alltoall.pull" in events and
           "KiB, neighbour_alltoall.pull" in events, "calls or their bytes are not recorded")


def one_sided(job: Job) -> None:
    """Such programs do not communicate along their graphs, but may have them."""
    play(job, 3, "one_sided").expect_at_work("allreduce")


def proc_null(job: Job) -> None:
    """Such graphs are left alone, too."""
    play(job, 3, "proc_null").expect_at_work("allreduce")


ROWS = {
    "neighbours_of_any_graph_of_2_ranks": row(any_graph(2), of_every_mpi=True, spins=True),
    "neighbours_of_any_graph_of_3_ranks": row(any_graph(3), of_adapters=True, spins=True),
    "neighbours_of_any_graph_of_4_ranks": row(any_graph(4), spins=True),
    "neighbours_alone_of_2_ranks": row(cold_graphs(2), of_every_mpi=True, spins=True),
    "neighbours_alone_of_4_ranks": row(cold_graphs(4), of_adapters=True, spins=True),
    "neighbours_of_many_dimensions": row(
        lambda job: play(job, 3, "many_dimensions", TERRACE_TRIALS="off").expect_at_work(
            "ibarrier", "allreduce") and None, of_every_mpi=True),
    "neighbours_in_either_order": row(
        lambda job: play(job, 2, "either_order", TERRACE_TRIALS="off") and None,
        of_adapters=True, spins=True,
        # Whose own neighbourhood collectives wait in the order of nonblocking ones.
        not_under=("debian_mpich", "peer_mpich", "peer_mpich_standard", "peer_impi",
                   "peer_impi_standard")),
    "neighbours_of_persistent_calls_alone": row(
        cold_persistent, spins=True, of_adapters=True,
        # Which have none, or fail in their own.
        not_under=("debian_openmpi", "debian_mpich", "peer_impi", "peer_impi_standard")),
    "neighbours_of_grids": row(at_work(4, "grids", *BLOCKING), of_every_mpi=True, spins=True),
    "neighbours_in_shared_heaps": row(in_shared_heaps, of_adapters=True),
    "neighbours_who_leave_a_call": row(
        at_work(2, "leaves", "ineighbour_alltoall"), of_every_mpi=True),
    "neighbours_who_leave_a_call_for_a_short_block": row(
        at_work(3, "leaves_short_ones", "ineighbour_alltoall"), of_adapters=True),
    "neighbours_who_give_too_much": row(
        at_work(3, "cut", "neighbour_alltoall", "ineighbour_alltoall"), of_adapters=True),
    "neighbours_off_the_edge_of_a_grid": row(
        at_work(4, "off_the_edge", *BLOCKING[1:], *STARTED[1:]), of_adapters=True,
        not_under=("debian_mpich",)),  # which crashes in its own alltoallw
    "neighbours_whose_communicators_are_freed": row(
        at_work(3, "freed", "ineighbour_alltoall"), of_adapters=True,
        not_under=("debian_openmpi", "peer_openmpi")),  # which crash
    "neighbours_with_large_counts": row(
        at_work(3, "large_counts", "neighbour_alltoall", *STARTED), of_adapters=True,
        not_under=("debian_openmpi", "peer_openmpi")),  # which have none
    "neighbours_on_one_side_only": row(one_sided, of_adapters=True),
    "neighbours_that_are_proc_null": row(proc_null, of_adapters=True),
    "neighbours_who_shall_not_read_memory": row(left_to_the_mpi(
        "grids", "ranks that cannot read each other's memory, or shall not",
        TERRACE_REACH="bounced")),
    "neighbours_are_not_checked": row(left_to_the_mpi(
        "grids", "TERRACE_CHECK does not compare neighbourhood collectives", TERRACE_CHECK="1")),
    "neighbours_who_are_switched_off": row(left_to_the_mpi(
        "grids", "TERRACE_OFF", TERRACE_OFF="neighbour_alltoall,neighbour_allgather")),
    "neighbours_are_recorded": row(recorded),
}
