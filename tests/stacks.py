# SPDX-License-Identifier: BSD-3-Clause
"""Where the ranks of a job that does not end are, for the log of its row; the job's end; and which
of its processes are left then."""

import contextlib
import os
import re
import select
import shutil
import signal
import subprocess
import time
from pathlib import Path
from typing import Dict, List

from rows import expect

SECONDS = 25  # for all of them: a row's own time is nearly over
SECONDS_TO_END = 5


def children() -> Dict[int, List[int]]:
    """The processes that each process has started, those in namespaces of their own too."""
    result: Dict[int, List[int]] = {}
    for entry in filter(str.isdigit, os.listdir("/proc")):
        try:
            stat = Path("/proc", entry, "stat").read_text(errors="replace")
        except OSError:  # it has ended
            continue
        parent = int(stat.rsplit(")", 1)[1].split()[1])
        result.setdefault(parent, []).append(int(entry))
    return result


def below(process: int) -> List[int]:
    """What a process has started, and what that has."""
    of = children()
    found, left = [], [process]
    while left:
        started = of.get(left.pop(), [])
        found += started
        left += started
    return sorted(found)


def processes_with(variable: str, value: str) -> List[int]:
    """Those with this variable in their environment: what a job has started that was given it."""
    entry = ("%s=%s" % (variable, value)).encode()
    found = []
    for process in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError):  # it has ended, or is another user's
            if entry in Path("/proc", process, "environ").read_bytes().split(b"\0"):
                found.append(int(process))
    return found


def program_of(process: int) -> Path:
    try:
        return Path(os.readlink("/proc/%d/exe" % process))
    except OSError:
        return Path()


def stack_of(process: int, seconds: float) -> str:
    """What gdb says of its threads, without what it reads and where threads begin."""
    try:
        told = subprocess.run(
            ["gdb", "-nx", "-q", "-batch", "-p", str(process), "-ex",
             "thread apply all backtrace 12"], stdin=subprocess.DEVNULL, capture_output=True,
            text=True, errors="replace", timeout=seconds).stdout
    except subprocess.TimeoutExpired:
        return "  gdb was too slow\n"
    frames = [re.sub(" from target:.*", "", line) for line in told.splitlines()
              if re.match(r"Thread |#\d", line)]
    return "".join("  %s\n" % frame[:160] for frame in frames)


def stacks_below(launcher: int, programs: Path) -> str:
    """The stacks of the processes below a launcher that run one of these programs."""
    if shutil.which("gdb") is None:
        return "(no stacks of the ranks: gdb is not there)\n"
    end = time.monotonic() + SECONDS
    text = ""
    for process in below(launcher):
        program = program_of(process)
        left = end - time.monotonic()
        if programs.resolve() in program.parents and left > 0:
            text += "process %d, %s:\n%s" % (process, program.name, stack_of(process, left))
    return text or "(no stacks of the ranks: no program of %s runs below the launcher)\n" % programs


def wait_for(process: subprocess.Popen, seconds: float) -> int:
    """As `process.wait`, which looks every twentieth of a second only."""
    try:
        end = os.pidfd_open(process.pid)
    except OSError:  # Linux before 5.3
        return process.wait(seconds)
    try:
        select.select([end], [], [], seconds)
    finally:
        os.close(end)
    return process.wait(0)


def end_with_ranks(launcher: subprocess.Popen) -> None:
    """Ends a launcher that may still run, and its ranks: those of Open MPI outlive a launcher that
    is killed. One that is asked to end removes the files of its job, too."""
    if launcher.poll() is not None:
        return
    programs = {process: program_of(process) for process in below(launcher.pid)}
    launcher.terminate()
    try:
        launcher.wait(SECONDS_TO_END)
    except subprocess.TimeoutExpired:
        launcher.kill()
        launcher.wait()
    end = time.monotonic() + SECONDS_TO_END
    for process, program in programs.items():
        while program_of(process) == program != Path() and time.monotonic() < end:
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
            time.sleep(0.01)


def expect_none_left(variable: str, value: str) -> None:
    """Of the processes of a job that was given this variable."""
    left = [program_of(process).name for process in processes_with(variable, value)]
    expect(not left, "still running: " + ", ".join(left))
