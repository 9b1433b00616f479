# SPDX-License-Identifier: BSD-3-Clause
"""What users switch off, misspell, pretend and have checked."""

import re

from job import Job
from row import row
from rows import expect
from subjects.calls import BLOCKS, UNEVEN


def checked_blocks(job: Job) -> None:
    output = job.run(3, [job.program("blocks"), "400"], TERRACE_CHECK="1").expect_right()
    output.expect_at_work(*BLOCKS, *UNEVEN)
    expect(re.search(r"checked \d+ calls against the MPI: no difference", output.text) is not None,
           "the report does not say that nothing differs")


def blocks_off(job: Job) -> None:
    output = job.run(3, [job.program("blocks"), "20"], TERRACE_OFF="alltoall,scan").expect_right()
    output.expect_at_work("allgather", "exscan")
    for collective in ("alltoall", "scan"):
        expect(output.calls(collective, "fell back") > 0, "there was no " + collective)
        expect(output.calls(collective, "ran") == 0, collective + " ran")


def terrace_off(job: Job) -> None:
    # Not `collectives`: MPICH 4.0 on its own crashes in its reduces in place.
    words = [job.program("situations"), "mixed", "layouts"]
    output = job.run(2, words, TERRACE="off").expect_right()
    expect("report of rank 0" in output.text, "no report")
    expect("TERRACE=off at rank 0" in output.text, "the report does not say why")
    for collective in ("barrier", "bcast", "reduce", "allreduce"):
        ran = output.calls(collective, "ran")
        expect(ran == 0, "Terrace ran %d %s although it was off" % (ran, collective))


def misspelt(job: Job) -> None:
    """Settings without effect are reported once; off is off however it is written."""
    words = [job.program("situations"), "mixed"]
    output = job.run(2, words, TERRACE="foo", TERRACE_REPROT="1", TERRACE_ISA="AVX9")
    output.expect_right().expect_at_work("allreduce")
    for sentence in ("TERRACE is 'foo': expected on or off; ignored",
                     "TERRACE_REPROT is no setting of Terrace; the closest is TERRACE_REPORT",
                     "TERRACE_ISA is 'AVX9': expected "):
        expect(output.text.count(sentence) == 1, "not said once: " + sentence)
    for off in ("OFF", "0", "False"):
        output = job.run(2, words, TERRACE=off).expect_right()
        expect(output.calls("allreduce", "ran") == 0, "Terrace ran with TERRACE=" + off)


def off_per_collective(job: Job) -> None:
    words = [job.program("situations"), "mixed", "layouts"]
    output = job.run(2, words, TERRACE_OFF="bcast, reduce")
    output.expect_right().expect_at_work("allreduce", "barrier")
    expect(output.calls("bcast", "ran") == 0, "bcast ran")
    expect(output.calls("reduce", "ran") == 0, "reduce ran")


def off_per_communicator(job: Job) -> None:
    """Named at one rank alone, which is enough. Of 72 allreduces 2 and 19 are first calls."""
    program = job.with_terrace([job.program("situations"), "named"])
    for names, ran in (("solver", 22), ("other,MPI_COMM_WORLD", 29), ("solve", 51)):
        variable = "TERRACE_OFF_COMMUNICATORS=" + names
        output = job.run_together([["1"] + program, ["1", "env", variable] + program],
                                  TERRACE_TRIALS="off").expect_right()
        expect(output.calls("allreduce", "ran") == ran,
               "%d allreduces ran with %s" % (output.calls("allreduce", "ran"), variable))
        expect(("TERRACE_OFF_COMMUNICATORS at rank 1" in output.text) == (ran < 51),
               "the report says another reason")


def nonsense_from_the_environment(job: Job) -> None:
    """What `terrace exec` would set, set without it."""
    for locality in ("x" * 300, "/" * 300, "node:-1/core:99999999999999999999"):
        job.run(2, [job.program("situations"), "mixed"], through_exec=False,
                LD_PRELOAD=str(job.library), TERRACE_LOCALITY=locality, TERRACE_PUS="-1",
                TERRACE_STALL_SECONDS="never").expect_right().expect_at_work("allreduce")


def pretended_machine(job: Job) -> None:
    output = job.run(4, [job.program("collectives"), "20000"],
                     TERRACE_MACHINE="pack:2 core:2 pu:1").expect_right().expect_at_work()
    said = output.text.count("pretending to be on the machine")
    expect(said == 1, "the pretence was announced %d times" % said)


def check_judges_all_types(job: Job) -> None:
    """On 2 ranks: MPICH's spin, and it makes all these calls, too."""
    output = job.run(2, [job.program("matrix")], TERRACE_CHECK="1").expect_right()
    checked = re.search(r"checked (\d+) calls against the MPI: no difference", output.text)
    expect(checked is not None and int(checked.group(1)) > 1000,
           "the report does not say that nothing differs")


def check_finds_nothing(job: Job) -> None:
    words = ["rounded", "layouts", "late_rank", "not_numbers"]
    output = job.run(3, [job.program("situations")] + words,
                     TERRACE_CHECK="1").expect_right().expect_at_work("allreduce", "bcast")
    expect(re.search(r"checked \d+ calls against the MPI: no difference", output.text) is not None,
           "the report does not say that nothing differs")


def checked_threads(job: Job) -> None:
    output = job.run(2, [job.program("situations"), "threads"], TERRACE_CHECK="1").expect_right()
    expect(re.search(r"checked \d+ calls against the MPI: no difference", output.text) is not None,
           "the report does not say that nothing differs")


def check_finds_a_lie(job: Job) -> None:
    """A library after us spoils what the MPI computes: from our side, the MPI differs."""
    output = job.run(3, [job.program("situations"), "rounded", "late_rank"], TERRACE_CHECK="1",
                     LD_PRELOAD=job.program("libliar.so"))
    expect("check: bcast on a communicator of 3 ranks differs" in output.text, "bcast not named")
    named = re.search(r"check: allreduce, sum of \w+, on a communicator of 3 ranks differs from "
                      r"the MPI's at rank \d: element \d+ of \d+ is 0x\w+ by Terrace, "
                      r"0x\w+ by the MPI",
                      output.text)
    expect(named is not None, "operator, type and element of an allreduce are not named")
    blocks_output = job.run(3, [job.program("blocks"), "5"], TERRACE_CHECK="1",
                            LD_PRELOAD=job.program("libliar.so"))
    for collective in ("alltoall", "scan"):
        expect(re.search(r"check: %s(, sum of \w+,)? on a communicator of 3 ranks differs"
                         % collective, blocks_output.text) is not None, collective + " not named")
    expect(re.search(r"checked \d+ calls against the MPI: \d+ differ", output.text) is not None,
           "the report does not count the differences")


ROWS = {
    "check_finds_no_difference_in_blocks": row(checked_blocks, spins=True),
    "off_for_collectives_with_blocks": row(blocks_off, spins=True),
    "off_means_off": row(terrace_off, spins=True, of_every_mpi=True),
    "misspelt_settings_are_said": row(misspelt, spins=True),
    "off_per_collective": row(off_per_collective, spins=True),
    "off_per_communicator": row(off_per_communicator, spins=True),
    "nonsense_from_the_environment_does_no_harm": row(nonsense_from_the_environment, spins=True),
    "a_pretended_machine_is_announced_once": pretended_machine,
    "check_finds_no_difference": row(check_finds_nothing, spins=True),
    "check_finds_no_difference_between_threads": row(checked_threads, spins=True),
    "check_judges_all_types": row(check_judges_all_types, spins=True),
    "check_finds_a_difference": row(check_finds_a_lie, spins=True, of_adapters=True),
}
