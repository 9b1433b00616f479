# SPDX-License-Identifier: BSD-3-Clause
"""Plans over several nodes, and calls that do not match there."""

import re
import tempfile
import time
from typing import Sequence

from job import Job, Output, SECONDS
from row import row
from rows import expect
from subjects.mismatches import wrong
from subjects.nodes import COMPOSED, COMPOSED_ANYWHERE


def checked_over_nodes(job: Job) -> None:
    output = job.run_over_nodes((2, 1), [job.program("across_nodes"), "elements"],
                                TERRACE_ACROSS_NODES="1", TERRACE_CHECK="1").expect_right()
    expect(re.search(r"checked \d+ calls against the MPI: no difference", output.text) is not None,
           "the report does not say that nothing differs")
    output = job.run_over_nodes((2, 2), [job.program("across_nodes"), "nodes", "operators"],
                                TERRACE_ACROSS_NODES="1", TERRACE_CHECK="1")
    expect(output.status != 0, "calls that differ did not end the job")
    for call in ("sum of int32", "maximum of int32"):
        expect("allreduce of 4 bytes, " + call in output.text, "no " + call)


# What the nodes' calls differ in, and how each is named.
DIFFERENCES_OF_NODES = (
    ("bytes", ("allreduce of 4 bytes, sum of int32", "allreduce of 8 bytes, sum of int32")),
    ("long", ("bcast of 4 bytes", "bcast of 8000 bytes")),
    ("operators", ("allreduce of 4 bytes, sum of int32", "allreduce of 4 bytes, maximum of int32")),
    ("types", ("reduce of 4 bytes, sum of int32", "reduce of 4 bytes, sum of float32")),
    ("reduces", ("to rank 0", "to rank 3")),
    ("bcasts", ("from rank 0", "from rank 3")),
    ("lanes", ("from rank 0", "from rank 3")),
    ("gathers", ("gather of 4 bytes", "gather of 8 bytes")),
    ("scans", ("exscan of 4 bytes", "scan of 4 bytes")),
    ("collectives", ("bcast of 4 bytes", "barrier")),
    ("last", ("from rank 0", "from rank 3")),
)


def mismatches_of_nodes(job: Job) -> None:
    """A rank of each node is named with its call, and the job ends at once. Which MPI carries the
    messages makes no difference: each but MPICH, whose jobs start fastest, tries some."""
    for what, calls in DIFFERENCES_OF_NODES[::1 if job.family == "mpich" else 3]:
        expect_mismatch_of_nodes(job, what, calls)


def expect_mismatch_of_nodes(job: Job, what: str, calls: Sequence[str], **variables: str) -> None:
    began = time.monotonic()
    output = job.run_over_nodes((2, 2), [job.program("across_nodes"), "nodes", what],
                                TERRACE_ACROSS_NODES="1", **variables)
    expect(output.status != 0, what + ": the job was not ended")
    expect(time.monotonic() - began < SECONDS / 3, what + ": it took long")
    told = re.search(r"\(node \S+\) makes (.*) where rank \d of MPI_COMM_WORLD \(node \S+\) "
                     r"makes (.*?)\. All ranks", output.text)
    expect(told is not None, what + ": the ranks were not named")
    for call in calls:
        expect(call in told[1] or call in told[2], "%s: no '%s'" % (what, call))


def by_plan_over_nodes(job: Job, plan: str, name: str, *slots: int) -> Output:
    """Calls of the plan's collective run by it, and all others are composed."""
    output = job.run_over_nodes(slots, [job.program("across_nodes"), "elements"],
                                TERRACE_ACROSS_NODES="1", TERRACE_TRIALS="off",
                                TERRACE_PLAN=plan).expect_right()
    collective = name.split(".")[0]
    expect(re.search(r"^terrace:   %s .* ran %s$" % (collective, re.escape(name)), output.text,
                     re.MULTILINE) is not None, name + " did not run")
    for other in set(COMPOSED_ANYWHERE) - {collective}:
        expect(re.search(r"^terrace:   %s .* %s$" % (other, COMPOSED), output.text,
                         re.MULTILINE) is not None, "no %s was composed" % other)
    return output


PLANS_WITH_MESSAGES = ("allreduce.leaders", "allreduce.dissemination", "barrier.leaders",
                       "bcast.binomial_by_level", "reduce.in_order_binary", "scatter.staged")


def named_plans_over_nodes(names: Sequence[str], *slots: int):
    """Each as it is written for the communicators' ranks, whichever nodes those are on."""
    def test(job: Job) -> None:
        for name in names:
            output = by_plan_over_nodes(job, name, name, *slots)
            expect("TERRACE_PLAN: " not in output.text, name + " was refused somewhere")
    return test


def named_plan_with_one_rank_per_node(job: Job) -> None:
    """There is nothing to compose calls of, so all but the plan's fall back."""
    output = job.run_over_nodes((1, 1, 1), [job.program("across_nodes"), "elements"],
                                TERRACE_ACROSS_NODES="1",
                                TERRACE_PLAN="allreduce.dissemination").expect_right()
    expect(re.search(r"^terrace:   allreduce .* ran allreduce.dissemination$", output.text,
                     re.MULTILINE) is not None, "the plan did not run")
    expect(re.search(r"^terrace:   bcast .* fell back to the MPI: one rank per node$", output.text,
                     re.MULTILINE) is not None, "no bcast fell back")
    expect(COMPOSED not in output.text, "calls were composed of nothing")


