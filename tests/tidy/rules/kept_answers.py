# SPDX-License-Identifier: BSD-3-Clause
"""bench/*/results hold only the newest answer to each question on each kind of machine."""

import importlib.util
import json
from pathlib import Path
from typing import Dict, List

from tree import Complaint, Tree

BENCH = Path(__file__).resolve().parent.parent.parent.parent / "bench"


def load_answers():
    spec = importlib.util.spec_from_file_location("answers", BENCH / "answers.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def by_question(tree: Tree) -> Dict[str, Dict[str, dict]]:
    found: Dict[str, Dict[str, dict]] = {}
    for path in tree.with_suffix(".json"):
        parts = path.split("/")
        if len(parts) == 4 and parts[0] == "bench" and parts[2] == "results":
            found.setdefault(parts[1], {})[path] = json.loads(tree.texts[path])
    return found


def check(tree: Tree) -> List[Complaint]:
    superseded = load_answers().superseded
    return [Complaint(path, 1, "newer answers have measured most of this again: delete it")
            for kept in by_question(tree).values() for path in superseded(kept)]


def answer(date: str, sizes, ranks: int = 2, processor: str = "P", family: str = "") -> str:
    points = [{"collective": "bcast", "bytes": count, "ranks": ranks, "us": 1.0} for count in sizes]
    machine = {"processor": processor, "family": family}
    return json.dumps({"date": date, "machine": machine, "points": points})


OLD, NEW = "bench/a/results/old.json", "bench/a/results/new.json"
BAD = [
    ("the same again", {OLD: answer("2026-01-01", [8, 64]), NEW: answer("2026-01-02", [8, 64])}),
    ("most again", {OLD: answer("2026-01-01", [8, 64]), NEW: answer("2026-01-02", [8, 512])}),
    ("by two", {OLD: answer("2026-01-01", [8, 64]), NEW: answer("2026-01-02", [8]),
                "bench/a/results/newer.json": answer("2026-01-03", [64])}),
]
GOOD = [
    ("other sizes", {OLD: answer("2026-01-01", [8, 64, 512]), NEW: answer("2026-01-02", [8])}),
    ("other ranks", {OLD: answer("2026-01-01", [8]), NEW: answer("2026-01-02", [8], ranks=4)}),
    ("other machine", {OLD: answer("2026-01-01", [8]), NEW: answer("2026-01-02", [8], 2, "Q")}),
    ("same name, other family", {OLD: answer("2026-01-01", [8], family="1"),
                                 NEW: answer("2026-01-02", [8], family="2")}),
    ("other question", {OLD: answer("2026-01-01", [8]),
                        "bench/b/results/new.json": answer("2026-01-02", [8])}),
]
