# SPDX-License-Identifier: BSD-3-Clause
"""The table of docs/conformance.md: which rules of MPI on split types hold, per MPI, alone and with
Terrace.

    ./dev conformance           measure, and write docs/conformance.md
    ./dev conformance --check   whether Terrace's columns there are what these rows ask for; runs
                                nothing, since a row of ctest per MPI runs the rules with Terrace

Rules are functions of conformance.c. With Terrace they run on pretended machines. Alone, hwloc is
told another machine around two CPUs (HWLOC_SYNTHETIC), ranks bind themselves or are bound by the
launcher, and each rule has a job of its own, as it may hang. Intel MPI does not heed hwloc's
variables: alone it is asked on this machine as it is.
"""

import argparse
import re
import sys
from datetime import date
from pathlib import Path
from typing import Dict, List, NamedTuple, Optional, Tuple

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
PAGE = ROOT / "docs" / "conformance.md"
RANKS = 4
SECONDS_ALONE = 10


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

APART = Place(TWO, "0,0,1,1", "0,0,1,1", "0,0,1,1")
SPANNING = Place(TWO, "0,1,0+1,0", "0,1,-1,0", "0,1,-1,0")
UNBOUND = Place(TWO, "0+1,0+1,0+1,0+1", "-1,-1,-1,-1", "-1,-1,-1,-1")
ONE = Place("pack:1 [numa] core:2 pu:1", "0,0,1,1", "0,0,0,0", "0,0,0,0")
EIGHT_NUMAS = Place(EIGHT, "0,1,4,5", "0,0,1,1", "0,1,2,3", is_real=False)
EIGHT_ALONE = Place(EIGHT, "0,0,1,1", "0,0,0,0", "0,0,1,1")
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
    row("the_standards_names", "`Package` and `NUMANode`, the standard's examples, are recognized"),
    row("uris_are_names", "`hwloc://NUMANode` is `NUMANode` (MPI 5.0 recommends URIs)"),
    row("one_instance_is_all", "all ranks, if all share one instance", IN_CGROUP, ONE),
    row("spanning_ranks_get_none", "a rank on several instances gets `MPI_COMM_NULL`, the others "
        "are divided", SPANNING),
    row("groups_are_disjoint", "groups are disjoint for all bindings", SPANNING),
    row("unbound_ranks_get_none", "unbound ranks are in none of several packages, but in the one "
        "machine", UNBOUND),
    row("numa_nodes", "NUMA nodes, of 8", EIGHT_NUMAS, EIGHT_ALONE),
    row("limited_ranks", "packages and cores where a cgroup allows some cores only", IN_CGROUP),
    row("unknown_names_give_none", "an unknown name gives `MPI_COMM_NULL`, without an error"),
    row("names_are_whole", "`corexyz` does not name a core"),
    row("no_name_gives_none", "no info object, or no such key: `MPI_COMM_NULL`"),
    row("a_name_at_some_ranks", "a name at some ranks only: no rank is left waiting"),
    row("shared_memory_is_shared", "`mpi_shared_memory` is `MPI_COMM_TYPE_SHARED`"),
    row("some_want_none", "ranks that give `MPI_UNDEFINED` get no communicator, the others "
        "get theirs"),
    row("keys_order_the_ranks", "keys order the new ranks"),
    row("attributes_stay_behind", "attributes are not copied"),
    row("rebinding_breaks_nothing", "rebinding ranks later changes nothing"),
    row("intercommunicators", "an intercommunicator: all ranks return the same"),
    row("different_types_do_not_hang", "different split types: an error on all ranks"),
    row("unguided_shrinks_and_ends", "HW_UNGUIDED: all members of an instance, strictly fewer than "
        "before, until there is none"),
    row("unguided_tells_the_type", "HW_UNGUIDED: all members get the same type, and a guided split "
        "by it gives the same group"),
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
    """`job` is a Job of job.py."""
    library = Path(job.terrace).resolve().parent.parent / "lib" / "libterrace-communicators.so"
    found: Dict[str, str] = {}
    for machine, words in jobs_with_terrace():
        bind = words[words.index("--bind") + 1]
        output = job.run(RANKS, [job.program("conformance"), "--library", str(library)] + words,
                         TERRACE_MACHINE=machine, TERRACE_BIND=bind)
        found.update(verdicts(output.text))
    return {one.rule: found.get(one.rule, "did not end") for one in ROWS}


class Mpi(NamedTuple):
    """An MPI of the table."""

    folder: str  # of its programs, below tests/mpi in the build
    name: str


MPIS = (
    Mpi("debian_openmpi", "Open MPI 4.1"),
    Mpi("peer_openmpi", "Open MPI 5.0"),
    Mpi("debian_mpich", "MPICH 4.0"),
    Mpi("peer_mpich", "MPICH 5.0"),
    Mpi("peer_impi", "Intel MPI 2021"),
)

AS_IT_IS = Place("", "", "0,0,0,0", "0,0,0,0")
BOUND_BY_LAUNCHER = ["--map-by", "core", "--bind-to", "core:overload-allowed"]
NEEDS_PACKAGES = ("unguided_shrinks_and_ends",)


def is_one_package() -> bool:
    folder = Path("/sys/devices/system")
    packages = {path.read_text(encoding="ascii")
                for path in folder.glob("cpu/cpu*/topology/physical_package_id")}
    return len(packages) == 1 and len(list(folder.glob("node/node[0-9]*"))) <= 1


def place_alone(one: Row, mpi: Mpi) -> Optional[Place]:
    """Where an MPI can be put for a rule; None: nowhere here."""
    if mpi.folder == "peer_impi":
        can_be = one.alone in (APART, ONE) and one.rule not in NEEDS_PACKAGES and is_one_package()
        return AS_IT_IS if can_be else None
    if mpi.folder.endswith("openmpi") and one.alone in (SPANNING, EIGHT_ALONE):
        return None  # its launcher binds all ranks alike, to one core after the other
    return one.alone if one.alone.is_real else None


