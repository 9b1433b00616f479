# SPDX-License-Identifier: BSD-3-Clause
"""What tools see: counters of calls, performance variables, timelines."""

import json
import os
import re
from pathlib import Path
from typing import Callable, Dict, List, Sequence

from job import HERE, Job, Output
from row import row
from rows import expect
from subjects.deaths import FORGIVING, UNNOTICED
from subjects.mismatches import wrong


COLLECTIVES = ["barrier", "bcast", "reduce", "allreduce", "reduce_scatter_block", "reduce_scatter",
               "scan", "exscan", "allgather", "alltoall", "gather", "scatter", "allgatherv",
               "gatherv", "scatterv", "alltoallv", "alltoallw"]


def seen_by_tool(output: Output) -> Dict[str, Dict[str, int]]:
    """What the tool counted, by rank and call."""
    lines = re.findall(r"counter of rank (\d+): (.*)", output.text)
    return {rank: {call: int(count) for call, count in re.findall(r"(\w+) (\d+)", line)}
            for rank, line in lines}


def expect_counted(job: Job, output: Output, tools: int, fallbacks: Sequence[str] = ()) -> None:
    """Each rank with a tool saw what tests/mpi/counted.c calls, and so did Terrace."""
    output.expect_right()
    seen = seen_by_tool(output)
    expect(len(seen) == tools, "%d tools spoke" % len(seen))
    for rank, counts in seen.items():
        # A message is probed for at the last rank.
        calls = dict({name: 30 for name in COLLECTIVES}, barrier=31, comm_free=1,
                     iprobe=int(rank == "2"))
        wrong = {name: counts.get(name) for name in calls if counts.get(name) != calls[name]}
        expect(not wrong, "the tool of rank %s counted %s" % (rank, wrong))
    for name in COLLECTIVES:
        ran, passed = output.calls(name, "ran"), output.calls(name, "fell back")
        expect(ran + passed == 30 + (name == "barrier"),
               "%s: %d ran, %d fell back" % (name, ran, passed))
        expect((ran == 0) == (name in fallbacks), "%s: %d ran" % (name, ran))


def tool_in_any_order(job: Job) -> None:
    """Before and after Terrace, in the program's libraries and in the program: the tool counts each
    call once, and Terrace runs it, or hands it on."""
    tool, counted = job.program("libcounter.so"), job.program("counted")
    calm = {"TERRACE_TRIALS": "off"}
    for library in job.library, job.other_library:
        before = "%s:%s" % (tool, library)
        expect_counted(job, job.run(3, [counted], through_exec=False, LD_PRELOAD=before, **calm), 3)
    expect_counted(job, job.run(3, [counted], LD_PRELOAD=tool, **calm), 3)
    expect_counted(job, job.run(3, [counted], LD_PRELOAD=tool, TERRACE_OFF="allreduce,alltoallw",
                                **calm), 3, fallbacks=["allreduce", "alltoallw"])
    output = job.run(3, [counted], LD_PRELOAD=tool, TERRACE_CHECK="1", **calm)
    expect_counted(job, output, 3)
    expect("no difference" in output.text, "nothing was checked")
    # Open MPI has another part for files, which makes no collectives.
    expect_counted(job, job.run(3, [counted, job.folder.name + "/file"], LD_PRELOAD=tool,
                                OMPI_MCA_io="^ompio", **calm), 3)
    for program in "counted_linked", "counted_inside":
        words = [job.program(program)]
        if not seen_by_tool(job.run(1, words, through_exec=False)):
            print("not looked at: %s has its MPI before the tool" % program)
            continue
        expect_counted(job, job.run(3, words, **calm), 3)


def tool_at_one_rank(job: Job) -> None:
    """Rank 1 has a tool, before Terrace or after it, and the others have none."""
    tool, counted = job.program("libcounter.so"), job.program("counted")
    ways = [["env", "LD_PRELOAD=" + tool] + job.with_terrace([counted]),
            ["env", "LD_PRELOAD=%s:%s" % (tool, job.library), counted],
            job.with_terrace([job.program("counted_inside")])]
    for way in ways:
        plain = ["1"] + job.with_terrace([counted])
        expect_counted(job, job.run_together([plain, ["1"] + way, plain], TERRACE_TRIALS="off"), 1)


def tool_sees_as_without(words: Callable[[Job], List[str]]) -> Callable[[Job], None]:
    """What a tool sees of a program that does not call C's functions is what it sees without
    Terrace: some MPIs show it Fortran's calls, others not."""
    def test(job: Job) -> None:
        tool, program = job.program("libcounter.so"), words(job)
        native = seen_by_tool(job.run(3, program, through_exec=False, LD_PRELOAD=tool))
        expect(len(native) == 3 and max(native["0"].values()) >= 20, "the tool saw nothing")
        for output in (job.run(3, program, LD_PRELOAD=tool),
                       job.run(3, program, through_exec=False,
                               LD_PRELOAD="%s:%s" % (tool, job.library))):
            expect(output.status == 0, "exit status %d" % output.status)
            output.expect_at_work("allreduce", "bcast")
            seen = seen_by_tool(output)
            expect(seen == native, "seen with Terrace %s, without %s" % (seen, native))
    return test


def performance_variables(job: Job) -> None:
    """The MPI's keep their numbers; Terrace's come after them, and count what was called. (Intel
    MPI by the standard ABI adds all of its own later, so that they come last.)"""
    def listed(output):
        return re.findall(r"^variable (\d+) (.*)$", output.text, re.MULTILINE)

    alone = listed(job.run(2, [job.program("mpi_t")], through_exec=False).expect_right())
    found = listed(job.run(2, [job.program("mpi_t")], TERRACE_TRIALS="off").expect_right())
    ours = [name for _, name in found if name.startswith("terrace_")]
    theirs = [(number, name) for number, name in found if not name.startswith("terrace_")]
    come_last = [(str(int(number) + len(ours)), name) for number, name in alone]
    expect(theirs in (alone, come_last), "the MPI's own variables are not as without Terrace")
    first = 0 if theirs == come_last and alone else len(alone)
    expect(len(ours) == 3 * 19 + 2 and
           [name for _, name in found[first:first + len(ours)]] == ours,
           "%d variables of Terrace are listed" % len(ours))


