# SPDX-License-Identifier: BSD-3-Clause
"""Names are made of words that mean something; the rule knows the better word."""

import re
from functools import lru_cache
from typing import List

from cxx import code_only, without_preprocessor
from tree import Complaint, Tree

BETTER = {
    "comm": "team, communicator", "ctx": "what it holds", "info": "what it says",
    "data": "input, bytes, elements", "mgr": "what it does", "util": "what it does",
    "helper": "what it does", "tmp": "what it holds for now", "buf": "input, output, scratch",
    "ptr": "what it points to", "src": "from, input", "dst": "to, output",
}
# Rooms and programs that face MPI keep MPI's spelling.
FACES_MPI = re.compile(r"^(src/(abi|preload|threadranks|launcher|communicators|messages)|"
                       r"include/terrace/mpi|tests/mpi|tests/runtime|"
                       r"tests/unit/(preload|threadranks|launcher))/")
INCLUDES_MPI = re.compile(r'^\s*#\s*include\s*[<"](mpi|terrace/mpix)\.h[>"]', re.MULTILINE)
# Members of foreign types (span.data()) and names of foreign libraries are not ours to choose; a
# member of ours is caught where it is declared.
IDENTIFIER = re.compile(r"(?P<foreign>(?:\.|->|\bstd::|\bhwy::|\bhn::|\btesting::)\s*)?"
                        r"\b(?P<name>[A-Za-z_]\w*)")
FOREIGN = re.compile(r"^(P?MPIX?_|hwloc_|HWLOC_|HWY_|[dD]l_)|^[A-Z0-9_]+$")
CAMEL = re.compile(r"[A-Z]?[a-z0-9]+|[A-Z]+(?![a-z])")


@lru_cache(maxsize=None)
def words_of(name: str) -> List[str]:
    return [word.lower() for part in name.split("_") for word in CAMEL.findall(part)]


def is_ours_to_name(path: str, text: str) -> bool:
    return not FACES_MPI.match(path) and not INCLUDES_MPI.search(text)


def check(tree: Tree) -> List[Complaint]:
    complaints = []
    for path in tree.c_and_cxx():
        text = tree.texts[path]
        if not is_ours_to_name(path, text):
            continue
        code = without_preprocessor(code_only(text))
        for match in IDENTIFIER.finditer(code):
            name = match.group("name")
            if match.group("foreign") or FOREIGN.match(name):
                continue
            for word in words_of(name):
                if word in BETTER:
                    number = code.count("\n", 0, match.start("name")) + 1
                    complaints.append(Complaint(path, number, "`%s` in `%s`; better: %s"
                                                % (word, name, BETTER[word])))
    return complaints


BAD = [
    ("src/plan/a.cpp", "int tmp = 0;\n"),
    ("src/plan/b.cpp", "struct PlanInfo {};\n"),
    ("src/plan/c.cpp", "void copy(const char* src_bytes);\n"),
    ("cli/d.cpp", "struct A { int data; };\n"),
]
GOOD = [
    ("src/plan/a.cpp", "// tmp, data\nauto* first = bytes.data(); const char* a = \"dst\";\n"),
    ("src/plan/b.cpp", "std::unique_ptr<int> a; int dataset = 0, op = 1;\n"),
    ("src/preload/c.cpp", "int comm = 0;\n"),
    ("src/base/d.cpp", "Dl_info found{};\n"),
    ("examples/d.c", "#include <mpi.h>\nMPI_Comm comm;\n"),
    ("examples/e.c", "#include <terrace/mpix.h>\nMPI_Comm comm;\n"),
]