def run_alone(job, one: Row, mpi: Mpi) -> str:
    """"holds", "absent", "unknown" or why it fails."""
    reached = place_alone(one, mpi)
    place = reached or AS_IT_IS  # there at least, whether its mpi.h has the type
    words = [job.program("conformance"), "--seconds", str(SECONDS_ALONE)] + place.words()
    variables = {"I_MPI_PIN": "0",
                 # Open MPI leaves its files there when a job is ended from outside.
                 "OMPI_MCA_btl_sm_backing_directory": job.folder.name}
    if place.machine:
        variables.update(HWLOC_SYNTHETIC=place.machine, HWLOC_THISSYSTEM="1")
    job.launcher_options = []
    if not mpi.folder.endswith("openmpi"):
        words += ["--cpus", place.bind or "0,0,1,1"]
    else:
        job.launcher_options = ["--bind-to", "none"] if place == UNBOUND else BOUND_BY_LAUNCHER
    try:
        output = job.run(RANKS, words + [one.rule], through_exec=False, **variables)
    except Exception as failure:  # of job.py, for what is still running
        return str(failure) if reached else "unknown"
    verdict = verdicts(output.text).get(one.rule, "did not end")
    return verdict if reached or verdict == "absent" else "unknown"


MARKS = {"holds": "✓", "absent": "-", "unknown": "?"}


def with_terrace(marks: List[str]) -> str:
    """Of all MPIs; those with which the rule does not hold are named."""
    names = [mpi.name for mpi, mark in zip(MPIS, marks) if mark != MARKS["holds"]]
    return "✗ " + ", ".join(names) if names else MARKS["holds"]


def page_of(table: Dict[str, List[str]]) -> str:
    heads = "".join("| %s " % mpi.name for mpi in MPIS)
    lines = ["| rule %s| each with Terrace |" % heads, "|---" + "|:-:" * (len(MPIS) + 1) + "|"]
    lines += ["| %s | %s | %s |" % (one.sentence, " | ".join(table[one.rule][::2]),
                                    with_terrace(table[one.rule][1::2])) for one in ROWS]
    return HEAD % date.today().isoformat() + "\n".join(lines) + "\n"


HEAD = """\
# Which MPIs split by hardware as the standard says

Each row is a rule of MPI 4.0 to 5.0 on `MPI_Comm_split_type` and related functions, and a \
function of [conformance.c](../tests/mpi/conformance.c). Each MPI was tested alone and with \
Terrace preloaded ([what Terrace \
does](guide/communicators.md#programs-that-call-mpi_comm_split_type)). `./dev conformance` writes \
this page; for each MPI a row of `./dev test` checks that all rules hold with Terrace.

✓: holds. ✗: does not hold, or hangs. -: this MPI's `mpi.h` has no such split type. ?: could not \
be tested: alone, the MPI needs more than 2 CPUs, or bindings that its launcher does not make, or \
(Intel MPI) a machine of several packages. Programs that give different split types, or both \
keys, are wrong, and the standard requires nothing of MPIs then; the rows below require an error \
on all ranks. Measured on %s.

"""


def jobs_of(build: Path) -> Dict[str, Tuple[str, str]]:
    """Family and launcher of each MPI that this build has programs for."""
    lines = (build / "tests" / "mpi" / "jobs.txt").read_text(encoding="utf-8").splitlines()
    return {name: (family, launcher) for name, family, launcher in map(str.split, lines)}


def measure(build: Path) -> Dict[str, List[str]]:
    from job import Job
    jobs = jobs_of(build)
    table: Dict[str, List[str]] = {one.rule: [] for one in ROWS}
    for mpi in MPIS:
        family, launcher = jobs.get(mpi.folder, ("", ""))
        if not launcher:
            sys.exit("conformance: %s is missing here: ./dev setup installs it" % mpi.name)
        job = Job(argparse.Namespace(
            mpi=family, mpirun=launcher, build=str(build / "tests" / "mpi" / mpi.folder),
            terrace=str(build / "bin" / "terrace"), python=""))
        together = run_with_terrace(job)
        for one in ROWS:
            for verdict in (run_alone(job, one, mpi), together[one.rule]):
                table[one.rule].append(MARKS.get(verdict, "✗"))
    return table


def complaints(text: str) -> List[str]:
    """What the page says that a row of ctest does not, and the other way round."""
    rows = re.findall(r"^\| (.+?) (?:\| [✓✗?-] ){%d}\| (.+?) \|$" % len(MPIS), text,
                      re.MULTILINE)
    there = dict(rows)
    found = ["no row: " + one.sentence for one in ROWS if one.sentence not in there]
    wanted = {one.sentence for one in ROWS}
    found += ["a row that nothing checks: " + sentence for sentence in there
              if sentence not in wanted]
    found += ["not ✓ with Terrace: " + sentence for sentence, mark in there.items()
              if mark != MARKS["holds"]]
    return found


def main() -> int:
    parser = argparse.ArgumentParser(prog="./dev conformance")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--build", type=Path, default=ROOT / "build" / "release")
    options = parser.parse_args()
    if not options.check:
        PAGE.write_text(page_of(measure(options.build)), encoding="utf-8")
    found = complaints(PAGE.read_text(encoding="utf-8"))
    for complaint in found:
        print("%s: %s" % (PAGE, complaint))
    return 1 if found else 0


if __name__ == "__main__":
    sys.modules["conformance"] = sys.modules["__main__"]
    sys.exit(main())
