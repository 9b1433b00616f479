# SPDX-License-Identifier: BSD-3-Clause
"""Every atomic operation in src/ has a comment next to it that names its partner."""

import re
from typing import List

from cxx import code_only, without_comments
from tree import Complaint, Tree

OPERATION = re.compile(r"(?:\.|->)\s*(load|store|exchange|fetch_(?:add|sub|or|and|xor)|"
                       r"compare_exchange_(?:weak|strong)|test_and_set)\s*\(")
LINES_ABOVE = 4


def check(tree: Tree) -> List[Complaint]:
    complaints = []
    for path in tree.c_and_cxx():
        if not path.startswith(("src/", "studies/")):
            continue
        lines = tree.texts[path].splitlines()
        bare = without_comments(tree.texts[path]).splitlines()
        code = code_only(tree.texts[path]).splitlines()
        for at, text in enumerate(code):
            found = OPERATION.search(text)
            if not found:
                continue
            near = range(max(0, at - LINES_ABOVE), at + 1)
            if not any(lines[i].rstrip() != bare[i].rstrip() for i in near):
                complaints.append(Complaint(path, at + 1, "`%s` without a comment: what does it "
                                            "pair with?" % found.group(1)))
    return complaints


BAD = [
    ("src/team/a.cpp", "int f() {\n  return word.load(std::memory_order_acquire);\n}\n"),
    ("src/team/b.cpp", "// release: pairs with the acquire in `await`\n" + "\n" * 5
     + "word->store(1);\n"),
    ("src/team/c.cpp", 'say("http://x");\nword.compare_exchange_weak(a, b);\n'),
]
GOOD = [
    ("src/team/a.cpp", "word.store(1);  // release: pairs with the acquire in `await`\n"),
    ("src/team/b.cpp", "// relaxed: only its owner writes it\n\nint a = word.load();\n"),
    ("src/team/c.cpp", "Plan load(int a);\n// plan.load(\n"),
]
