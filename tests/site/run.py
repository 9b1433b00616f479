# SPDX-License-Identifier: BSD-3-Clause
"""The site that `./dev docs` makes: each page opens in a headless Chromium, and no link is dead.

run.py --terrace PROGRAM --site FOLDER [--pictures FOLDER] TEST. Exit status: 0 passed, 1 failed, 77
skipped, as there is no Chromium or no MkDocs.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from html.parser import HTMLParser
from pathlib import Path
from typing import Callable, Dict, List, Optional, Set, Tuple
from urllib.parse import unquote, urldefrag, urljoin, urlsplit

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT / folder) for folder in ("tests", "tests/pages", "tools", "tools/site")]

import provision  # noqa: E402
from browser import Browser, BrowserError, program  # noqa: E402
from rewriting import rewritten  # noqa: E402
from rows import Skipped, expect, parser_of, run_named  # noqa: E402

SOURCES = "/files/"
WIDE, NARROW = (1300, 900), (390, 800)
LINKS = """[...document.querySelectorAll('a[href], img[src], script[src], link[href]')]
  .map(e => e.href || e.src)"""
PLACES = {"a": "href", "link": "href", "img": "src", "script": "src"}
NAMES = "[...document.querySelectorAll('[id], a[name]')].map(e => e.id || e.name)"


class NamesAndLinks(HTMLParser):
    """What LINKS and NAMES find in a page that is not opened."""

    def __init__(self, address: str, text: str) -> None:
        super().__init__()
        self.address = address
        self.names: Set[str] = set()
        self.links: Set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: List[Tuple[str, Optional[str]]]) -> None:
        values = dict(attrs)
        if name := values.get("id") or (values.get("name") if tag == "a" else None):
            self.names.add(name)
        place = values.get(PLACES.get(tag, ""))
        if place:
            self.links.add(urljoin(self.address, place))


class Found:
    """What the pages of a site link to, and what they have: links are checked once all were
    opened."""

    def __init__(self) -> None:
        self.names: Dict[str, Set[str]] = {}
        self.links: Dict[str, Set[str]] = {}
        self.faults: List[str] = []

    def add(self, browser: Browser, path: Path) -> None:
        browser.open(path)
        address = path.as_uri()
        self.faults += ["%s: %s" % (path, complaint) for complaint in browser.complaints]
        self.faults += ["%s fetches %s" % (path, request) for request in browser.requests
                        if urlsplit(request).scheme not in ("file", "data", "blob")]
        width = browser.value("document.documentElement.scrollWidth")
        if width > NARROW[0]:
            self.faults.append("%s is %d wide in a window of %d" % (path, width, NARROW[0]))
        self.names[address] = set(browser.value(NAMES))
        self.links[address] = set(browser.value(LINKS))

    def read(self, path: Path) -> None:
        """As `add`, but opens nothing: for pages that are made like one that was opened."""
        address = path.as_uri()
        page = NamesAndLinks(address, path.read_text(encoding="utf-8"))
        self.names[address], self.links[address] = page.names, page.links

    def dead_links(self) -> List[str]:
        dead = []
        for page, links in self.links.items():
            for link in links:
                address, name = urldefrag(link)
                if urlsplit(link).scheme != "file":
                    continue
                if not Path(unquote(urlsplit(address).path)).is_file():
                    dead.append("%s: no file %s" % (page, link))
                elif name and name != "__top" and address in self.names and (
                        unquote(name) not in self.names[address]):
                    dead.append("%s: no anchor %s" % (page, link))
        return dead


def faults_of(browser: Browser, pages: List[Path]) -> List[str]:
    browser.size(*NARROW)
    found = Found()
    opened = set()
    for path in pages:
        # The page of a source, as NAME.cpp.html, has its text and the frame of all pages: one of
        # each language is opened. What was Markdown is opened, wherever it lies.
        is_source = SOURCES in path.as_posix() and len(path.suffixes) > 1
        kind = path.suffixes[-2] if is_source else path.as_posix()
        if kind in opened:
            found.read(path)
        else:
            found.add(browser, path)
        opened.add(kind)
    return found.faults + found.dead_links()


class Reader:
    def __init__(self, chosen: argparse.Namespace):
        self.terrace, self.site, self.pictures = chosen.terrace, chosen.site, chosen.pictures

    def page(self, name: str) -> Path:
        path = self.site / name
        if not path.exists():
            raise Skipped("no site was made")
        return path


def making(reader: Reader, browser: Browser) -> None:
    if not provision.is_ready(provision.SITE):
        raise Skipped("no MkDocs in .peers/site (./dev setup)")
    made = subprocess.run(
        [sys.executable, str(ROOT / "tools" / "site" / "build.py"), "--terrace", reader.terrace,
         "--mkdocs", str(provision.SITE.python), "--site", str(reader.site)],
        text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    expect(made.returncode == 0, made.stdout)


def opening(reader: Reader, browser: Browser) -> None:
    reader.page("index.html")
    pages = sorted(path for path in reader.site.rglob("*.html") if path.name != "404.html")
    expect(len(pages) > 200, "only %d pages" % len(pages))
    faults = faults_of(browser, pages)
    expect(not faults, "%d faults:\n  %s" % (len(faults), "\n  ".join(faults[:40])))


def searching(reader: Reader, browser: Browser) -> None:
    browser.size(*WIDE)
    browser.open(reader.page("guide/explain.html"))
    browser.click("input[name=query]")
    browser.ask("Input.insertText", text="dissemination")
    # The page looks at the text when a key goes up, and not before its scripts are loaded.
    browser.until("(document.querySelector('input[name=query]').dispatchEvent(new Event('keyup')), "
                  "document.querySelectorAll('.md-search-result__link').length > 2)")
    found = browser.value("[...document.querySelectorAll('.md-search-result__link')]"
                          ".map(a => a.href)")
    expect(any("algorithms/allreduce.dissemination.html" in link for link in found),
           "found only %s" % found)
    expect(not any("/files/" in link for link in found), "sources are found, too: %s" % found)


def algorithms(reader: Reader, browser: Browser) -> None:
    """Each has a page with all its parts, on the index, and a plan to step through."""
    listed = subprocess.run([reader.terrace, "plan", "--list", "--json"], check=True, text=True,
                            stdout=subprocess.PIPE).stdout
    browser.size(*WIDE)
    browser.open(reader.page("algorithms/index.html"))
    linked = set(browser.value("[...document.querySelectorAll('article td a')].map(a => a.text)"))
    names = {row["name"] for row in json.loads(listed) if not row["graph"]}
    expect(linked == names, "the index lacks %s" % (names ^ linked))
    for name in sorted(names):
        browser.open(reader.page("algorithms/%s.html" % name))
        heads = browser.value("[...document.querySelectorAll('h2')].map(h => h.firstChild.data)")
        expect(heads == ["How it works", "Traffic", "Order", "What a call costs",
                         "What proves it"], "%s has %s" % (name, heads))
        empty = browser.value("[...document.querySelectorAll('h2')].filter(h =>"
                              "!h.nextElementSibling || h.nextElementSibling.tagName === 'H2')"
                              ".map(h => h.innerText)")
        expect(not empty, "%s says nothing of %s" % (name, empty))
        expect("no fault" in browser.value("document.querySelector('article').innerText"),
               "%s is not proved" % name)


def pictures(reader: Reader, browser: Browser) -> None:
    """For people to look at; pages follow the reader's scheme."""
    papers = set()
    for scheme in ("dark", "light"):
        browser.scheme(scheme)
        for size in (WIDE, NARROW):
            browser.size(*size)
            for name in ("index", "algorithms/index", "algorithms/allreduce.tiled", "status"):
                browser.open(reader.page(name + ".html"))
                browser.value("localStorage.clear()")
                papers.add(browser.value("getComputedStyle(document.body).backgroundColor"))
                if reader.pictures:
                    time.sleep(0.3)
                    browser.picture(reader.pictures / ("%s-%d-%s.png" % (
                        name.replace("/", "-"), size[0], scheme)))
    expect(len(papers) == 2, "pages do not follow the reader's scheme: %s" % papers)


