# SPDX-License-Identifier: BSD-3-Clause
"""Ranks that die, leave, are stopped or late."""

import re
import subprocess
import time
from pathlib import Path
from typing import Callable, List

from job import Job, Output, SECONDS
from launchers import CLEANS_UP, HAS_FAILED
from row import row
from rows import Failure, Skipped, expect
from stacks import expect_none_left


def killed(job: Job) -> None:
    shared = Path("/dev/shm")
    output = job.run(3, [job.program("situations"), "killed"], seconds=60)
    expect("at work" in output.text, "the program did not come far enough")
    expect(output.status != 0, "a rank was killed, yet the job succeeded")
    left = [entry.name for entry in shared.iterdir() if "terrace" in entry.name.lower()] \
        if shared.exists() else []
    expect(not left, "left in /dev/shm: %s" % left)


FAILS = "[%s] a_callback (/src/pm/%s/a.c:1): %s"
FAILS_BY_ITSELF = (FAILS % ("proxy:0@n0", "hydra", "assert (!closed) failed"),
                   FAILS % ("mpiexec@head", "hydra", "write error (Bad file descriptor)"),
                   "=   CLEANING UP REMAINING PROCESSES",
                   "mpirun.openmpi detected that one or more processes exited with non-zero "
                   "status, thus causing")
IS_NO_FAILURE = (FAILS % ("proxy:0@n0", "hydra", "callback returned error status"),
                 FAILS % ("proxy:0@n0", "i_hydra", "assert (!closed) failed"),
                 "mpirun.openmpi noticed that process rank 1 exited on signal 9")


def hung(job: Job) -> None:
    """A job that does not end fails its row, unless its launcher has failed by itself: then the row
    ends the launcher."""
    def launched(command: List[str], seconds: int) -> Output:
        return job.execute(command, seconds, job.environment({}))

    try:
        launched(job.command([["2", "sleep", "600"]]), 5)
    except Failure as failure:
        expect("still running" in str(failure), str(failure))
    else:
        expect(False, "the job ended by itself")
    said = FAILS_BY_ITSELF[-1 if job.family == "openmpi" else 0]
    own = ["sh", "-c", 'echo "$1" >&2; sleep 600', "sh", said]
    expect(launched(own, SECONDS).status == HAS_FAILED, "not seen that the launcher failed")
    expect_none_left("XDG_CONFIG_HOME", job.folder.name)
    expect(all(map(CLEANS_UP.search, FAILS_BY_ITSELF)) and
           not any(map(CLEANS_UP.search, IS_NO_FAILURE)), "other lines are taken for its failure")


UNNOTICED = 'trap "" TERM; "$@"; while kill -0 $PPID 2>/dev/null; do sleep 0.2; done'


def dead(name: str, **variables: str) -> Callable[[Job], None]:
    """A rank that dies ends the job, although a shell hides its death from the launcher."""
    def check(job: Job) -> None:
        program = job.with_terrace([job.program("manners"), name])
        # A launcher that forgives is no reason to hang, either.
        for options in (FORGIVING.get(job.family, []), []):
            job.launcher_options = options
            hidden = ["sh", "-c", UNNOTICED, "sh"] + program
            output = job.run_together([["2"] + program, ["1"] + hidden], seconds=60, **variables)
            ended = time.time()
            died = re.search(r"dying at (\d+\.\d+)", output.text)
            expect(died is not None, "the program did not come far enough")
            print("ended %.1f s after the rank" % (ended - float(died.group(1))))
            # Open MPI 4, told to forgive, says 0 even of a job that was aborted.
            expect(output.status != 0 or options, "a rank is dead, yet the job succeeded")
            told = re.search(r"rank 2 \(process \d+\) is gone: .* rank [01] \(process \d+\) on "
                             r"\S+ waits for it in call \d+ of a communicator of 3 ranks, barrier",
                             output.text)
            expect(told is not None, "nobody was told who is gone")
    return check


def dead_in_the_mpis(job: Job) -> None:
    """After Terrace's collective, in the MPI's for TERRACE_CHECK: nothing of Terrace
    waits there, and the launcher hears of nothing."""
    program = job.with_terrace([job.program("mismatches"), "allreduce", "nothing", "40", "barrier"])
    hidden = ["sh", "-c", UNNOTICED, "sh"] + program
    output = job.run_together([["2"] + program, ["1"] + hidden], seconds=40, TERRACE_CHECK="1",
                              LD_PRELOAD=job.program("libother_mpi.so"), DIES_IN_MPI="1")
    expect("dying in the MPI" in output.text, "the program did not come far enough")
    expect(output.status != 0, "a rank is dead, yet the job succeeded")
    told = re.search(r"rank 2 \(process \d+\) is gone: .* rank [01] \(process \d+\) on \S+ waits "
                     r"for it in the MPI's own collective for TERRACE_CHECK, after call \d+ of a "
                     r"communicator of 3 ranks, allreduce of 320 bytes, sum of float64",
                     output.text)
    expect(told is not None, "nobody was told who is gone")


