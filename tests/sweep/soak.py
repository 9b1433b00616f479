# SPDX-License-Identifier: BSD-3-Clause
"""The soak (tests/mpi/soak.c) under each MPI that was found, with other seeds each time: ranks of
several numbers, threads, shared heaps, nodes that the kernel makes; and jobs in which a rank, or
all of a node, is killed at some moment.

A job must be right, hold no more files, maps and memory at its end than when it was warm, and leave
nothing behind: no process, and nothing of ours in /dev/shm, on any node. MPIs keep some memory for
messages that nobody awaited; where it grows, the same job without Terrace says whether that is
theirs.
Part of `./dev sweep`; with --soak, all of it.
"""

import argparse
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Callable, Dict, Iterator, List, NamedTuple, Optional, Set, Tuple

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests" / "mpi"))
from job import Job, cluster, on_nodes  # noqa: E402
import stacks  # noqa: E402

HANG = "hangs: "  # as the program says when its time is up
ENDS_WITHIN = 5.0  # seconds, after a rank was killed
MARK = "SOAK_JOB"  # in the environment of all that a job starts
STEPS = {False: 500, True: 5000}  # of an episode, brisk or not: time is looked at after each
MAPS_OF_THE_MPI = 24  # that come and go with messages and windows
MEMORY_OF_THE_MPI = 8 << 10  # KiB that may come late
MOST_LIFE_FILES = 16  # one for each process that has led a team; a leak would be hundreds


# Says what is left on nodes, before they are gone with all that they hold: files of ours, and ranks
# that have not ended by themselves.
LOOK_AT_NODES = """ "$@"; status=$?
sleep 1
for node in $(echo "$NODES" | tr , " "); do
  ssh "$node" "ls /dev/shm | grep -i terrace | sed 's/^/left on $node: /'
    for process in /proc/[0-9]*; do
      case $(readlink $process/exe) in */soak) echo left on $node: $process ;; esac
    done"
done 2>/dev/null
exit $status"""


class Way(NamedTuple):
    """How to soak."""
    ranks: int
    words: List[str]
    variables: Dict[str, str]
    slots: Tuple[int, ...] = ()  # ranks of each node; none: on the one that is there

    def text(self) -> str:
        nodes = ["over %d nodes" % len(self.slots)] if self.slots else []
        return " ".join(["%d ranks" % self.ranks] + nodes + self.words +
                        ["%s=%s" % pair for pair in sorted(self.variables.items())])


def over_nodes(*slots: int, **variables: str) -> Way:
    """Calls that are not composed are the MPIs' own, which do not survive what else is given."""
    return Way(sum(slots), ["--tame", "1"], dict(variables, TERRACE_ACROSS_NODES="1"), slots)


WAYS = [Way(2, [], {}), Way(3, [], {}), Way(4, [], {}), Way(3, ["--threads", "2"], {}),
        Way(7, [], {}), Way(3, [], {"TERRACE_SHARED_HEAP": "1"}),
        Way(4, [], {"TERRACE_MACHINE": "pack:2 core:2 pu:1"}),
        Way(5, [], {"TERRACE_REPRODUCIBLE": "1"}), over_nodes(2, 2), over_nodes(3, 1, 2),
        over_nodes(2, 1, TERRACE_REPRODUCIBLE="1")]
# Each also with hardly anything but short calls, and for longer: these come to millions.
BRISK_IS_LONGER = 3


def with_short_calls(way: Way) -> Way:
    return way._replace(words=way.words + ["--brisk", "1"])


ALL_WAYS = [kind for way in WAYS for kind in (way, with_short_calls(way))]
TO_BE_KILLED = WAYS[:3] + [with_short_calls(over_nodes(2, 2)), with_short_calls(over_nodes(2, 1))]
# By itself, 4.0 crashes in many of these jobs, in MPI_Reduce and MPI_Alltoallv in place, and Intel
# MPI hangs in some where threads call at once.
FAULTY = {"debian_mpich"}
FAULTY_WITH_THREADS = {"peer_impi", "peer_impi_standard"}
# MPICH 5's own gather, allgatherv and reduce_scatter of long or derived elements fail over TCP, by
# truncation, by types that differ to it and by copies that overlap: there, nearly all are short.
FAULTY_WHEN_LONG_OVER_NODES = {"peer_mpich", "peer_mpich_standard"}
# 4.1 makes no windows over a network that is only TCP.
WITHOUT_WINDOWS_OVER_NODES = {"debian_openmpi"}