def catching(reader: Reader, browser: Browser) -> None:
    """Each fault that `opening` looks for, in a page that has it."""
    bodies = {"file": "<a href='no.html'>x</a>", "anchor": "<a href='good.html#no'>x</a>",
              "picture": "<img src='no.png'>", "console": "<script>throw Error('x')</script>",
              "network": "<img src='http://example.invalid/x.png'>",
              "wide": "<div style='width: 900px'>x</div>"}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "good.html").write_text("<p id='here'><a href='good.html#here'>x</a>")
        expect(not faults_of(browser, [folder / "good.html"]), "a good page has faults")
        for fault, body in bodies.items():
            (folder / "bad.html").write_text(body)
            expect(bool(faults_of(browser, [folder / "good.html", folder / "bad.html"])),
                   "not caught: " + fault)
        sources = [folder / "files" / name for name in ("a.cpp.html", "b.cpp.html")]
        sources[0].parent.mkdir()
        sources[0].write_text("<p>opened</p>")
        for fault, link in (("file", "../no.html"), ("anchor", "../good.html#no")):
            sources[1].write_text("<a href='%s'>x</a>" % link)
            expect(bool(faults_of(browser, [folder / "good.html", *sources])),
                   "not caught in a page that is read: " + fault)


def rewriting(reader: Reader, browser: Browser) -> None:
    def where(target: str) -> str:
        return "<" + target + ">"

    for text, expected in (
            ("a [b](c.md#d) `[e](f)` [g](http://h) [i](#j)\n",
             "a [b](<c.md#d>) `[e](f)` [g](http://h) [i](#j)\n"),
            ("[a\nb](c.md) [d](e)\n", "[a\nb](<c.md>) [d](<e>)\n"),
            ("[![a](b.svg)](c.md)\n", "[![a](<b.svg>)](<c.md>)\n"),
            ("```console test any-numbers\n[a](b)\n```\n", "``` console\n[a](b)\n```\n"),
            ("```text file=a.plan\nx\n```\n", "``` text title=\"a.plan\"\nx\n```\n"),
            ("```\n* x\n```\n", "```\n* x\n```\n"),
            ("words:\n* one\n* two\n", "words:\n\n* one\n* two\n")):
        expect(rewritten(text, where) == expected, "%r became %r" % (text, rewritten(text, where)))


TESTS = {
    "it_is_made": making,
    "every_page_opens_and_no_link_is_dead": opening,
    "the_search_finds_without_network": searching,
    "each_algorithm_has_its_page": algorithms,
    "pages_follow_the_readers_scheme": pictures,
    "faults_of_pages_are_caught": catching,
    "markdown_is_rewritten": rewriting,
}


def run_row(row: Callable[[Reader, Browser], None], given: argparse.Namespace,
            folder: Path) -> None:
    if program() is None:
        raise Skipped("no Chromium was found (./dev setup)")
    given.site = given.site.resolve()
    with Browser(folder) as browser:
        row(Reader(given), browser)


def main() -> int:
    parser = parser_of("--terrace")
    parser.add_argument("--site", type=Path, required=True)
    parser.add_argument("--pictures", type=Path, help="keep pictures of some pages in this folder")
    return run_named(TESTS, parser, run_row, BrowserError, subprocess.SubprocessError)


if __name__ == "__main__":
    sys.exit(main())