USERS_PLAN_OVER_NODES = """plan allreduce.mine
ranks 4
nodes 0-1 2-3
0: scratch[0] = in[0] + in[1]
2: scratch[2] = in[2] + in[3]
0: send scratch[0] to 2
2: send scratch[2] to 0
0: receive scratch[0:1] from 2
2: receive scratch[2:1] from 0
0: out[0] = scratch[0] + scratch[0:1]
2: out[2] = scratch[2:1] + scratch[2]
1: out[1] = out[0]
3: out[3] = out[2]
"""


def users_plan_over_nodes(job: Job) -> None:
    """It runs where ranks are as it says, and is refused on the communicator where nodes take
    turns."""
    with tempfile.NamedTemporaryFile("w", suffix=".plan", dir=job.build) as plan:
        plan.write(USERS_PLAN_OVER_NODES)
        plan.flush()
        output = by_plan_over_nodes(job, plan.name, "allreduce.mine", 2, 2)
    expect("has ranks 0 and 1 on one node, and here they are on two" in output.text,
           "the refusal was not said")
    expect(re.search(r"^terrace:   allreduce .* %s$" % COMPOSED, output.text, re.MULTILINE)
           is not None, "no allreduce was composed where the plan does not fit")


def refused_plans_over_nodes(job: Job) -> None:
    """A wrong one, and one of ranks that share memory; all calls are composed."""
    wrong = USERS_PLAN_OVER_NODES.replace("1: out[1] = out[0]\n", "1: out[1] = in[0]\n")
    near = "plan allreduce.mine\nranks 4\n" + "".join(
        "%d: out[%d] = in[0] + in[1] + in[2] + in[3]\n" % (rank, rank) for rank in range(4))
    for text, why in ((wrong, "out[1] of strip 0 ends up with"), (near, "on one node, and here")):
        with tempfile.NamedTemporaryFile("w", suffix=".plan", dir=job.build) as plan:
            plan.write(text)
            plan.flush()
            output = job.run_over_nodes((2, 2), [job.program("across_nodes"), "elements"],
                                        TERRACE_ACROSS_NODES="1", TERRACE_TRIALS="off",
                                        TERRACE_PLAN=plan.name).expect_right()
        expect("ran allreduce.mine" not in output.text, "a plan ran that is to be refused")
        expect(why in output.text, "not said: " + why)


def mismatches_in_plans(job: Job) -> None:
    """As `mismatches_of_nodes`: in the plan on both nodes, or on one alone."""
    for plan, what in (("allreduce.leaders", "bytes"), ("allreduce.dissemination", "operators"),
                       ("bcast.binomial_by_level", "long"), ("bcast.linear", "collectives"),
                       ("reduce.linear", "types"), ("bcast.linear", "last")):
        expect_mismatch_of_nodes(job, what, dict(DIFFERENCES_OF_NODES)[what], TERRACE_PLAN=plan)


def mismatch_over_nodes(job: Job) -> None:
    output = job.run_over_nodes((2, 2), [job.program("across_nodes"), "mismatch"],
                                TERRACE_ACROSS_NODES="1")
    expect(output.status != 0, "the job was not ended")
    expect("rank 1 of MPI_COMM_WORLD makes bcast of 4 bytes from rank 0 where rank 0 of "
           "MPI_COMM_WORLD makes reduce of 4 bytes" in output.text
           or "rank 0 of MPI_COMM_WORLD makes reduce of 4 bytes, sum of int32, to rank 0 where "
           "rank 1 of MPI_COMM_WORLD makes bcast" in output.text, "the ranks were not named")
    output = job.run_over_nodes((2, 2), [job.program("across_nodes"), "mismatch", "scans"],
                                TERRACE_ACROSS_NODES="1")
    expect(output.status != 0, "the job was not ended for scans")
    expect(re.search(r"makes (exscan of 4 bytes, .* where .* makes scan|scan of 4 bytes, .* where "
                     r".* makes exscan) of 4 bytes", output.text) is not None,
           "the scans were not named")


ROWS = {
    "check_finds_no_difference_over_2_nodes": row(
        checked_over_nodes, over_nodes=True, ends_jobs=True),
    "a_mismatch_is_named_over_2_nodes": row(mismatch_over_nodes, over_nodes=True, ends_jobs=True),
    "calls_that_differ_are_told_over_2_nodes": row(
        mismatches_of_nodes, over_nodes=True, above_messages=True, ends_jobs=True),
    "plans_by_name_run_over_2_nodes": row(
        named_plans_over_nodes(PLANS_WITH_MESSAGES[:3], 2, 2), over_nodes=True,
        above_messages=True),
    "plans_by_name_with_a_root_run_over_2_nodes": row(
        named_plans_over_nodes(PLANS_WITH_MESSAGES[3:], 2, 2), over_nodes=True,
        above_messages=True),
    "plans_by_name_run_over_uneven_nodes": row(
        named_plans_over_nodes(PLANS_WITH_MESSAGES[:3], 2, 1), over_nodes=True,
        above_messages=True),
    "plans_by_name_run_over_3_nodes": row(
        named_plans_over_nodes(PLANS_WITH_MESSAGES[:2], 2, 2, 1), over_nodes=True,
        above_messages=True),
    "a_plan_by_name_runs_over_single_rank_nodes": row(
        named_plan_with_one_rank_per_node, over_nodes=True),
    "a_users_plan_runs_over_2_nodes": row(
        users_plan_over_nodes, over_nodes=True, above_messages=True),
    "plans_that_do_not_fit_are_refused_over_2_nodes": row(
        refused_plans_over_nodes, over_nodes=True, above_messages=True),
    "calls_that_differ_are_told_in_plans_over_2_nodes": row(
        mismatches_in_plans, over_nodes=True, above_messages=True, ends_jobs=True),
}
