# SPDX-License-Identifier: BSD-3-Clause
"""Links in Markdown lead somewhere: to a file of the repository, and to a heading that it has."""

import posixpath
import re
from typing import List, Optional

from tree import Complaint, Tree

LINK = re.compile(r"(?<!\\)\[[^\]\n]*\]\(\s*<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\s*\)")
ELSEWHERE = re.compile(r"^[a-z][a-z+.-]*:", re.IGNORECASE)
HEADING = re.compile(r"^#{1,6}\s+(.*?)\s*#*\s*$")


def without_code(text: str) -> str:
    """Fenced blocks and code spans show links, they do not make any."""
    text = re.sub(r"^(```|~~~).*?^\1[ \t]*$", lambda m: re.sub(r"[^\n]", " ", m.group()), text,
                  flags=re.MULTILINE | re.DOTALL)
    return re.sub(r"`[^`\n]*`", lambda m: " " * len(m.group()), text)


def anchors(text: str) -> set:
    """The names that common viewers give to headings."""
    found = set()
    for line in re.sub(r"^(```|~~~).*?^\1[ \t]*$", "", text,
                       flags=re.MULTILINE | re.DOTALL).splitlines():
        heading = HEADING.match(line)
        if heading:
            words = re.sub(r"[^\w\- ]", "", heading.group(1).lower())
            found.add(words.replace(" ", "-"))
    return found


def broken(tree: Tree, path: str, target: str) -> Optional[str]:
    place, _, anchor = target.partition("#")
    where = posixpath.normpath(posixpath.join(posixpath.dirname(path), place)) if place else path
    if where not in tree.texts:
        folder = any(name.startswith(where.rstrip("/") + "/") for name in tree.texts)
        if where != "." and not folder and not (tree.root / where).is_file():
            return "no file `%s`" % where
        return None
    if anchor and where.endswith(".md") and anchor not in anchors(tree.texts[where]):
        return "no heading `#%s` in %s" % (anchor, where)
    return None


def check(tree: Tree) -> List[Complaint]:
    complaints = []
    for path in tree.with_suffix(".md"):
        text = without_code(tree.texts[path])
        for match in LINK.finditer(text):
            if ELSEWHERE.match(match.group(1)):
                continue
            wrong = broken(tree, path, match.group(1))
            if wrong:
                complaints.append(Complaint(path, text.count("\n", 0, match.start()) + 1, wrong))
    return complaints


BAD = [
    ("docs/a.md", "See [the plan](no_such_file.md).\n"),
    ("docs/b.md", "# One\nSee [two](#two).\n"),
    ("docs/c.md", "![picture](no_such_picture.svg)\n"),
]
GOOD = [
    ("docs/a.md", "# What it is\nSee [it](#what-it-is), [here](a.md), [web](https://example.org).\n"),
    ("docs/b.md", "`[not a link](x.md)`\n```\n[neither](y.md)\n```\n"),
]
