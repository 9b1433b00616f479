# SPDX-License-Identifier: BSD-3-Clause
"""Calls over several nodes, which the kernel makes."""

import json
import os
import re
import shutil
import struct
import tempfile
from pathlib import Path
from typing import Dict, List, Sequence

from job import Job
from row import row
from rows import expect
from subjects.calls import BLOCKS, UNEVEN, collectives
from subjects.measuring import RANK
from subjects.reproducible import bits_of
from subjects.tools import recorded_calls


def over_nodes(program: str, most: int, *slots: int, run=Job.run_over_nodes):
    """Calls on all ranks are the MPI's; those on the ranks of a node, as the split by node has
    them, are Terrace's."""
    def test(job: Job) -> None:
        words = [job.program(program), str(most), ",".join(map(str, slots))]
        output = run(job, slots, words, TERRACE_ACROSS_NODES="0").expect_right()
        collectives = BLOCKS + UNEVEN if program == "blocks" else ("bcast", "reduce", "allreduce")
        output.expect_at_work(*collectives)
        for collective in collectives:
            expect(re.search(r"^terrace:   %s .* \d+  fell back to the MPI: its ranks are on "
                             "several nodes" % collective, output.text, re.MULTILINE) is not None,
                   "no %s was on several nodes" % collective)
    return test


COMPOSED = "ran node, network, node"
COMPOSED_ANYWHERE = ("barrier", "bcast", "reduce", "allreduce")
COMPOSED_BLOCKS = ("allgather", "gather", "scatter")
COMPOSED_ON_EVEN_NODES = ("alltoall", "reduce_scatter_block")


def across_nodes(program: str, words: Sequence[str], *slots: int):
    """Calls on all ranks are composed, and nothing of theirs is left for the place of its ranks."""
    wanted = COMPOSED_ANYWHERE
    if program == "across_nodes":
        wanted += COMPOSED_BLOCKS + (COMPOSED_ON_EVEN_NODES if len(set(slots)) == 1 else ())
    def test(job: Job) -> None:
        # Open MPI's launcher tells that all ranks have Terrace.
        told = {} if job.family == "openmpi" else {"TERRACE_ACROSS_NODES": "1"}
        output = job.run_over_nodes(slots, [job.program(program)] + list(words),
                                    TERRACE_TRIALS="off", **told)
        output.expect_right()
        for collective in wanted:
            expect(re.search(r"^terrace:   %s .* %s$" % (collective, COMPOSED), output.text,
                             re.MULTILINE) is not None, "no %s was composed" % collective)
        expect("several nodes or containers" not in output.text, "calls fell back for their nodes")
    return test


def tried_over_nodes(job: Job) -> None:
    """Trials also make calls the MPI's way; sums of floats stay composed."""
    output = job.run_over_nodes((2, 1), [job.program("across_nodes"), "often"],
                                TERRACE_ACROSS_NODES="1").expect_right()
    expect(re.search(r"^terrace:   bcast .* timed or found faster", output.text, re.MULTILINE)
           is not None, "the MPI was not tried")
    expect(not re.search(r"^terrace:   reduce .* timed or found faster", output.text,
                         re.MULTILINE), "the MPI was tried for sums of floats")


def made_over_nodes(job: Job) -> None:
    """80 communicators and 8 of 12 that live at once; 3 and 14 calls of theirs are not the first.
    As many communicators of leaders would be too many."""
    output = job.run_over_nodes((2, 2), [job.program("across_nodes"), "communicators"],
                                TERRACE_ACROSS_NODES="1", TERRACE_TRIALS="off").expect_right()
    ran = output.calls("allreduce", "ran")
    expect(ran == 80 * 3 + 8 * 14, "%d allreduces were composed" % ran)
    expect("too many communicators of these nodes are in use" in output.text,
           "the report does not say why four fell back")
    expect("too many communicators of several nodes" not in output.text, "leaders were not reused")


def threads_over_nodes(job: Job) -> None:
    """Composed for one thread that has asked for several; not once several set teams up."""
    output = job.run_over_nodes((2, 2), [job.program("across_nodes"), "threads"],
                                TERRACE_ACROSS_NODES="1", TERRACE_TRIALS="off").expect_right()
    expect(re.search(r"^terrace:   bcast .* %s$" % COMPOSED, output.text, re.MULTILINE) is not None,
           "the first thread's calls were not composed")
    expect(re.search(r"and rank \d calls MPI in several threads", output.text) is not None,
           "the report does not say why")


