# SPDX-License-Identifier: BSD-3-Clause
"""Jobs of an MPI's launcher with Terrace in their programs, and what they leave behind."""

import argparse
import functools
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Dict, List, Optional, Sequence

HERE = Path(__file__).resolve().parent
TOOLS = HERE.parent.parent / "tools"
sys.path[:0] = [str(HERE), str(HERE.parent), str(TOOLS)]

from launchers import HAS_FAILED, wait_for_launcher  # noqa: E402
from nodes import cluster, slurm  # noqa: E402
from row import Row  # noqa: E402
from rows import Skipped, expect  # noqa: E402
from stacks import below, end_with_ranks, program_of, stacks_below  # noqa: E402

SECONDS = 90
TIMES_AS_LONG = 4  # by an emulator
NODES = TOOLS / "nodes" / "run.py"


class Output:
    """What a job left behind."""

    def __init__(self, text: str, status: int):
        self.text = text
        self.status = status

    def calls(self, collective: str, what: str) -> int:
        """How many calls of a collective the report counts as `what` ("ran", "fell back")."""
        rows = re.findall(r"^terrace:   %s .*?(\d+)  (ran|fell back)" % collective, self.text,
                          re.MULTILINE)
        return sum(int(count) for count, kind in rows if kind == what)

    def reached(self, collective: str, how: str) -> int:
        """How many calls showed rank 0's buffers so ("direct", "bounced")."""
        rows = re.findall(r"^terrace:   %s .*?(\d+)  ran \S+, %s$" % (collective, how), self.text,
                          re.MULTILINE)
        return sum(int(count) for count in rows)

    def expect_right(self) -> "Output":
        expect(self.status == 0, "exit status %d" % self.status)
        expect("all right 0" in self.text, "no `all right 0` in the output")
        return self

    def expect_at_work(self, *collectives: str) -> "Output":
        expect("report of rank 0" in self.text, "no report: Terrace was not there")
        for collective in collectives or ("barrier", "bcast", "reduce", "allreduce"):
            expect(self.calls(collective, "ran") > 0, "Terrace ran no " + collective)
        return self


def on_nodes(slots: Sequence[int], options: Sequence[str] = ()) -> List[str]:
    """What a command follows that is to run next to nodes, each with so many ranks."""
    return [sys.executable, str(NODES), "-n", str(len(slots)), "--slots",
            ",".join(map(str, slots)), *options, "--"]