FORGIVING = {"mpich": ["-disable-auto-cleanup"], "openmpi": ["--enable-recovery"]}


def revoked(job: Job) -> None:
    """Under fault tolerance Terrace is off, and says so; who waits on a communicator that is
    revoked gets an error."""
    program = [job.program("manners"), "revoked"]
    job.launcher_options = ["--with-ft", "ulfm"]
    version = subprocess.run([job.mpirun, "--version"], stdout=subprocess.PIPE, text=True).stdout
    if job.family != "openmpi" or re.search(r"\) 5\.", version) is None:
        raise Skipped("this MPI has no fault tolerance at work")
    output = job.run(3, program, seconds=60).expect_right()
    expect(output.text.count("Terrace is off, since its calls do not return") == 1,
           "that Terrace is off was not said once")
    expect(output.calls("allreduce", "ran") == 0, "Terrace ran calls")
    job.launcher_options = []


def departed(job: Job) -> None:
    """Who waits in vain for a rank that has ended MPI, or freed the communicator, is told so. A
    rank that has made all its calls may end MPI long before the others."""
    for name, what in (("finalizes_early", "is in MPI_Finalize, after its call "),
                       ("frees_early", "has freed the communicator, after its call ")):
        output = job.run(3, [job.program("manners"), name], seconds=60)
        expect(output.status != 0, "a rank waits in vain, yet the job succeeded")
        told = re.search(r"rank 2 \(process \d+\) %s\d+, allreduce of 4 bytes, sum of int32\. .* "
                         r"rank [01] \(process \d+\) on \S+ waits for it in call \d+ of a "
                         r"communicator of 3 ranks, barrier\. Ending the job" % what, output.text)
        expect(told is not None, "nobody was told who has left, and what the others do")
    output = job.run(3, [job.program("manners"), "finalizes_first"]).expect_right()
    output.expect_at_work("reduce", "allreduce")


def stopped(job: Job) -> None:
    """Who is stopped is not dead, nor are the children that a rank has had."""
    output = job.run(3, [job.program("manners"), "stopped"]).expect_right()
    output.expect_at_work("allreduce", "barrier")
    expect("is gone" not in output.text, "a stopped rank was taken for dead")


def stalled(job: Job) -> None:
    """Who is late is named after the time that the user wants, and not at all if he does not."""
    program = [job.program("manners"), "stalled"]
    output = job.run(3, program, TERRACE_STALL_SECONDS="1").expect_right()
    output.expect_at_work("allreduce")
    told = re.search(r"rank 0 \(process \d+\) on \S+ has waited \d+ s in call \d+ of a "
                     r"communicator of 3 ranks, allreduce of 8 bytes, sum of float64; "
                     r"not yet in it: "
                     r".*rank 2 \(process \d+\)", output.text)
    expect(told is not None, "the late rank is not named")
    for seconds in ("0", "soon"):
        output = job.run(3, program, TERRACE_STALL_SECONDS=seconds).expect_right()
        expect("has waited" not in output.text, "told with TERRACE_STALL_SECONDS=" + seconds)
        expect(("TERRACE_STALL_SECONDS is 'soon': expected whole seconds" in output.text) ==
               (seconds == "soon"), "a wrong setting was not said, or a right one was")


ROWS = {
    "a_killed_rank_leaves_nothing": row(killed, sleeps=True, ends_jobs=True),
    "a_job_that_hangs_is_ended_with_its_ranks": row(hung, sleeps=True, ends_jobs=True),
    "a_killed_rank_ends_the_job": row(
        dead("dies_by_signal"), sleeps=True, of_every_mpi=True, ends_jobs=True),
    "a_killed_rank_ends_a_checked_job": row(
        dead("dies_by_signal", TERRACE_CHECK="1"), sleeps=True, ends_jobs=True),
    "a_rank_that_dies_in_the_mpi_ends_a_checked_job": row(
        dead_in_the_mpis, sleeps=True, ends_jobs=True),
    "a_rank_that_leaves_ends_the_job": row(dead("ends_early"), sleeps=True, ends_jobs=True),
    "a_rank_that_becomes_another_ends_the_job": row(
        dead("becomes_another"), sleeps=True, ends_jobs=True),
    "a_rank_that_ends_mpi_early_is_named": row(departed, sleeps=True, ends_jobs=True),
    "a_rank_that_revokes_a_communicator_is_heard": row(revoked, sleeps=True, of_every_mpi=True),
    "a_stopped_rank_is_awaited": row(stopped, sleeps=True),
    "a_late_rank_is_named": row(stalled, sleeps=True),
}
