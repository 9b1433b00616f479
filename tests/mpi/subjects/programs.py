# SPDX-License-Identifier: BSD-3-Clause
"""How programs are started, behind what, and what else they do than call MPI; ranks among them
without Terrace, or that see no others."""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from job import HERE, Job, SECONDS
from row import row
from rows import Skipped, expect
from subjects.tools import recorded_calls


def bare_preload(job: Job) -> None:
    output = job.run(3, [job.program("collectives"), "5000"], through_exec=False,
                     LD_PRELOAD=str(job.library)).expect_right().expect_at_work()
    expect("flat hierarchy" in output.text, "the report does not say that the hierarchy is flat")
    expect(re.search(r"report of rank 0 of 3, \S+( \S+)*\n", output.text) is not None,
           "blanks in a row in the MPI's name")


def library_of_scripts(job: Job) -> None:
    """A script gets the library that the programs of its launcher's MPI get: a job of both is one
    build of Terrace."""
    words = ["sh", "-c", 'echo "preloaded: $LD_PRELOAD"; exec "$0" layouts',
             job.program("situations")]
    output = job.run(2, words).expect_right().expect_at_work("bcast")
    expect("preloaded: %s" % job.library in output.text, "another library than " + job.library.name)


def other_library(job: Job) -> None:
    """The library that `terrace exec` would not have chosen knows the MPI as well."""
    variables = {"through_exec": False, "LD_PRELOAD": str(job.other_library)}
    job.run(2, [job.program("situations"), "layouts"], **variables).expect_right() \
        .expect_at_work("bcast")
    for name in ("with_module", "with_f08"):
        if Path(job.program(name)).exists():
            job.run(2, [job.program(name)], **variables).expect_right().expect_at_work()
    if job.python and job.family == "openmpi":
        return  # by the presence of large counts mpi4py would judge that Open MPI has them
    if job.python:
        job.run(2, [job.python, str(HERE / "with_python.py")], **variables).expect_right()


def library_twice(job: Job) -> None:
    """As where one job starts another: on one rank twice, on the others once."""
    program = [job.program("situations"), "mixed", "late_rank"]
    once = job.with_terrace(program)
    both = "LD_PRELOAD=%s:%s" % (job.library, job.other_library)
    output = job.run_together([["1"] + once, ["1", "env", both] + program,
                               ["1"] + job.with_terrace(once)]).expect_right()
    output.expect_at_work("allreduce")
    expect(output.text.count("end of report") == 1, "both report")


def behind_wrappers(job: Job) -> None:
    """`terrace exec` sees only what starts the program; each rank is started in another way."""
    program = [job.program("lives"), "plain"]
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "job.sh"
        script.write_text("#!/bin/sh\nMINE=1 %s %s\nexit $?\n" % tuple(program))
        script.chmod(0o755)
        starters = [[str(script)], ["env", "MINE=1"] + program, ["nice"] + program,
                    ["taskset", "-c", "0-%d" % (os.cpu_count() - 1)] + program,
                    [sys.executable, "-c", "import os, sys; os.execv(sys.argv[1], sys.argv[1:])"]
                    + program]
        if shutil.which("numactl"):
            starters.append(["numactl", "--localalloc"] + program)
        output = job.run_together([["1"] + job.with_terrace(words) for words in starters])
    output.expect_right().expect_at_work("allreduce", "barrier")
    expect("another build" not in output.text, "not all ranks got the same library")


def lives(*ways: str):
    """Programs that do more than call MPI: nothing changes for them, and Terrace is at work."""
    def test(job: Job) -> None:
        for way in ways:
            output = job.run(3, [job.program("lives")] + way.split()).expect_right()
            output.expect_at_work("allreduce", "barrier")
    return test


def ends_late(job: Job) -> None:
    """MPI is finalized, after more calls, where the program ends. Behind what MPICH does there, its
    launcher now and then kills other ranks that are still busy, with and without us."""
    ways = ["late_handler"]
    if job.family == "openmpi":
        ways += ["early_handler", "destructor"]
    lives(*ways)(job)


def never_begins_mpi(job: Job) -> None:
    """A program that is linked to an MPI and does not call it, as `app --version` does."""
    output = job.run(1, [job.program("lives"), "never"]).expect_right()
    expect("terrace: " not in output.text, "something was said")


