# SPDX-License-Identifier: BSD-3-Clause
"""Nonblocking collectives, and what completes them."""

import json
import re
import subprocess
from pathlib import Path

from job import Job, Output
from row import row
from rows import expect
from subjects.tools import seen_by_tool

STARTED = ("ibarrier", "ibcast", "ireduce", "iallreduce", "iallgather", "igather", "iscatter",
           "ialltoall", "ireduce_scatter_block", "iscan", "iexscan", "iallgatherv", "igatherv",
           "iscatterv", "ialltoallv", "ialltoallw", "ireduce_scatter")


def play(job: Job, ranks: int, words: str, **variables: str) -> Output:
    """Communicators that live short have no team where trials are on."""
    return job.run(ranks, [job.program("nonblocking")] + words.split(), TERRACE_TRIALS="off",
                   **variables).expect_right()


def expect_left_to_the_mpi(output: Output, why: str) -> None:
    """Each of them fell back, for this reason."""
    for collective in STARTED:
        expect(output.calls(collective, "ran") == 0, "Terrace ran an " + collective)
        expect(output.calls(collective, "fell back") > 0, "there was no " + collective)
    expect("fell back to the MPI: " + why in output.text, "the report does not say " + why)


def at_work(ranks: int, words: str):
    """Right, and Terrace runs all kinds of calls; then without a report, where it repeats calls as
    they were prepared."""
    def test(job: Job) -> None:
        play(job, ranks, words).expect_at_work(*STARTED)
        play(job, ranks, words, TERRACE_REPORT="0")
    return test


def some_at_work(words: str, *collectives: str, ranks: int = 3):
    return lambda job: play(job, ranks, words).expect_at_work(*collectives) and None


def some_fall_back_first(words: str, ranks: int):
    """Nonblocking calls alone set up the team."""
    def test(job: Job) -> None:
        output = play(job, ranks, words + " cold").expect_at_work("iallreduce", "ialltoall")
        expect("fell back to the MPI: the team is being set up" in output.text,
               "no call came while the team was set up")
    return test


def expecting_short_lives(job: Job) -> None:
    """Communicators after some that lived short are used longer before they get teams."""
    output = job.run(2, [job.program("nonblocking"), "set_up", "cold"],
                     TERRACE_TRIALS="on").expect_right()
    expect(output.calls("iallreduce", "ran") <= 6, "short-lived communicators had teams")
    expect("fell back to the MPI: communicators before this one were short-lived" in output.text,
           "the report does not say why")


def many_set_ups(job: Job) -> None:
    """Those that wait for ranks leave the program its files, and some go on when all have come."""
    output = play(job, 3, "many_set_ups cold").expect_at_work("iallreduce")
    expect("fell back to the MPI: too many teams are being set up" in output.text,
           "no set-up was refused")


def vain_set_ups(job: Job) -> None:
    """They end where ranks do not come, though those cannot say so."""
    output = play(job, 3, "vain_set_ups cold")
    expect("fell back to the MPI: a rank has not come to the set-up of the team" in output.text,
           "no set-up was given up")


def plan_of_the_user(job: Job) -> None:
    """Blocking calls run it, though nonblocking ones have set up the team."""
    output = play(job, 3, "set_up cold", TERRACE_PLAN="allreduce.dissemination")
    expect("ran allreduce.dissemination" in output.text, "the user's plan did not run")


def reproducible_from_the_first(job: Job) -> None:
    """Blocking sums are Terrace's from the first call on, whatever was started before."""
    output = play(job, 3, "set_up cold", TERRACE_REPRODUCIBLE="1")
    expect(output.calls("allreduce", "ran") > 0, "there was no allreduce")
    expect(output.calls("allreduce", "fell back") == 0, "a blocking sum was the MPI's")


def wrong_alone(job: Job) -> None:
    """Calls that one rank's MPI has refused count nowhere."""
    play(job, 3, "wrong_alone cold").expect_at_work("iallreduce", "iallgather")
    output = play(job, 3, "wrong_alone cold", TERRACE_REPRODUCIBLE="1")
    expect(output.calls("allreduce", "ran") > 0, "there was no allreduce")
    expect(output.calls("allreduce", "fell back") == 0, "a blocking sum was the MPI's")