def is_brisk(way: Way) -> bool:
    return "--brisk" in way.words


def is_faulty(mpi: str, way: Way) -> bool:
    """Whether such jobs fail under this MPI alone."""
    return ("--threads" in way.words and mpi in FAULTY_WITH_THREADS) or \
        (bool(way.slots) and not is_brisk(way) and mpi in FAULTY_WHEN_LONG_OVER_NODES)


class Tally:
    """What came of it all."""

    def __init__(self) -> None:
        self.calls = 0
        self.jobs = 0
        self.killed = 0
        self.slowest_end = 0.0
        self.hung_alone = 0
        self.faults: List[str] = []

    def text(self) -> str:
        ends = ", the slowest end %.1f s after" % self.slowest_end if self.killed else ""
        alone = ", %d hung without Terrace, too" % self.hung_alone if self.hung_alone else ""
        return "%d jobs, %.2f million calls%s; %d ranks killed%s; %d faults" % (
            self.jobs, self.calls / 1e6, alone, self.killed, ends, len(self.faults))


def build() -> Path:
    return Path(os.environ.get("TERRACE_BUILD", ROOT / "build" / "release"))


def jobs(wanted: Optional[str]) -> List[Job]:
    """One for each MPI for which the programs were built."""
    folder = build() / "tests" / "mpi"
    found = []
    table = folder / "jobs.txt"
    for line in table.read_text().splitlines() if table.exists() else []:
        name, family, mpirun = line.split(" ", 2)
        is_wanted = name not in FAULTY and (not wanted or wanted in name)
        if not is_wanted or not (folder / name / "soak").exists():
            continue
        found.append(Job(argparse.Namespace(mpi=family, mpirun=mpirun, python="",
                                                build=folder / name,
                                                terrace=str(build() / "bin" / "terrace"))))
    return found


def shared_names() -> Set[str]:
    folder = Path("/dev/shm")
    return {entry.name for entry in folder.iterdir()} if folder.exists() else set()


def processes_of(mark: str) -> List[int]:
    """What a job has started, and what that has started."""
    return stacks.processes_with(MARK, mark)


def ranks_of(mark: str) -> List[int]:
    """Those of them that are ranks: they run the soak itself."""
    return [process for process in processes_of(mark)
            if stacks.program_of(process).name == "soak"]


def first_process_beside(process: int) -> int:
    """Of the node that it runs on: all others end with it. 0 if it has ended already."""
    def node_of(number: object) -> str:
        return os.readlink("/proc/%s/ns/pid" % number)
    try:
        node = node_of(process)
    except OSError:
        return 0
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and node_of(entry.name) == node and \
                    re.search(r"^NSpid:.*\t1$", (entry / "status").read_text(), re.MULTILINE):
                return int(entry.name)
        except OSError:
            continue  # it has ended, or is another user's
    return 0


