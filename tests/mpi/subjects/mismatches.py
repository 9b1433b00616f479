# SPDX-License-Identifier: BSD-3-Clause
"""Calls of ranks that do not match: the job ends, and both calls are named."""

import json
import os
import re
from pathlib import Path
from typing import Callable

from job import Job
from mismatches import complaint_about, wrong_cells
from row import row
from rows import expect
from subjects.trials import run_tuned, tuning_with


def wrong(name: str, one: str, other: str, ranks: int = 3,
          **variables: str) -> Callable[[Job], None]:
    """Calls that do not match end the job, soon, and both are named."""
    def check(job: Job) -> None:
        output = job.run(ranks, [job.program("situations"), name], seconds=20, **variables)
        expect(output.status != 0, "calls that do not match, yet the job succeeded")
        expect("All ranks of a communicator must make the same calls" in output.text,
               "the program was not told what is wrong")
        expect(one in output.text and other in output.text, "not both calls are named")
    return check


def wrong_at_one_rank(job: Job) -> None:
    output = job.run(3, [job.program("situations"), "wrong_at_one_rank"], TERRACE_STALL_SECONDS="1")
    output.expect_right().expect_at_work("allreduce")
    for rank in 0, 1:
        expect(re.search(r"rank %d \(process \d+\) on \S+ has waited 1 s in call \d+ of a "
                         r"communicator of 3 ranks, allreduce of 8 bytes, sum of float64; not yet "
                         r"in it: rank 2 " % rank, output.text) is not None,
               "rank %d does not wait" % rank)
    expect("rank 2 (process" not in output.text.replace("not yet in it: rank 2 (process", ""),
           "rank 2 waits")


def mismatches(first: int, step: int, **variables: str) -> Callable[[Job], None]:
    """A part of what all of tests/threadranks is tried with."""
    def check(job: Job) -> None:
        cells = list(wrong_cells())[first::step]
        for number, cell in enumerate(cells):
            ranks = 2 + number % 2
            output = job.run(ranks, [job.program("mismatches")] + cell.words(), seconds=20,
                             **variables)
            complaint = complaint_about(cell, output.status, output.text)
            expect(complaint == "", "%d ranks, %s: %s" % (ranks, " ".join(cell.words()), complaint))
    return check


def mismatches_without_lines(job: Job) -> None:
    """Short calls of two ranks, by a tuning that sends them through scratch."""
    if len(os.sched_getaffinity(0)) < 2:
        print("not looked at: a tuning is for ranks with a core each")
        return
    path = Path(job.folder.name) / "without_lines.json"
    # Staged, which no other chooses for two ranks: so the report shows that the tuning is in force.
    staged = {"bcast": "bcast.staged", "reduce": "reduce.all_read", "scatter": "scatter.flat",
              "allreduce": "allreduce.tree_staged", "allgather": "allgather.staged",
              "gather": "gather.flat", "alltoall": "alltoall.flat", "scan": "scan.all_read",
              "exscan": "exscan.all_read"}
    path.write_text(json.dumps(tuning_with(job, [
        {"collective": collective, "bytes": 1 << power, "runs": algorithm, "avoids_lines": True}
        for collective, algorithm in staged.items() for power in range(7)])))
    # Through lines nothing is bounced.
    run_tuned(job, [job.program("collectives"), "64"], path,
              r"ran allreduce\.tree_staged, bounced").expect_at_work()
    for cell in [cell for cell in wrong_cells() if cell.count == 2][::4]:
        output = job.run(2, [job.program("mismatches")] + cell.words(), seconds=20,
                         TERRACE_TUNING=str(path), TERRACE_TRIALS="off")
        complaint = complaint_about(cell, output.status, output.text)
        expect(complaint == "", "%s: %s" % (" ".join(cell.words()), complaint))


def mismatches_at_the_end(job: Job) -> None:
    """Of two roots each is through at once, so this is told in MPI_Finalize, and who is told goes
    on; when that rank has ended, launchers may end the other. Open MPI 4's hung in some of ten
    jobs that were ended in MPI_Finalize."""
    words = [job.program("mismatches"), "bcast", "root", "2", "finalize"]
    for _ in range(5):
        output = job.run(2, words, seconds=20)
        expect(output.status == 1, "exit status %d" % output.status)
        expect("This process ends with status 1" in output.text, "nobody was told")
        expect(re.search(r"^rank \d is through$", output.text, re.MULTILINE) is not None,
               "who was told did not go on")


def truncations(job: Job) -> None:
    """Errors that are returned; by default they end the job."""
    for ranks in (2, 3):
        output = job.run(ranks, [job.program("truncation")]).expect_right()
        output.expect_at_work("gatherv", "scatterv", "alltoallv", "alltoallw")
    output = job.run(2, [job.program("truncation"), "fatal"], seconds=20)
    expect(output.status != 0, "a truncated block ended nothing")
    expect("rank 0 of a communicator wants 8 bytes of rank 1 where rank 1 makes gatherv of 16: "
           "they are truncated" in output.text, "the block is not named")


ROWS = {
    "another_collective_is_named": row(
        wrong("wrong_call", "allreduce of 8 bytes", "bcast of 8 bytes from rank 0"),
        ends_jobs=True),
    "another_root_is_named": row(
        wrong("wrong_root", "bcast of 8 bytes from rank 0", "bcast of 8 bytes from rank 1"),
        ends_jobs=True),
    "another_size_is_named": row(
        wrong("wrong_size", "allreduce of 80 bytes", "allreduce of 8000 bytes"), ends_jobs=True),
    "another_root_of_a_gather_is_named": row(
        wrong("wrong_gather", "gather of 8 bytes to rank 0", "gather of 8 bytes to rank 1"),
        ends_jobs=True),
    "another_size_of_blocks_is_named": row(
        wrong("wrong_blocks", "alltoall of 80 bytes", "alltoall of 800 bytes"), ends_jobs=True),
    "another_root_of_a_scatterv_is_named": row(
        wrong("wrong_scatterv", "scatterv from rank 0", "scatterv from rank 1"), ends_jobs=True),
    "another_operator_of_a_thread_is_named": row(
        wrong("wrong_thread", "allreduce of 160 bytes, sum of float64",
              "allreduce of 160 bytes, maximum of float64", 2), ends_jobs=True),
    "a_check_ends_where_a_threads_calls_do_not_match": row(
        wrong("wrong_thread", "allreduce of 160 bytes, sum of float64",
              "allreduce of 160 bytes, maximum of float64", 2, TERRACE_CHECK="1"), ends_jobs=True),
    "an_operator_that_does_not_commute_at_one_rank_is_named": row(
        wrong("wrong_commuting",
              "allreduce of 8 bytes, an operator of the program or the MPI where",
              "allreduce of 8 bytes, an operator of the program or the MPI, in the order of ranks"),
        ends_jobs=True),
    "a_call_that_is_wrong_at_one_rank_is_waited_for": row(wrong_at_one_rank, sleeps=True),
    "calls_that_do_not_match_are_told": row(mismatches(0, 7), sleeps=True, ends_jobs=True),
    "calls_through_scratch_that_do_not_match_are_told": row(
        mismatches_without_lines, alone=True, ends_jobs=True, seconds=400),
    "last_calls_that_do_not_match_fail_the_program": row(
        mismatches_at_the_end, sleeps=True, ends_jobs=True),
    "blocks_that_are_too_long_are_errors": row(truncations, spins=True, ends_jobs=True),
    "a_check_ends_where_calls_do_not_match": row(
        mismatches(3, 11, TERRACE_CHECK="1"), sleeps=True, ends_jobs=True),
}