def silent_over_nodes(job: Job) -> None:
    """One rank is not told: all fall back, and say who it is."""
    program = job.with_terrace([job.program("collectives"), "300"])
    output = job.run_together_over_nodes(
        (2, 2), [["3", "env", "TERRACE_ACROSS_NODES=1"] + program, ["1"] + program])
    output.expect_right()
    expect(COMPOSED not in output.text, "calls were composed")
    expect("several nodes or containers, and rank 3 is without TERRACE_ACROSS_NODES=1"
           in output.text, "the report does not say which rank was not told")


def settings_over_nodes(job: Job) -> None:
    """Rank 0's count, and it says which one is another on which node."""
    program = job.with_terrace([job.program("collectives"), "300"])
    output = job.run_together_over_nodes(
        (2, 2), [["2"] + program, ["2", "env", "TERRACE_OFF=bcast"] + program],
        TERRACE_ACROSS_NODES="1")
    output.expect_right()
    sentence = "TERRACE_OFF is another one at rank 2, on another node, than at rank 0"
    expect(sentence in output.text, "not said that a setting differs")
    expect(re.search(r"^terrace:   bcast .* %s$" % COMPOSED, output.text, re.MULTILINE) is not None,
           "rank 0's settings did not count")


def recorded_over_nodes(job: Job) -> None:
    """The nodes' clocks are a thousand seconds apart; in the timeline no rank leaves a barrier
    before all have entered it."""
    path = Path(tempfile.mkdtemp(dir=str(job.build))) / "calls.json"
    words = [job.program("across_nodes"), "seconds", "0.1"]
    job.run_over_nodes((2, 2), words, TERRACE_ACROSS_NODES="1", TERRACE_TRIALS="off",
                       TERRACE_TRACE=str(path)).expect_right()
    events = recorded_calls(path, 4)
    expect({event["pid"] for event in events} == {0, 1}, "not two nodes")
    barriers: Dict[int, List[dict]] = {rank: [] for rank in range(4)}
    for event in events:
        if event["cat"] == "call" and event["name"].startswith("barrier") and \
                COMPOSED[4:] in event["name"]:
            barriers[event["args"]["rank"]].append(event)
    counts = {len(calls) for calls in barriers.values()}
    expect(len(counts) == 1 and min(counts) > 10, "barriers of ranks: %s" % counts)
    slack = 500  # us: half a round trip by which a clock may be wrong, where ranks share cores
    for of_all in zip(*barriers.values()):
        entered = max(event["ts"] for event in of_all)
        left = min(event["ts"] + event["dur"] for event in of_all)
        expect(entered <= left + slack, "a rank left a barrier %g us before another one entered it"
               % (entered - left))
    shutil.rmtree(path.parent)


def bindings_over_nodes(job: Job) -> None:
    """Ranks 0 and 1 share a node, with a core each; ranks 2 and 3 share a rack alone."""
    network = job.build / "racks"
    network.write_text("rack left: n0\nrack right: n[1-2]\n")
    show = "exec taskset -c $((%s %% 2)) %s hierarchy --json" % (RANK, job.terrace)
    output = job.run_over_nodes((2, 1, 1), ["sh", "-c", show], through_exec=False,
                                TERRACE_NETWORK=str(network))
    network.unlink()
    expect(output.status == 0, "status %d" % output.status)
    levels = json.loads(next(line for line in output.text.splitlines() if line.startswith("[")))
    groups = [level["groups"] for level in levels]
    expect(groups[0] == [[0, 1], [2, 3]], "racks: %s" % groups)
    expect(groups[-1] == [[0], [1], [2], [3]] or len(os.sched_getaffinity(0)) < 2,
           "ranks share cores: %s" % groups)


def bindings_by_srun(job: Job) -> None:
    path = os.pathsep.join([str(Path(job.mpirun).parent), os.environ["PATH"]])
    words = job.srun(2, 4) + [job.terrace, "hierarchy", "--json"]
    output = job.execute_on_nodes((2, 2), ["--slurm"], words, job.environment({"PATH": path}))
    expect('"groups":[[0,1],[2,3]]' in output.text, "the nodes' ranks are not shown")


