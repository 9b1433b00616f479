# SPDX-License-Identifier: BSD-3-Clause
"""The page of estimates says which constants they are, and their values as the code has them."""

import re
from typing import List

from tree import Complaint, Tree

PAGE = "docs/reference/estimates.md"
ROW = re.compile(
    r"^\| `((?:src|cli|bench)/[^`]+)` \| ([0-9.]+)(?: (KiB|MiB|ns|ms|s))? \| `(k\w+)` \| ")
# Times count in the constant's own unit.
UNITS = {None: 1, "ns": 1, "ms": 1, "s": 1, "KiB": 1 << 10, "MiB": 1 << 20}
FACTOR = re.compile(r"std::size_t\{(\d+)\}|([\d.]+(?:e\d+)?)|(KiB|MiB)")


def value_of(expression: str) -> float:
    """Of products and shifts of numbers, which is how constants are written."""
    value = 1.0
    for product in expression.split("<<")[0].split("*"):
        braced, plain, unit = FACTOR.search(product.replace("'", "")).groups()
        value *= UNITS[unit] if unit else float(braced or plain)
    shift = expression.split("<<")[1:]
    return value * (1 << int(shift[0])) if shift else value


def check(tree: Tree) -> List[Complaint]:
    complaints = []
    for number, line in enumerate(tree.texts.get(PAGE, "").splitlines(), start=1):
        row = ROW.match(line)
        if not row:
            continue
        path, amount, unit, name = row.groups()
        found = re.search(r"\b%s(?: = ([^;,]+)[;,]|\{([^},]+)\})" % name, tree.texts.get(path, ""))
        if not found:
            complaints.append(Complaint(PAGE, number, "%s has no constant `%s`" % (path, name)))
            continue
        expression = found.group(1) or found.group(2)
        if value_of(expression) != float(amount) * UNITS[unit]:
            complaints.append(Complaint(PAGE, number, "`%s` is %s" % (name, expression)))
    return complaints


def _files(expression: str) -> dict:
    return {PAGE: "| `src/a/b.cpp` | 64 KiB | `kMost` | how much |\n",
            "src/a/b.cpp": "constexpr std::size_t kMost = %s;\n" % expression}


BAD = [("another value", _files("32 << 10")), ("no constant", {PAGE: _files("")[PAGE]})]
GOOD = [
    ("shifted", _files("std::size_t{64} << 10")), ("a product", _files("64 * 1024")),
    ("a unit", _files("64 * KiB")), ("an exponent", _files("65.536e3")),
    ("digits in groups", _files("65'536")),
    ("a duration", {PAGE: "| `cli/b.cpp` | 100 ms | `kPause` | how long |\n",
                    "cli/b.cpp": "constexpr std::chrono::milliseconds kPause{100};\n"}),
]
