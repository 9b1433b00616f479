# SPDX-License-Identifier: BSD-3-Clause
"""Writes docs/reproduction.md and studies/papers/answers.txt from `terrace reproduce --json`, and
draws the papers' figures.

    ./dev reproduce             what the papers claim, computed: the page, and all answers into
                                the file and onto the screen; the papers' figures by our models
                                into build/reproduction/*.svg
    ./dev reproduce --check     whether both are what would be written; writes nothing
"""

import argparse
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Dict, List

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "python"))

from terrace.sizes import bytes_text  # noqa: E402

PAGE = ROOT / "docs" / "reproduction.md"
ANSWERS = ROOT / "studies" / "papers" / "answers.txt"
PICTURES = ROOT / "build" / "reproduction"
VERDICTS = {
    "reproduced": "Computed, and what the paper prints.",
    "holds-in-box": "True at nine tenths or more of the points of a stated box of parameters.",
    "fitted": "True if one number is chosen so that it is; it is said how much a little matters.",
    "not-reproduced": "Computed, and otherwise; or there is nothing to compute from.",
    "needs-hardware": "Only programs or machines that are not here can decide.",
}
HEAD = """\
# What the papers claim, and what our models say

Each claim of two papers, A the [HPDC'13 paper](https://doi.org/10.1145/2462902.2462903) (its \
longer manuscript and its successor included) and B the \
[ParCo'18 paper](https://doi.org/10.1016/j.parco.2018.05.006), with a verdict. Their equations are \
[functions](design/equations.md) here. `terrace reproduce A9 A9s` prints what Terrace finds, how \
each claim was asked, and in which box of parameters; [one file](../studies/papers/answers.txt) \
keeps all answers. `./dev reproduce` writes both, and draws the papers' figures from our models \
into `build/reproduction`.

* No parameter is chosen so that the claim at hand comes true, except where the verdict is \
*fitted*.
* A claim about shapes ("always fastest") is asked at 2048 points spread evenly over a box of \
parameters. The box was set, like the nine tenths that count as holding, before the first count. \
Of two machines, the one with the smaller share counts.
* Shapes are asked twice: of the papers' equations, and (the claim's name with an s) of plans in \
the [simulator](design/simulation.md) at 64 points, with flags, contention of single lines, \
overlap, and room in caches.
* A claim about an algorithm that Terrace never chooses is about that algorithm, [by its \
name](../src/collectives/algorithms_by_name.inc), timed by the simulator and by its \
[cost](design/costs.md), ParCo's at 12 points.
"""


def answer_of(terrace: Path, option: str) -> List[Dict]:
    answer = subprocess.run([str(terrace), "reproduce", option], text=True,
                            stdout=subprocess.PIPE)
    if answer.returncode != 0:
        sys.exit("./dev reproduce: `%s reproduce %s` failed, status %d"
                 % (terrace, option, answer.returncode))
    return json.loads(answer.stdout)


def merged(curves: List[Dict]) -> List[Dict]:
    """Curves that lie on each other as one, with all their names: the upper hides the lower."""
    shown: List[Dict] = []
    for curve in curves:
        for other in shown:
            if (curve["is_dashed"] == other["is_dashed"] and curve["x"] == other["x"] and all(
                    abs(a - b) <= 0.01 * b for a, b in zip(curve["y"], other["y"]))):
                other["label"] += " = " + curve["name"]
                other["names"].append(curve["name"].split(",")[0])
                break
        else:
            shown.append(dict(curve, label=curve["name"], names=[curve["name"].split(",")[0]]))
    return shown


def colour_for(curve: Dict, colours: Dict[str, str]) -> str:
    """A dashed curve has the colour of the one that it is compared with."""
    kind = "dashed " if curve["is_dashed"] else ""
    taken = {colour for name, colour in colours.items() if name.startswith(kind or " ")}
    known = [colours[name] for name in curve["names"]
             if name in colours and colours[name] not in taken]
    colour = known[0] if known else "C%d" % len(set(colours.values()))
    for name in curve["names"]:
        colours[kind + name] = colour
        colours.setdefault(name, colour)
    return colour


def draw(pyplot, figure: Dict, path: Path) -> None:
    canvas, axes = pyplot.subplots(figsize=(10, 5))
    colours: Dict[str, str] = {}
    for curve in merged(figure["curves"]):
        axes.plot(curve["x"], curve["y"], label=curve["label"], linewidth=1.4,
                  color=colour_for(curve, colours), linestyle="--" if curve["is_dashed"] else "-",
                  marker=None if curve["is_dashed"] else ".")
    axes.set_xscale("log", base=2)
    axes.xaxis.set_major_formatter((lambda value, _: bytes_text(value))
                                   if "bytes" in figure["x_label"] else "{x:g}")
    most = max(max(curve["y"]) for curve in figure["curves"])
    least = min(min(curve["y"]) for curve in figure["curves"])
    if most > 100 * least:
        axes.set_yscale("log")
        axes.yaxis.set_major_formatter("{x:g}")
    else:
        axes.set_ylim(bottom=0)
    axes.set_xlabel(figure["x_label"])
    axes.set_ylabel(figure["y_label"])
    axes.set_title(figure["title"], fontsize=9)
    axes.grid(True, which="major", linewidth=0.4)
    axes.legend(fontsize=8, loc="center left", bbox_to_anchor=(1, 0.5))
    canvas.tight_layout()
    canvas.savefig(str(path))
    pyplot.close(canvas)


