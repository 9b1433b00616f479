# SPDX-License-Identifier: BSD-3-Clause
"""A page per algorithm, from the code: what its file says of it, its plan drawn, what calls cost
on three machines, and what proves it."""

import json
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Dict, List, NamedTuple, Tuple

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python"))

from pages import Nav, Pages  # noqa: E402
from terrace.sizes import bytes_text  # noqa: E402

ROW = re.compile(r'ALGORITHM\(\s*"([\w.]+)",\s*\w+,\s*(\w+),')
TABLES = ("src/collectives/algorithms_to_choose_from.inc", "src/collectives/algorithms_by_name.inc")
# Two packages, eight NUMA nodes, 32 L3s; two packages, eight NUMA nodes; one of each. A rank per
# core.
MACHINES = (("rome-2x64", 128), ("sapphire-rapids-snc4", 112), ("grace-72", 72))
SIZES = ("8", "4KiB", "64KiB", "1MiB")
DRAWN = ["--machine", "westmere-x5650", "--ranks", "12"]
DRAWN_OVER_NODES = ["--machine", "ntw10e5", "--ranks", "8", "--nodes", "2"]
PROVED_RANKS = "8"
PROVED = (("plans", "plan"), ("executions", "execution"), ("accesses", "access"),
          ("pairs", "ordered pair"), ("triples", "triple"))
WORDS_OF_SIZES = {(True, True): "any", (True, False): "that fit a line",
                  (False, True): "long vectors"}


class Algorithm(NamedTuple):
    name: str
    collective: str
    is_candidate: bool
    sizes: str
    description: str
    source: str
    file: str
    function: str

    @property
    def page(self) -> str:
        return "algorithms/%s.md" % self.name


class Comment(NamedTuple):
    """What stands at the top of an algorithm's file, in parts."""

    text: str
    traffic: str
    order: str


def files_of_writers(root: Path) -> Dict[str, str]:
    found = {}
    for path in sorted((root / "src" / "collectives").glob("*.cpp")):
        for name in re.findall(r"^Plan (\w+)\(const Shape& shape\) \{", path.read_text(), re.M):
            found[name] = path.relative_to(root).as_posix()
    return found


def opening_comment(text: str) -> Comment:
    lines = []
    for line in text.splitlines()[1:]:  # behind the licence
        if not line.startswith("//"):
            break
        lines.append(line[2:].removeprefix(" "))
    whole = "\n".join(lines)
    parts = re.split(r"(?<![\w-])(Traffic[^:.]*:|Order:)", whole)
    found = {"": parts[0]}
    for label, words in zip(parts[1::2], parts[2::2]):
        kind = label.split()[0].rstrip(":")
        condition = label[len(kind):].strip(" :")
        found[kind] = (condition[:1].upper() + condition[1:] + ": " if condition else "") + (
            words.strip() if condition else words.strip()[:1].upper() + words.strip()[1:])
    return Comment(found[""].rstrip(), found.get("Traffic", ""), found.get("Order", ""))


def time_text(nanoseconds: float) -> str:
    for limit, unit, divisor in ((1e3, "ns", 1), (1e6, "us", 1e3), (1e9, "ms", 1e6)):
        if nanoseconds < limit * 0.9995:
            return "%.3g %s" % (nanoseconds / divisor, unit)
    return "%.3g s" % (nanoseconds / 1e9)


def count_text(count: int, name: str) -> str:
    plural = "" if count == 1 else "es" if name.endswith("s") else "s"
    return "{:,} {}{}".format(count, name, plural)


def size_text(size: str) -> str:
    return size + " B" if size.isdigit() else size.replace("KiB", " KiB").replace("MiB", " MiB")