class Running:
    """A job on its way."""

    def __init__(self, job: Job, way: Way, seed: int, seconds: float, alone: bool = False):
        self.mark = "%d.%d" % (os.getpid(), seed)
        self.words = [job.program("soak"), str(seed), "%g" % seconds, "--steps",
                      str(STEPS[is_brisk(way)])] + way.words
        self.names_before = shared_names()
        self.printed = tempfile.TemporaryFile(mode="w+")
        if way.slots and job.build.name in WITHOUT_WINDOWS_OVER_NODES:
            self.words += ["--windows", "0"]
        words = self.words if alone else job.with_terrace(self.words)
        # Trials would leave calls to the MPIs, whose own collectives do not survive this.
        variables = dict(way.variables, TERRACE_REPORT="0", TERRACE_TRIALS="off",
                         **{MARK: self.mark})
        command = job.command([[str(way.ranks)] + words])
        if way.slots:
            part = [str(way.ranks), *cluster.ON_OWN_CORE] + words
            command = on_nodes(way.slots) + ["sh", "-c", LOOK_AT_NODES, "sh"] + \
                job.command_over_nodes([part], sorted(variables))
        self.process = subprocess.Popen(command, stdout=self.printed, stderr=subprocess.STDOUT,
                                        env=job.environment(variables))

    def text(self) -> str:
        self.printed.seek(0)
        return self.printed.read()

    def wait(self, seconds: float) -> bool:
        """Whether it has ended; if not, it is ended."""
        try:
            self.process.wait(seconds)
            return True
        except subprocess.TimeoutExpired:
            for process in processes_of(self.mark) + [self.process.pid]:
                try:
                    os.kill(process, signal.SIGKILL)
                except ProcessLookupError:
                    pass
            self.process.wait()
            return False

    def left(self, seconds: float = 2.0) -> str:
        """What the job has left behind, once what ends has ended."""
        end = time.monotonic() + seconds
        while processes_of(self.mark) and time.monotonic() < end:
            time.sleep(0.05)
        processes = processes_of(self.mark)
        names = [name for name in shared_names() - self.names_before if "terrace" in name.lower()]
        return (", left processes %s" % processes if processes else "") + \
            (", left in /dev/shm %s" % names if names else "") + \
            "".join(", " + line for line in re.findall("^left on .*", self.text(), re.MULTILINE))


class Grown(NamedTuple):
    """By how much more a rank holds at its end than in the second quarter of its time."""
    line: str
    files: int
    maps: int
    kilobytes: int


def growths(text: str) -> List[Grown]:
    found = []
    for line in re.findall(r"^rank \d+ has .*$", text, re.MULTILINE):
        _, files, maps, memory, files_before, maps_before, memory_before = map(
            int, re.findall(r"\d+", line))
        found.append(Grown(line, files - files_before, maps - maps_before, memory - memory_before))
    return found


def growth(text: str, memory_alone: Callable[[], int]) -> str:
    """Which ranks have grown. `memory_alone` runs the job without Terrace, if need be, for the KiB
    by which it grows then."""
    found = growths(text)
    lines = [grown.line for grown in found
             if grown.files > MOST_LIFE_FILES or grown.maps > MAPS_OF_THE_MPI]
    most = max(found, key=lambda grown: grown.kilobytes, default=None)
    if most and most.kilobytes > MEMORY_OF_THE_MPI:
        alone = memory_alone()
        if most.kilobytes > alone + MEMORY_OF_THE_MPI:
            lines.append("%s (by %d kB without Terrace)" % (most.line, alone))
    return "; ".join(lines)


def memory_growth_alone(job: Job, way: Way, seed: int, seconds: float) -> int:
    running = Running(job, way, seed, seconds, alone=True)
    running.wait(6 * seconds + 120)
    return max((grown.kilobytes for grown in growths(running.text())), default=0)


def hangs_alone(job: Job, way: Way, seed: int, seconds: float) -> bool:
    """Whether the job hangs without Terrace, too, as Intel MPI's with more ranks than cores do."""
    running = Running(job, way, seed, seconds, alone=True)
    return not running.wait(6 * seconds + 120) or HANG in running.text()


def soak(job: Job, way: Way, seed: int, seconds: float, tally: Tally) -> None:
    running = Running(job, way, seed, seconds)
    has_ended = running.wait(6 * seconds + 120)
    text = running.text()
    calls = re.search(r"(\d+) calls by all ranks", text)
    tally.jobs += 1
    tally.calls += int(calls.group(1)) if calls else 0
    why = ""
    if not has_ended:
        why = "does not end"
    elif running.process.returncode != 0 or "all right 0" not in text:
        why = "exit status %d" % running.process.returncode
    else:
        grown = growth(text, lambda: memory_growth_alone(job, way, seed, seconds))
        why = "grows: " + grown if grown else ""
    hangs = not has_ended or HANG in text
    why += running.left()
    # What was wrong, or was left behind, stays a fault, whoever hung.
    may_be_the_mpis = hangs and "wrong: " not in text and ", left" not in why
    is_the_mpis = may_be_the_mpis and hangs_alone(job, way, seed, seconds)
    why += ", without Terrace likewise" if is_the_mpis else ""
    print("  %-20s %-44s seed %-6d %s" % (job.build.name, way.text(), seed, why or "right"),
          flush=True)
    tally.hung_alone += is_the_mpis
    if why and not is_the_mpis:
        tally.faults.append("%s, %s, seed %d: %s\n%s" % (job.build.name, way.text(), seed, why,
                                                         text[-3000:]))


