# SPDX-License-Identifier: BSD-3-Clause
"""Plans that the user gives or names."""

import re
import tempfile

from job import Job
from row import row
from rows import expect


def users_plan(job: Job) -> None:
    with tempfile.NamedTemporaryFile("w", suffix=".plan") as plan:
        plan.write("plan allreduce.mine\nranks 3\n0: out[0] = in[0] + in[1] + in[2]\n"
                   "1: out[1] = out[0]\n2: out[2] = out[0]\n")
        plan.flush()
        output = job.run(3, [job.program("collectives"), "20000"], TERRACE_PLAN=plan.name)
    output.expect_right().expect_at_work()
    expect("ran allreduce.mine" in output.text, "the user's plan did not run")


def plan_by_name(job: Job) -> None:
    """Each is written for the ranks of the communicators."""
    for name in ("allreduce.chain", "bcast.pipeline"):
        output = job.run(3, [job.program("collectives"), "20000"], TERRACE_PLAN=name)
        output.expect_right().expect_at_work()
        collective = name.split(".")[0]
        expect(re.search(r"^terrace:   %s .* ran %s" % (collective, re.escape(name)), output.text,
                         re.MULTILINE) is not None, name + " did not run")
        expect("TERRACE_PLAN: " not in output.text, name + " was refused somewhere")


def users_plan_out_of_order(job: Job) -> None:
    """It runs, but not for operators that do not commute."""
    with tempfile.NamedTemporaryFile("w", suffix=".plan") as plan:
        plan.write("plan allreduce.mine\nranks 3\n0: out[0] = in[2] + in[1] + in[0]\n"
                   "1: out[1] = out[0]\n2: out[2] = out[0]\n")
        plan.flush()
        output = job.run(3, [job.program("operators")], TERRACE_PLAN=plan.name).expect_right()
    for name in ("mine", "all_read"):
        expect("ran allreduce." + name in output.text, "allreduce.%s did not run" % name)


def wrong_plan(job: Job) -> None:
    with tempfile.NamedTemporaryFile("w", suffix=".plan") as plan:
        plan.write("plan allreduce.mine\nranks 3\n0: out[0] = in[0] + in[1]\n"
                   "1: out[1] = out[0]\n2: out[2] = out[0]\n")
        plan.flush()
        output = job.run(3, [job.program("collectives"), "5000"], TERRACE_PLAN=plan.name)
    output.expect_right().expect_at_work()
    expect("ran allreduce.mine" not in output.text, "a wrong plan ran")
    expect(output.text.count("TERRACE_PLAN: ") >= 1, "the refusal was not said")


def plan_across_nodes(job: Job) -> None:
    """Messages go between nodes, and these ranks are on one."""
    with tempfile.NamedTemporaryFile("w", suffix=".plan") as plan:
        plan.write("plan bcast.mine\nranks 2\nnodes 0 1\n0: send in[0] to 1\n"
                   "1: receive out[1] from 0\n")
        plan.flush()
        output = job.run(2, [job.program("collectives"), "2000"], TERRACE_PLAN=plan.name)
    output.expect_right().expect_at_work()
    expect("ran bcast.mine" not in output.text, "the plan ran")
    expect("sends messages across nodes, and these ranks are on one" in output.text,
           "the refusal was not said")


def plans_of_blocks(job: Job) -> None:
    """A plan for blocks runs for those of any length, too, and is named after the regular call."""
    text = "plan %s.mine\nranks 3\n" + "".join("%d: out[0:%d] = in[%d:%d]\n" % ((rank,) * 4)
                                              for rank in range(3))
    for name in ("gather", "gatherv"):
        with tempfile.NamedTemporaryFile("w", suffix=".plan") as plan:
            plan.write(text % name)
            plan.flush()
            output = job.run(3, [job.program("blocks"), "400"], TERRACE_PLAN=plan.name)
        output.expect_right().expect_at_work("gather", "gatherv")
        for collective in ("gather", "gatherv"):
            expect(bool(re.search(r"^terrace:   %s .*ran gather\.mine" % collective, output.text,
                                  re.MULTILINE)) == (name == "gather"),
                   "a %s and a plan for %s" % (collective, name))
        expect(("gatherv runs the plans of gather" in output.text) == (name == "gatherv"),
               "the name is not judged")


def plan_beyond_limits(job: Job) -> None:
    """Right plans that need more than a team has: lines of one rank, then blocks of scratch."""
    sends = "".join("0: scratch[0:%d] = in[0]\n1: scratch[1:%d] = scratch[0:%d]\n" % ((number,) * 3)
                    for number in range(20))
    total = "0: out[0] = in[0] + in[1] + in[2]\n1: out[1] = out[0]\n2: out[2] = out[0]\n"
    keeps = "".join("0: scratch[0:%d] = in[0]\n" % number for number in range(16400))
    for extra, limit in ((sends, "uses 21 lines a call, of 16 there are"),
                         (keeps, "blocks of scratch, and this team has 16384")):
        with tempfile.NamedTemporaryFile("w", suffix=".plan") as plan:
            plan.write("plan allreduce.mine\nranks 3\n" + extra + total)
            plan.flush()
            output = job.run(3, [job.program("collectives"), "5000"], TERRACE_PLAN=plan.name)
        output.expect_right().expect_at_work()
        expect("ran allreduce.mine" not in output.text, "the plan ran")
        expect(limit in output.text, "the refusal does not name the limit")


ROWS = {
    "a_users_plan_runs": row(users_plan, spins=True),
    "a_users_plan_does_not_run_against_the_ranks_order": row(users_plan_out_of_order, spins=True),
    "a_wrong_plan_does_not_run": wrong_plan,
    "a_plan_runs_by_its_name": plan_by_name,
    "a_plan_across_nodes_does_not_run": plan_across_nodes,
    "a_users_plan_runs_for_blocks_of_any_length": row(plans_of_blocks, spins=True),
    "a_plan_beyond_a_teams_limits_does_not_run": plan_beyond_limits,
}
