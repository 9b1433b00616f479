# SPDX-License-Identifier: BSD-3-Clause
"""Communicators by hardware and what they carry; ownership of memory."""

import re
import tempfile
from pathlib import Path
from typing import Callable

import conformance
from job import HERE, Job
from row import row
from rows import expect
from subjects.mismatches import wrong


def by_levels(ranks: int, *situations: str, **variables: str) -> Callable[[Job], None]:
    def test(job: Job) -> None:
        job.run(ranks, [job.program("hierarchical"), *situations], through_exec=False,
                **variables).expect_right()
    return test


def ownership(ranks: int, through_exec: bool):
    def test(job: Job) -> None:
        output = job.run(ranks, [job.program("ownership")], through_exec=through_exec)
        expect("memory is copied" in output.expect_right().text, "it says that memory is shared")
    return test


def wrong_ownership(job: Job) -> None:
    output = job.run(1, [job.program("ownership"), "wrong"], through_exec=False)
    expect(output.status != 0 and "terrace: rank 0, MPIX_Give: null is given as 20 bytes"
           in output.text, "it is not said what is wrong")


def example_of_hierarchical(job: Job) -> None:
    output = job.run(6, [job.program("example_of_hierarchical")], through_exec=False,
                     TERRACE_MACHINE="pack:2 [numa] l3:1 core:2 pu:1", TERRACE_NODES="4,2")
    expect(output.status == 0 and output.text.count("2 ranks meet") == 3
           and "the sum is 252" in output.text, "the example prints something else")


def applications(job: Job) -> None:
    """Those of the paper, in each of their ways, beside serial results."""
    on = {"TERRACE_MACHINE": "pack:2 [numa] core:2 pu:1", "TERRACE_NODES": "4,2"}
    for words in (["summa", "simple", "5", "1"], ["summa", "groups", "5", "1", "2"],
                  ["summa", "topological", "5", "2"], ["vectors", "100", "2", "topological"],
                  ["vectors", "100", "1", "3,2"]):
        job.run(6, [job.program(words[0])] + words[1:], through_exec=False, **on).expect_right()
    output = job.run(2, [job.program("vectors"), "1", "1", "3"], through_exec=False)
    expect(output.status != 0 and "the product of the sizes is not" in output.text, "not refused")


def applications_of_collectives(job: Job) -> None:
    """Those of the other paper, alone and with Terrace."""
    for words, at_work in ((["matvec", "50", "20"], ("bcast", "reduce")),
                           (["nbody", "200", "2"], ("allreduce", "alltoall", "alltoallv"))):
        started = [job.program(words[0])] + words[1:]
        job.run(3, started, through_exec=False).expect_right()
        job.run(3, started).expect_right().expect_at_work(*at_work)
    output = job.run(2, [job.program("nbody"), "2000", "much"])
    expect(output.status != 0 and "nbody: expected BODIES STEPS" in output.text, "not refused")


FIGURE_1 = "pack:2 [numa] l3:1 l2:2 l1:1 core:2 pu:1"  # of the paper on communicators


def communicators(ranks: int, *situations: str, **variables: str) -> Callable[[Job], None]:
    """The library of communicators, without the preload."""
    def test(job: Job) -> None:
        output = job.run(ranks, [job.program("communicators"), *situations], through_exec=False,
                         **dict({"TERRACE_MACHINE": FIGURE_1}, **variables)).expect_right()
        expect(output.text.count("pretending to be") == 1, "not announced once")
    return test


def not_bound(job: Job) -> None:
    """A split that gives nothing to anybody says why, once, to who asks."""
    output = job.run(8, [job.program("communicators"), "not_bound"], through_exec=False,
                     TERRACE_MACHINE=FIGURE_1, TERRACE_NODES="2", TERRACE_BIND="none",
                     TERRACE_LOG="info").expect_right()
    said = "all ranks get MPI_COMM_NULL: all ranks are on one node and not bound"
    expect(output.text.count(said) == 2, "not explained once for each node")


