# SPDX-License-Identifier: BSD-3-Clause
"""Writes docs/reproduction.md from `terrace reproduce --json`.

    ./dev reproduce             what the papers claim, computed, into the page and onto the screen
    ./dev reproduce --check     whether the page is what would be written; writes nothing
"""

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Dict, List

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "reproduction.md"
VERDICTS = {
    "reproduced": "computed, and what the paper prints",
    "holds-in-box": "true at nine tenths or more of the points of a stated box of parameters",
    "fitted": "true if one number is chosen so that it is; how much a little of it matters is said",
    "not-reproduced": "computed, and otherwise; or there is nothing to compute from",
    "needs-hardware": "only programs or machines that are not here can decide",
}
HEAD = """\
# What the papers claim, and what our models say

Written by `./dev reproduce` from `terrace reproduce --json`; a test compares. A is the [HPDC'13 \
paper](https://doi.org/10.1145/2462902.2462903) (its longer manuscript and its successor \
included), B the [ParCo'18 paper](https://doi.org/10.1016/j.parco.2018.05.006). Their equations \
are [functions](design/equations.md) here; `terrace reproduce A2 A6` prints single claims.

No parameter is chosen so that the claim at hand comes true, except where the verdict is *fitted*. \
A claim about shapes ("always fastest") is asked at 2048 points spread evenly over a box of \
parameters; the box is stated with the claim, and was set, like the nine tenths that count as \
holding, before the first count. Of two machines, the one with the smaller share counts.
"""


def claims_from(terrace: Path) -> List[Dict]:
    answer = subprocess.run([str(terrace), "reproduce", "--json"], text=True,
                            stdout=subprocess.PIPE)
    if answer.returncode != 0:
        sys.exit("./dev reproduce: `%s reproduce --json` failed, status %d"
                 % (terrace, answer.returncode))
    return json.loads(answer.stdout)


def in_cell(text: str) -> str:
    return text.replace("|", "\\|")


def verdict_table(claims: List[Dict]) -> List[str]:
    lines = ["| verdict | means | claims |", "|---|---|---|"]
    for verdict, meaning in VERDICTS.items():
        ids = [claim["id"] for claim in claims if claim["verdict"] == verdict]
        links = ", ".join("[%s](#%s)" % (name, name.lower()) for name in ids)
        lines.append("| %s | %s | %s |" % (verdict, meaning, links or "none"))
    return lines


def section(claim: Dict) -> List[str]:
    rows = [("verdict", "**%s**" % claim["verdict"]), ("paper", claim["paper"]),
            ("place", claim["place"]), ("ours", claim["ours"]), ("how", claim["how"]),
            ("decides", claim["decides"])]
    if "box" in claim:
        rows.append(("box", claim["box"]))
    return (["", "## %s" % claim["id"], "", "| | |", "|---|---|"]
            + ["| %s | %s |" % (name, in_cell(text)) for name, text in rows])


def page_of(claims: List[Dict]) -> str:
    lines = [HEAD] + verdict_table(claims)
    for claim in claims:
        lines += section(claim)
    return "\n".join(lines) + "\n"


def print_table(claims: List[Dict]) -> None:
    for claim in claims:
        print("%-4s %-15s %s" % (claim["id"], claim["verdict"], claim["paper"]))
        print("%21sours: %s" % ("", claim["ours"]))
        print("%21sdecides: %s" % ("", claim["decides"]))


def main(words: List[str]) -> int:
    build = Path(os.environ.get("TERRACE_BUILD", str(ROOT / "build" / "release")))
    parser = argparse.ArgumentParser(prog="./dev reproduce", description=__doc__.split("\n")[0])
    parser.add_argument("--check", action="store_true", help="compare the page, write nothing")
    parser.add_argument("--terrace", type=Path, default=build / "bin" / "terrace",
                        help="the command to ask")
    chosen = parser.parse_args(words)
    claims = claims_from(chosen.terrace)
    page = page_of(claims)
    if chosen.check:
        if PAGE.read_text(encoding="utf-8") == page:
            return 0
        print("docs/reproduction.md is not what `terrace reproduce` says: run ./dev reproduce")
        return 1
    PAGE.write_text(page, encoding="utf-8")
    print_table(claims)
    print("written: docs/reproduction.md")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
