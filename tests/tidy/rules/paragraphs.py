# SPDX-License-Identifier: BSD-3-Clause
"""Paragraphs, items of lists and cells of tables on our pages have at most 600 characters."""

import re
from typing import Iterator, List, Tuple

from tree import Complaint, Tree

MOST = 600
PAGES = re.compile(r"^(docs/.*|README|CONTRIBUTING|CHANGELOG)\.md$")
FENCE = re.compile(r"^\s*(```|~~~)")
CELL_ENDS = re.compile(r"(?<!\\)\|")
# What begins a piece without a blank line before it: an item, a heading, an element of HTML.
BEGINS = re.compile(r"^\s*([*+-]|\d+[.)])\s|^#{1,6}\s|^\s*<")


def pieces(text: str) -> Iterator[Tuple[int, str]]:
    """Pairs of the line on which a paragraph, item or cell begins, and its text on one line.
    Fenced blocks are none."""
    first, lines, is_fenced = 0, [], False
    for number, line in enumerate(text.splitlines() + [""], start=1):
        is_fence, is_row = bool(FENCE.match(line)), line.lstrip().startswith("|")
        ends = is_fence or is_row or not line.strip() or bool(BEGINS.match(line))
        if lines and (ends or is_fenced):
            yield first, " ".join(lines)
            lines = []
        is_fenced ^= is_fence
        if is_fence or is_fenced:
            continue
        if is_row:
            yield from ((number, cell.strip()) for cell in CELL_ENDS.split(line))
        elif line.strip():
            first = first if lines else number
            lines.append(line.strip())


def check(tree: Tree) -> List[Complaint]:
    return [Complaint(path, number, "%d characters in one piece, at most %d: divide it, or say less"
                      % (len(text), MOST))
            for path in tree.texts if PAGES.match(path)
            for number, text in pieces(tree.texts[path]) if len(text) > MOST]


LONG, HALF = "x" * 601, "x" * 301
BAD = [
    ("docs/a.md", "# A\n\n%s\n" % LONG),
    ("docs/guide/b.md", "%s\n%s\n" % (HALF, HALF)),
    ("README.md", "* %s\n  %s\n* short\n" % (HALF, HALF)),
    ("CHANGELOG.md", "1. %s\n" % LONG),
    ("CONTRIBUTING.md", "| a | %s |\n" % LONG),
    ("docs/c.md", "```\nshort\n```\n%s\n" % LONG),
]
GOOD = [
    ("docs/a.md", "%s\n\n%s\n" % (HALF, HALF)),
    ("docs/b.md", "* %s\n* %s\n" % (HALF, HALF)),
    ("docs/c.md", "%s\n| %s | %s |\n%s\n" % (HALF, HALF, HALF, HALF)),
    ("docs/d.md", "%s\n```\n%s\n%s\n```\n%s\n" % (HALF, LONG, LONG, HALF)),
    ("src/room/e.md", LONG),
]
