# SPDX-License-Identifier: BSD-3-Clause
"""The pages of `terrace draw --html` in a headless Chromium: each control does what it says.

run.py --terrace PROGRAM [--pictures FOLDER] TEST. Exit status: 0 passed, 1 failed, 77 skipped, as
there is no Chromium.
"""

import argparse
import json
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, Callable, Dict, List, Optional, Set

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from browser import Browser, BrowserError, program  # noqa: E402
from rows import Skipped, expect, parser_of, run_named  # noqa: E402

TREE = ["plan", "allreduce.tree", "--ranks", "12", "--radix", "2", "--machine", "westmere-x5650"]
BOTH = ["plan", "allreduce.tree", "allreduce.tiled", "--ranks", "12", "--machine",
        "westmere-x5650", "--bytes", "4KiB"]
MANY = ["plan", "allreduce.push", "--ranks", "64", "--machine", "rome-2x64", "--bytes", "64KiB"]
NODES = ["plan", "allreduce.leaders", "--ranks", "48", "--machine", "ntw10e5"]
SHAPE = ["plan", "allreduce.tree", "--ranks", "2", "--machine", "pack:2 core:1 pu:1"]
LATE = ["timeline", str(Path(__file__).resolve().parent.parent.parent / "docs" / "pictures"
                        / "late-rank.json")]
SIZES = ((1300, 800), (768, 900), (360, 740))


class Reader:
    """Someone who opens pages."""

    def __init__(self, terrace: str, folder: Path, browser: Browser, pictures: Optional[Path]):
        self.terrace, self.folder, self.browser, self.pictures = terrace, folder, browser, pictures
        self.views: List[Dict[str, Any]] = []

    def open(self, words: List[str], width: int = 1300, height: int = 800,
             scheme: str = "light") -> None:
        path = self.folder / "page.html"
        subprocess.run([self.terrace, "draw"] + words + ["--html", str(path)], check=True,
                       timeout=100)
        found = re.search(r'id="json">(.*?)</script>', path.read_text(), re.DOTALL)
        self.views = json.loads(found.group(1))["views"] if found else []
        self.browser.size(width, height)
        self.browser.scheme(scheme)
        self.browser.open(path)

    def keep(self, name: str) -> None:
        if self.pictures:
            self.browser.picture(self.pictures / (name + ".png"))

    def state(self, name: str) -> str:
        return self.browser.value("document.documentElement.dataset.%s" % name)

    def now(self) -> float:
        return float(self.state("now"))

    def is_pressed(self, name: str) -> bool:
        return self.browser.value("document.getElementById('%s').getAttribute('aria-pressed')"
                                  % name) == "true"

    def text(self, selector: str) -> str:
        return self.browser.value("document.querySelector('%s').innerText" % selector)

    def count(self, selector: str) -> int:
        return self.browser.value("document.querySelectorAll('%s').length" % selector)

    def lit(self, view: int = 0) -> Set[int]:
        found = self.browser.value("[...document.querySelectorAll('[data-view=\"%d\"] .step.lit')]"
                                   ".map(g => Number(g.dataset.step))" % view)
        return set(found)


def loading(reader: Reader) -> None:
    """Nothing is logged or fetched, and no page is wider than its window."""
    for number, words in enumerate((TREE, BOTH, MANY, NODES, SHAPE, LATE)):
        for width, height in SIZES:
            for scheme in ("light", "dark"):
                reader.open(words, width, height, scheme)
                browser = reader.browser
                expect(not browser.complaints, "complaints: %s" % browser.complaints)
                expect(browser.requests == [browser.value("location.href")],
                       "fetched: %s" % browser.requests)
                wide = browser.value("document.documentElement.scrollWidth")
                expect(wide <= width, "%s is %d wide in a window of %d" % (words, wide, width))
                expect(reader.count(".plot svg") == len(reader.views), "no drawing")
                reader.keep("load-%d-%d-%s" % (number, width, scheme))


