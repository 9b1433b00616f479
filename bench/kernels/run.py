#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What fraction of memcpy's bandwidth do the sum kernels reach, by operands, bytes and instruction
set, and what does a call with one element cost?

Runs kernel_speed, prints the answer and keeps it under results/ with machine and date. It judges
nothing: a time depends on what else the machine does."""

import argparse
import datetime
import json
import os
import platform
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

import answers  # noqa: E402


def processor():
    """The processor's name, and how many of them we may use."""
    name = platform.processor() or platform.machine()
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                name = line.split(":", 1)[1].strip()
                break
    except OSError:
        pass
    return {"processor": name, "cpus": len(os.sched_getaffinity(0)), "kernel": answers.kernel(),
            "load_before": os.getloadavg()[0]}


def commit():
    answer = subprocess.run(["git", "-C", HERE, "rev-parse", "--short", "HEAD"],
                            capture_output=True, text=True, check=False)
    return answer.stdout.strip() or "unknown"


def with_fractions(points):
    """Adds to each point its share of memcpy's rate at the same bytes per operand, best against
    best: a median also tells what else the machine did."""
    memcpy = {p["bytes"]: p["gb_per_s_best"] for p in points if p["who"] == "memcpy"}
    for point in points:
        point["fraction_of_memcpy"] = round(point["gb_per_s_best"] / memcpy[point["bytes"]], 3)
    return points


def table(points):
    sizes = sorted({p["bytes"] for p in points})
    rows = {}
    for p in points:
        rows.setdefault((p["who"], p["operands"], p["stores"]), {})[p["bytes"]] = p
    lines = ["best round: GB/s read and written (share of memcpy's); 8 bytes: ns per call",
             f"{'':28}" + "".join(f"{size:>15,}" for size in sizes)]
    for (who, operands, stores), found in rows.items():
        cells = []
        for size in sizes:
            p = found.get(size)
            if p is None:
                cells.append("")
            elif size == 8:
                cells.append(f"{p['ns_low']:.1f} ns")
            else:
                cells.append(f"{p['gb_per_s_best']:.1f} ({p['fraction_of_memcpy']:.2f})")
        lines.append(f"{who:11} k={operands} {stores:13}" + "".join(f"{c:>15}" for c in cells))
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", help="kernel_speed of a release build (BUILD/bin/kernel_speed)")
    parser.add_argument("--results", type=Path, default=HERE / "results")
    arguments = parser.parse_args()
    machine = processor()
    try:
        run = subprocess.run([arguments.program], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError) as fault:
        sys.exit(f"cannot run {arguments.program}: {fault}; build it with the release preset")
    points = with_fractions([json.loads(line) for line in run.stdout.splitlines()])
    now = datetime.datetime.now(datetime.timezone.utc)
    answer = {"question": __doc__.split("?")[0].replace("\n", " ") + "?", "type": "float64",
              "operator": "sum", "threads": 1, "date": now.isoformat(timespec="seconds"),
              "commit": commit(), "machine": machine, "points": points}
    arguments.results.mkdir(parents=True, exist_ok=True)
    path = arguments.results / f"{now:%Y-%m-%d-%H%M}.json"
    path.write_text(json.dumps(answer, indent=1) + "\n")
    print(table(points))
    print(f"kept in {path}")
    if machine["load_before"] > 0.5 * machine["cpus"]:
        print(f"others were running too (load {machine['load_before']:.1f}): measure again")


if __name__ == "__main__":
    main()