def rank_in_trouble(job: Job) -> None:
    """Variables that are wrong, or differ, at one rank: said once, and none is placed by them."""
    program = [job.program("communicators"), "nobody_is_placed"]
    for wrong, why in (("TERRACE_BIND=0,1", "binds 2 ranks: expected 3"),
                       ("TERRACE_BIND=pu", "differ from those of rank 0")):
        output = job.run_together([["2"] + program, ["1", "env", wrong] + program],
                                  TERRACE_MACHINE=FIGURE_1, TERRACE_BIND="core").expect_right()
        expect(output.text.count("cannot be placed") == 1, "not said once")
        expect(re.search(r"rank 2 on \S+ cannot be placed", output.text) is not None,
               "the rank is not named")
        expect(why in output.text, "the reason is not named")


def switches(job: Job) -> None:
    """A network of switches, and what is said of a file that lacks a host."""
    program = [job.program("communicators")]
    nodes = {"TERRACE_MACHINE": "numa:2 core:1 pu:1", "TERRACE_NODES": "4"}
    with tempfile.TemporaryDirectory() as folder:
        conf = Path(folder) / "topology.conf"
        conf.write_text("SwitchName=s0 Nodes=n[0-1]\nSwitchName=s1 Nodes=n[2-3]\n"
                        "SwitchName=s2 Switches=s[0-1]\n", encoding="utf-8")
        job.run(8, program + ["switches"], through_exec=False, TERRACE_NETWORK=str(conf),
                **nodes).expect_right()
        conf.write_text("SwitchName=s0 Nodes=n[0-2]\n", encoding="utf-8")
        output = job.run(4, program + ["four_nodes"], through_exec=False,
                         TERRACE_NETWORK=str(conf), **nodes).expect_right()
    expect(output.text.count("cannot be placed") == 1, "not said once")
    expect(re.search(r"rank 3 on \S+ cannot be placed: the host", output.text) is not None,
           "another rank spoke")
    expect(str(conf) in output.text, "the file is not named")


def torus(job: Job) -> None:
    """Slices across a dimension that the info object names, and why there are none."""
    with tempfile.TemporaryDirectory() as folder:
        conf = Path(folder) / "torus.net"
        conf.write_text("torus t 2x3x2: n[00-11]\n", encoding="utf-8")
        output = job.run(12, [job.program("communicators"), "torus"], through_exec=False,
                         TERRACE_NETWORK=str(conf), TERRACE_NODES="12", TERRACE_LOG="info",
                         TERRACE_MACHINE="core:1 pu:1").expect_right()
    expect("all ranks have the same coordinate in dimension 4 of a torus" in output.text,
           "not said why nobody gets a communicator")


def as_the_standard_says(job: Job) -> None:
    """Every rule of docs/conformance.md holds with Terrace."""
    for rule, verdict in conformance.run_with_terrace(job).items():
        expect(verdict == "holds", "%s: %s" % (rule, verdict))


def splits_are_the_mpis(job: Job) -> None:
    """Where a rank wants it so, or has no Terrace, a split is the MPI's, on all ranks."""
    program = [job.program("conformance")]
    rules = ["--library", "none", "--packages", "0,1,0,1", "shared_memory", "process_sets"]
    started = job.with_terrace(program)
    for off in ("TERRACE=off", "TERRACE_OFF=bcast, comm_split_type"):
        output = job.run_together([["1"] + started + rules, ["1", "env", off] + started + rules,
                                   ["2"] + started + rules],
                                  TERRACE_MACHINE=conformance.TWO, TERRACE_BIND="0,1,0,1")
        found = conformance.verdicts(output.text)
        expect(found.get("shared_memory") == "holds", "shared memory: %s" % found)
        expect(found.get("process_sets", "").startswith("rank"), "Terrace did it, with " + off)
    output = job.run_together([["1"] + started + ["shared_memory"], ["1"] + program +
                               ["shared_memory"], ["2"] + started + ["shared_memory"]])
    found = conformance.verdicts(output.text)
    expect(found == {"shared_memory": "holds"}, "with a rank without Terrace: %s" % found)
    expect("rank 1 of MPI_COMM_WORLD runs without Terrace" in output.text, "rank 1 is not named")


