# SPDX-License-Identifier: BSD-3-Clause
"""Launchers that clean up after a job that was ended, and what is theirs when they fail in it."""

import os
import re
import subprocess
import time
from typing import IO, Optional, Sequence

from stacks import wait_for

HAS_FAILED = -2  # a status: the launcher has failed by itself and does not end
GRACE = 10.0  # seconds for a clean-up
GRACE_AFTER_ABORT = 45.0  # ... that begins with the end of ranks that still run

# Where a rank of several nodes ends the job, a proxy of MPICH 5.0.2's launcher (Hydra) fails an
# assertion of its own, in every layout and without Terrace: it is told of the end on a connection
# that is closed. Most often its mpiexec then ends with a status that is not 0. On a busy machine it
# may write to such a connection instead, and wait for ever, and so do ranks in PMI's read. Where a
# rank ends before all nodes are connected, it prints only that it cleans up; it leaves out the node
# that is not connected, and waits for ever (in 5 of 100 jobs, also without Terrace). Ranks do not
# outlast a clean-up by themselves: it kills them.
#
# Open MPI 4.1's launcher says that a rank has ended the job, and kills the other ranks. Where one
# of them had ended MPI before, it then hangs or crashes in 25 of 240 jobs, also without Terrace.
CLEANS_UP = re.compile(
    r"^\[(?:mpiexec|proxy:[\d:]+)@\S+\] \w+ \((?!\S*/i_hydra/)\S+\.c:\d+\): "
    r"(?:assert \(.*\) failed|write error \()|"
    r"^=   CLEANING UP REMAINING PROCESSES$|"
    r"^(?:mpirun|mpiexec|orterun)\S* detected that one or more processes exited with non-zero "
    r"status", re.MULTILINE)


# Open MPI 5.0's launcher has outlived all ranks for 90 s where ranks of two nodes called MPI_Abort
# at once, on a busy machine.
ABORTED = re.compile(r"^MPI_ABORT was invoked on rank \d", re.MULTILINE)


def grace_of(said: Sequence[IO[str]]) -> Optional[float]:
    """Seconds for what follows, if one of these files has a line by which a launcher ends the
    ranks, cleans up or fails. They are read without a move of the place at which it goes on
    writing."""
    grace = None
    for stream in said:
        number = stream.fileno()
        text = os.pread(number, os.fstat(number).st_size, 0).decode(errors="replace")
        if CLEANS_UP.search(text):
            return GRACE
        if ABORTED.search(text):
            grace = GRACE_AFTER_ABORT
    return grace


def wait_for_launcher(launcher: subprocess.Popen, seconds: float, said: Sequence[IO[str]]) -> int:
    """Its status; raises TimeoutExpired if it still runs after these seconds. HAS_FAILED if it has
    said that it ends the ranks, cleans up, or that its clean-up has failed, and still runs some
    seconds later: the job has not succeeded, but the hang is the launcher's fault. With nothing to
    look at it only waits."""
    if not said:
        return wait_for(launcher, seconds)
    end = time.monotonic() + seconds
    ends_since = None
    while True:
        now = time.monotonic()
        grace = grace_of(said)
        if ends_since is None and grace is not None:
            ends_since = now
        if grace is not None and now >= ends_since + grace:
            return HAS_FAILED
        try:
            return wait_for(launcher, min(1.0, max(0.0, end - now)))
        except subprocess.TimeoutExpired:
            if time.monotonic() >= end:
                raise
