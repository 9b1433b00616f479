# SPDX-License-Identifier: BSD-3-Clause
"""The soak of ranks that are threads, and of ranks that are fibres (thread_ranks_soak.c): other
seeds each time, few ranks and many; and jobs in which a rank dies.

A job must be right, end in time, and hold no more files, kernel threads and memory at its end than
when it was warm, and no more memory after many communicators than after half of them; one in which
a rank dies must end at once, as a failure, with nothing left.
Part of `./dev sweep`; with --soak-thread-ranks, all of it.
"""

import re
import subprocess
import time
from pathlib import Path
from typing import List, NamedTuple, Optional

from soak import shared_names

SOURCE = Path(__file__).resolve().with_suffix(".c")
DEATHS = ("abort", "segv", "exit", "mpi")
ENDS_WITHIN = 5.0   # seconds, after a rank has died
DEATH_STEPS = 200   # within the first episode
PATIENCE = 120.0    # seconds beyond its time, in which a job has to end
SECONDS_OF_A_JOB = 20.0
MORE_FILES = 4
BYTES_OF_A_LIFE = 128  # that a communicator may leave behind, beside what comes late
MORE_KILOBYTES_IN_USE = 128


def more_threads(ranks: int) -> int:
    """Beyond a job's when it was warm: one that computes or sleeps needs a kernel thread of its own
    meanwhile."""
    return 8 + ranks


def more_kilobytes(ranks: int) -> int:
    """Ranks come late to memory for their first long calls."""
    return (32 + ranks) << 10


class Way(NamedTuple):
    ranks: int
    fibres: str

    def command(self, terrace: Path, program: Path, words: List[str]) -> List[str]:
        return [str(terrace), "run", "--fibres", self.fibres, "-n", str(self.ranks),
                str(program)] + words


WAYS = [Way(8, "on"), Way(16, "on"), Way(3, "on"), Way(64, "on"), Way(8, "off"), Way(2, "on")]


class Tally:
    """What came of it all."""

    def __init__(self) -> None:
        self.jobs = self.calls = self.deaths = 0
        self.faults: List[str] = []

    def text(self) -> str:
        return "%d jobs, %.0f thousand calls of each rank, %d deaths; %d faults" % (
            self.jobs, self.calls / 1e3, self.deaths, len(self.faults))


def built(terrace: Path, folder: Path) -> Path:
    program = folder / SOURCE.stem
    subprocess.run([str(terrace), "cc", "-O1", "-o", str(program), str(SOURCE), "-lm", "-pthread"],
                   check=True)
    return program


def grown(text: str, ranks: int) -> Optional[str]:
    """What a job that has ended held more of than when it was warm."""
    held = [[int(number) for number in found] for found in
            re.findall(r"^(?:warm|end): (\d+) files, (\d+) threads, (\d+) kB$", text, re.MULTILINE)]
    if len(held) != 2:
        return "it does not say what it held"
    for name, most, before, after in zip(("files", "threads", "kB"),
                                         (MORE_FILES, more_threads(ranks), more_kilobytes(ranks)),
                                         *held):
        if after > before + most:
            return "%d %s when it was warm, %d at the end" % (before, name, after)
    return None


def left_by_lives(text: str) -> Optional[str]:
    """What communicators that were freed have left on the heap."""
    found = re.search(r"^lives: (\d+) communicators, (\d+) kB in use, (\d+) before$", text,
                      re.MULTILINE)
    if not found:
        return "it does not say what its communicators left"
    lives, after, before = (int(number) for number in found.groups())
    most = MORE_KILOBYTES_IN_USE + lives * BYTES_OF_A_LIFE / 1024
    return found.group() if after > before + most else None


def left_behind() -> List[str]:
    return sorted(name for name in shared_names() if "terrace" in name)


def run_job(command: List[str], patience: float) -> "subprocess.CompletedProcess[str]":
    try:
        return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              timeout=patience, errors="replace")
    except subprocess.TimeoutExpired as stopped:
        said = (stopped.stdout or b"").decode("utf-8", "replace")
        return subprocess.CompletedProcess(command, 124, said + "\nhung: it had to be killed")


def soak(command: List[str], ranks: int, seconds: float, tally: Tally) -> None:
    answer = run_job(command, seconds + PATIENCE)
    calls = re.search(r"^(\d+) calls$", answer.stdout, re.MULTILINE)
    fault = None if answer.returncode == 0 and calls else "ended with %d" % answer.returncode
    fault = fault or grown(answer.stdout, ranks) or left_by_lives(answer.stdout)
    if fault or left_behind():
        tally.faults.append("%s: %s, left %s\n%s" % (" ".join(command), fault, left_behind(),
                                                     answer.stdout[-2000:]))
    tally.jobs += 1
    tally.calls += int(calls.group(1)) if calls else 0


def die(command: List[str], tally: Tally) -> None:
    answer = run_job(command, PATIENCE)
    died = re.search(r"^dies at ([\d.]+)$", answer.stdout, re.MULTILINE)
    took = time.monotonic() - float(died.group(1)) if died else PATIENCE
    if answer.returncode in (0, 124) or took > ENDS_WITHIN or left_behind():
        tally.faults.append("%s: a rank died, and the job ended with %d %.1f s later, left %s\n%s"
                            % (" ".join(command), answer.returncode, took, left_behind(),
                               answer.stdout[-2000:]))
    tally.deaths += 1


def soak_all(terrace: Path, folder: Path, minutes: float, first: int) -> Tally:
    """Jobs of each way in turn, each followed by one in which a rank dies."""
    tally = Tally()
    program = built(terrace, folder)
    end = time.monotonic() + 60 * minutes
    for number in range(10 ** 9):
        seconds = min(SECONDS_OF_A_JOB, end - time.monotonic())
        if number > 0 and seconds < 2:
            return tally
        way, seed = WAYS[number % len(WAYS)], first + number
        soak(way.command(terrace, program, [str(seed), "%.1f" % seconds]), way.ranks,
             seconds, tally)
        death = DEATHS[number % len(DEATHS)]
        die(way.command(terrace, program, [str(seed), "20", death,
                                           str(seed * 7919 % DEATH_STEPS)]), tally)
    return tally
