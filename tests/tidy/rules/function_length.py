# SPDX-License-Identifier: BSD-3-Clause
"""No function is longer than 60 lines; the ten longest are printed each time."""

from typing import List, Tuple

from cxx import Function, functions
from tree import Complaint, Tree

LONGEST = 60


def all_functions(tree: Tree) -> List[Tuple[str, Function]]:
    return [(path, function) for path in tree.c_and_cxx()
            for function in functions(tree.texts[path])]


def report(tree: Tree) -> str:
    found = all_functions(tree)
    top = sorted(found, key=lambda entry: -entry[1].length())[:10]
    lines = ["%d functions; the longest:" % len(found)]
    return "\n".join(lines + ["  %3d lines  %s:%d  %s" % (function.length(), path,
                                                       function.first_line, function.name)
                              for path, function in top])


def check(tree: Tree) -> List[Complaint]:
    return [Complaint(path, function.first_line, "%s has %d lines, at most %d: split it"
                      % (function.name, function.length(), LONGEST))
            for path, function in all_functions(tree) if function.length() > LONGEST]


STATEMENTS = "  work();\n"
BAD = [
    ("src/a/free.cpp", "namespace a {\nvoid f(int x) {\n" + STATEMENTS * 59 + "}\n}\n"),
    ("src/a/member.cpp", "class A {\n int f() const noexcept {\n" + STATEMENTS * 59 + "}\n};\n"),
    ("src/a/constructor.cpp",
     "A::A(int x = {}) : first_{x}, second_(x) {\n" + STATEMENTS * 59 + "}\n"),
    ("src/a/template.cpp",
     "template <class T>\nstruct B<T> g(T x) {\n" + STATEMENTS * 58 + "}\n"),
    ("src/a/operator.cpp", "bool operator==(A a, A b) {\n" + STATEMENTS * 59 + "}\n"),
    ("src/a/lambda.cpp", "void f() {\n auto g = [&](int) {\n" + STATEMENTS * 57 + " };\n}\n"),
    ("tests/unit/a/a_test.cpp", "TEST(A, does_it) {\n" + STATEMENTS * 59 + "}\n"),
]
GOOD = [
    ("src/a/short.cpp", ("void f() {\n" + STATEMENTS * 58 + "}\n") * 2),
    ("src/a/type.cpp", "struct alignas(64) A {\n" + "  int b;\n" * 80 + "};\n"),
    ("src/a/enum.cpp", "enum class A : char {\n" + "  b,\n" * 80 + "};\n"),
    ("src/a/table.cpp", "const Row rows[] = {\n" + "  {f(1), {2}},\n" * 80 + "};\n"),
    ("src/a/namespace.cpp", "namespace a {\n" + "void f(int x);\n" * 80 + "}\n"),
]