def team_among_pending(job: Job) -> None:
    """The team is set up while calls of the MPI are pending, whoever has waited for which."""
    play(job, 3, "orders cold").expect_at_work("iallreduce", "ibcast")


def switched_off(job: Job) -> None:
    for words in ("kinds", "orders"):
        expect_left_to_the_mpi(play(job, 2, words, TERRACE="off"), "TERRACE=off at rank 0")


def off_for_some(job: Job) -> None:
    output = play(job, 3, "orders", TERRACE_OFF="bcast,allreduce").expect_at_work("ireduce")
    for collective in ("ibcast", "iallreduce"):
        expect(output.calls(collective, "ran") == 0, "Terrace ran an " + collective)


def checked(job: Job) -> None:
    """The MPI's calls are begun beside them, in the order of their starts, and agree."""
    for ranks in (2, 3):
        output = play(job, ranks, "kinds orders ends ask_first", TERRACE_CHECK="1")
        output.expect_at_work(*STARTED)
        checked_calls = re.search(r"checked (\d+) calls against the MPI: no difference",
                                  output.text)
        expect(checked_calls is not None and int(checked_calls.group(1)) > 2000,
               "the report does not say that nothing differs")


def check_finds_a_lie(job: Job) -> None:
    """A library after us spoils what the MPI is given: from our side, the MPI differs."""
    output = job.run(3, [job.program("nonblocking"), "kinds"], TERRACE_CHECK="1",
                     TERRACE_TRIALS="off", LD_PRELOAD=job.program("libliar.so"))
    for named in ("ibcast", r"iallreduce, (sum|maximum) of \w+,", "ialltoallv"):
        expect(re.search(r"check: %s on a communicator of 3 ranks differs from the MPI's at rank \d"
                         % named, output.text) is not None, named + " is not named")


def recorded(job: Job) -> None:
    """Calls are drawn from their start on, side by side where they overlap."""
    path = Path(job.folder.name) / "run.json"
    play(job, 2, "kinds orders", TERRACE_TRACE=str(path)).expect_at_work(*STARTED)
    events = [event for event in json.loads(path.read_text())["traceEvents"]
              if event.get("cat") == "started"]
    tracks = {event["args"]["thread"] for event in events}
    expect(len(events) > 1000 and {500, 501} <= tracks, "too few calls: %s" % tracks)
    expect(any(event["args"]["label"].startswith("allreduce of") for event in events),
           "no allreduce")


def statuses(job: Job) -> None:
    """Those of collectives are empty with Terrace alone; others' are right without it as well."""
    play(job, 3, "statuses empty").expect_at_work("ibarrier", "ibcast")
    play(job, 3, "statuses", TERRACE="off")


def threads(job: Job) -> None:
    output = play(job, 3, "threads multiple")
    if "not looked at" not in output.text:
        output.expect_at_work(*STARTED)


def differing(job: Job) -> None:
    """Each rank would wait in a lane that the other never comes to."""
    output = job.run(2, [job.program("nonblocking"), "differ"], seconds=20)
    expect(output.status != 0, "calls that do not match, yet the job succeeded")
    expect("rank 1 of 2 of a communicator starts gather of 800 bytes where rank 0 starts another "
           "nonblocking collective" in output.text, "the call was not named")


def in_another_order(job: Job) -> None:
    """TERRACE_CHECK ends programs that start a call before a blocking one on some ranks, and after
    it on others; it names two of the ranks."""
    output = job.run(3, [job.program("nonblocking"), "either_order"], seconds=20, TERRACE_CHECK="1")
    expect(output.status != 0, "ranks make calls in different orders, yet the job succeeded")
    expect(re.search(r"check: before the same blocking barrier, rank \d of a communicator of 3 "
                     r"ranks has started \d+ nonblocking collectives, and rank \d has started "
                     r"\d+\. All ranks",
                     output.text) is not None, "the order was not named")


