# SPDX-License-Identifier: BSD-3-Clause
"""A room of src/ or studies/ includes only the rooms that the architecture's table allows it."""

import re
from typing import List

from cxx import without_comments
from tree import Complaint, Tree

MAY_INCLUDE = {
    "base": "",
    "machine": "base",
    "hierarchy": "base",
    "doctor": "base machine",
    "plan": "base",
    "collectives": "base hierarchy plan",
    "verify": "base plan",
    "model": "base plan machine",
    "simulate": "base plan model execute",
    "draw": "base machine hierarchy plan communicators simulate",
    "choose": "base hierarchy collectives plan model team execute",
    "kernels": "base",
    "heap": "base",
    "team": "base hierarchy",
    "execute": "base plan kernels team",
    "measure": "base hierarchy collectives plan model kernels team execute",
    "engine": "base machine hierarchy plan collectives verify model simulate draw choose"
              " kernels team execute measure",
    "api": "engine",
    "explain": "engine",
    "communicators": "hierarchy machine base",
    "messages": "base measure communicators",
    "mpi_calls": "engine",
    "preload": "engine communicators heap mpi_calls",
    "fibres": "base",
    "threadranks": "engine communicators fibres mpi_calls",
    "launcher": "base machine",
    # of studies/, so no room of src/ may include them
    "papers": "base machine hierarchy plan collectives model simulate communicators",
}
ALLOWED = {room: set(words.split()) for room, words in MAY_INCLUDE.items()}
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
    for path in tree.c_and_cxx():
        parts = path.split("/")
        if parts[0] not in ("src", "studies") or len(parts) < 3:
            continue
        room = parts[1]
        if room not in ALLOWED:
            complaints.append(Complaint(path, 1, "no room `%s` in the architecture" % room))
            continue
        for number, line in enumerate(without_comments(tree.texts[path]).splitlines(), start=1):
            complaints += judge(path, room, number, line)
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
                              % (room, MAY_INCLUDE[room] or "nothing but itself", target))]
    return []


BAD = [
    ("src/base/clock.hpp", '#include "plan/plan.hpp"\n'),
    ("src/plan/plan.cpp", '#include "execute/run.hpp"\n'),
    ("src/team/words.cpp", '#include "plan/plan.hpp"\n'),
    ("src/execute/run.cpp", '#include "hierarchy/hierarchy.hpp"\n'),
    ("src/hierarchy/hierarchy.cpp", "#include <hwloc.h>\n"),
    ("src/plan/plan.cpp", '#include "../execute/run.hpp"\n'),
    ("src/helpers/all.cpp", '#include "base/rank.hpp"\n'),
    ("src/launcher/process/main.cpp", '#include "threadranks/ranks/rank_state.hpp"\n'),
    ("src/threadranks/ranks/rank_abi.cpp", '#include "launcher/process/launched_job.hpp"\n'),
    ("src/model/cost.cpp", '#include "papers/claim.hpp"\n'),
    ("studies/papers/claim.cpp", '#include "engine/trial.hpp"\n'),
]
GOOD = [
    ("src/execute/run.cpp", '#include "plan/plan.hpp"\n#include "execute/run.hpp"\n'),
    ("src/plan/plan.cpp", '#include <vector>\n// #include "execute/run.hpp"\n'),
    ("src/preload/dispatch/barrier_bcast.cpp", '#include "execute/run.hpp"\n#include <mpi.h>\n'),
    ("src/launcher/process/main.cpp", '#include "threadranks/rank_abi.h"\n'),
    ("cli/main.cpp", '#include "verify/verify.hpp"\n#include "papers/claim.hpp"\n'),
    ("studies/papers/levels.cpp", '#include "simulate/simulate.hpp"\n'),
]
