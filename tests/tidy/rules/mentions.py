# SPDX-License-Identifier: BSD-3-Clause
"""Nothing names one person's machine, a package registry's host, or what a text was typed with."""

import re
from typing import List

from tree import Complaint, Tree

# Spelled with brackets, so that this file does not contain what it looks for.
FORBIDDEN = [
    (re.compile(r"(?<![\w.}$])/(work|root|home|tmp/w)/[\w.]"), "a path of one machine"),
    (re.compile(r"\b(pypi|pythonhosted|test\.pypi)[.]org\b|\b(deb|ftp)[.]debian[.]org\b"
                r"|\bregistry[.]npmjs|\bproxy[.]golang"), "the host of a package registry"),
    (re.compile(r"\bA[I]\b|\blanguage[ ]model|\bchat[ ]?bot|\b[Cc]o-[Aa]uthored-[Bb]y\b"
                r"|\b[Gg]enerated (with|by) (?!the\b|cmake\b|`)\w"), "how a text came to be"),
]
SELF = "tests/tidy/rules/mentions.py"


def check(tree: Tree) -> List[Complaint]:
    complaints = []
    for path in tree.texts:
        if path == SELF:
            continue
        for number, line in tree.lines(path):
            for pattern, what in FORBIDDEN:
                found = pattern.search(line)
                if found:
                    complaints.append(Complaint(path, number, "mentions %s: `%s`"
                                                % (what, found.group().strip())))
    return complaints


BAD = [
    ("docs/a.md", "see /ho" "me/jane/results\n"),
    ("src/base/a.hpp", "// measured in /wo" "rk/here\n"),
    ("docs/b.md", "fetch it from py" "pi.org\n"),
    ("docs/c.md", "written by an A" "I\n"),
]
GOOD = [
    ("docs/a.md", "Read `/proc/self/environ`, `$HOME/a`, `${prefix}/root/lib`, docs/work/a.md\n"),
    ("docs/b.md", "AIX, MAIN\n"),
]
