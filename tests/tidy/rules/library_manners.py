# SPDX-License-Identifier: BSD-3-Clause
"""Library code neither prints to standard output, nor throws, nor ends the process, but for the
files that end jobs, and for operator new, which has no other way to fail."""

import re
from typing import List

from cxx import code_only
from tree import Complaint, Tree

WORDS = re.compile(r"(?<![\w.>:])(?:std::|::)?(printf|puts|putchar|abort|"
                   r"exit|_exit|_Exit|quick_exit)\s*\(|\bstd::(cout)\b|(?<![\w.>])(throw)\b")

ENDS_JOBS = ("src/preload/mpi/exit_status.cpp", "src/base/contract.cpp")
OPERATOR_NEW = "src/base/operator_new.cpp"


def check(tree: Tree) -> List[Complaint]:
    complaints = []
    for path in tree.c_and_cxx():
        if not path.startswith(("src/", "studies/")) or path in ENDS_JOBS:
            continue
        for number, line in enumerate(code_only(tree.texts[path]).splitlines(), start=1):
            found = WORDS.search(line)
            if found and (path, found.group(3)) != (OPERATOR_NEW, "throw"):
                word = next(group for group in found.groups() if group)
                complaints.append(Complaint(path, number, "`%s` in a library; return a Result"
                                            % word))
    return complaints


BAD = [
    ("src/base/a.cpp", 'printf("hello");\n'),
    ("src/base/b.cpp", "std::abort();\n"),
    ("src/base/c.cpp", "  throw std::runtime_error(why);\n"),
    ("src/base/d.cpp", "std::cout << 1;\n"),
    (OPERATOR_NEW, "std::abort();\n"),
]
GOOD = [
    ("src/base/a.cpp", "snprintf(text, 8, format); plan.exit(); // throw, abort()\n"),
    ("cli/main.cpp", "std::exit(2);\n"),
    (ENDS_JOBS[0], "_exit(1);\n"),
    (ENDS_JOBS[1], "std::abort();\n"),
    (OPERATOR_NEW, "throw std::bad_alloc();\n"),
]