def stepping(reader: Reader) -> None:
    reader.open(TREE)
    browser, view = reader.browser, reader.views[0]
    expect(reader.state("mode") == "time" and reader.now() == view["duration"], "another beginning")
    expect(browser.value("document.querySelector('.curtain').width.baseVal.value") == 0,
           "something is hidden at the end")
    browser.click("#first")
    expect(reader.now() == 0, "not at the beginning")
    moments = sorted({time for step in view["steps"] for time in step["times"][:3]} | {0})
    for moment in moments[1:4]:
        browser.click("#forward")
        expect(abs(reader.now() - moment) < 1e-6, "at %f, not at %f" % (reader.now(), moment))
    browser.click("#back")
    expect(abs(reader.now() - moments[2]) < 1e-6, "one step back is another")
    expect(browser.value("document.querySelector('.curtain').width.baseVal.value") > 100,
           "what comes later is not hidden")
    browser.click("#rounds")
    expect(reader.is_pressed("rounds") and not reader.is_pressed("time"), "not in rounds")
    browser.click("#first")
    for number in range(1, view["rounds"] + 1):
        browser.click("#forward")
        expect(reader.text("#where") == "round %d of %d" % (number, view["rounds"]), "other words")
        current = browser.value("[...document.querySelectorAll('.current')]"
                                ".map(g => Number(g.dataset.step))")
        expect({view["forms"][view["steps"][step]["form"]]["round"] for step in current}
               == {number}, "other steps in round %d" % number)
    browser.click("#forward")
    expect(reader.now() == view["rounds"], "beyond the last round")
    browser.value("const p = document.getElementById('position'); p.value = 2;"
                  "p.dispatchEvent(new Event('input'))")
    expect(reader.now() == 2, "the slider moves nothing")
    reader.keep("round-2")


def playing(reader: Reader) -> None:
    reader.open(TREE)
    browser = reader.browser
    browser.value("document.getElementById('speed').value = 3")
    browser.click("#play")
    expect(reader.text("#play") == "Stop", "the button does not say that it stops")
    browser.until("Number(document.documentElement.dataset.now) > 100")
    browser.click("#play")
    stopped = reader.now()
    expect(reader.text("#play") == "Play" and 100 < stopped < reader.views[0]["duration"],
           "does not stop: %s, %s" % (reader.text("#play"), stopped))
    reader.keep("stopped")
    time.sleep(0.2)
    expect(reader.now() == stopped, "goes on")
    browser.press(" ")
    browser.until("document.documentElement.dataset.playing === 'false'")
    expect(reader.now() == reader.views[0]["duration"], "does not end at the end")


def reasons(reader: Reader) -> None:
    """Pointing and clicking says of each kind of step what it waits for, as the JSON has it."""
    reader.open(NODES)
    browser, view = reader.browser, reader.views[0]
    kinds = {}
    for number, step in enumerate(view["steps"]):
        if step["needs"]:
            kinds.setdefault(view["forms"][step["form"]]["kind"], number)
    expect(set(kinds) >= {"reduce", "copy", "receive", "hold"}, "other kinds: %s" % kinds)
    for number in kinds.values():
        step = view["steps"][number]
        form = view["forms"][step["form"]]
        selector = '.step[data-step="%d"] .bar:last-of-type' % number
        browser.point_at(selector)
        tip = reader.text("#tip")
        expect(browser.value("!document.getElementById('tip').hidden"), "no words")
        expect("rank %d, step %d of" % (form["rank"], form["position"] + 1) in tip, "other step")
        expect(form["statement"] in tip and form["needs"][0]["why"] in tip, "no reason: " + tip)
        expect(("came last" in tip) == ("cause" in step), "another cause: " + tip)
        others = [need for need in form["needs"]
                  if view["forms"][need["form"]]["rank"] != form["rank"]]
        expect(reader.count(".focus .arrow") == len(others), "other arrows to it")
        browser.click(selector)
        expect(reader.state("chosen") == "0:%d" % number, "not chosen")
        details = reader.text("#details")
        expect(all(need["why"] in details for need in form["needs"]), "reasons are missing")
        browser.click("#details [data-goto]")
        expect(reader.state("chosen") in ["0:%d" % need for need in step["needs"]],
               "the link leads elsewhere")
    reader.keep("reason")


