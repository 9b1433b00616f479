# SPDX-License-Identifier: BSD-3-Clause
"""The name of a public type means one thing in all of src/, studies/ and cli/.

Public is a class, struct, union, enum or alias at namespace level of a header. No other header may
have a type of that name at namespace level, and no source may have one for itself. Excepted: types
inside of a type or a function, whose name is said with its owner's; types of sources alone, which
nobody else can say; and headers of which there is one for each ABI (src/abi/NAME.hpp and others),
which give the same names to each ABI's handles. Twice in one file counts once."""

import re
from typing import Dict, List, NamedTuple, Tuple

from cxx import code_only, without_preprocessor
from tree import Complaint, Tree

ROOMS = re.compile(r"^(src|studies|cli)/")
HEADER = (".hpp", ".h")
ONE_PER_ABI = re.compile(r"^src/(abi|threadranks/mpi)/(mpich|openmpi|standard)[./]")
DEFINITION = re.compile(
    r"\b(?:class|struct|union|enum(?:\s+(?:class|struct))?)\s+"
    r"(?:alignas\s*\([^)]*\)\s*)?(?:\[\[[^\]]*\]\]\s*)?(\w+)\s*(?:final\s*)?(?::(?!:)[^;{]*)?$")
ALIAS = re.compile(r"\busing\s+(\w+)\s*=")
TEMPLATE = re.compile(r"\btemplate\s*<[^{};]*?>(?=\s*(?:class|struct|using))")
NAMESPACE = re.compile(r"\bnamespace\b|extern\s+\"[^\"]*\"\s*$")


class Type(NamedTuple):
    name: str
    line: int


def types_at_namespace_level(text: str) -> List[Type]:
    code = without_preprocessor(code_only(text))
    found: List[Type] = []
    nesting: List[bool] = []  # of each open brace: is it a namespace's?
    head_start = 0
    for match in re.finditer(r"[{};]", code):
        head = code[head_start:match.start()]
        sign = match.group()
        if all(nesting):
            line = code.count("\n", 0, head_start + len(head) - len(head.lstrip())) + 1
            template_free = TEMPLATE.sub("", head)
            name = (DEFINITION if sign == "{" else ALIAS).search(template_free)
            if name and (sign == "{" or (sign == ";" and "(" not in head.split("=")[0])):
                found.append(Type(name.group(1), line))
        if sign == "{":
            nesting.append(bool(NAMESPACE.search(head)))
        elif sign == "}" and nesting:
            nesting.pop()
        head_start = match.end()
    return found


def check(tree: Tree) -> List[Complaint]:
    public: Dict[str, Tuple[str, int]] = {}
    own: List[Tuple[str, Type]] = []
    complaints = []
    for path in sorted(tree.c_and_cxx(), key=lambda p: (not p.endswith(HEADER), p)):
        if not ROOMS.match(path) or ONE_PER_ABI.search(path):
            continue
        for found in types_at_namespace_level(tree.texts[path]):
            if path.endswith(HEADER):
                first = public.setdefault(found.name, (path, found.line))
                if first[0] != path:
                    own.append((path, found))
            else:
                own.append((path, found))
    for path, found in own:
        if found.name in public:
            complaints.append(Complaint(path, found.line, "`%s` is the name of another type (%s:%d)"
                                        % ((found.name,) + public[found.name])))
    return complaints


BAD = [
    ("two headers", {"src/base/a.hpp": "namespace terrace {\nstruct Share {};\n}\n",
                     "src/plan/b.hpp": "namespace terrace::plan {\nclass Share final {};\n}\n"}),
    ("an alias", {"src/base/a.hpp": "namespace terrace {\nenum class Kind : int { one };\n}\n",
                  "cli/b.hpp": "namespace terrace {\nusing Kind = int;\n}\n"}),
    ("a source's own", {"src/base/a.hpp": "namespace terrace {\nstruct Job {\n  int a;\n};\n}\n",
                        "cli/b.cpp": "namespace {\nclass Job : public A {};\n}\n"}),
]
GOOD = [
    ("nested", {"src/base/a.hpp": "namespace terrace {\nclass A {\n  struct Key {};\n};\n"
                                  "class B {\n  using Key = int;\n};\n}\n"}),
    ("of sources alone", {"src/base/a.cpp": "namespace {\nstruct Job {};\n}\n",
                          "cli/b.cpp": "namespace {\nstruct Job {};\n}\n"}),
    ("announced", {"src/base/a.hpp": "namespace terrace {\nstruct Job;\nstruct Job f();\n}\n",
                   "cli/b.hpp": "namespace terrace {\nstruct Job {};\n}\n"}),
    ("of an ABI", {"src/abi/mpich.hpp": "namespace mpich {\nusing Comm = int;\n}\n",
                   "src/abi/openmpi.hpp": "namespace openmpi {\nusing Comm = void*;\n}\n"}),
    ("a template's parameter", {"src/base/a.hpp": "namespace a {\ntemplate <class Job>\n"
                                                  "void f(Job job) {}\n}\n",
                                "src/base/b.hpp": "namespace a {\nstruct Job {};\n}\n"}),
]
