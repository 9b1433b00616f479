# SPDX-License-Identifier: BSD-3-Clause
"""What every question's run.py needs: the machine, the commit, the load, a place for answers."""

import argparse
import datetime
import json
import os
import platform
import re
import statistics
import subprocess
import sys
from pathlib import Path

BENCH = Path(__file__).resolve().parent
ROOT = BENCH.parent
# In a campaign's pack: the commit that it was made of.
PACKED = ROOT / "PACKED"
# The fields of a point that say what was measured; the others say what came out.
SETTINGS = ("algorithm", "application", "bytes", "call", "calls", "collective", "loops", "machine",
            "mode", "mpi", "operands", "pages", "parameter", "pattern", "peer", "program", "ranks",
            "reach", "regime", "steps", "stores", "style", "threads", "time", "way", "what",
            "where", "who", "written and read")


def first_match(path, pattern):
    try:
        found = re.search(pattern, Path(path).read_text(), re.MULTILINE)
        return found.group(1).strip() if found else ""
    except OSError:
        return ""


def output_of(command):
    try:
        return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()
    except OSError:
        return ""


def kernel():
    """Its version, without what a distribution or a provider has put behind it."""
    found = re.match(r"\d+([.-]\d+)*", platform.release())
    return found.group() if found else platform.release()


def machine():
    return {"processor": first_match("/proc/cpuinfo", r"^model name\s*:\s*(.*)$")
            or platform.machine(),
            "family": first_match("/proc/cpuinfo", r"^cpu family\s*:\s*(.*)$"),
            "model": first_match("/proc/cpuinfo", r"^model\s*:\s*(.*)$"),
            "cpus": len(os.sched_getaffinity(0)),
            "kernel": kernel(),
            "compiler": (output_of(["c++", "--version"]) or "unknown").splitlines()[0],
            "huge_pages": first_match("/sys/kernel/mm/transparent_hugepage/enabled", r"\[(\w+)\]")}


def commit():
    if PACKED.exists():
        return PACKED.read_text().strip()
    changed = output_of(["git", "-C", str(ROOT), "status", "--porcelain", "--", "src"])
    name = output_of(["git", "-C", str(ROOT), "rev-parse", "--short", "HEAD"]) or "unknown"
    return name + ("+changes" if changed else "")


def load():
    """Runnable processes besides us, which is what disturbs."""
    return os.getloadavg()[0]


def settings_of(answer):
    return {tuple((name, str(point[name])) for name in SETTINGS if name in point)
            for point in answer["points"]}


def kind_of(machine):
    """Answers of one kind of machine can replace each other. Some processors' names are shared by
    several families; answers kept before 2026-11-24 do not tell the family."""
    return tuple(machine.get(name, "") for name in ("processor", "family", "model"))


def superseded(kept):
    """The names of those answers to one question (by name) that newer ones on the same kind of
    machine replace: half of their points, or more, were measured again."""
    found = []
    for name, answer in kept.items():
        newer = [settings_of(other) for other in kept.values() if other["date"] > answer["date"]
                 and kind_of(other["machine"]) == kind_of(answer["machine"])]
        own = settings_of(answer)
        if 2 * len(own & set().union(*newer)) >= len(own):
            found.append(name)
    return sorted(found)


def keep(question, about, points, folder=None):
    """Stores an answer under bench/QUESTION/results/, says where, and names those it replaces."""
    now = datetime.datetime.now(datetime.timezone.utc)
    answer = {"question": about, "date": now.isoformat(timespec="seconds"), "commit": commit(),
              "machine": machine(), "load_at_end": round(load(), 2), "points": points}
    folder = Path(folder) if folder else BENCH / question / "results"
    folder.mkdir(parents=True, exist_ok=True)
    name = re.sub(r"[^A-Za-z0-9]+", "-", answer["machine"]["processor"]).strip("-").lower()
    path = folder / ("%s-%s.json" % (name, now.strftime("%Y-%m-%d-%H%M")))
    if path.exists():
        path = folder / ("%s-%s.json" % (name, now.strftime("%Y-%m-%d-%H%M%S")))
    lines = ",\n  ".join(json.dumps(point) for point in points)
    answer["points"] = "POINTS"
    path.write_text(json.dumps(answer, indent=1).replace('"POINTS"', "[\n  %s\n ]" % lines) + "\n")
    print("kept in %s" % os.path.relpath(path))
    for older in superseded({path: json.loads(path.read_text()) for path in folder.glob("*.json")}):
        print("replaced by newer answers, to be deleted: %s" % os.path.relpath(older))
    return path


def question_options(question, about, quick, patience=60):
    """The options that every question with launches has; `about` is the caller's docstring.
    `patience` None: the programs have limits of their own, so there is no such option."""
    options = argparse.ArgumentParser(prog="./dev bench " + question,
                                      description=about.splitlines()[0])
    if patience is not None:
        options.add_argument("--patience", type=int, default=patience,
                             help="seconds for one launch (%d)" % patience)
    options.add_argument("--quick", action="store_true", help=quick)
    options.add_argument("--results", help="where to keep the answer")
    return options


def program(name=""):
    """A program of the release build, which ./dev bench has brought up to date."""
    folder = Path(os.environ.get("TERRACE_BUILD", ROOT / "build" / "release"))
    return folder / "bin" / name if name else folder / "bin"


def printed_rows(words, patience):
    """The lines that a program prints, each split at its commas; its failure ends the bench."""
    done = subprocess.run(words, capture_output=True, text=True, timeout=patience, check=False)
    if done.returncode != 0:
        sys.exit("a launch failed (%d): %s" % (done.returncode, done.stderr))
    return [line.split(",") for line in done.stdout.splitlines()]


def median_of(values):
    """Median and its 95 % interval from order statistics."""
    if not values:
        return None
    ordered = sorted(values)
    n = len(ordered)
    spread = 0.98 * n ** 0.5
    low = max(0, int(n / 2 - spread))
    high = min(n - 1, int(-(-(n / 2 + spread) // 1)))
    return {"value": statistics.median(ordered), "low": ordered[low], "high": ordered[high],
            "count": n}


def verdict(ratio, us, floor_us):
    """docs/reference/bench.md, words of a verdict: faster, met at floor, not slower, slower."""
    if not ratio or ratio["count"] < 6:
        return "unknown"
    if ratio["low"] > 1:
        return "faster"
    if floor_us and us <= 1.15 * floor_us:
        return "met at floor"
    return "not slower" if ratio["low"] >= 0.95 else "slower"


def size(count):
    for unit, letter in ((1 << 20, "M"), (1 << 10, "K")):
        if count >= unit and count % unit == 0:
            return "%d%s" % (count // unit, letter)
    return "%d" % count


def number(value, digits=3):
    return "" if value is None else "%.*g" % (digits, value)


def table(rows, columns):
    """Text columns, each as wide as it must be."""
    cells = [list(columns)] + [[str(row.get(name, "")) for name in columns] for row in rows]
    widths = [max(len(line[i]) for line in cells) for i in range(len(columns))]
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip()
                     for line in cells)
