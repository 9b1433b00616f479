# SPDX-License-Identifier: BSD-3-Clause
"""The table of docs/conformance.md: which rules of MPI on split types hold, per MPI, alone and with
Terrace.

    ./dev conformance           measure, and write docs/conformance.md
    ./dev conformance --check   whether Terrace's columns there are what these rows ask for; runs
                                nothing, since a row of ctest per MPI runs the rules with Terrace

Rules are functions of conformance.c. With Terrace they run on pretended machines. Alone, where only
some CPUs are there, hwloc is told another machine around them (HWLOC_SYNTHETIC), ranks bind
themselves, and each rule has a job of its own, as it may hang.
"""

import argparse
import os
import re
import sys
from pathlib import Path
from typing import Dict, List, NamedTuple, Tuple

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
PAGE = ROOT / "docs" / "conformance.md"
RANKS = 4
SECONDS_ALONE = 20


class Place(NamedTuple):
    """Where four ranks are on a machine."""

    machine: str
    bind: str
    packages: str
    numas: str
    is_real: bool = True  # CPUs 0 and 1 are enough, so an MPI alone can be put there

    def words(self) -> List[str]:
        return ["--packages", self.packages, "--numas", self.numas]


TWO = "pack:2 [numa] core:1 pu:1"
EIGHT = "pack:2 numa:4 core:1 pu:1"
LIMITED = str(ROOT / "tests" / "machines" / "limited_cpuset.xml")

APART = Place(TWO, "0,1,0,1", "0,1,0,1", "0,1,0,1")
SPANNING = Place(TWO, "0,1,0+1,0", "0,1,-1,0", "0,1,-1,0")
UNBOUND = Place(TWO, "0+1,0+1,0+1,0+1", "-1,-1,-1,-1", "-1,-1,-1,-1")
ONE = Place("pack:1 [numa] core:2 pu:1", "0,1,0,1", "0,0,0,0", "0,0,0,0")
EIGHT_NUMAS = Place(EIGHT, "0,1,4,5", "0,0,1,1", "0,1,2,3", is_real=False)
EIGHT_ALONE = Place(EIGHT, "0,1,0,1", "0,0,0,0", "0,1,0,1")
IN_CGROUP = Place(LIMITED, "0,1,0,1", "0,0,0,0", "0,1,0,1", is_real=False)


class Row(NamedTuple):
    rule: str
    sentence: str
    place: Place
    alone: Place  # where MPIs are put that cannot be pretended to


def row(rule: str, sentence: str, place: Place = APART, alone: Place = None) -> Row:
    return Row(rule, sentence, place, alone or place)


ROWS = (
    row("instances_of_the_named_type", "HW_GUIDED: a communicator per instance of the named type"),
    row("the_standards_names", "`Package` and `NUMANode`, the standard's examples, are known"),
    row("uris_are_names", "`hwloc://Package` is `Package` (MPI 5.0 recommends URIs)"),
    row("one_instance_is_all", "all ranks, if all share the one instance", ONE),
    row("spanning_ranks_get_none", "a rank on several instances gets `MPI_COMM_NULL`, the others "
        "are divided", SPANNING),
    row("groups_are_disjoint", "groups are disjoint, whatever ranks are bound to", SPANNING),
    row("unbound_ranks_get_none", "ranks that may run anywhere are in no one of several packages, "
        "and in the one machine", UNBOUND),
    row("numa_nodes", "NUMA nodes, of 8", EIGHT_NUMAS, EIGHT_ALONE),
    row("limited_ranks", "packages and cores where a cgroup allows some cores only", IN_CGROUP),
    row("unknown_names_give_none", "an unknown name gives `MPI_COMM_NULL`, and is no error"),
    row("names_are_whole", "`corexyz` is no name of a core"),
    row("no_name_gives_none", "no info object, or no such key: `MPI_COMM_NULL`"),
    row("a_name_at_some_ranks", "a name at some ranks only: nobody waits"),
    row("shared_memory_is_shared", "`mpi_shared_memory` is `MPI_COMM_TYPE_SHARED`"),
    row("some_want_none", "ranks that give `MPI_UNDEFINED` get none, the others theirs"),
    row("keys_order_the_ranks", "keys order the new ranks"),
    row("attributes_stay_behind", "attributes are not passed on"),
    row("rebinding_breaks_nothing", "ranks may be bound elsewhere later"),
    row("intercommunicators", "an intercommunicator: all ranks return alike"),
    row("different_types_do_not_hang", "different split types: an error on all ranks"),
    row("unguided_shrinks_and_ends", "HW_UNGUIDED: all members of an instance, strictly fewer than "
        "before, until there is none"),
    row("unguided_tells_the_type", "HW_UNGUIDED: the type is told, alike to all members, and leads "
        "back to them"),
    row("packages_before_numa_nodes", "HW_UNGUIDED: packages before the NUMA nodes in them",
        EIGHT_NUMAS),
    row("both_guided_types_agree", "RESOURCE_GUIDED: as HW_GUIDED"),
    row("process_sets", "RESOURCE_GUIDED: process sets `mpi://WORLD`, `mpi://SELF`, and unknown "
        "ones"),
    row("both_keys_are_an_error", "RESOURCE_GUIDED: both keys at once are an error on all ranks"),
    row("resources_lead_to_groups", "`MPI_Get_hw_resource_info`: URIs, of which the true ones lead "
        "to communicators"),
)


def verdicts(text: str) -> Dict[str, str]:
    """What each rule that was run has come to: "holds", "absent" or why it fails."""
    found = {rule: "holds" for rule in re.findall(r"^(\w+) is done$", text, re.MULTILINE)}
    found.update((rule, "absent")
                 for rule in re.findall(r"^(\w+) is absent$", text, re.MULTILINE))
    found.update(re.findall(r"^(\w+) fails at (rank \d+: .*)$", text, re.MULTILINE))
    return found


def jobs_with_terrace() -> List[Tuple[str, List[str]]]:
    """A machine, and the words of the one job on it."""
    machines = list(dict.fromkeys(one.place.machine for one in ROWS))
    jobs = []
    for machine in machines:
        words: List[str] = []
        there = None
        for one in ROWS:
            if one.place.machine != machine:
                continue
            if one.place != there:
                words += ["--bind", one.place.bind] + one.place.words()
            words.append(one.rule)
            there = one.place
        jobs.append((machine, words))
    return jobs


def run_with_terrace(job) -> Dict[str, str]:
    """`job` is run.py's."""
    library = Path(job.terrace).resolve().parent.parent / "lib" / "libterrace-communicators.so"
    found: Dict[str, str] = {}
    for machine, words in jobs_with_terrace():
        bind = words[words.index("--bind") + 1]
        output = job.run(RANKS, [job.program("conformance"), "--library", str(library)] + words,
                         TERRACE_MACHINE=machine, TERRACE_BIND=bind)
        found.update(verdicts(output.text))
    return {one.rule: found.get(one.rule, "did not end") for one in ROWS}