def draw_figures(terrace: Path) -> str:
    """What was drawn, in a sentence. Debian's matplotlib belongs to Debian's Python."""
    try:
        import matplotlib
    except ImportError:
        return draw_with_system_python(terrace)
    matplotlib.use("svg")
    from matplotlib import pyplot
    PICTURES.mkdir(parents=True, exist_ok=True)
    figures = answer_of(terrace, "--curves")
    for figure in figures:
        draw(pyplot, figure, PICTURES / (figure["name"] + ".svg"))
    return "drawn: %d figures in %s" % (len(figures), PICTURES.relative_to(ROOT))


def draw_with_system_python(terrace: Path) -> str:
    python = "/usr/bin/python3"
    has = os.path.exists(python) and subprocess.run(
        [python, "-c", "import matplotlib"], stderr=subprocess.DEVNULL).returncode == 0
    if not has:
        return "no figures drawn: matplotlib is missing; ./dev setup installs it"
    command = [python, os.path.abspath(__file__), "--figures", "--terrace", str(terrace)]
    return subprocess.run(command, text=True, stdout=subprocess.PIPE).stdout.strip()


def in_cell(text: str) -> str:
    return text.replace("|", "\\|")


def in_short(text: str) -> str:
    """Without what `terrace reproduce` prints besides: where in the box the points lie, and how it
    is at single lengths."""
    text = re.sub(r" \(mostly where [^()]*\)| \(\d+ (?:Ki)?B \d+ %[^()]*\)", "", text)
    text = re.sub(r" % of (the box|it)\b", " %", text)
    return text.replace("within a quarter of", "near")


def is_of_plans(claim: Dict) -> bool:
    """Asked again of plans in the simulator: a claim of the page has it in its own row."""
    return claim["id"].endswith("s")


def asked_again(claim: Dict, claims: List[Dict]) -> str:
    """The verdict on plans, where it was asked and is another."""
    verdicts = [other["verdict"] for other in claims if other["id"] == claim["id"] + "s"]
    return "; of plans: " + verdicts[0].replace("-", " ") if verdicts and (
        verdicts[0] != claim["verdict"]) else ""


def beginning(text: str) -> str:
    """As many of its parts as one cell of a page has room for."""
    parts = text.split(". ")
    while len(". ".join(parts)) > 400 and len(parts) > 1:
        parts.pop()
    return ". ".join(parts)


def cells(claim: Dict, above: Dict, claims: List[Dict]) -> List[str]:
    """Of a claim's row; what decides is not said again below the claim that it was said of. What
    was found where a paper says otherwise is long, and left to the file of answers."""
    paper = "%s (%s)" % (claim["paper"], claim["place"])
    decides = claim["decides"] if claim["decides"] != above.get("decides") else "the same"
    found = [beginning(in_short(claim["ours"])) + asked_again(claim, claims)]
    if claim["verdict"] == "not-reproduced":
        found = []
    return [claim["id"], paper] + found + [decides]


def row(words: List[str]) -> str:
    return "| %s |" % " | ".join(in_cell(text) for text in words)


def section(verdict: str, claims: List[Dict]) -> List[str]:
    of_verdict = [claim for claim in claims if claim["verdict"] == verdict]
    mine = [claim for claim in of_verdict if not is_of_plans(claim)]
    rows = [cells(claim, above, claims) for claim, above in zip(mine, [{}] + mine)]
    head = ["claim", "the paper says", "what decides"]
    if verdict != "not-reproduced":
        head.insert(2, "Terrace finds")
    title = verdict.replace("-", " ").capitalize()
    return ["", "## %s" % title, "", "%s %d of %d claims." % (
        VERDICTS[verdict], len(of_verdict), len(claims)), "",
        row(head), "|---" * len(head) + "|"] + [row(words) for words in rows]


def page_of(claims: List[Dict]) -> str:
    lines = [HEAD.rstrip("\n")]
    for verdict in VERDICTS:
        lines += section(verdict, claims)
    return "\n".join(lines) + "\n"


def answers_of(claims: List[Dict]) -> str:
    return "".join("%-4s %-15s %s (%s)\n%21sTerrace: %s\n%21sdecides: %s\n" % (
        claim["id"], claim["verdict"], claim["paper"], claim["place"], "", claim["ours"], "",
        claim["decides"]) for claim in claims)


def complaint_on_files(claims: List[Dict]) -> str:
    """Which of both files is not what would be written, in a sentence; empty if none."""
    for path, text in ((PAGE, page_of(claims)), (ANSWERS, answers_of(claims))):
        if path.read_text(encoding="utf-8") != text:
            return "%s is not what `terrace reproduce` says: run ./dev reproduce" % (
                path.relative_to(ROOT))
    return ""


def main(words: List[str]) -> int:
    build = Path(os.environ.get("TERRACE_BUILD", str(ROOT / "build" / "release")))
    parser = argparse.ArgumentParser(prog="./dev reproduce", description=__doc__.split("\n")[0])
    parser.add_argument("--check", action="store_true", help="compare the page, write nothing")
    parser.add_argument("--terrace", type=Path, default=build / "bin" / "terrace",
                        help="the command to ask")
    parser.add_argument("--figures", action="store_true", help="draw the figures, nothing else")
    chosen = parser.parse_args(words)
    if chosen.figures:
        print(draw_figures(chosen.terrace))
        return 0
    claims = answer_of(chosen.terrace, "--json")
    if chosen.check:
        complaint = complaint_on_files(claims)
        print(complaint, end="\n" if complaint else "")
        return 1 if complaint else 0
    PAGE.write_text(page_of(claims), encoding="utf-8")
    ANSWERS.write_text(answers_of(claims), encoding="utf-8")
    print(answers_of(claims), end="")
    print("written: %s, %s" % (PAGE.relative_to(ROOT), ANSWERS.relative_to(ROOT)))
    print(draw_figures(chosen.terrace))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