def recorded_calls(path: Path, ranks: int) -> List[dict]:
    """The events of a timeline, all ranks' in it; what lies inside another lies whole inside."""
    timeline = json.loads(path.read_text())
    events = [event for event in timeline["traceEvents"] if event["ph"] == "X"]
    expect({event["args"]["rank"] for event in events} == set(range(ranks)), "not of all ranks")
    for event in events:
        expect(event["dur"] >= 0 and event["args"].get("peer") != event["args"]["rank"],
               "this cannot be: %s" % event)
    for wait in (event for event in events if event["cat"] == "wait"):
        begin, end = wait["ts"], wait["ts"] + wait["dur"]
        expect(any(call["cat"] == "call" and call["args"]["rank"] == wait["args"]["rank"]
                   and call["ts"] <= begin and end <= call["ts"] + call["dur"] + 0.001
                   for call in events), "a wait outside of calls: %s" % wait)
    return events


def recorded(job: Job) -> None:
    """All ranks' calls in one file, and in one each; a path that cannot be changes nothing."""
    words = [job.program("situations"), "late_rank"]
    whole = Path(job.folder.name) / "whole.json"
    whole.write_text("of an earlier run")
    output = job.run(3, words, TERRACE_TRACE=str(whole)).expect_right()
    output.expect_at_work("allreduce")
    events = recorded_calls(whole, 3)
    labels = [event["args"].get("label", "") for event in events if event["args"]["rank"] == 0]
    ran = [label for label in labels if label.startswith("allreduce of 4 B, allreduce.")]
    fallbacks = [label for label in labels if "fell back to the MPI: first calls" in label]
    expect(len(ran) == output.calls("allreduce", "ran"), "%d allreduces recorded" % len(ran))
    expect(fallbacks, "what fell back to the MPI is not in it")
    # A wait that was met as it began names no peer.
    waits = [event for event in events
             if event["cat"] == "wait" and event["args"].get("peer") == 2]
    expect(max(wait["dur"] for wait in waits) > 20_000, "nobody has waited for the late rank")
    expect(not list(whole.parent.glob("whole.json.*")), "ranks' own files are left behind")
    own = str(whole.parent / "of-%r.json")
    # Rank 1 has no Terrace; what lies there under its name is of an earlier run.
    half = whole.parent / "half.json"
    stale = Path(str(half) + ".rank-1")
    stale.write_text('{"traceEvents": [\n]}')
    os.utime(str(stale), (1, 1))
    job.run_together([["1"] + job.with_terrace(words[:1] + ["mixed"]), ["1"] + words[:1] +
                      ["mixed"]], TERRACE_TRACE=str(half)).expect_right()
    left = sorted(path.name for path in half.parent.glob("half.json*"))
    expect(left == ["half.json.rank-0", "half.json.rank-1"], "these files are there: %s" % left)
    job.run(2, words[:1] + ["rounded"], TERRACE_TRACE=own).expect_right()
    for rank in range(2):
        path = whole.parent / ("of-%d.json" % rank)
        expect(path.exists() and json.loads(path.read_text()), "no file of rank %d" % rank)
    output = job.run(2, words[:1] + ["rounded"], TERRACE_TRACE="/none/x.json").expect_right()
    said = "TERRACE_TRACE: cannot write '/none/x.json': No such file or directory; nothing is " \
           "recorded, and the job runs on"
    expect(output.text.count(said) == 1, "not said once: " + said)


def recorded_until_a_death(job: Job) -> None:
    """A rank that waits for one that dies keeps its records, in a file of its own."""
    job.launcher_options = FORGIVING.get(job.family, [])
    program = job.with_terrace([job.program("manners"), "dies_by_signal"])
    hidden = ["sh", "-c", UNNOTICED, "sh"] + program
    path = Path(job.folder.name) / "run.json"
    output = job.run_together([["2"] + program, ["1"] + hidden], 60, TERRACE_TRACE=str(path))
    expect("is gone" in output.text, "nobody was told who is gone")
    left = {one.name for one in path.parent.glob("run.json*")}
    # The second to notice may be too late, on a busy machine.
    expect(left and left <= {"run.json.rank-0", "run.json.rank-1"},
           "these files are there: %s" % left)
    for name in left:
        events = json.loads((path.parent / name).read_text())["traceEvents"]
        expect(any(event["ph"] == "X" and event["cat"] == "call" for event in events),
               "no calls in " + name)


ROWS = {
    "performance_variables_are_told": row(performance_variables, of_adapters=True),
    "a_tool_sees_each_call_once": row(tool_in_any_order, of_adapters=True),
    "a_tool_at_one_rank_alone": row(tool_at_one_rank, of_every_mpi=True),
    "a_tool_and_python": row(
        tool_sees_as_without(lambda job: [job.python, str(HERE / "with_python.py")]),
        of_every_mpi=True, needs=("python",)),
    "runs_are_recorded": recorded,
    "a_killed_rank_loses_its_own_records_only": row(
        recorded_until_a_death, sleeps=True, ends_jobs=True),
    "fortran_seen_by_a_tool": row(
        tool_sees_as_without(lambda job: [job.program("manglings")]), spins=True, of_every_mpi=True,
        needs=("fortran",)),
}