def ending_early(job: Job) -> None:
    """Its peers notice, though it has made no call of the team's."""
    output = job.run(3, [job.program("nonblocking"), "end_early", "cold"], seconds=20,
                     TERRACE_TRIALS="off")
    expect(output.status != 0, "a rank makes no further calls, yet the job succeeded")
    expect(re.search(r"rank 1 \(process \d+\) is in MPI_Finalize, and made no call on it",
                     output.text) is not None, "the rank was not named")


def truncated(job: Job) -> None:
    """MPIs alone differ in what they do."""
    output = play(job, 3, "truncate").expect_at_work("igatherv")
    expect("rank 0 of a communicator wants 40 bytes of rank 2 where rank 2 makes gatherv of 80: "
           "they are truncated" in output.text, "the ranks were not named")


def uneven_by_default(job: Job) -> None:
    """MPIs that are faster in such calls keep them."""
    output = job.run(2, [job.program("nonblocking"), "kinds"]).expect_right()
    expect(output.calls("ialltoall", "ran") > 0, "Terrace ran no ialltoall")
    version = subprocess.run([job.mpirun, "--version"], stdout=subprocess.PIPE, text=True).stdout
    is_mpich = job.family != "openmpi" and "Intel" not in version
    runs = output.calls("ialltoallv", "ran") > 0
    expect(runs == is_mpich, "Terrace %s ialltoallv" % ("ran" if runs else "did not run"))


def arriving_unattended(job: Job) -> None:
    """A thread goes on with calls while programs are elsewhere, wherever it is to run; also where
    it may not run."""
    for where in ("on", "0-1"):
        play(job, 2, "arrive_unattended kinds", TERRACE_PROGRESS=where).expect_at_work("iallreduce")
    text = play(job, 2, "arrive_unattended", TERRACE_PROGRESS="65000").text
    expect("TERRACE_PROGRESS: the kernel lets no thread of this process run on PUs 65000" in text,
           "the thread ran where no processing unit is")
    expect("TERRACE_PROGRESS is 'soon': expected" in play(
        job, 2, "statuses", TERRACE_PROGRESS="soon").text, "nonsense was taken")


def tool_in_any_order(job: Job) -> None:
    """A tool that counts starts and waits, before Terrace and after it, sees what it sees without,
    and Terrace runs the calls."""
    tool = job.program("libnonblocking.so")
    program = [job.program("nonblocking"), "kinds"]
    alone = seen_by_tool(job.run(3, program, through_exec=False, LD_PRELOAD=tool))
    expect(len(alone) == 3 and alone["0"].get("wait", 0) > 20, "the tool saw nothing")
    before = {"through_exec": False, "LD_PRELOAD": "%s:%s" % (tool, job.library)}
    for variables in (before, {"LD_PRELOAD": tool}):
        for words in ("orders statuses empty", "kinds"):
            output = play(job, 3, words, **variables)
            output.expect_at_work("ibarrier", "ibcast")
        seen = seen_by_tool(output)  # of the last
        expect(seen == alone, "seen with Terrace %s, without %s" % (seen, alone))


