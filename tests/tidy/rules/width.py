# SPDX-License-Identifier: BSD-3-Clause
"""No line of code is wider than 100 characters, has a tab, or ends in spaces."""

from typing import List

from tree import C_AND_CXX, Complaint, Tree

WIDTH = 100
SUFFIXES = C_AND_CXX + (".py", ".f90", ".F90", ".sh", ".cmake", "CMakeLists.txt")


def check(tree: Tree) -> List[Complaint]:
    complaints = []
    for path in tree.with_suffix(*SUFFIXES) + [p for p in ("dev", ".ci/run") if p in tree.texts]:
        for number, line in tree.lines(path):
            if len(line) > WIDTH and "://" not in line:
                complaints.append(Complaint(path, number, "%d wide, at most %d"
                                            % (len(line), WIDTH)))
            if line.rstrip() != line:
                complaints.append(Complaint(path, number, "spaces at the end"))
            if "\t" in line:
                complaints.append(Complaint(path, number, "a tab"))
    return complaints


BAD = [
    ("src/base/a.hpp", "// " + "x" * 98 + "\n"),
    ("src/base/b.hpp", "int a; \n"),
    ("src/base/c.hpp", "\tint a;\n"),
]
GOOD = [("src/base/a.hpp", "// " + "é" * 97 + "\n"), ("docs/a.md", "x" * 200 + "\n")]