def paths(reader: Reader) -> None:
    reader.open(TREE)
    browser, view = reader.browser, reader.views[0]
    on_path = {piece["step"] for piece in view["path"] if piece["step"] is not None}
    browser.click("#path")
    expect(reader.is_pressed("path") and reader.lit() == on_path, "other steps are lit")
    expect(reader.count(".critical .arrow") == len(view["path"]), "other pieces")
    rows = browser.value("[...document.querySelectorAll('table.path tr')].length")
    expect(rows == len(view["path"]), "other pieces in words")
    reader.keep("critical-path")
    browser.click("#path")
    expect(not reader.lit(), "still lit")
    last = view["path"][-1]["rank"]
    browser.click('.rank[data-rank="%d"]' % last)
    own = {number for number, step in enumerate(view["steps"])
           if view["forms"][step["form"]]["rank"] == last}
    expect(reader.state("rank") == str(last) and reader.lit() == on_path | own,
           "the path of the last rank is not the critical one")
    browser.click('.rank[data-rank="%d"]' % last)
    expect(reader.state("rank") == "" and not reader.lit(), "still highlighted")
    browser.value("const r = document.getElementById('rank'); r.value = 0;"
                  "r.dispatchEvent(new Event('change'))")
    expect(reader.state("rank") == "0" and reader.lit(), "the list of ranks does nothing")


def keys(reader: Reader) -> None:
    reader.open(TREE)
    browser, view = reader.browser, reader.views[0]
    press = browser.press
    press("Home")
    expect(reader.now() == 0, "Home")
    press("ArrowRight")
    press("ArrowRight")
    press("ArrowLeft")
    first = min(time for step in view["steps"] for time in step["times"] if time > 0)
    expect(abs(reader.now() - first) < 1e-6, "arrows")
    press("End")
    press("r")
    expect(reader.state("mode") == "rounds" and reader.now() == view["rounds"], "r")
    press("t")
    expect(reader.state("mode") == "time", "t")
    press("c")
    expect(reader.state("path") == "true", "c")
    was = reader.is_pressed("arrows")
    press("a")
    expect(reader.is_pressed("arrows") != was and reader.count(".all .arrow") == 0, "a")
    width = browser.value("document.querySelector('.plot svg').clientWidth")
    press("+")
    expect(browser.value("document.querySelector('.plot svg').clientWidth") > width, "+")
    press("-")
    press("0")
    expect(browser.value("document.querySelector('.plot svg').clientWidth") == width, "- and 0")
    press("Escape")
    expect(reader.state("path") == "false" and not reader.lit(), "Esc")
    press("ArrowDown")
    expect(reader.state("rank") == "0" and reader.state("chosen") != "", "down")
    press("ArrowDown")
    press("ArrowUp")
    press("ArrowUp")
    expect(reader.state("rank") == "11", "up")
    chosen = view["steps"][int(reader.state("chosen").split(":")[1])]
    press("Enter")
    expect(reader.state("chosen") == "0:%d" % chosen["cause"], "Enter")
    press("Home")
    press(" ")
    expect(reader.state("playing") == "true", "space")
    press("Escape")
    expect(reader.state("playing") == "false" and reader.state("rank") == "", "Esc while it plays")
    press("?")
    expect(browser.value("document.getElementById('keys').open"), "?")
    reader.keep("keys")
    press("Escape")
    expect(not browser.value("document.getElementById('keys').open"), "Esc closes the keys")


def focus(reader: Reader) -> None:
    """Tab reaches all controls, each with a name, and what has the focus is seen."""
    reader.open(TREE)
    browser = reader.browser
    seen = []
    for _ in range(30):
        browser.press("Tab")
        name, outline = browser.value(
            "(() => { const e = document.activeElement; return [e.id || e.className,"
            "getComputedStyle(e).outlineStyle + getComputedStyle(e).outlineWidth]; })()")
        if name in seen:
            break
        if name:
            seen.append(name)
            expect(outline == "solid2px", "%s has the focus, and nothing shows: %s"
                   % (name, outline))
    for control in ("rounds", "time", "play", "position", "speed", "rank", "path", "arrows", "out",
                    "in", "help", "plot", "details"):
        expect(control in seen, "Tab does not reach %s: %s" % (control, seen))
    nameless = browser.value(
        "[...document.querySelectorAll('button, select, input, [role]')].filter(e =>"
        "!(e.getAttribute('aria-label') || e.getAttribute('aria-labelledby') || e.innerText ||"
        " e.closest('label') || ['presentation', 'tooltip'].includes(e.getAttribute('role'))))"
        ".map(e => e.outerHTML)")
    expect(nameless == [], "no name: %s" % nameless)
    expect(browser.value("document.getElementById('details').getAttribute('aria-live')")
           == "polite", "details are not read out")


