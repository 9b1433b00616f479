# SPDX-License-Identifier: BSD-3-Clause
"""A comment above a declaration opens with a noun or a verb: what the thing is or does.

A comment that opens with "Of", "What", "By" or "The same" is half a sentence: the reader has to
find the other half, a line or a file away. Said with the subject first, it can be read alone.
"Whether", "If", "In", "On" and the like stay, as in most code of the field; and a note behind a
field (`///<`) may go on where its name ends.

Judged are comments of their own lines: `///` everywhere; `//` and `/*` outside of functions, right
above the declaration."""

import re
from typing import Iterator, List, NamedTuple, Set

from cxx import functions
from tree import Complaint, Tree

ROOMS = re.compile(r"^(src|cli|bench|include)/")
WRITTEN_BY_PROGRAM = re.compile(r"\bWritten by\s+(//\s*)?tools/")
FUNCTION_WORDS = {
    "of", "what", "by", "how", "where", "which", "who", "whose", "as", "for", "from", "to", "with",
    "without", "into", "those", "these", "that", "such", "likewise", "so", "the same",
}
OPENING = re.compile(r"(?P<word>the same|[a-z]+)\b(?!['`])", re.IGNORECASE)
# Openings that a native reader expects.
IDIOMS = re.compile(r"(by default|for (tests|each|every)|from (here|now|this) on|to be called|"
                    r"as if)\b", re.IGNORECASE)
MARK = re.compile(r"^\s*(?P<mark>///?|/\*\*?)(?![/<!])\s*(?P<text>.*)")


class Comment(NamedTuple):
    line: int
    mark: str
    text: str  # of its first line
    below: str  # the code of the line after it


def own_line_comments(lines: List[str]) -> Iterator[Comment]:
    at = 0
    while at < len(lines):
        found = MARK.match(lines[at])
        begin = at
        at += 1
        if not found:
            continue
        if found.group("mark").startswith("//"):
            while at < len(lines) and lines[at].lstrip().startswith("//"):
                at += 1
        else:
            while at < len(lines) and "*/" not in lines[at - 1]:
                at += 1
        below = lines[at].strip() if at < len(lines) else ""
        yield Comment(begin + 1, found.group("mark"), found.group("text"), below)


def lines_of_bodies(text: str) -> Set[int]:
    inside: Set[int] = set()
    for function in functions(text):
        inside.update(range(function.first_line + 1, function.last_line + 1))
    return inside


def is_above_declaration(comment: Comment, bodies: Set[int]) -> bool:
    if comment.mark == "///":
        return True
    return (comment.line not in bodies and bool(comment.below)
            and not comment.below.startswith(("#", "}")))


def check(tree: Tree) -> List[Complaint]:
    complaints = []
    for path in tree.c_and_cxx():
        text = tree.texts[path]
        if not ROOMS.match(path) or WRITTEN_BY_PROGRAM.search(text[:1000]):
            continue
        bodies = lines_of_bodies(text)
        for comment in own_line_comments(text.splitlines()):
            opening = OPENING.match(comment.text)
            if (opening and opening.group("word").lower() in FUNCTION_WORDS
                    and not IDIOMS.match(comment.text) and is_above_declaration(comment, bodies)):
                complaints.append(Complaint(
                    path, comment.line, "opens with `%s`; begin with what it is or does"
                    % opening.group("word")))
    return complaints


BAD = [
    ("src/plan/a.hpp", "/// Of a step.\nint ranks();\n"),
    ("src/plan/b.cpp", "namespace {\n/// What a rank knows.\nstruct Knowledge {};\n}\n"),
    ("src/plan/c.hpp", "struct A {\n  /// The same for all ranks.\n  void all();\n};\n"),
    ("src/plan/d.cpp", "void f() {\n  /// How many ranks wait.\n  int waiting = 0;\n}\n"),
    ("cli/e.hpp", "// By rank.\n// Empty: none.\nstd::vector<int> places;\n"),
    ("bench/f.c", "/* Where a block begins:\n * in bytes. */\nstatic long begin_of(int block);\n"),
    ("include/terrace/g.h", "/** Likewise, at a root. */\nint terrace_gather(int root);\n"),
    ("src/plan/h.hpp", "/// For people.\nstd::string text();\n"),
]
GOOD = [
    ("src/plan/a.hpp", "struct A {\n  int ranks = 0;  ///< of the team\n"
                       "                  ///< by which it is known\n  int b;\n};\n"),
    ("src/plan/b.hpp", "/// Returns what a rank knows.\nint known();\n/// Whether a rank waits.\n"
                       "bool waits();\n/// In place.\nvoid reduce();\n"),
    ("src/plan/c.cpp", "void f() {\n  // From the last to the first.\n  g();\n}\n"),
    ("src/plan/d.hpp", "// SPDX-License-Identifier: BSD-3-Clause\n// What ranks know.\n"
                       "#pragma once\n"),
    ("src/plan/e.hpp", "/// For each rank, its node.\nstd::vector<int> nodes;\n"
                       "/// For tests.\nvoid forget();\n/// As if no rank waited.\nvoid g();\n"),
    ("src/plan/f.hpp", "/// `what` is the call.\nint f(int what);\n/// To's end.\nint g();\n"),
    ("src/plan/g.hpp", "/// A rank\n/// of the team.\nint rank();\n"),
    ("tests/unit/plan/h.cpp", "/// Of a step.\nint ranks();\n"),
    ("src/plan/i.h", "// Names. Written by\n// tools/a.py.\n\n/// Of a step.\nint ranks();\n"),
]
