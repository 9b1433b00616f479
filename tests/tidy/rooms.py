# SPDX-License-Identifier: BSD-3-Clause
"""Reads src/rooms.cmake: the rooms, and which others each may include; and finds the rooms whose
tests a change reaches."""

import re
from pathlib import Path
from typing import Dict, Iterable, List, Set

ROOT = Path(__file__).resolve().parents[2]
ROOMS = ROOT / "src" / "rooms.cmake"
OPTIONS = ("WITH", "SEPARATE", "BY_HAND")
# Of studies/, so no room of src/ may include it.
PAPERS = "base machine machine_files hierarchy plan collectives model simulate communicators"
INCLUDE = re.compile(r'^\s*#\s*include\s*"(\w+)/', re.MULTILINE)
# Files that no unit test is built from or reads.
BESIDE_THE_ROOMS = re.compile(
    r"docs/(?!design/weak-memory\.md)|bench/|cli/|packaging/|tools/|python/|fortran/|apps/|"
    r"examples/|tests/(?!unit/|machines/|plans/|mpi/\w+\.h$|CMakeLists)|"
    r"(?!CMakeLists)[^/]+\.(md|cff|txt|toml)$|LICENSE$|\.")
OF_A_ROOM = re.compile(r"(?:src|studies|tests/unit)/(\w+)/")


def read_rooms(text: str) -> Dict[str, List[str]]:
    """What src/rooms.cmake says, from the ground up, and the papers."""
    rooms = {}
    for words in re.findall(r"^ *terrace_room\(([^)]*)\)", text, re.MULTILINE):
        room, *rest = words.split()
        at = rest.index("NEEDS") + 1 if "NEEDS" in rest else len(rest)
        end = min((place for place, word in enumerate(rest) if word in OPTIONS and place > at),
                  default=len(rest))
        rooms[room] = rest[at:end]
    return {**rooms, "papers": PAPERS.split()}


def with_what_is_below(rooms: Dict[str, List[str]], first: Iterable[str]) -> Set[str]:
    found: Set[str] = set()
    to_do = list(first)
    while to_do:
        room = to_do.pop()
        if room not in found:
            found.add(room)
            to_do += rooms.get(room, [])
    return found


def included_by_tests(folder: Path) -> Set[str]:
    """The rooms whose headers these tests include."""
    return {room for path in folder.glob("*.[ch]pp") for room in INCLUDE.findall(path.read_text())}


def reached_by(changed: Iterable[str]) -> List[str]:
    """The rooms whose unit tests link something of these files; all, if one is of no room and may
    change the build. Paths are relative to the root."""
    folders = sorted(path for path in (ROOT / "tests" / "unit").iterdir() if path.is_dir())
    of_rooms, others = set(), []
    for path in changed:
        room = OF_A_ROOM.match(path)
        if room:
            of_rooms.add(room.group(1))
        elif not BESIDE_THE_ROOMS.match(path):
            others.append(path)
    if others:
        return [folder.name for folder in folders]
    rooms = read_rooms(ROOMS.read_text())
    return [folder.name for folder in folders
            if of_rooms & with_what_is_below(rooms, {folder.name} | included_by_tests(folder))]


def self_test() -> None:
    everything = reached_by(["src/CMakeLists.txt"])
    for path in ("CMakeLists.txt", "cmake/unity.cmake", "tests/machines/shapes.hpp",
                 "tests/plans/a.plan", "machines/a.json", "docs/design/weak-memory.md",
                 "tests/mpi/repeated_exchanges.h"):
        assert reached_by([path]) == everything, path
    assert reached_by(["docs/status.md", "tests/mpi/job.py", "README.md", ".ci/run"]) == []
    reached = reached_by(["src/verify/x.cpp"])
    assert {"verify", "collectives", "threadranks"} <= set(reached), reached
    assert not {"os", "plan", "launcher"} & set(reached), reached
    assert reached_by(["src/launcher/elf/x.cpp"]) == ["launcher"]


if __name__ == "__main__":
    self_test()
