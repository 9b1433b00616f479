# SPDX-License-Identifier: BSD-3-Clause
"""Our own clock and our own place are looked up in one file each, which has a way out: libraries
such as libfaketime stop the program's clock, and some systems have no /proc."""

import re
from typing import List

from cxx import without_comments
from tree import Complaint, Tree

LOOK_UPS = [
    (re.compile(r"\b(steady|high_resolution)_clock::now\b|\bclock_gettime\(CLOCK_MONOTONIC\b"),
     "ask base/ticks.hpp for the time"),
    (re.compile(r"[.>](wait_for)\(lock\b"), "wait by base/wait_at_most.hpp"),
    (re.compile(r"\"/proc/self/exe\""), "ask base/own_program.hpp for this program"),
    (re.compile(r":\s*(\w+::)*directory_iterator\("), "list folders by `paths_in`, which throws "
     "nothing"),
]
# MPI_Wtime tells the program's time.
EXEMPT = ("src/base/ticks.cpp", "src/base/own_program.cpp", "src/threadranks/mpi/environment.cpp")


def check(tree: Tree) -> List[Complaint]:
    complaints = []
    for path in tree.c_and_cxx():
        if not path.startswith(("src/", "cli/")) or path in EXEMPT:
            continue
        for number, line in enumerate(without_comments(tree.texts[path]).splitlines(), start=1):
            complaints += [Complaint(path, number, instead) for look_up, instead in LOOK_UPS
                           if look_up.search(line)]
    return complaints


BAD = [
    ("src/team/a.cpp", "auto now = std::chrono::steady_clock::now();\n"),
    ("src/team/b.cpp", "clock_gettime(CLOCK_MONOTONIC, &now);\n"),
    ("src/team/c.cpp", "changes.wait_for(lock, second, [] { return true; });\n"),
    ("cli/d.cpp", "auto own = files::read_symlink(\"/proc/self/exe\");\n"),
    ("cli/e.cpp", "for (auto one : files::directory_iterator(folder, failure)) use(one);\n"),
]
GOOD = [
    ("src/base/ticks.cpp", "clock_gettime(CLOCK_MONOTONIC, &now);\n"),
    ("src/team/a.cpp", "clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);\n"),
    ("src/base/own_program.cpp", "read_symlink(\"/proc/self/exe\", failure);\n"),
    ("bench/a.cpp", "auto now = std::chrono::steady_clock::now();\n"),
]