def side_by_side(reader: Reader) -> None:
    corners = ("[...document.querySelectorAll('.view')].map(v => v.getBoundingClientRect())"
               ".map(b => [b.x, b.y])")
    reader.open(BOTH)
    browser = reader.browser
    (x1, y1), (x2, y2) = browser.value(corners)
    expect(y1 == y2 and x1 < x2, "not side by side")
    ticks = browser.value("[...document.querySelectorAll('.view')].map(v =>"
                          "[...v.querySelectorAll('.plot .tick')].map(t => t.textContent + ' ' +"
                          "Math.round(t.getAttribute('x'))).join())")
    numbers = [[int(number) for number in re.findall(r" (\d+)(?:,|$)", line)] for line in ticks]
    expect(len(numbers[0]) > 2 and all(abs(one - other) <= 2 for one, other in zip(*numbers)),
           "times have another scale: %s" % ticks)
    browser.press("c")
    for number, view in enumerate(reader.views):
        expect(reader.lit(number) == {piece["step"] for piece in view["path"]} - {None},
               "another path in view %d" % number)
    details = reader.text("#details table.compare")
    expect("allreduce.tree" in details and "allreduce.tiled" in details, "not compared")
    reader.keep("both")
    reader.open(BOTH, 360, 740)
    (x1, y1), (x2, y2) = browser.value(corners)
    expect(x1 == x2 and y1 < y2, "not below each other where it is narrow")
    reader.open(["plan", "allreduce.tree", "--ranks", "8", "--machine", "rome-2x64", "--machine",
                 "a64fx"])
    expect(len(set(reader.browser.value("[...document.querySelectorAll('.compare tr')][0]"
                                        ".innerText").split("\t"))) == 3, "machines without names")
    reader.keep("machines")


OVERLAPS = """(() => {
  const found = [];
  for (const svg of document.querySelectorAll('.drawing svg')) {
    const boxes = [...svg.querySelectorAll('text')].map(t => [t.getBoundingClientRect(), t])
      .filter(([b]) => b.width > 0);
    for (const [a, one] of boxes) for (const [b, other] of boxes)
      if (one !== other && a.left < b.right - 1 && b.left < a.right - 1 &&
          a.top < b.bottom - 4 && b.top < a.bottom - 4)
        found.push(one.textContent + ' | ' + other.textContent);
    for (const g of svg.querySelectorAll('.step')) {
      const t = g.querySelector('text');
      if (!t) continue;
      const bars = [...g.querySelectorAll('.bar')].map(b => b.getBoundingClientRect());
      const left = Math.min(...bars.map(b => b.left)), right = Math.max(...bars.map(b => b.right));
      const box = t.getBoundingClientRect();
      if (box.left < left - 1 || box.right > right + 1)
        found.push('out of its bar: ' + t.textContent);
    }
  }
  return found.slice(0, 5);
})()"""


def labels(reader: Reader) -> None:
    """No words lie on others, nor outside their bars."""
    for words in (TREE, BOTH, MANY, NODES, SHAPE, LATE):
        for width, height in SIZES:
            reader.open(words, width, height)
            for key in ("t", "r"):
                reader.browser.press(key)
                found = reader.browser.value(OVERLAPS)
                expect(found == [], "%s, %d wide, %s: %s" % (words, width, key, found))


CONTRASTS = """(() => {
  const probe = document.createElement('i');
  document.body.append(probe);
  const light = (name) => {
    probe.style.color = `var(--${name})`;
    const [r, g, b] = getComputedStyle(probe).color.match(/[0-9.]+/g).slice(0, 3)
      .map(c => c / 255).map(c => c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ratio = (a, b) => {
    const [one, other] = [light(a), light(b)].sort();
    return (other + 0.05) / (one + 0.05);
  };
  const pairs = [['ink', 'paper'], ['ink', 'panel'], ['faint', 'paper'], ['faint', 'panel'],
    ['accent', 'paper'], ['accent', 'panel'], ['path', 'panel'], ['ink', 'depth0'],
    ['ink', 'depth1'], ['ink', 'depth2'], ['ink', 'depth3']].concat(
    ['copy', 'reduce', 'expose', 'hold', 'network', 'fallback'].map(bar => ['letters', bar]));
  return pairs.map(([a, b]) => [a + ' on ' + b, ratio(a, b)]);
})()"""


