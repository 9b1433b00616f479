# SPDX-License-Identifier: BSD-3-Clause
"""A room of src/ or studies/ includes only the rooms that src/rooms.cmake allows it, and the table
of the page on the architecture says the same.

In rooms of several folders, a folder includes only those below it. Files do not include each other
in circles.
"""

import re
from typing import Dict, List

from cxx import without_comments
from rooms import ROOMS, read_rooms
from tree import Complaint, Tree

ARCHITECTURE = "docs/design/architecture.md"
MAY_INCLUDE = read_rooms(ROOMS.read_text())
ALLOWED = {room: set(others) for room, others in MAY_INCLUDE.items()}
# The folders of rooms, from the ground up. Files beside them are at the very ground.
FLOORS = {
    "preload": "lookup mpi transport nodes waiting setup dispatch requests entry".split(),
    "threadranks": "handles types matching network ranks windows files entry mpi fortran".split(),
    "launcher": "elf process rank_libc".split(),
}
QUOTED = re.compile(r'^\s*#\s*include\s*"([^"]+)"')
# Single headers by which two rooms meet that include nothing else of each other.
DOORS = {"launcher": {"threadranks/rank_abi.h"}}
MPI_ROOMS = {"communicators", "preload", "threadranks"}
PURE_ROOMS = set(ALLOWED) - MPI_ROOMS
ANGLED = re.compile(r"^\s*#\s*include\s*<(mpi\.h|hwloc\.h)>")


def reachable(room: str) -> set:
    """The rooms above the engine see what it sees: they are its outer skin."""
    allowed = set(ALLOWED[room]) | {room}
    if "engine" in allowed:
        allowed |= ALLOWED["engine"]
    return allowed


def check(tree: Tree) -> List[Complaint]:
    complaints = []
    includes = {}
    for path in tree.c_and_cxx():
        parts = path.split("/")
        if parts[0] not in ("src", "studies") or len(parts) < 3:
            continue
        room = parts[1]
        if room not in ALLOWED:
            complaints.append(Complaint(path, 1, "no room `%s` in src/rooms.cmake" % room))
            continue
        includes[path] = {}
        for number, line in enumerate(without_comments(tree.texts[path]).splitlines(), start=1):
            complaints += judge(path, room, number, line)
            complaints += judge_floor(parts, number, line)
            if quoted := QUOTED.match(line):
                includes[path]["src/" + quoted.group(1)] = number
    page = tree.texts.get(ARCHITECTURE)
    return complaints + circles(includes) + (judge_table(page) if page else [])


def judge_table(page: str) -> List[Complaint]:
    """Whether the table of rooms has them all, each with what it may include."""
    complaints, told = [], set()
    for number, line in enumerate(page.splitlines(), start=1):
        row = re.match(r"\| `(\w+)` \|.*\| ([^|]+) \|$", line)
        if not row or row.group(1) not in ALLOWED:
            continue
        room, column = row.group(1), row.group(2).split(";")[0]
        told.add(room)
        expected = ", ".join(MAY_INCLUDE[room]) or "nothing"
        if column != expected:
            complaints.append(Complaint(ARCHITECTURE, number,
                                        "%s may include %s (src/rooms.cmake)" % (room, expected)))
    missing = sorted(set(ALLOWED) - told - {"papers"})
    return complaints + [Complaint(ARCHITECTURE, 1, "no row for the room `%s`" % room)
                         for room in missing]


def floor_of(parts: List[str]) -> int:
    """Of a path below src/, as parts: 0 for files beside the folders, -1 for folders unknown."""
    floors = FLOORS[parts[0]]
    if len(parts) == 2:
        return 0
    return floors.index(parts[1]) + 1 if parts[1] in floors else -1


def judge_floor(path: List[str], number: int, line: str) -> List[Complaint]:
    quoted = QUOTED.match(line)
    room = path[1]
    target = quoted.group(1).split("/") if quoted else []
    if path[0] != "src" or room not in FLOORS or len(target) < 2 or target[0] != room:
        return []
    own, other = floor_of(path[1:]), floor_of(target)
    for parts, floor in ((path[1:], own), (target, other)):
        if floor < 0:
            return [Complaint("/".join(path), number, "no floor of %s/ is `%s`"
                              % (room, parts[1]))]
    if other > own:
        return [Complaint("/".join(path), number, "%s/%s is above this file (%s)"
                          % (room, target[1], " < ".join(FLOORS[room])))]
    return []