ROWS = {
    "nonblocking_kinds_of_2_ranks": row(at_work(2, "kinds"), spins=True, of_every_mpi=True),
    "nonblocking_kinds_of_3_ranks": row(at_work(3, "kinds"), spins=True, of_adapters=True),
    "nonblocking_kinds_of_4_ranks": row(at_work(4, "kinds"), spins=True),
    "nonblocking_orders_of_2_ranks": row(at_work(2, "orders"), spins=True, of_every_mpi=True),
    "nonblocking_orders_of_3_ranks": row(at_work(3, "orders"), spins=True, of_adapters=True),
    "nonblocking_orders_of_4_ranks": row(at_work(4, "orders"), spins=True),
    "nonblocking_progress_of_2_ranks": row(at_work(2, "progress"), spins=True, of_every_mpi=True),
    "nonblocking_progress_of_3_ranks": row(at_work(3, "progress"), spins=True, of_adapters=True),
    "nonblocking_progress_of_4_ranks": row(at_work(4, "progress"), spins=True),
    "nonblocking_calls_arrive_unattended": row(
        arriving_unattended, spins=True, of_adapters=True),
    "nonblocking_orders_where_threads_may_call": row(
        at_work(3, "orders progress multiple"), spins=True),
    "nonblocking_statuses_are_empty": row(statuses, spins=True, of_adapters=True),
    "nonblocking_calls_before_their_communicators_end": row(
        some_at_work("ends", "iallreduce", "ialltoall"), spins=True, of_adapters=True),
    "nonblocking_calls_outlive_their_communicators": row(
        some_at_work("ends_with_pending", "iallreduce", "ialltoall"), spins=True, of_adapters=True),
    "nonblocking_calls_while_mpi_ends": row(
        some_at_work("finalize", "iallreduce", ranks=2), spins=True, of_adapters=True),
    "nonblocking_calls_alone_while_mpi_ends": row(
        lambda job: play(job, 2, "finalize cold") and None, spins=True, of_every_mpi=True),
    "nonblocking_calls_that_differ_are_told": row(differing, sleeps=True, ends_jobs=True),
    "nonblocking_calls_in_another_order_are_told": row(
        in_another_order, sleeps=True, ends_jobs=True),
    "nonblocking_calls_of_a_rank_that_ends_early": row(
        ending_early, sleeps=True, ends_jobs=True),
    "nonblocking_calls_in_threads": row(threads, spins=True, of_every_mpi=True),
    "nonblocking_calls_are_not_cancelled": row(
        some_at_work("errors", "iallreduce", "ibcast"), spins=True, of_every_mpi=True),
    "nonblocking_calls_are_asked_for_first": row(
        some_at_work("ask_first", "ibcast"), spins=True, of_adapters=True),
    "nonblocking_calls_that_are_truncated": row(truncated, spins=True, of_adapters=True),
    "nonblocking_calls_of_uneven_blocks": row(uneven_by_default, spins=True, of_adapters=True),
    "nonblocking_kinds_alone_of_2_ranks": row(
        at_work(2, "kinds cold"), spins=True, of_every_mpi=True),
    "nonblocking_orders_alone_of_2_ranks": row(
        some_fall_back_first("orders", 2), spins=True, of_every_mpi=True),
    "nonblocking_orders_alone_of_4_ranks": row(some_fall_back_first("orders", 4), spins=True),
    "nonblocking_calls_set_up_teams": row(
        some_fall_back_first("set_up", 3), spins=True, of_every_mpi=True),
    "nonblocking_calls_end_while_setting_up": row(
        lambda job: play(job, 3, "end_set_ups cold") and None, spins=True, of_every_mpi=True),
    "nonblocking_calls_set_up_many_teams": row(many_set_ups, spins=True, of_adapters=True),
    "nonblocking_calls_wait_for_set_ups_in_vain": row(
        vain_set_ups, spins=True, of_adapters=True),
    "nonblocking_calls_that_one_rank_makes_wrongly": row(
        wrong_alone, spins=True, of_adapters=True),
    "nonblocking_calls_wait_for_no_rank_that_has_begun": row(
        some_at_work("start_one_before cold", "iallreduce"), sleeps=True, of_adapters=True),
    "nonblocking_calls_wait_once_for_ranks_to_begin": row(
        some_at_work("start_none_before cold", "iallreduce"), sleeps=True),
    "nonblocking_calls_in_either_order": row(
        some_fall_back_first("either_order", 3), spins=True, of_every_mpi=True),
    "nonblocking_calls_leave_the_users_plan": row(plan_of_the_user, spins=True),
    "nonblocking_calls_before_reproducible_sums": row(
        reproducible_from_the_first, spins=True, of_adapters=True),
    "nonblocking_calls_of_short_lived_communicators": row(
        expecting_short_lives, spins=True, of_adapters=True),
    "nonblocking_calls_are_pending_at_a_set_up": row(team_among_pending, spins=True),
    "nonblocking_calls_with_terrace_off": row(switched_off, spins=True, of_every_mpi=True),
    "nonblocking_calls_off_for_collectives": row(off_for_some, spins=True),
    "nonblocking_calls_under_check": row(checked, spins=True, of_every_mpi=True),
    "nonblocking_calls_under_check_differ_from_a_liars": row(check_finds_a_lie, spins=True),
    "nonblocking_calls_under_trace": row(recorded, spins=True),
    "nonblocking_calls_and_a_tool": row(tool_in_any_order, spins=True, of_adapters=True),
}
