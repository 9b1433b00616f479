# SPDX-License-Identifier: BSD-3-Clause
"""Nouns of our own are not used where the field has a word, neither in names nor in prose."""

import re
from functools import lru_cache
from typing import List, Tuple

from cxx import TOKEN, blank, code_only, without_preprocessor
from tree import Complaint, Tree
from rules.words import IDENTIFIER, words_of

# (words of a name, in a row), (in prose), the better word, where
EVERYWHERE = r""
NAMES = [
    (("seat",), "endpoint", r"(?!src/machine/)"),
    (("shelf",), "plan cache", EVERYWHERE),
    (("strangers",), "other processes", EVERYWHERE),
    (("crowded",), "oversubscribed", r"(?!bench/preload/)"),
    (("stand", "in"), "bounce block", r"(?!tests/unit/machine/)"),
    (("whereabouts",), "placement", EVERYWHERE),
    (("terrain",), "distances", EVERYWHERE),
    (("hand", "back"), "fall back", EVERYWHERE),
    (("handed",), "fall back", r"src/(preload|engine|base)/"),
    (("nobody",), "what there is none of: kNoRank, kProcNull", r"(src|include|cli)/"),
    (("give", "way"), "yield the CPU", EVERYWHERE),
    (("membership",), "communicator's state", r"src/preload/"),
    (("attempt",), "dispatch", r"src/preload/"),
    (("introduction",), "rank info", r"src/preload/"),
    (("letter",), "envelope", r"src/threadranks/"),
    (("last", "words"), "abort report", EVERYWHERE),
]
PROSE = [
    (re.compile(r"\b[Ss]eats?\b"), "endpoint", r"(src/(?!machine)|include|tests/unit|docs/design)"),
    (re.compile(r"\b[Ss]hel(f|ves)\b"), "plan cache", EVERYWHERE),
    (re.compile(r"\b[Ss]trangers?\b"), "other processes", EVERYWHERE),
    (re.compile(r"\b[Cc]rowded\b"), "oversubscribed", r"(?!bench/preload/)"),
    (re.compile(r"\b[Ss]tand-ins?\b"), "bounce block", EVERYWHERE),
    (re.compile(r"\b[Ww]hereabouts\b"), "placement", EVERYWHERE),
    (re.compile(r"\b[Tt]errain\b"), "distances", EVERYWHERE),
    (re.compile(r"\b(hand(s|ed)?|le(ft|aves?)|pass(es|ed)?|go(es)?)( [a-z]+)?( on| back| over)?\s+"
                r"(///?\s+)?to the MPI\b(?!')"), "fall back to the MPI", EVERYWHERE),
    (re.compile(r"\b([Ww]hoever|[Nn]obody|[Ss]omebody)\b"), "name the subject",
     r"(src|include|cli|docs|README)"),
    (re.compile(r"\bMPI below\b(?! (?:it|this|us)\b)"), "underlying MPI", EVERYWHERE),
    (re.compile(r"\bmemberships?\b"), "communicator's state", r"src/preload/"),
    (re.compile(r"\b[Ll]etters?\b"), "envelope", r"src/threadranks/(matching|ranks)/"),
]
# The glossary tells which words these are, the changelog what they were called once.
EXEMPT = ("docs/reference/words.md", "CHANGELOG.md", "tests/tidy/rules/private_nouns.py")


def has_in_a_row(words: List[str], row: tuple) -> bool:
    return any(tuple(words[i:i + len(row)]) == row for i in range(len(words)))


@lru_cache(maxsize=None)
def better_words(name: str) -> List[Tuple[str, str]]:
    """The better word for a name, and where it is better: names come again and again."""
    words = words_of(name)
    return [(better, where) for row, better, where in NAMES if has_in_a_row(words, row)]


def names_in(path: str, text: str) -> List[Complaint]:
    complaints = []
    code = without_preprocessor(code_only(text))
    for match in IDENTIFIER.finditer(code):
        name = match.group("name")
        if match.group("foreign"):
            continue
        for better, where in better_words(name):
            if re.match(where, path):
                complaints.append(Complaint(path, code.count("\n", 0, match.start("name")) + 1,
                                            "`%s`; better: %s" % (name, better)))
    return complaints


def prose_of(path: str, text: str) -> str:
    """What is there but comments, or Markdown's code, becomes spaces."""
    if path.endswith(".md"):
        return re.sub(r"^```.*?^```[ \t]*$|`[^`\n]*`", lambda m: blank(m.group()), text,
                      flags=re.MULTILINE | re.DOTALL)
    out, place = [], 0
    for match in TOKEN.finditer(text):
        out.append(blank(text[place:match.start()]))
        is_comment = match.lastgroup in ("line_comment", "block_comment")
        out.append(match.group() if is_comment else blank(match.group()))
        place = match.end()
    return "".join(out) + blank(text[place:])


def check(tree: Tree) -> List[Complaint]:
    complaints = []
    code = set(tree.c_and_cxx())
    for path, text in tree.texts.items():
        if path in EXEMPT or not (path in code or path.endswith(".md")):
            continue
        if path in code:
            complaints += names_in(path, text)
        prose = prose_of(path, text)
        for pattern, better, where in PROSE:
            if not re.match(where, path):
                continue
            for match in pattern.finditer(prose):
                complaints.append(Complaint(path, prose.count("\n", 0, match.start()) + 1,
                                            "`%s`; better: %s" % (match.group(), better)))
    return complaints


BAD = [
    ("src/engine/a.hpp", "class SeatOptions {};\n"),
    ("src/engine/b.cpp", "// What a seat needs.\n"),
    ("src/team/c.cpp", "bool is_crowded = true;\n"),
    ("src/plan/d.hpp", "int stand_in = 0;\n"),
    ("src/preload/dispatch/e.cpp", "int membership_ = 0;\n"),
    ("src/threadranks/matching/f.hpp", "struct Letter {};\n"),
    ("docs/design/g.md", "A waiter beside strangers sleeps.\n"),
    ("src/engine/h.hpp", "int kNobody = 0;\n"),
    ("src/preload/dispatch/i.cpp", "// A call that is left\n// to the MPI.\n"),
    ("include/terrace/j.h", "// Nobody waits.\n"),
]
GOOD = [
    ("src/engine/a.hpp", "class EndpointOptions {}; // seating\n"),
    ("src/machine/b.cpp", "// a rank's seat on its node\nint in = 0, stand = 1;\n"),
    ("src/launcher/rank_libc/c.cpp", "char letter = 'a'; // the letter of an option\n"),
    ("docs/design/d.md", "`seat` was its name\n"),
    ("src/preload/dispatch/e.cpp", "// A call that falls back to the MPI.\n"),
]