def missing_over_nodes(job: Job) -> None:
    """A program that is on one node alone: the job ends, as it does without Terrace, and is told
    where. MPICH 5's launcher always fails in its own clean-up then, with and without Terrace, and
    seldom does not end; that is not counted against us (launchers.py)."""
    here = [job.program("across_nodes"), "often"]
    output = job.run_together_over_nodes(
        (2, 2), [["2"] + job.with_terrace(here),
                 ["2"] + job.with_terrace([str(job.build / "not_there")])])
    expect(output.status != 0, "the job succeeded")
    expect('cannot run "%s/not_there": No such file' % job.build in output.text, "not said what")
    expect(re.search("ending the job: rank [23] on n1 cannot start", output.text) is not None,
           "not said where")


def soak_over_nodes(job: Job) -> None:
    """An episode in which Open MPI 5's own MPI_Gather is wrong, and a long reduce with an operator
    of the program was composed of it."""
    words = [job.program("soak"), "900", "1", "--steps", "500", "--tame", "1", "--windows", "0",
             "--episode", "5"]
    job.run_over_nodes((2, 2), words, TERRACE_ACROSS_NODES="1",
                       TERRACE_TRIALS="off").expect_right()


# On the head: once calls are composed, what the last node sends and what is sent to it is lost for
# a second, as its port is not on the bridge.
CUT_THE_WIRE = """set -o pipefail
"$@" 2>&1 | { while IFS= read -r line; do
  printf '%s\n' "$line"
  case $line in *"calls are composed"*)
    { ip link set port1 nomaster; sleep 1; ip link set port1 master hub; echo "wire is back"; } &
    ;;
  esac
done; wait; }"""


def cut_wire_over_nodes(job: Job) -> None:
    """TCP sends again what was lost: ranks wait meanwhile, and results are right."""
    environment = job.environment({"TERRACE_ACROSS_NODES": "1", "TERRACE_TRIALS": "off"})
    words = job.with_terrace([job.program("across_nodes"), "seconds", "3"])
    command = job.command_over_nodes([["4"] + words], ["TERRACE_ACROSS_NODES", "TERRACE_TRIALS",
                                                       "TERRACE_REPORT"])
    output = job.execute_on_nodes((2, 2), [], ["bash", "-c", CUT_THE_WIRE, "bash"] + command,
                                  environment)
    output.expect_right()
    expect("wire is back" in output.text, "the wire was not cut")
    expect(re.search(r"^terrace:   bcast .* %s$" % COMPOSED, output.text, re.MULTILINE) is not None,
           "no bcast was composed")


def library_of_another_build(job: Job) -> Path:
    """A copy with another build ID."""
    library = job.library.read_bytes()
    head = struct.pack("<3I4s", 4, 20, 3, b"GNU\0")  # of a note: lengths, NT_GNU_BUILD_ID, owner
    place = library.find(head)
    expect(place >= 0 and library.find(head, place + 1) < 0, "not one build ID in the library")
    last = place + len(head) + 19
    copy = job.build / "another_build" / job.library.name  # by which ranks with Terrace are known
    copy.parent.mkdir(exist_ok=True)
    copy.write_bytes(library[:last] + bytes([library[last] ^ 1]) + library[last + 1:])
    return copy


def another_build_over_nodes(job: Job) -> None:
    """All calls are the MPI's, and the report says which rank has another build."""
    program = [job.program("across_nodes"), "often"]
    copy = library_of_another_build(job)
    output = job.run_together_over_nodes(
        (2, 2), [["2"] + job.with_terrace(program),
                 ["2", "env", "LD_PRELOAD=%s" % copy] + program], TERRACE_ACROSS_NODES="1")
    copy.unlink()
    output.expect_right()
    expect("rank 2 has another build of Terrace" in output.text, "not said which rank")
    expect(COMPOSED not in output.text, "calls were composed by two builds")


def reproducible_over_nodes(job: Job) -> None:
    """The same bits wherever four ranks are, from the first call on."""
    words = [job.program("reproducible")]
    here = bits_of(job.run(4, words, TERRACE_REPRODUCIBLE="1").expect_right())
    for placement in ((2, 2), (3, 1)):
        output = job.run_over_nodes(placement, words, TERRACE_ACROSS_NODES="1",
                                    TERRACE_REPRODUCIBLE="1").expect_right()
        expect(bits_of(output) == here, "other bits on nodes of %s ranks" % (placement,))
        for collective in ("reduce", "allreduce", "reduce_scatter_block", "scan", "exscan"):
            expect(re.search(r"^terrace:   %s .* %s$" % (collective, COMPOSED), output.text,
                             re.MULTILINE) is not None, "no %s was composed" % collective)
            expect(output.calls(collective, "fell back") == 0, collective + " fell back")
        expect("sums may differ" not in output.text, "it was not obeyed")