def circles(includes: Dict[str, Dict[str, int]]) -> List[Complaint]:
    """One complaint for each include that closes a circle. Files: to line numbers of includes."""
    complaints, finished, way = [], set(), []

    def visit(path: str) -> None:
        way.append(path)
        for target, number in includes[path].items():
            if target in way:
                circle = way[way.index(target):] + [target]
                complaints.append(Complaint(path, number, "a circle: " + " -> ".join(circle)))
            elif target in includes and target not in finished:
                visit(target)
        finished.add(way.pop())

    for path in includes:
        if path not in finished:
            visit(path)
    return complaints


def judge(path: str, room: str, number: int, line: str) -> List[Complaint]:
    quoted, angled = QUOTED.match(line), ANGLED.match(line)
    if angled:
        header = angled.group(1)
        home = "machine" if header == "hwloc.h" else ""
        if room in PURE_ROOMS and room != home:
            return [Complaint(path, number, "%s/ builds without <%s>" % (room, header))]
    if quoted and "/" in quoted.group(1):
        target = quoted.group(1).split("/")[0]
        if quoted.group(1) in DOORS.get(room, ()):
            return []
        if target == "..":
            return [Complaint(path, number, "include by room, not by `..`")]
        if target in ALLOWED and target not in reachable(room):
            return [Complaint(path, number, "%s/ may include %s, not %s/"
                              % (room, ", ".join(MAY_INCLUDE[room]) or "nothing but itself",
                                 target))]
    return []


TABLE = "".join("| `%s` | | %s |\n" % (room, ", ".join(others) or "nothing")
                for room, others in MAY_INCLUDE.items() if room != "papers")
BAD = [
    ("src/base/clock.hpp", '#include "plan/plan.hpp"\n'),
    ("src/plan/plan.cpp", '#include "execute/run.hpp"\n'),
    ("src/team/words.cpp", '#include "plan/plan.hpp"\n'),
    ("src/execute/run.cpp", '#include "hierarchy/hierarchy.hpp"\n'),
    ("src/hierarchy/hierarchy.cpp", "#include <hwloc.h>\n"),
    ("src/plan/plan.cpp", '#include "../execute/run.hpp"\n'),
    ("src/helpers/all.cpp", '#include "base/rank.hpp"\n'),
    (ARCHITECTURE, TABLE.replace("| `plan` | | base |", "| `plan` | | base, hierarchy |")),
    (ARCHITECTURE, TABLE.replace("| `plan` | | base |", "")),
    ("src/launcher/process/main.cpp", '#include "threadranks/ranks/rank_state.hpp"\n'),
    ("src/threadranks/entry/rank_abi.cpp", '#include "launcher/process/launched_job.hpp"\n'),
    ("src/model/cost.cpp", '#include "papers/claim.hpp"\n'),
    ("studies/papers/claim.cpp", '#include "engine/trial.hpp"\n'),
    ("src/preload/mpi/adapter.cpp", '#include "preload/setup/comm_states.hpp"\n'),
    ("src/preload/mpi/adapter.cpp", '#include "preload/helpers/all.hpp"\n'),
    ("src/preload/helpers/all.cpp", '#include "preload/mpi/settings.hpp"\n'),
    ("src/threadranks/rank_abi.h", '#include "threadranks/types/datatype.hpp"\n'),
    ("src/launcher/elf/program.cpp", '#include "launcher/process/reserve.hpp"\n'),
    ("a circle", {"src/plan/plan.hpp": '#include "plan/waits.hpp"\n',
                  "src/plan/waits.hpp": '#include "plan/text.hpp"\n',
                  "src/plan/text.hpp": '#include "plan/plan.hpp"\n'}),
]
GOOD = [
    (ARCHITECTURE, TABLE),
    ("src/execute/run.cpp", '#include "plan/plan.hpp"\n#include "execute/run.hpp"\n'),
    ("src/plan/plan.cpp", '#include <vector>\n// #include "execute/run.hpp"\n'),
    ("src/preload/dispatch/barrier_bcast.cpp", '#include "execute/run.hpp"\n#include <mpi.h>\n'),
    ("src/launcher/process/main.cpp", '#include "threadranks/rank_abi.h"\n'),
    ("src/preload/entry/entry_points.cpp", '#include "preload/lookup/next_function.hpp"\n'),
    ("src/threadranks/ranks/rank_state.hpp", '#include "threadranks/rank_abi.h"\n'),
    ("cli/main.cpp", '#include "verify/verify.hpp"\n#include "papers/claim.hpp"\n'),
    ("studies/papers/levels.cpp", '#include "simulate/simulate.hpp"\n'),
]