def soak_and_kill(job: Job, way: Way, seed: int, tally: Tally) -> None:
    """A rank is killed at some moment of the first seconds, beginning with MPI_Init."""
    chance = random.Random(seed)
    running = Running(job, way, seed, 300)
    end_of_start = time.monotonic() + 60
    while len(ranks_of(running.mark)) < way.ranks and time.monotonic() < end_of_start:
        time.sleep(0.02)
    time.sleep(chance.uniform(0, 3))
    victims = ranks_of(running.mark)
    if not victims:
        running.wait(0)
        tally.faults.append("%s, seed %d: no ranks to kill\n%s" % (job.build.name, seed,
                                                                   running.text()[-3000:]))
        return
    victim = chance.choice(victims)
    is_node = bool(way.slots) and chance.random() < 0.5
    os.kill(first_process_beside(victim) or victim if is_node else victim, signal.SIGKILL)
    killed = time.monotonic()
    if is_node:
        # Of the launchers, 4.1's hangs now and then when it has lost a node, and 5's then succeeds.
        while ranks_of(running.mark) and time.monotonic() < killed + 60:
            time.sleep(0.05)
    has_ended = running.wait(1 if is_node else 60) or is_node
    seconds = time.monotonic() - killed
    text = running.text()
    why = ""
    if not has_ended or seconds > ENDS_WITHIN:
        why = "ended %.1f s after" % seconds
    elif running.process.returncode == 0 and not is_node:
        why = "the job succeeded"
    elif not re.search(r"is gone: |signal 9|[Kk]illed|KILLED|EXIT CODE: 9|peer process has "
                       "unexpectedly", text) and not is_node:
        why = "nobody said why"
    why += running.left()
    tally.killed += 1
    tally.slowest_end = max(tally.slowest_end, seconds)
    what = "%s, one %skilled" % (way.text(), "node " if is_node else "")
    print("  %-20s %s: ended %.1f s after  %s" % (job.build.name, what, seconds, why or "right"),
          flush=True)
    if why:
        tally.faults.append("%s, seed %d, %s: %s\n%s" % (job.build.name, seed, what, why,
                                                         text[-3000:]))


def seeds(first: int) -> Iterator[int]:
    while True:
        yield first
        first += 1


def soak_all(minutes: float, first: int, kills: int, wanted: Optional[str] = None) -> Tally:
    """Until time is up, each MPI in turn; kills are spread over the time."""
    tally = Tally()
    found = jobs(wanted)
    if not found:
        print("  skipped: no MPI was found when the build was configured")
        return tally
    begin = time.monotonic()
    jobs_in_all = (1 + BRISK_IS_LONGER) * len(found) * len(WAYS)
    seconds = max(1.5, min(30.0, minutes * 60 / (1.5 * jobs_in_all)))
    for turn, seed in enumerate(seeds(first)):
        share = (time.monotonic() - begin) / max(60 * minutes, 1e-3)
        job, way = found[turn % len(found)], ALL_WAYS[turn // len(found) % len(ALL_WAYS)]
        if share >= 1 and (tally.killed >= kills or share >= 2):
            return tally
        if share < 1 and not is_faulty(job.build.name, way):
            longer = BRISK_IS_LONGER if is_brisk(way) else 1
            soak(job, way, seed, longer * seconds, tally)
        while tally.killed < kills * min(share, 1):
            victim = found[tally.killed % len(found)]
            way = TO_BE_KILLED[tally.killed % len(TO_BE_KILLED)]
            soak_and_kill(victim, way, seed * 1000 + tally.killed, tally)
    return tally