class Job:
    """Starts MPI programs with Terrace in them."""

    def __init__(self, options: argparse.Namespace, row: Optional[Row] = None):
        self.row = row  # None where others start programs by this
        self.family = options.mpi
        self.mpirun = options.mpirun
        self.build = Path(options.build)
        self.terrace = options.terrace
        self.python = options.python
        self.emulator: List[str] = getattr(options, "emulator", "").split()
        self.launcher_options: List[str] = []
        # Of its own: launchers keep files there, and take away what is empty from each other.
        self.folder = tempfile.TemporaryDirectory(prefix="row-")
        self.other_family = "openmpi" if self.family != "openmpi" else "mpich"
        self.libraries = Path(self.terrace).resolve().parent.parent / "lib"

    @functools.cached_property
    def library(self) -> Path:
        """The one that suits this MPI."""
        if self.emulator:
            return self.one_for(self.family)
        answer = subprocess.run([self.terrace, "exec", "--print-env", self.program("counted")],
                                env=self.environment({}), stdout=subprocess.PIPE, text=True).stdout
        found = re.search("LD_PRELOAD='([^':]+)", answer)
        expect(found is not None, "terrace exec names no library: " + answer)
        return Path(found.group(1))

    @property
    def other_library(self) -> Path:
        return self.one_for(self.other_family)

    def one_for(self, family: str) -> Path:
        """The one that `terrace exec` takes where it knows no more of an MPI."""
        name = "libterrace-mpi.so" if family == "openmpi" else "libterrace-mpi-large.so"
        return self.libraries / name

    def environment(self, more: Dict[str, str]) -> Dict[str, str]:
        kept = {name: value for name, value in os.environ.items()
                if not name.startswith(("TERRACE", "LD_PRELOAD", "PMI_", "OMPI_COMM", "SLURM_"))}
        kept.update({"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                     "PRTE_ALLOW_RUN_AS_ROOT": "1", "PRTE_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                     "TERRACE_REPORT": "1", "TMPDIR": self.folder.name,
                     "XDG_CACHE_HOME": str(Path(self.build).parent / "cache"),
                     "XDG_CONFIG_HOME": self.folder.name})  # where nothing is tuned
        # MPICH 4.0 crashes in MPI_Reduce in place, so it is not tried where Terrace makes the call.
        if self.mpirun.endswith("mpirun.mpich"):
            kept["TERRACE_TRIALS"] = "off"
        # Open MPI 5 looks for libfabric's networks, finds none, and sleeps a second in MPI_Init.
        kept.setdefault("OMPI_MCA_btl", "^ofi")
        # Nor does Open MPI 4.1 find PSM's networks, whose libraries sleep a fifth of a second in
        # each rank. Where a job fails, it sleeps whole seconds between SIGTERM and SIGKILL.
        kept.setdefault("OMPI_MCA_mtl", "^ofi,psm,psm2")
        kept.setdefault("OMPI_MCA_odls_base_sigkill_timeout", "0")
        # MPICH's own collectives in shared memory do not yield: milliseconds per call when ranks
        # outnumber cores.
        for name in ("BARRIER", "BCAST", "REDUCE", "ALLREDUCE"):
            kept["MPIR_CVAR_%s_POSIX_INTRA_ALGORITHM" % name] = "mpir"
        # It has no process_vm_readv, which Open MPI takes otherwise, for windows as well.
        if self.emulator:
            kept.update({"OMPI_MCA_btl_vader_single_copy_mechanism": "none",
                         "OMPI_MCA_osc": "^ucx"})
        kept.update(more)
        return kept

    def command(self, parts: List[List[str]]) -> List[str]:
        """One job of several programs; a part is a number of ranks and the words they start."""
        command = [self.mpirun] + (["--oversubscribe"] if self.family == "openmpi" else [])
        command += self.launcher_options
        for number, part in enumerate(parts):
            command += ([":"] if number else []) + ["-n"] + part
        return command

    def with_terrace(self, words: List[str]) -> List[str]:
        if self.emulator:  # whose own program does not show which MPI there will be
            return self.emulator + [self.terrace, "exec", "--mpi", self.family] + \
                self.emulator + words
        return [self.terrace, "exec"] + words

    def without_terrace(self, words: List[str]) -> List[str]:
        return self.emulator + words

    def run(self, ranks: int, words: List[str], through_exec: bool = True,
            seconds: int = SECONDS, **variables: str) -> Output:
        started = self.with_terrace(words) if through_exec else self.without_terrace(words)
        return self.run_together([[str(ranks)] + started], seconds, **variables)

    def run_together(self, parts: List[List[str]], seconds: int = SECONDS,
                     **variables: str) -> Output:
        return self.execute(self.command(parts), seconds, self.environment(variables))

    def run_over_nodes(self, slots: Sequence[int], words: List[str], through_exec: bool = True,
                       **variables: str) -> Output:
        """On nodes that the kernel makes, each with so many ranks; skips where it makes none."""
        started = self.with_terrace(words) if through_exec else words
        return self.run_together_over_nodes(slots, [[str(sum(slots))] + started], **variables)

    def run_together_over_nodes(self, slots: Sequence[int], parts: List[List[str]],
                                **variables: str) -> Output:
        environment = self.environment(variables)
        handed_on = [name for name in environment if name.startswith(("TERRACE", "XDG"))]
        return self.execute_on_nodes(slots, [], self.command_over_nodes(parts, handed_on),
                                     environment)

    def command_over_nodes(self, parts: List[List[str]], handed_on: Sequence[str]) -> List[str]:
        """As `command`, on the nodes that the launcher finds; with these variables."""
        words = []
        if self.family == "openmpi":  # which hands on its own variables alone
            words = [word for name in sorted(handed_on) for word in ("-x", name)]
        command = [self.mpirun]
        for number, part in enumerate(parts):
            command += ([":"] if number else []) + words + ["-n"] + part
        return command

    def run_by_srun(self, slots: Sequence[int], words: List[str], **variables: str) -> Output:
        srun = self.srun(len(slots), sum(slots))
        return self.execute_on_nodes(slots, ["--slurm"], srun + self.with_terrace(words),
                                     self.environment(variables))

    def srun(self, nodes: int, processes: int) -> List[str]:
        if slurm.missing_programs():
            raise Skipped("there is no Slurm; `./dev nodes --slurm` fetches it")
        return ["srun", "-N", str(nodes), "-n", str(processes),
                "--mpi=" + ("pmix" if self.family == "openmpi" else "pmi2")]

    def execute_on_nodes(self, slots: Sequence[int], options: List[str], command: List[str],
                         environment: Dict[str, str]) -> Output:
        expect(self.row is not None and self.row.over_nodes,
               "a row of several nodes says so, over_nodes=True: some MPIs have none of them")
        output = self.execute(on_nodes(slots, options) + command, SECONDS, environment)
        if output.status == cluster.NOT_POSSIBLE:
            raise Skipped(output.text.strip())
        return output

    def execute(self, command: List[str], seconds: int, environment: Dict[str, str]) -> Output:
        seconds *= TIMES_AS_LONG if self.emulator else 1
        # Apart, as launchers hand on pieces of each, and a line may come between two of a report.
        with tempfile.TemporaryFile(mode="w+") as printed, \
                tempfile.TemporaryFile(mode="w+") as complained:
            launcher = subprocess.Popen(command, stdout=printed, stderr=complained,
                                        env=environment)
            stacks = ""
            is_ended = self.row is not None and self.row.ends_jobs
            try:
                status = wait_for_launcher(launcher, seconds,
                                           [printed, complained] if is_ended else [])
                if status == HAS_FAILED and self.family == "openmpi":
                    expect(not any(self.build.resolve() in program_of(process).parents
                                   for process in below(launcher.pid)),
                           "the launcher has ended the job, and a rank still runs")
            except subprocess.TimeoutExpired:
                stacks = stacks_below(launcher.pid, self.build)
                status = -1
            finally:
                end_with_ranks(launcher)
            text = ""
            for stream in (printed, complained):
                stream.seek(0)
                text += stream.read()
        print("$ %s\n%s%s" % (" ".join(command), text[-6000:], stacks))
        if status == HAS_FAILED:
            print("the launcher failed in its own clean-up and did not end: this row has ended it")
        expect(status != -1, "still running after %d s" % seconds)
        return Output(text, status)

    def program(self, name: str) -> str:
        return str(self.build / name)

    def situation(self, name: str, ranks: int = 4) -> Output:
        output = self.run(ranks, [self.program("situations"), name]).expect_right()
        return output.expect_at_work("allreduce")
