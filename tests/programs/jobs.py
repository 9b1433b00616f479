# SPDX-License-Identifier: BSD-3-Clause
"""The MPIs found here, and jobs under them, with and without Terrace."""

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Dict, List, NamedTuple, Optional

ROOT = Path(__file__).resolve().parent.parent.parent

# Whether and how a job gets Terrace. `first` is Terrace from the first call on each communicator:
# programs that make three calls on one would hardly reach it else. Reproducible sums do that.
ALONE, WITH, FIRST = "alone", "with", "first"
MODES = (ALONE, WITH, FIRST)
THREADS = "threads"  # of one process, without that MPI
FIBRES = "fibres"  # the same, switched in user space
RUN_OPTIONS = {THREADS: [], FIBRES: ["--fibres", "on"]}

AS_ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
           "PRTE_ALLOW_RUN_AS_ROOT": "1", "PRTE_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
NODES = ROOT / "tools" / "nodes" / "run.py"
RANK_VARIABLES = "${OMPI_COMM_WORLD_RANK:-$PMI_RANK}"


class Mpi(NamedTuple):
    """Its programs, as ./dev setup installs them; "" for what is not there."""

    name: str
    family: str  # of which launcher: "mpich" or "openmpi"
    mpirun: str
    python: str
    libraries: str = ""  # looked in first, for programs that another MPI of this ABI compiled


def debian(family: str) -> Mpi:
    return Mpi("debian_" + family, family, shutil.which("mpirun." + family) or "", "")


def peer(family: str) -> Mpi:
    folder = ROOT / ".peers" / family / "bin"
    mpirun, python = folder / "mpirun", folder / "python"
    return Mpi("peer_" + family, family, str(mpirun) if mpirun.exists() else "",
               str(python) if python.exists() else "")


class Ended(NamedTuple):
    """What a job left behind. Status None: it was still running when its time was over."""

    text: str
    status: Optional[int]

    def why_not_well(self) -> str:
        if self.status is None:
            return "still running when its time was over"
        return "" if self.status == 0 else "exit status %d" % self.status


class Calls:
    """How many calls of each collective ran on Terrace or fell back, by the reports of jobs."""

    def __init__(self) -> None:
        self.ran: Dict[str, int] = {}
        self.fallbacks: Dict[str, int] = {}
        self.reports = 0

    def add(self, text: str) -> None:
        self.reports += text.count("terrace: report of rank 0")
        for collective, count, kind, why in re.findall(
                r"^terrace:   (\w+) .*?(\d+)  (ran|fell back)\b(.*)$", text, re.MULTILINE):
            if "one rank alone" in why:
                continue  # no call that anybody could run
            counts = self.ran if kind == "ran" else self.fallbacks
            counts[collective] = counts.get(collective, 0) + int(count)

    def add_all(self, other: "Calls") -> None:
        self.reports += other.reports
        for mine, theirs in ((self.ran, other.ran), (self.fallbacks, other.fallbacks)):
            for collective, count in theirs.items():
                mine[collective] = mine.get(collective, 0) + count

    def by_collective(self) -> List[str]:
        names = sorted(set(self.ran) | set(self.fallbacks))
        return ["%-22s %9d ran %9d fell back"
                % (name, self.ran.get(name, 0), self.fallbacks.get(name, 0)) for name in names]


def environment(mode: str) -> Dict[str, str]:
    kept = {name: value for name, value in os.environ.items()
            if not name.startswith(("TERRACE", "LD_PRELOAD", "PMI_", "PMIX_", "OMPI_COMM"))}
    kept.update(AS_ROOT)
    kept["OMP_NUM_THREADS"] = "1"
    # MPICH's own collectives in shared memory do not yield: milliseconds per call when ranks
    # outnumber cores, minutes for some programs.
    for name in ("BARRIER", "BCAST", "REDUCE", "ALLREDUCE"):
        kept["MPIR_CVAR_%s_POSIX_INTRA_ALGORITHM" % name] = "mpir"
    if mode == THREADS and "TERRACE_FIBRES" in os.environ:
        kept["TERRACE_FIBRES"] = os.environ["TERRACE_FIBRES"]
    if mode in (WITH, FIRST):
        kept["TERRACE_REPORT"] = "1"
    if mode == FIRST:
        kept["TERRACE_REPRODUCIBLE"] = "1"
    return kept