class Algorithms:
    def __init__(self, terrace: Path, pages: Pages):
        self.terrace, self.pages = terrace, pages
        writers = {name: function for table in TABLES
                   for name, function in ROW.findall((pages.root / table).read_text())}
        files = files_of_writers(pages.root)
        self.rows = [Algorithm(row["name"], row["collective"], row["chosen"],
                               WORDS_OF_SIZES[row["lines"], row["owner"]], row["description"],
                               row["source"], files[writers[row["name"]]], writers[row["name"]])
                     for row in json.loads(self.output(["plan", "--list", "--json"]))
                     if not row["graph"]]  # those have no times, and no table
        with ThreadPoolExecutor(2) as pool:
            self.costs = dict(pool.map(self.cost, [(row, machine, size) for row in self.rows
                                                   for machine in MACHINES
                                                   for size in self.sizes_of(row)]))

    def output(self, words: List[str]) -> str:
        return subprocess.run([str(self.terrace)] + words, check=True, text=True,
                              stdout=subprocess.PIPE).stdout

    @staticmethod
    def sizes_of(row: Algorithm) -> Tuple[str, ...]:
        if row.collective == "barrier":
            return ("0",)
        return SIZES[:1] if row.sizes == WORDS_OF_SIZES[True, False] else (
            SIZES[1:] if row.sizes == WORDS_OF_SIZES[False, True] else SIZES)

    def cost(self, call: Tuple[Algorithm, Tuple[str, int], str]) -> Tuple[Tuple, Dict[str, Any]]:
        row, (machine, ranks), size = call
        answer = json.loads(self.output(["cost", row.name, size, "--machine", machine, "--ranks",
                                         str(ranks), "--json"]))
        return (row.name, machine, size), {key: answer[key] for key in ("ns", "bytes")}

    def is_fastest(self, row: Algorithm, machine: str, size: str) -> bool:
        rivals = [self.costs[other.name, machine, size]["ns"] for other in self.rows
                  if other.collective == row.collective and size in self.sizes_of(other)]
        return self.costs[row.name, machine, size]["ns"] <= min(rivals)

    def time_cell(self, row: Algorithm, machine: str, size: str) -> str:
        if size not in self.sizes_of(row):
            return "–"
        text = time_text(self.costs[row.name, machine, size]["ns"])
        return "**%s**" % text if self.is_fastest(row, machine, size) else text

    def write(self) -> Nav:
        self.write_index()
        nav: Nav = ["algorithms/index.md"]
        for collective in dict.fromkeys(row.collective for row in self.rows):
            rows = [row for row in self.rows if row.collective == collective]
            nav.append({collective: [{row.name: row.page} for row in rows]})
            for row in rows:
                self.write_page(row)
        return nav

    def write_index(self) -> None:
        page = "algorithms/index.md"
        machine, ranks = MACHINES[0]
        lines = ["# Algorithms", "",
                 "Each algorithm is a function that writes a plan. Those that Terrace chooses from "
                 "are marked; the others run when they are named, most of them to reproduce what "
                 "papers claim. Times are what `terrace cost` predicts for a call of %d ranks on "
                 "%s, not measurements ([how they are computed, and how far off they are](%s)); "
                 "the fastest prediction of a collective is bold. [Write one of your own](%s)."
                 % (ranks, machine, self.pages.link(page, "docs/design/costs.md"),
                    self.pages.link(page, "docs/guide/write-a-plan.md")), ""]
        for collective in dict.fromkeys(row.collective for row in self.rows):
            rows = [row for row in self.rows if row.collective == collective]
            sizes = [size for size in ("0",) + SIZES if any(size in self.sizes_of(row)
                                                            for row in rows)]
            heads = ["algorithm", "chosen", "what it does"] + [
                "a call" if size == "0" else size_text(size) for size in sizes]
            lines += ["## " + collective, "", "| %s |" % " | ".join(heads),
                      "|" + "---|" * 3 + "---:|" * len(sizes)]
            for row in rows:
                cells = ["[%s](%s.md)" % (row.name, row.name), "yes" if row.is_candidate else "",
                         row.description] + [self.time_cell(row, machine, size) for size in sizes]
                lines.append("| %s |" % " | ".join(cells))
            lines.append("")
        self.pages.write(page, "\n".join(lines))

    def write_page(self, row: Algorithm) -> None:
        comment = opening_comment((self.pages.root / row.file).read_text())
        parts = ["# %s" % row.name, self.facts(row), "## How it works", comment.text,
                 self.drawing(row), "## Traffic", comment.traffic, self.traffic(row), "## Order",
                 comment.order, "## What a call costs", self.cost_table(row),
                 "## What proves it", self.proof(row)]
        self.pages.write(row.page, "\n\n".join(part for part in parts if part) + "\n")

    def facts(self, row: Algorithm) -> str:
        others = [other for other in self.rows if other.file == row.file and other != row]
        lines = [row.description[:1].upper() + row.description[1:] + ".", "",
                 "| collective | %s |" % row.collective, "|---|---|",
                 "| sizes | %s |" % row.sizes,
                 "| runs | %s |" % ("where Terrace [chooses](%s) it, or when named"
                                    % self.pages.link(row.page, "docs/design/choices.md")
                                    if row.is_candidate else "when named"),
                 "| source | %s |" % row.source,
                 "| code | `%s` in [%s](%s) |" % (row.function, row.file,
                                                  self.pages.link(row.page, row.file))]
        if others:
            lines.append("| same file | %s |" % ", ".join(
                "[%s](%s.md)" % (other.name, other.name) for other in others))
        return "\n".join(lines)

    def drawing(self, row: Algorithm) -> str:
        """A still picture, and pages on which readers step through the plan."""
        picture = "%s.svg" % row.name
        interactive = "%s.plan.html" % row.name
        self.draw(row, DRAWN + ["--svg"], picture)
        self.draw(row, DRAWN + ["--html"], interactive)
        lines = ["[![The plan of 12 ranks in rounds](%s)](%s)" % (picture, interactive), "",
                 "The plan of 12 ranks on two packages, each with its L3.", "",
                 "[Step through it, or play it in time as simulated](%s){ .md-button }"
                 % interactive]
        if "send" in self.output(["draw", "plan", row.name] + DRAWN_OVER_NODES):
            over_nodes = "%s.nodes.html" % row.name
            self.draw(row, DRAWN_OVER_NODES + ["--html"], over_nodes)
            lines += ["[8 ranks on two nodes, which send messages](%s){ .md-button }" % over_nodes]
        return "\n".join(lines)

    def draw(self, row: Algorithm, words: List[str], name: str) -> None:
        path = self.pages.folder / "algorithms" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        self.output(["draw", "plan", row.name] + words + [str(path)])

    def traffic(self, row: Algorithm) -> str:
        size = self.sizes_of(row)[-1]
        (machine, ranks) = MACHINES[0]
        moved = self.costs[row.name, machine, size]["bytes"]
        if not any(moved.values()):
            return ""
        lines = ["A call of %s by %d ranks on %s moves, in all and by distance:"
                 % (size_text(size), ranks, machine), "", "| distance | bytes |", "|---|---:|"]
        lines += ["| %s | %s |" % (distance, bytes_text(count))
                  for distance, count in moved.items() if count]
        return "\n".join(lines)

    def cost_table(self, row: Algorithm) -> str:
        sizes = self.sizes_of(row)
        lines = ["As `terrace cost` [predicts](%s), for a rank per core; bold where no other "
                 "algorithm for %s is predicted to be faster. No such machine was measured."
                 % (self.pages.link(row.page, "docs/design/costs.md"), row.collective), "",
                 "| machine | ranks | %s |" % " | ".join(
                     "a call" if size == "0" else size_text(size) for size in sizes),
                 "|---|---:|" + "---:|" * len(sizes)]
        for machine, ranks in MACHINES:
            path = "machines/%s.json" % machine
            lines.append("| [%s](%s) | %d | %s |" % (
                machine, self.pages.link(row.page, path), ranks,
                " | ".join(self.time_cell(row, machine, size) for size in sizes)))
        return "\n".join(lines)

    def proof(self, row: Algorithm) -> str:
        words = ["verify", row.name, "--ranks", PROVED_RANKS]
        answer = json.loads(self.output(words + ["--json"]))
        lines = ["```console", "$ terrace " + " ".join(words), self.output(words).rstrip(), "```",
                 "", "Run when this page was made: %s, %s, %s, %s and %s of calls. "
                 "[A test](%s) does so for up to 9 ranks on machines of many shapes and with each "
                 "root; [another](%s) puts faults into small plans, one at a time, to see that "
                 "each is found."
                 % (*(count_text(answer[key], name) for key, name in PROVED),
                    self.pages.link(row.page, "tests/unit/verify/sweep_test.cpp"),
                    self.pages.link(row.page, "tests/unit/verify/mutations_test.cpp"))]
        kept = sorted(name for name in self.pages.files
                      if re.fullmatch(r"tests/plans/%s(\.(lines|owner))?\.plan"
                                      % re.escape(row.name), name))
        if kept:
            lines += ["", "Its plan is kept as text, and a test compares it: %s." % ", ".join(
                "[%s](%s)" % (name.rsplit("/", 1)[1], self.pages.link(row.page, name))
                for name in kept)]
        return "\n".join(lines)