def example_of_communicators(job: Job, program: str = "example_of_communicators") -> None:
    """What the guide shows, to the letter."""
    output = job.run(6, [job.program(program)], through_exec=False,
                     TERRACE_MACHINE="pack:2 [numa] l3:1 core:2 pu:1", TERRACE_NODES="4,2")
    expected = (HERE.parent.parent / "examples" / "communicators.txt").read_text(encoding="utf-8")
    expect(output.status == 0 and expected in output.text, "the example prints something else")


# So many processes take long to start; what the peers would show, fewer ranks show as well.
FEWER_FOR_PEERS = ("peer_mpich", "peer_openmpi")

ROWS = {
    # MPICH 4.0's spin for ten seconds; Open MPI's show what so many do, and 16 what its own do.
    "communicators_of_32_ranks": row(
        communicators(32, "bound_to_cores", TERRACE_NODES="4"), spins=True,
        needs=("communicators",), not_under=("debian_mpich",) + FEWER_FOR_PEERS),
    "communicators_of_16_ranks": row(
        communicators(16, "bound_to_cores", "straight_to_levels", "questions", "duplicates",
                      "info_keys", "keys", "as_fortran", "some_are_out", "little_room",
                      "wrong_at_one_rank", TERRACE_NODES="2"),
        spins=True, of_adapters=True, needs=("communicators",)),
    "communicators_of_different_bindings": row(
        communicators(8, "bound_to_different_levels", "guided_splits", "resources",
                      "guided_without_guidance", TERRACE_BIND="0,1,2+3,2+3,4-7,4-7,4-7,4-7"),
        spins=True, of_adapters=True, needs=("communicators",)),
    "communicators_of_packages_before_numa_nodes": row(
        communicators(8, "unguided_splits", TERRACE_MACHINE="pack:2 numa:2 core:2 pu:1"),
        spins=True, needs=("communicators",)),
    "communicators_of_single_instances": row(
        communicators(3, "single_instances", TERRACE_MACHINE="pack:1 core:2 pu:1",
                      TERRACE_BIND="none"), spins=True, needs=("communicators",)),
    "communicators_of_ranks_that_are_not_bound": row(
        not_bound, spins=True, needs=("communicators",)),
    "communicators_where_a_rank_is_in_trouble": row(
        rank_in_trouble, spins=True, needs=("communicators",)),
    "communicators_of_switches": row(switches, spins=True, needs=("communicators",)),
    "communicators_of_a_torus": row(torus, spins=True, needs=("communicators",)),
    "communicators_as_the_standard_says": row(
        as_the_standard_says, spins=True, of_adapters=True, needs=("communicators",)),
    "communicators_as_the_mpi_makes_them": row(
        splits_are_the_mpis, spins=True, needs=("communicators",)),
    "communicators_of_the_guide": row(
        example_of_communicators, spins=True, needs=("communicators",)),
    "communicators_carry_collectives_by_levels": row(
        by_levels(8, "broadcasts", "reductions", "gathers", "empty_gathers", "long_gathers",
                  "flat_trees", "wrong_roots", TERRACE_MACHINE="numa:2 l3:2 core:2 pu:1"),
        spins=True, needs=("communicators",)),
    "communicators_carry_collectives_of_uneven_groups": row(
        by_levels(8, "broadcasts", "reductions", "gathers", TERRACE_NODES="3,5",
                  TERRACE_MACHINE="pack:2 [numa] l3:1 core:2 pu:1",
                  TERRACE_BIND="0,1,2,none,0-1,0-1,2,2"),
        spins=True, needs=("communicators",)),
    "communicators_carry_the_papers_applications": row(
        applications, spins=True, needs=("communicators",), not_under=FEWER_FOR_PEERS),
    "collectives_carry_the_papers_applications": row(
        applications_of_collectives, spins=True, of_every_mpi=True, not_under=FEWER_FOR_PEERS),
    "ownership_of_memory_is_copied": ownership(3, through_exec=False),
    "ownership_of_memory_is_copied_beside_ours": ownership(2, through_exec=True),
    "ownership_of_null_is_refused": wrong_ownership,
    "communicators_carry_the_example_of_cpp": row(
        example_of_hierarchical, spins=True, needs=("communicators",)),
}