def like_srun(job: Job) -> None:
    """Ranks whose variables are those that Slurm gives, with and without Terrace. Where an MPI can
    do without the variables of its own launcher, they are taken away. The job's number is
    unique, as under Slurm."""
    words = "exec env -u MPI_LOCALNRANKS SLURM_JOB_ID=%d SLURM_STEP_ID=0 SLURM_NTASKS=3 " \
            "SLURM_PROCID=${PMI_RANK:-$OMPI_COMM_WORLD_RANK} \"$@\"" % os.getpid()
    program = [job.program("situations"), "late_rank", "layouts"]
    srun = ["sh", "-c", words, "srun"]
    output = job.run(3, srun + job.with_terrace(program), through_exec=False).expect_right()
    output.expect_at_work("allreduce", "bcast")
    output = job.run_together([["2"] + srun + job.with_terrace(program), ["1"] + srun + program],
                              seconds=60).expect_right()
    expect("rank 2 of MPI_COMM_WORLD runs without Terrace" in output.text, "rank 2 is not named")
    expect(output.calls("allreduce", "ran") == 0, "a team with rank 2 was made")


def other_family_asked_for(job: Job) -> None:
    for option in ([], ["--print-env"]):
        command = [job.terrace, "exec", "--mpi", job.other_family] + option
        answer = subprocess.run(command + [job.program("situations")], text=True,
                                capture_output=True, timeout=SECONDS)
        expect(answer.returncode == 2, "exit status %d" % answer.returncode)
        expect("is linked to the library of " + job.family in answer.stderr, answer.stderr)
        expect("" == answer.stdout, "printed " + answer.stdout)


def one_rank_without(job: Job) -> None:
    """Rank 1 has no Terrace, as in a job of several programs; the others notice in time."""
    program = [job.program("situations"), "late_rank", "layouts", "subsets"]
    output = job.run_together([["1"] + job.with_terrace(program), ["1"] + program,
                               ["2"] + job.with_terrace(program)], seconds=60).expect_right()
    expect("rank 1 of MPI_COMM_WORLD runs without Terrace" in output.text, "rank 1 is not named")
    said = output.text.count("the MPI's own collectives run where it takes part")
    expect(said == 1, "that was said %d times" % said)
    output.expect_at_work("allreduce")  # of ranks 0, 2 and 3
    for collective in ("barrier", "bcast"):
        expect(output.calls(collective, "fell back") > 0, "there was no " + collective)
        expect(output.calls(collective, "ran") == 0, "a team with rank 1 was made")


# Becomes another program in a sandbox of its own, out of which it may look into no other process.
IN_A_SANDBOX = """
import ctypes, os, sys
libc = ctypes.CDLL(None, use_errno=True)
handled = ctypes.c_uint64(1 << 12)  # making symbolic links
rules = libc.syscall(444, ctypes.byref(handled), ctypes.c_size_t(8), 0)
if rules < 0 or libc.prctl(38, 1, 0, 0, 0) or libc.syscall(446, rules, 0):
    sys.exit("no sandbox: " + os.strerror(ctypes.get_errno()))
os.execvp(sys.argv[1], sys.argv[1:])
"""


WITHOUT_CAPABILITIES = ["setpriv", "--bounding-set=-all", "--inh-caps=-all", "--no-new-privs"]


def one_rank_shut_in(job: Job) -> None:
    """The others see rank 1 in /proc, and it does not see them; all fall back alike."""
    program = job.with_terrace([job.program("situations"), "late_rank", "subsets"])
    ways = [[sys.executable, "-c", IN_A_SANDBOX]]
    if os.geteuid() == 0 and shutil.which("setpriv"):
        ways.append(WITHOUT_CAPABILITIES)
    # MPIs that find they may not read each other's memory end the job.
    of_mpis = {"MPIR_CVAR_CH4_CMA_ENABLE": "0", "OMPI_MCA_smsc": "^cma",
               "OMPI_MCA_btl_vader_single_copy_mechanism": "none"}
    for way in ways:
        for variables in ({}, {"TERRACE_REPRODUCIBLE": "1"}):
            output = job.run_together([["1"] + program, ["1"] + way + program, ["2"] + program],
                                      seconds=60, **of_mpis, **variables)
            if "no sandbox" in output.text:
                raise Skipped("the kernel has no Landlock")
            output.expect_right().expect_at_work("allreduce")  # of ranks 0, 2 and 3
            said = output.text.count("rank 1 of MPI_COMM_WORLD cannot see the other ranks in "
                                     "/proc, as it has fewer capabilities or is in a sandbox")
            expect(said == 1, "that rank 1 does not see the others was said %d times" % said)
            expect(output.calls("barrier", "ran") == 0, "a team with rank 1 was made")


def one_rank_without_unseen(job: Job) -> None:
    """Nothing shows rank 1, which has no Terrace. Rank 0 waits for it, and says so."""
    program = [job.program("unseen")]
    job.run(2, program).expect_right().expect_at_work("allreduce")
    output = job.run_together([["1"] + job.with_terrace(program), ["1"] + program], seconds=60,
                              TERRACE_STALL_SECONDS="1")
    expect("the set-up of a communicator's team" in output.text, "nobody said who waits")
    expect("One that runs without Terrace never will" in output.text, "nobody said why")


