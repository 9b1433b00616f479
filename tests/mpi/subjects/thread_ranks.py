# SPDX-License-Identifier: BSD-3-Clause
"""`terrace run` on several nodes: one job of thread ranks."""

import os
from pathlib import Path
from typing import List, Sequence

from job import Job, Output
from row import row
from rows import expect
from subjects.nodes import BY_SRUN


def expect_thread_ranks_right(words: Sequence[str], ranks: int, output: Output) -> None:
    expect(output.status == 0, "%s: status %d" % (words[0], output.status))
    rights = {"calls": ranks, "many": 1, "blocks": 1}[words[0]]
    expect(output.text.count("right") == rights, words[0] + ": not all ranks are right")


def programs_of_thread_ranks(*slots: int) -> List[List[str]]:
    return [["calls"], ["many"], ["blocks", "2", ",".join(map(str, slots))]]


def with_thread_ranks(job: Job, ranks: int, words: Sequence[str]) -> List[str]:
    folder = Path(job.terrace).resolve().parents[1] / "tests" / "threadranks" / "programs"
    return [job.terrace, "run", "-n", str(ranks), str(folder / words[0])] + list(words[1:])


def thread_ranks_over_nodes(*slots: int):
    """`terrace run` on each node, with as many thread ranks: one job."""
    def test(job: Job) -> None:
        for words in programs_of_thread_ranks(*slots):
            command = [job.mpirun]
            for number, ranks in enumerate(slots):
                command += ([":"] if number else []) + ["-n", "1"] + \
                    with_thread_ranks(job, ranks, words)
            environment = job.environment({"TERRACE_REPORT": "0"})
            expect_thread_ranks_right(words, sum(slots), job.execute_on_nodes(
                [1] * len(slots), [], command, environment))
    return test


def thread_ranks_by_srun(job: Job) -> None:
    """As above; each process finds the MPI by the PATH, and Slurm's daemons tell it of the job."""
    for words in programs_of_thread_ranks(2, 2):
        path = os.pathsep.join([str(Path(job.mpirun).parent), os.environ["PATH"]])
        environment = job.environment({"TERRACE_REPORT": "0", "PATH": path})
        expect_thread_ranks_right(words, 4, job.execute_on_nodes(
            (1, 1), ["--slurm"], job.srun(2, 2) + with_thread_ranks(job, 2, words), environment))


ROWS = {
    "thread_ranks_over_2_nodes": row(thread_ranks_over_nodes(2, 2), over_nodes=True),
    "thread_ranks_over_uneven_nodes": row(thread_ranks_over_nodes(2, 1), over_nodes=True),
    "thread_ranks_over_slurms_nodes": row(
        thread_ranks_by_srun, over_nodes=True, alone=True, not_under=BY_SRUN),
}
