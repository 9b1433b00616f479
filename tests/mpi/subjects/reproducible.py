# SPDX-License-Identifier: BSD-3-Clause
"""Sums with the same bits, wherever ranks are and however often they are made."""

import re
import tempfile
from pathlib import Path

from job import Job
from row import row
from rows import expect


def bits_of(output) -> str:
    return re.search(r"^bits (\w+)$", output.text, re.MULTILINE).group(1)


def reproducible(job: Job) -> None:
    """The same bits on any machine; other machines do make other bits where it is not asked for."""
    words = [job.program("reproducible")]
    for ranks, machines in ((4, ("", "pack:2 core:2 pu:1")), (10, ("pack:5 core:2 pu:1",))):
        for machine in machines:
            variables = {"TERRACE_MACHINE": machine} if machine else {}
            output = job.run(ranks, words, TERRACE_REPRODUCIBLE="1", **variables).expect_right()
            combining = ("reduce", "allreduce", "reduce_scatter_block", "scan", "exscan")
            output.expect_at_work(*combining)
            for collective in combining:
                expect(output.calls(collective, "fell back") == 0,
                       collective + " fell back to the MPI")
            expect("sums may differ" not in output.text, "it was not obeyed")
    output = job.run(4, words, TERRACE_MACHINE="pack:2 core:2 pu:1")
    expect("other bits: allreduce" in output.text, "the inputs do not tell orders apart")


def same_bits_again(job: Job) -> None:
    """The same program, on what is taken for the same machine, in two runs: told not to measure, by
    assumed costs, of which nothing is kept."""
    cache = Path(job.folder.name) / "cache"
    seen = set()
    for _ in range(2):
        output = job.run(4, [job.program("reproducible")], TERRACE_MEASURE="off",
                         TERRACE_MACHINE="pack:2 core:2 pu:1", XDG_CACHE_HOME=str(cache))
        output.expect_at_work("allreduce", "scan")
        expect("other bits: allreduce" in output.text, "the inputs do not tell orders apart")
        seen.add(bits_of(output))
    expect(len(seen) == 1, "two runs had other bits: %s" % seen)
    words = [job.program("collectives"), "5000"]
    job.run(2, words, TERRACE_MEASURE="off", XDG_CACHE_HOME=str(cache)).expect_right()
    expect(not list(cache.glob("**/costs-*")), "something was measured")
    for _ in range(5):  # where ranks are disturbed nothing is measured
        job.run(2, words, XDG_CACHE_HOME=str(cache)).expect_right()
        if list(cache.glob("**/costs-*")):
            return
    print("not looked at: whether it measures without the setting, as ranks are disturbed")


def reproducible_but_pending(job: Job) -> None:
    """Nonblocking sums are the MPI's, not Terrace's: the program makes twenty, and a
    blocking one."""
    output = job.run(3, [job.program("reproducible"), "pending"], TERRACE_REPRODUCIBLE="1")
    output.expect_right()
    calls = output.calls("allreduce", "ran") + output.calls("allreduce", "fell back")
    expect(calls == 1, "%d calls are in the report, not the blocking one alone" % calls)


def reproducible_at_one_rank(job: Job) -> None:
    """Told to one rank alone it is not obeyed, which that rank says; nothing hangs."""
    program = job.with_terrace([job.program("situations"), "mixed"])
    told = ["env", "TERRACE_REPRODUCIBLE=1"] + program
    output = job.run_together([["1"] + program, ["1"] + told]).expect_right()
    output.expect_at_work("allreduce")
    expect(output.text.count("set it for all ranks of the job") == 1, "that was not said once")


def reproducible_with_a_plan(job: Job) -> None:
    with tempfile.NamedTemporaryFile("w", suffix=".plan") as plan:
        plan.write("plan allreduce.mine\nranks 3\n0: out[0] = in[2] + in[1] + in[0]\n"
                   "1: out[1] = out[0]\n2: out[2] = out[0]\n")
        plan.flush()
        output = job.run(3, [job.program("reproducible")], TERRACE_PLAN=plan.name,
                         TERRACE_REPRODUCIBLE="1").expect_right().expect_at_work("allreduce")
    expect("ran allreduce.mine" not in output.text, "a plan in another order ran")
    expect("TERRACE_REPRODUCIBLE fixes the order" in output.text, "that was not said")


ROWS = {
    "reproducible_sums_have_the_documented_bits": row(reproducible, spins=True),
    "the_same_program_gets_the_same_bits_again": same_bits_again,
    "reproducible_sums_are_blocking_ones": row(reproducible_but_pending, spins=True),
    "reproducible_sums_must_be_asked_for_at_all_ranks": row(reproducible_at_one_rank, spins=True),
    "reproducible_sums_outdo_a_users_plan": row(reproducible_with_a_plan, spins=True),
}
