# SPDX-License-Identifier: BSD-3-Clause
"""Runs one test of the preload under one MPI, and judges what it printed.

run.py --mpi FAMILY --mpirun PROGRAM --build FOLDER --terrace PROGRAM [--python PROGRAM] TEST

Exit status: 0 passed, 1 failed, 77 skipped (with a reason).
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Dict, List, Optional

HERE = Path(__file__).resolve().parent
SECONDS = 90


class Failure(Exception):
    pass


def expect(holds: bool, what: str) -> None:
    if not holds:
        raise Failure(what)


class Output:
    """What a job left behind."""

    def __init__(self, text: str, status: int):
        self.text = text
        self.status = status

    def calls(self, collective: str, what: str) -> int:
        """How many calls of a collective the report counts as `what` ("ran", "handed")."""
        rows = re.findall(r"^terrace:   %s .*?(\d+)  (\w+)" % collective, self.text, re.MULTILINE)
        return sum(int(count) for count, kind in rows if kind == what)

    def expect_right(self) -> "Output":
        expect(self.status == 0, "exit status %d" % self.status)
        expect("all right 0" in self.text, "no `all right 0` in the output")
        return self

    def expect_at_work(self, *collectives: str) -> "Output":
        expect("report of rank 0" in self.text, "no report: Terrace was not there")
        for collective in collectives or ("barrier", "bcast", "reduce", "allreduce"):
            expect(self.calls(collective, "ran") > 0, "Terrace ran no " + collective)
        return self


class Job:
    """Starts MPI programs with Terrace in them."""

    def __init__(self, options: argparse.Namespace):
        self.family = options.mpi
        self.mpirun = options.mpirun
        self.build = Path(options.build)
        self.terrace = options.terrace
        self.python = options.python
        self.library = Path(self.terrace).resolve().parent.parent / "lib" / (
            "libterrace-%s.so" % self.family)

    def environment(self, more: Dict[str, str]) -> Dict[str, str]:
        kept = {name: value for name, value in os.environ.items()
                if not name.startswith(("TERRACE", "LD_PRELOAD", "PMI_", "OMPI_COMM"))}
        kept.update({"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                     "PRTE_ALLOW_RUN_AS_ROOT": "1", "PRTE_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                     "TERRACE_REPORT": "1"})
        # MPICH's own collectives in shared memory do not yield: milliseconds per call when ranks
        # outnumber cores.
        for name in ("BARRIER", "BCAST", "REDUCE", "ALLREDUCE"):
            kept["MPIR_CVAR_%s_POSIX_INTRA_ALGORITHM" % name] = "mpir"
        kept.update(more)
        return kept

    def command(self, ranks: int, words: List[str], through_exec: bool = True) -> List[str]:
        start = [self.mpirun] + (["--oversubscribe"] if self.family == "openmpi" else [])
        return start + ["-n", str(ranks)] + ([self.terrace, "exec"] if through_exec else []) + words

    def run(self, ranks: int, words: List[str], through_exec: bool = True,
            seconds: int = SECONDS, **variables: str) -> Output:
        command = self.command(ranks, words, through_exec)
        with tempfile.TemporaryFile(mode="w+") as printed:
            try:
                status = subprocess.run(command, stdout=printed, stderr=subprocess.STDOUT,
                                        env=self.environment(variables), timeout=seconds).returncode
            except subprocess.TimeoutExpired:
                status = -1
            printed.seek(0)
            text = printed.read()
        print("$ %s\n%s" % (" ".join(command), text[-6000:]))
        expect(status != -1, "still running after %d s" % seconds)
        return Output(text, status)

    def program(self, name: str) -> str:
        return str(self.build / name)

    def situation(self, name: str, ranks: int = 4) -> Output:
        output = self.run(ranks, [self.program("situations"), name]).expect_right()
        return output.expect_at_work("allreduce")


def collectives(ranks: int):
    def test(job: Job) -> None:
        most = str((4 << 20) if ranks <= 3 else (1 << 20))
        output = job.run(ranks, [job.program("collectives"), most]).expect_right()
        if ranks > 1:
            output.expect_at_work()
    return test


def situation(name: str, ranks: int = 4):
    return lambda job: job.situation(name, ranks) and None


def situation_needing_barrier(name: str, ranks: int = 4):
    return lambda job: job.situation(name, ranks).expect_at_work("barrier") and None


def terrace_off(job: Job) -> None:
    # Not `collectives`: MPICH 4.0 on its own crashes in its reduces in place.
    words = [job.program("situations"), "mixed", "layouts"]
    output = job.run(2, words, TERRACE="off").expect_right()
    expect("report of rank 0" in output.text, "no report")
    expect("TERRACE=off at rank 0" in output.text, "the report does not say why")
    for collective in ("barrier", "bcast", "reduce", "allreduce"):
        ran = output.calls(collective, "ran")
        expect(ran == 0, "Terrace ran %d %s although it was off" % (ran, collective))


def off_per_collective(job: Job) -> None:
    words = [job.program("situations"), "mixed", "layouts"]
    output = job.run(2, words, TERRACE_OFF="bcast,reduce")
    output.expect_right().expect_at_work("allreduce", "barrier")
    expect(output.calls("bcast", "ran") == 0, "bcast ran")
    expect(output.calls("reduce", "ran") == 0, "reduce ran")


def bare_preload(job: Job) -> None:
    output = job.run(3, [job.program("collectives"), "5000"], through_exec=False,
                     LD_PRELOAD=str(job.library)).expect_right().expect_at_work()
    expect("flat hierarchy" in output.text, "the report does not say that the hierarchy is flat")


def pretended_machine(job: Job) -> None:
    output = job.run(4, [job.program("collectives"), "20000"],
                     TERRACE_MACHINE="pack:2 core:2 pu:1").expect_right().expect_at_work()
    said = output.text.count("pretending to be on the machine")
    expect(said == 1, "the pretence was announced %d times" % said)


def check_finds_nothing(job: Job) -> None:
    output = job.run(3, [job.program("situations"), "rounded", "layouts", "late_rank"],
                     TERRACE_CHECK="1").expect_right().expect_at_work("allreduce", "bcast")
    expect(re.search(r"checked \d+ calls against the MPI: no difference", output.text) is not None,
           "the report does not say that nothing differs")


def check_finds_a_lie(job: Job) -> None:
    """A library after us spoils what the MPI computes: from our side, the MPI differs."""
    output = job.run(3, [job.program("situations"), "rounded", "late_rank"], TERRACE_CHECK="1",
                     LD_PRELOAD=job.program("libliar.so"))
    expect("check: bcast on a communicator of 3 ranks differs" in output.text, "bcast not named")
    expect(re.search(r"checked \d+ calls against the MPI: \d+ differ", output.text) is not None,
           "the report does not count the differences")


def users_plan(job: Job) -> None:
    with tempfile.NamedTemporaryFile("w", suffix=".plan") as plan:
        plan.write("plan allreduce.mine\nranks 3\n0: out[0] = in[0] + in[1] + in[2]\n"
                   "1: out[1] = out[0]\n2: out[2] = out[0]\n")
        plan.flush()
        output = job.run(3, [job.program("collectives"), "20000"], TERRACE_PLAN=plan.name)
    output.expect_right().expect_at_work()
    expect("ran allreduce.mine" in output.text, "the user's plan did not run")


def wrong_plan(job: Job) -> None:
    with tempfile.NamedTemporaryFile("w", suffix=".plan") as plan:
        plan.write("plan allreduce.mine\nranks 3\n0: out[0] = in[0] + in[1]\n"
                   "1: out[1] = out[0]\n2: out[2] = out[0]\n")
        plan.flush()
        output = job.run(3, [job.program("collectives"), "5000"], TERRACE_PLAN=plan.name)
    output.expect_right().expect_at_work()
    expect("ran allreduce.mine" not in output.text, "a wrong plan ran")
    expect(output.text.count("TERRACE_PLAN: ") >= 1, "the refusal was not said")


def tool_after(job: Job) -> None:
    """Terrace, then the tool: the tool sees what is handed on."""
    output = job.run(3, [job.program("situations"), "handed_back", "mixed"],
                     LD_PRELOAD=job.program("libcounter.so")).expect_right().expect_at_work()
    counted = re.search(r"counter: .* (\d+) allreduces", output.text)
    expect(counted is not None, "the tool said nothing")
    handed = output.calls("allreduce", "handed")
    expect(handed > 0 and int(counted.group(1)) == handed,
           "the tool saw %s allreduces, %d were handed on" % (counted.group(1), handed))


def tool_before(job: Job) -> None:
    """The tool, then Terrace: the tool sees everything, and calls the MPI past us."""
    preload = job.program("libcounter.so") + ":" + str(job.library)
    output = job.run(3, [job.program("situations"), "handed_back", "mixed"], through_exec=False,
                     LD_PRELOAD=preload).expect_right()
    counted = re.search(r"counter: .* (\d+) allreduces", output.text)
    expect(counted is not None and int(counted.group(1)) > 100, "the tool did not see the calls")


def mappings_of_terrace() -> int:
    found = 0
    for process in Path("/proc").glob("[0-9]*"):
        try:
            found += "memfd:terrace" in (process / "maps").read_text()
        except OSError:
            pass
    return found


def killed(job: Job) -> None:
    shared = Path("/dev/shm")
    output = job.run(3, [job.program("situations"), "killed"], seconds=60)
    expect("at work" in output.text, "the program did not come far enough")
    expect(output.status != 0, "a rank was killed, yet the job succeeded")
    left = [entry.name for entry in shared.iterdir() if "terrace" in entry.name.lower()] \
        if shared.exists() else []
    expect(not left, "left in /dev/shm: %s" % left)


def program_without_mpi(job: Job) -> None:
    output = job.run(2, ["sh", "-c", "echo all right 0"]).expect_right()
    expect("terrace exec" not in output.text, "terrace exec complained")


def abi(job: Job) -> None:
    output = job.run(1, [job.program("abi")], through_exec=False)
    expect(output.status == 0 and "all right 0" in output.text, "the ABI differs from mpi.h")


def with_python(job: Job) -> None:
    job.run(2, [job.python, str(HERE / "with_python.py")]).expect_right().expect_at_work()


def fortran(program: str):
    return lambda job: job.run(3, [job.program(program)]).expect_right().expect_at_work() and None


TESTS = {
    "abi_is_as_in_mpi_h": abi,
    "collectives_of_1_rank": collectives(1),
    "collectives_of_2_ranks": collectives(2),
    "collectives_of_3_ranks": collectives(3),
    "collectives_of_5_ranks": collectives(5),
    "pending_isend_progresses": situation_needing_barrier("pending_isend"),
    "passive_target_progresses": situation_needing_barrier("passive_target"),
    "pending_iallreduce_progresses": situation_needing_barrier("pending_iallreduce"),
    "threads_use_different_communicators": situation("threads", 2),
    "layouts_differ_between_ranks": situation("layouts"),
    "communicators_are_freed_in_any_order": situation("free_order"),
    "unknown_types_and_operators_are_handed_back": situation("handed_back"),
    "late_ranks_are_awaited": situation("late_rank"),
    "mixed_calls_do_not_disturb_each_other": situation("mixed"),
    "all_ranks_get_the_same_bits": situation("rounded"),
    "callbacks_may_call_while_mpi_ends": situation("calls_at_the_end"),
    "errors_are_returned_where_a_handler_returns": situation("returned_errors", 2),
    "off_means_off": terrace_off,
    "off_per_collective": off_per_collective,
    "preload_works_without_the_launcher": bare_preload,
    "a_pretended_machine_is_announced_once": pretended_machine,
    "check_finds_no_difference": check_finds_nothing,
    "check_finds_a_difference": check_finds_a_lie,
    "a_users_plan_runs": users_plan,
    "a_wrong_plan_does_not_run": wrong_plan,
    "a_tool_after_us_sees_what_is_handed_on": tool_after,
    "a_tool_before_us_sees_all": tool_before,
    "a_killed_rank_leaves_nothing": killed,
    "programs_without_mpi_are_unaffected": program_without_mpi,
    "python": with_python,
    "fortran_2008": fortran("with_f08"),
    "fortran_90": fortran("with_module"),
}


def main(words: Optional[List[str]] = None) -> int:
    parser = argparse.ArgumentParser()
    for option in ("--mpi", "--mpirun", "--build", "--terrace"):
        parser.add_argument(option, required=True)
    parser.add_argument("--python", default="")
    parser.add_argument("test", choices=sorted(TESTS))
    options = parser.parse_args(words)
    begin = time.monotonic()
    try:
        TESTS[options.test](Job(options))
    except Failure as failure:
        print("FAILED: %s" % failure)
        return 1
    print("passed in %.1f s" % (time.monotonic() - begin))
    return 0


if __name__ == "__main__":
    sys.exit(main())