def stop(process: subprocess.Popen) -> None:
    """The launcher first, that it may end its ranks; those that it leaves behind with it."""
    for number, patience in ((signal.SIGTERM, 5), (signal.SIGKILL, 5)):
        try:
            os.killpg(process.pid, number)
            process.wait(patience)
        except (ProcessLookupError, subprocess.TimeoutExpired):
            pass


class Launcher:
    """Starts jobs of one MPI in one mode, and keeps count of what Terrace did in them."""

    def __init__(self, mpi: Mpi, mode: str, terrace: Path, nodes: int = 1):
        self.mpi = mpi
        self.mode = mode
        self.terrace = terrace
        self.nodes = nodes  # that the kernel makes (`./dev nodes`), if there are enough ranks
        self.calls = Calls()

    def environment(self) -> Dict[str, str]:
        kept = environment(self.mode)
        if self.nodes > 1 and self.mode != ALONE:
            kept["TERRACE_ACROSS_NODES"] = "1"
        if self.mpi.libraries:
            kept["LD_LIBRARY_PATH"] = self.mpi.libraries
        return kept

    def on_nodes(self, ranks: int) -> List[str]:
        """What goes before the launcher's command: nodes with as many ranks each, or one more."""
        if self.nodes == 1 or ranks < self.nodes:
            return []
        slots = [(ranks + self.nodes - 1 - node) // self.nodes for node in range(self.nodes)]
        return [sys.executable, str(NODES), "-n", str(self.nodes), "--slots",
                ",".join(map(str, slots)), "--"]

    def command(self, ranks: int, words: List[str]) -> List[str]:
        if self.mode in RUN_OPTIONS:
            return [str(self.terrace), "run", "-n", str(ranks)] + RUN_OPTIONS[self.mode] + words
        options = ["--oversubscribe"] if self.mpi.family == "openmpi" else []
        through = [] if self.mode == ALONE else [str(self.terrace), "exec"]
        if self.mpi.family == "openmpi" and self.nodes > 1:  # it hands on its own variables alone
            for name in self.environment():
                options += ["-x", name] if name.startswith("TERRACE") else []
        return (self.on_nodes(ranks) + [self.mpi.mpirun] + options + ["-n", str(ranks)] + through
                + words)

    def run(self, ranks: int, words: List[str], folder: Path, seconds: int,
            stdin: Optional[Path] = None) -> Ended:
        with tempfile.TemporaryFile() as printed, open(stdin or os.devnull, "rb") as given:
            process = subprocess.Popen(self.command(ranks, words), cwd=str(folder), stdin=given,
                                       stdout=printed, stderr=subprocess.STDOUT,
                                       env=self.environment(), start_new_session=True)
            try:
                status: Optional[int] = process.wait(seconds)
            except subprocess.TimeoutExpired:
                status = None
                stop(process)
            printed.seek(0)
            text = printed.read().decode("utf-8", "replace")
        self.calls.add(text)
        return Ended(text, status)

    def run_apart(self, ranks: int, words: List[str], folder: Path, seconds: int) -> List[Ended]:
        """The same, with what each rank prints by itself, then what the launcher prints. Of /tmp,
        nodes see `folder` alone."""
        with tempfile.TemporaryDirectory(dir=folder) as name:
            script = 'exec "$@" >"%s/$%s" 2>&1' % (name, RANK_VARIABLES[1:])
            ended = self.run(ranks, ["sh", "-c", script, "sh"] + words, folder, seconds)
            texts = [Path(name, str(rank)) for rank in range(ranks)]
            printed = [text.read_text(errors="replace") if text.exists() else ""
                       for text in texts]
        for text in printed:
            self.calls.add(text)
        return [Ended(text, ended.status) for text in printed] + [ended]