UNEVEN_FOR_INTEL = ("peer_impi",)  # whose MPI_Reduce crashes by itself on uneven nodes
# In one of some 20 runs by srun, Open MPI 5 crashes in MPI_Init, as a message comes too early.
BY_SRUN = ("peer_openmpi",)

ROWS = {
    "collectives_over_2_nodes": row(over_nodes("collectives", 20000, 2, 2), over_nodes=True),
    "collectives_over_uneven_nodes": row(
        over_nodes("collectives", 20000, 2, 1), over_nodes=True, not_under=UNEVEN_FOR_INTEL),
    "calls_composed_over_2_nodes": row(
        across_nodes("collectives", ["20000"], 2, 2), over_nodes=True),
    "calls_composed_over_uneven_nodes": row(
        across_nodes("collectives", ["20000"], 2, 1), over_nodes=True, not_under=UNEVEN_FOR_INTEL),
    "elements_composed_over_2_nodes": row(
        across_nodes("across_nodes", ["elements"], 2, 2), over_nodes=True),
    "elements_composed_over_uneven_nodes": row(
        across_nodes("across_nodes", ["elements"], 2, 1), over_nodes=True,
        not_under=UNEVEN_FOR_INTEL),
    "elements_composed_over_3_nodes": row(
        across_nodes("across_nodes", ["elements"], 2, 2, 2), over_nodes=True),
    "elements_composed_over_3_uneven_nodes": row(
        across_nodes("across_nodes", ["elements"], 1, 2, 2), over_nodes=True,
        not_under=UNEVEN_FOR_INTEL),
    # These two take long with two cores.
    "elements_composed_over_4_nodes": row(
        across_nodes("across_nodes", ["elements"], 2, 2, 2, 2), over_nodes=True,
        for_the_sweep=True),
    "elements_composed_over_very_uneven_nodes": row(
        across_nodes("across_nodes", ["elements"], 3, 1), over_nodes=True, for_the_sweep=True,
        not_under=UNEVEN_FOR_INTEL),
    "calls_are_tried_over_uneven_nodes": row(tried_over_nodes, over_nodes=True),
    # Two threads of each rank under Intel MPI: without Terrace the program hangs, too, in 4 of 4
    # runs on a Xeon; with it, it ended in 400 runs on an EPYC.
    "one_thread_is_composed_over_2_nodes": row(
        threads_over_nodes, over_nodes=True, for_the_sweep_of=("peer_impi",)),
    "communicators_are_made_over_2_nodes": row(
        made_over_nodes, over_nodes=True, above_messages=True),
    "a_rank_is_not_told_over_2_nodes": row(silent_over_nodes, over_nodes=True),
    "settings_differ_over_2_nodes": row(settings_over_nodes, over_nodes=True),
    "recorded_by_one_clock_over_2_nodes": row(recorded_over_nodes, over_nodes=True, alone=True),
    "bindings_are_seen_over_3_nodes": row(bindings_over_nodes, over_nodes=True),
    "bindings_are_seen_over_slurms_nodes": row(
        bindings_by_srun, over_nodes=True, alone=True, not_under=BY_SRUN),
    "a_missing_program_ends_the_job_over_2_nodes": row(
        missing_over_nodes, over_nodes=True, ends_jobs=True),
    "an_episode_of_the_soak_over_2_nodes": row(soak_over_nodes, over_nodes=True, alone=True),
    "a_cut_wire_is_outlasted_over_2_nodes": row(cut_wire_over_nodes, over_nodes=True, alone=True),
    "another_build_is_named_over_2_nodes": row(another_build_over_nodes, over_nodes=True),
    "reproducible_sums_over_2_nodes": row(reproducible_over_nodes, over_nodes=True),
    "blocks_over_2_nodes": row(over_nodes("blocks", 3, 2, 2), over_nodes=True),
    "blocks_over_uneven_nodes": row(over_nodes("blocks", 3, 2, 1), over_nodes=True),
    "blocks_over_slurms_nodes": row(
        over_nodes("blocks", 3, 2, 2, run=Job.run_by_srun), over_nodes=True, alone=True,
        not_under=BY_SRUN),
}
