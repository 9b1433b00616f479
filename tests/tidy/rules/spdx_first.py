# SPDX-License-Identifier: BSD-3-Clause
"""Every source starts with the SPDX line, then says in a sentence what it is."""

from typing import List

from tree import C_AND_CXX, Complaint, Tree

IDENTIFIER = "SPDX-License-Identifier: BSD-3-Clause"
MARKS = {suffix: ("// ", "/* ") for suffix in C_AND_CXX}
MARKS.update({".py": ("# ",), ".f90": ("! ",), ".F90": ("! ",), ".sh": ("# ",)})
SCRIPTS = ("dev", ".ci/run")
FORTRAN = "/mpif.h"  # by a name that MPI prescribes


def marks_of(path: str):
    if path in SCRIPTS:
        return ("# ",)
    if path.endswith(FORTRAN):
        return MARKS[".f90"]
    return next((marks for suffix, marks in MARKS.items() if path.endswith(suffix)), None)


def says_what_it_is(line: str) -> bool:
    """A comment or docstring with at least three words."""
    text = line.strip()
    return text.startswith(("//", "/*", "*", "#", "!", '"""')) and len(text.split()) >= 3


def check(tree: Tree) -> List[Complaint]:
    complaints = []
    for path, text in tree.texts.items():
        marks = marks_of(path)
        lines = text.splitlines()
        if marks is None or not any(line.strip() for line in lines):
            continue
        at = 1 if lines[0].startswith("#!") else 0
        first = lines[at] if at < len(lines) else ""
        if not any(first.startswith(mark + IDENTIFIER) for mark in marks):
            complaints.append(Complaint(path, at + 1, "expected `%s%s`" % (marks[0], IDENTIFIER)))
        elif at + 1 >= len(lines) or not says_what_it_is(lines[at + 1]):
            complaints.append(Complaint(path, at + 2, "expected a sentence: what is this file?"))
    return complaints


BAD = [
    ("src/base/a.hpp", "#pragma once\n"),
    ("src/base/b.hpp", "\n// SPDX-License-Identifier: BSD-3-Clause\n// It is something.\n"),
    ("src/base/c.hpp", "// SPDX-License-Identifier: BSD-3-Clause\n#pragma once\n"),
    ("src/base/d.hpp", "// SPDX-License-Identifier: MIT\n// It is something.\n"),
    ("tools/e.py", "#!/usr/bin/env python3\nimport os\n"),
]
GOOD = [
    ("include/mpif.h", "! SPDX-License-Identifier: BSD-3-Clause\n! What this is.\n"),
    ("src/base/a.hpp", "// SPDX-License-Identifier: BSD-3-Clause\n// What this is.\n"),
    ("include/terrace/a.h", "/* SPDX-License-Identifier: BSD-3-Clause */\n/* What this is. */\n"),
    ("tools/b.py", '#!/usr/bin/python3\n# %s\n"""What it is."""\n' % IDENTIFIER),
    ("README.md", "# Terrace\n"),
]