def inside_shells(job: Job) -> None:
    """A shell around Terrace, around the program, or both, changes nothing."""
    program = job.program("situations") + " mixed; exit $?"
    terrace = " ".join(job.with_terrace([]))
    parts = [["1", "sh", "-c", terrace + " " + program],
             ["1"] + job.with_terrace(["sh", "-c", program]),
             ["1", "sh", "-c", "%s sh -c '%s'; exit $?" % (terrace, program)]]
    output = job.run_together(parts).expect_right().expect_at_work()
    expect("without Terrace" not in output.text, "a rank was not seen in its shell")


def spawns(job: Job) -> None:
    """Debian's MPICH cannot spawn, with or without us."""
    output = job.run(2, [job.program("manners"), "spawns"])
    if "this MPI cannot spawn" in output.text:
        alone = job.run(2, [job.program("manners"), "spawns"], through_exec=False)
        expect("this MPI cannot spawn" in alone.text, "it can without Terrace")
        return
    output.expect_right().expect_at_work("allreduce")
    expect(output.text.count("all right 0") == 2, "the children did not end well")
    whole = Path(job.folder.name) / "parents.json"
    job.run(2, [job.program("manners"), "spawns"], through_exec=False, LD_PRELOAD=str(job.library),
            TERRACE_TRACE=str(whole)).expect_right()  # so that the children have it, too
    recorded_calls(whole, 2)
    children = list(whole.parent.glob("parents.json.*"))
    expect(len(children) == 2 and all(".spawned-" in str(path) for path in children),
           "these files are there: %s" % children)
    ranks = [event["args"]["rank"] for path in children
             for event in json.loads(path.read_text())["traceEvents"] if event["ph"] == "X"]
    expect(set(ranks) == {0, 1}, "ranks %s of two children" % set(ranks))


def sessions(job: Job) -> None:
    """Without MPI_Init no collective is Terrace's, nothing goes wrong, and communicators divide."""
    for name in ("sessions", "session_around"):
        output = job.run(3, [job.program("manners"), name])
        if "this MPI has no sessions" in output.text:
            return
        output.expect_right()
    if Path(job.program("communicators")).exists():  # they need hwloc
        job.run(4, [job.program("communicators"), "sessions"], through_exec=False,
                TERRACE_MACHINE="core:2 pu:1", TERRACE_NODES="2").expect_right()


def manners(name: str, ranks: int):
    def check(job: Job) -> None:
        output = job.run(ranks, [job.program("manners"), name]).expect_right()
        output.expect_at_work("allreduce")
    return check


def program_without_mpi(job: Job) -> None:
    output = job.run(2, ["sh", "-c", "echo all right 0"]).expect_right()
    expect("terrace exec" not in output.text, "terrace exec complained")


ROWS = {
    "preload_works_without_the_launcher": bare_preload,
    "scripts_get_the_library_of_programs": row(library_of_scripts, of_every_mpi=True,
                                               of_adapters=True),
    "the_other_library_works_too": row(other_library, of_adapters=True),
    "the_library_twice_is_the_library_once": library_twice,
    "programs_behind_wrappers_are_reached": row(behind_wrappers, of_adapters=True),
    "programs_that_fork_and_start_others": row(
        lives("fork", "starts", "fork starts"), of_adapters=True),
    "programs_that_become_another": row(lives("becomes"), of_every_mpi=True),
    "programs_that_end_mpi_late": row(ends_late, of_adapters=True),
    "programs_with_threads_alone": row(lives("threads"), of_adapters=True),
    "programs_that_never_begin_mpi": row(never_begins_mpi, of_every_mpi=True),
    "ranks_are_seen_under_slurms_variables": row(like_srun, spins=True),
    "a_rank_that_nothing_shows_is_waited_for_aloud": row(one_rank_without_unseen, sleeps=True),
    "the_other_family_is_refused": row(other_family_asked_for, of_adapters=True),
    "a_rank_with_a_child_like_itself_is_awaited": manners("forked", 3),
    "pending_collectives_of_all_kinds_may_be_between": row(
        manners("interleaved", 4), of_every_mpi=True),
    "intercommunicators_and_mergers": row(
        manners("intercommunicators", 4), spins=True, of_every_mpi=True),
    "intercommunicators_of_unequal_groups": row(
        manners("intercommunicators", 3), spins=True, of_every_mpi=True),
    "spawned_ranks": row(spawns, spins=True, of_every_mpi=True),
    "sessions": row(sessions, spins=True, of_every_mpi=True),
    "a_rank_without_terrace_is_noticed": row(one_rank_without, spins=True, of_adapters=True),
    "a_rank_that_cannot_see_the_others_is_noticed": row(one_rank_shut_in, sleeps=True),
    "ranks_are_seen_inside_shells": row(inside_shells, spins=True),
    "programs_without_mpi_are_unaffected": program_without_mpi,
}
