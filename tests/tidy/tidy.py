#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The repository's own rules, each one file in rules/ with a bad example that it must catch.

tidy.py                  all rules
tidy.py RULE...          these rules
tidy.py --self-test RULE shows that a rule fails on its bad example and passes the good one
tidy.py --list           the rules with one line of description each
"""

import importlib
import sys
from pathlib import Path
from typing import List

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
SKIPPED = 77
sys.dont_write_bytecode = True
sys.path.insert(0, str(HERE))

from tree import Skip, Tree  # noqa: E402


def rule_names() -> List[str]:
    return sorted(path.stem for path in (HERE / "rules").glob("*.py"))


def load(name: str):
    return importlib.import_module("rules." + name)


def files_of(path: str, text) -> dict:
    """An example is a file, or several: then its path is only what it is called by."""
    return text if isinstance(text, dict) else {path: text}


def self_test(name: str) -> List[str]:
    """What is wrong with the rule itself; it must catch every bad example and no good one."""
    rule = load(name)
    wrong = []
    for path, text in rule.BAD:
        if not rule.check(Tree(files_of(path, text))):
            wrong.append("%s: lets this pass in %s: %r" % (name, path, str(text)[:80]))
    for path, text in rule.GOOD:
        wrong += ["%s: complains about a good example: %s" % (name, complaint)
                  for complaint in rule.check(Tree(files_of(path, text)))]
    if not rule.BAD:
        wrong.append("%s: has no bad example, so nothing shows that it can fail" % name)
    return wrong


def judge(name: str, tree: Tree) -> List[str]:
    rule = load(name)
    if hasattr(rule, "report"):
        print(rule.report(tree))
    return [str(complaint) for complaint in rule.check(tree)]


def main(words: List[str]) -> int:
    if words[:1] == ["--list"]:
        for name in rule_names():
            print("%-20s %s" % (name, (load(name).__doc__ or "").split("\n")[0]))
        return 0
    testing = words[:1] == ["--self-test"]
    names = (words[1:] if testing else words) or rule_names()
    unknown = [name for name in names if name not in rule_names()]
    if unknown:
        print("tidy: no rule `%s`; expected: %s" % (unknown[0], " ".join(rule_names())))
        return 2
    tree = None if testing else Tree.of_repository(ROOT)
    failed = skipped = 0
    for name in names:
        try:
            complaints = self_test(name) if testing else judge(name, tree)
        except Skip as reason:
            print("%s: skipped: %s" % (name, reason))
            skipped += 1
            continue
        for complaint in complaints:
            print("%s [%s]" % (complaint, name))
        print("%s: %s" % (name, "%d complaints" % len(complaints) if complaints else "ok"))
        failed += bool(complaints)
    if failed:
        return 1
    return SKIPPED if skipped == len(names) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