FELL_BACK = """(() => {
  const bar = document.createElementNS('http://www.w3.org/2000/svg', 'rect');
  bar.setAttribute('class', 'bar outer fallback');
  document.querySelector('svg').append(bar);
  const probe = document.createElement('i');
  probe.style.color = 'var(--fallback)';
  document.body.append(probe);
  return getComputedStyle(bar).fill === getComputedStyle(probe).color;
})()"""


def colours(reader: Reader) -> None:
    """Letters can be read on what they stand on, light and dark (WCAG's 4.5), and calls that fell
    back have their colour, which the legend names."""
    papers = set()
    for scheme in ("light", "dark"):
        reader.open(TREE, scheme=scheme)
        papers.add(reader.browser.value("getComputedStyle(document.body).backgroundColor"))
        for pair, ratio in reader.browser.value(CONTRASTS):
            expect(ratio >= 4.5, "%s: %s has a contrast of %.2f" % (scheme, pair, ratio))
    expect(reader.browser.value(FELL_BACK), "calls that fell back look like others")
    expect(len(papers) == 2, "the page does not follow the reader's scheme")


def timelines(reader: Reader) -> None:
    reader.open(LATE)
    browser, view = reader.browser, reader.views[0]
    expect(browser.value("document.getElementById('rounds').disabled"), "rounds of a timeline")
    expect(reader.count(".step") == len(view["steps"]), "other events")
    waits = [number for number, step in enumerate(view["steps"]) if step["kind"] == "wait"]
    for number in waits:
        browser.point_at('.step[data-step="%d"] .bar' % number)
        expect("waits for rank %d" % view["steps"][number]["peer"] in reader.text("#tip"),
               "waits for another")
    browser.click('.step[data-step="%d"] .bar' % waits[0])
    expect("when the wait ended" in reader.text("#details").lower(), "no cause")
    browser.press("Escape")
    browser.click("#path")
    expect(reader.lit() and reader.count("table.path tr") == len(view["path"]), "no path back")
    last = view["path"][-1]["rank"]
    lit = reader.lit()
    browser.press("Escape")
    browser.click('.rank[data-rank="%d"]' % last)
    expect(lit <= reader.lit(), "the last rank's path is another")
    browser.click("#first")
    browser.click("#forward")
    moments = sorted({time for step in view["steps"] for time in step["times"]})
    expect(abs(reader.now() - moments[1]) < 1e-6, "does not step from event to event")
    reader.keep("timeline")


def no_times(reader: Reader) -> None:
    """A machine without costs: rounds alone."""
    reader.open(SHAPE)
    browser = reader.browser
    expect(reader.state("mode") == "rounds", "not in rounds")
    expect(browser.value("document.getElementById('time').disabled") and
           browser.value("document.getElementById('path').disabled"), "times from nowhere")
    browser.press("ArrowDown")
    expect(bool(reader.lit()), "no path of a rank")
    expect(not browser.complaints, str(browser.complaints))


TESTS = {
    "pages_load_without_complaints": loading,
    "rounds_and_times_are_stepped_through": stepping,
    "pages_play_and_stop": playing,
    "a_step_says_what_it_waits_for": reasons,
    "ranks_and_the_critical_path_are_highlighted": paths,
    "keys_do_what_they_say": keys,
    "the_focus_reaches_all_and_is_seen": focus,
    "plans_lie_side_by_side": side_by_side,
    "labels_do_not_overlap": labels,
    "letters_have_contrast": colours,
    "timelines_are_stepped_through": timelines,
    "without_times_there_are_rounds": no_times,
}


def run_row(row: Callable[[Reader], None], given: argparse.Namespace, folder: Path) -> None:
    if program() is None:
        raise Skipped("no Chromium was found (./dev setup)")
    with Browser(folder) as browser:
        row(Reader(given.terrace, folder, browser, given.pictures))


def main() -> int:
    parser = parser_of("--terrace")
    parser.add_argument("--pictures", type=Path, help="keep pictures of the pages in this folder")
    return run_named(TESTS, parser, run_row, BrowserError, subprocess.SubprocessError)


if __name__ == "__main__":
    sys.exit(main())
