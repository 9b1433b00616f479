# SPDX-License-Identifier: BSD-3-Clause
"""The pages of the site: docs/, the Markdown beside it, and a page for each file or folder that
one of them links to, so that the site needs no other place to be read."""

import json
import posixpath
import re
import subprocess
from pathlib import Path
from typing import Dict, List, Union

from rewriting import rewritten

Nav = List[Union[str, Dict[str, "Nav"]]]

AT_THE_TOP = {"README.md": "index.md", "CONTRIBUTING.md": "contributing.md",
              "CHANGELOG.md": "changelog.md"}
LANGUAGES = {".hpp": "cpp", ".cpp": "cpp", ".inc": "cpp", ".h": "c", ".c": "c", ".py": "python",
             ".f90": "fortran", ".F90": "fortran", ".cmake": "cmake", ".cff": "yaml",
             ".sh": "bash"}
AS_THEY_ARE = (".json", ".svg", ".png", ".xml")
SECTIONS = (("Guides", "guide"), ("Reference", "reference"), ("Design", "design"))


class DeadLink(Exception):
    """A page links to what the repository does not have."""


class Pages:
    """Writes pages into a folder, and remembers which files of the repository still need one."""

    def __init__(self, root: Path, folder: Path):
        self.root, self.folder = root, folder
        listed = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard"],
                                cwd=root, check=True, text=True, stdout=subprocess.PIPE).stdout
        self.files = {name for name in listed.splitlines() if (root / name).is_file()}
        self.folders = {parent.as_posix() for name in self.files
                        for parent in Path(name).parents if parent != Path(".")}
        self.wanted: List[str] = []
        self.printed: List[str] = []
        self.seen = set()

    def place_of(self, path: str) -> str:
        """Where a file or folder of the repository lies in the site; it gets a page if need be."""
        if path in AT_THE_TOP:
            return AT_THE_TOP[path]
        if path in (".", "docs"):
            return "index.md"
        if path.startswith("docs/") and path in self.files:
            return path[len("docs/"):]
        if path not in self.files and path not in self.folders:
            raise DeadLink(path)
        if path not in self.seen:
            self.seen.add(path)
            self.wanted.append(path)
        return self.place_of_source(path)

    def place_of_source(self, path: str) -> str:
        if path in self.folders:
            return "files/%s/index.md" % path
        suffix = posixpath.splitext(path)[1]
        return "files/" + path + ("" if suffix in AS_THEY_ARE + (".md",) else ".md")

    def link(self, page: str, path: str, anchor: str = "") -> str:
        """From a page of the site to a file of the repository."""
        place = posixpath.relpath(self.place_of(path), posixpath.dirname(page) or ".")
        return place + ("#" + anchor if anchor and place.endswith(".md") else "")

    def write(self, page: str, text: str) -> None:
        path = self.folder / page
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def write_output(self, command: List[str], page: str) -> None:
        """A page that a command prints; it links to other pages alone."""
        printed = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout
        self.write(page, printed)
        self.printed.append(page)

    def write_markdown(self, path: str, page: str, head: str = "") -> None:
        def where(target: str) -> str:
            place, _, anchor = target.partition("#")
            found = posixpath.normpath(posixpath.join(posixpath.dirname(path), place))
            try:
                return self.link(page, found, anchor)
            except DeadLink:
                raise DeadLink("%s links to %s" % (path, target)) from None

        text = (self.root / path).read_text(encoding="utf-8")
        self.write(page, head + rewritten(text, where))

    def write_docs(self) -> None:
        for path, page in AT_THE_TOP.items():
            self.write_markdown(path, page)
        for path in sorted(self.files):
            if path.startswith("docs/") and path.endswith(".md"):
                self.write_markdown(path, path[len("docs/"):])
            elif path.startswith("docs/"):
                self.copy(path, path[len("docs/"):])

    def copy(self, path: str, page: str) -> None:
        place = self.folder / page
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes((self.root / path).read_bytes())

    def write_what_is_linked(self) -> None:
        while self.wanted:
            path = self.wanted.pop()
            page = self.place_of_source(path)
            head = json.dumps({"title": path, "search": {"exclude": True}, "hide": ["navigation"]})
            head = "---\n%s\n---\n" % head
            if path in self.folders:
                self.write(page, head + self.text_of_folder(path, page))
            elif path.endswith(".md"):
                self.write_markdown(path, page, head)
            elif page == "files/" + path:
                self.copy(path, page)
            else:
                self.write(page, head + self.text_of_file(path))

    def text_of_folder(self, path: str, page: str) -> str:
        """Answers that were kept are there in full, of other files those that a page names."""
        lines = ["# %s\n" % path]
        inside = {name[len(path) + 1:].split("/")[0] for name in self.files
                  if name.startswith(path + "/")}
        for name in sorted(inside):
            entry = path + "/" + name
            is_there = entry in self.seen or entry.endswith(".json")
            lines.append("* [%s](%s)" % (name, self.link(page, entry)) if is_there
                         else "* " + name + ("/" if entry in self.folders else ""))
        return "\n".join(lines) + "\n"

    def text_of_file(self, path: str) -> str:
        text = (self.root / path).read_text(encoding="utf-8")
        longest = max((len(found) for found in re.findall(r"`+", text)), default=0)
        fence = "`" * max(3, longest + 1)
        language = LANGUAGES.get(posixpath.splitext(path)[1], "text")
        return "# %s\n\n%s %s\n%s\n%s\n" % (path, fence, language, text.rstrip("\n"), fence)

    def nav(self, algorithms: Nav) -> Nav:
        found: Nav = [{"Terrace": "index.md"}, {"Start": "start.md"}]
        for title, folder in SECTIONS:
            names = sorted(name[len("docs/"):] for name in self.files
                           if re.fullmatch("docs/%s/[^/]+\\.md" % folder, name))
            names += [page for page in self.printed if page.startswith(folder + "/")]
            found.append({title: sorted(names)})
            if folder == "guide":
                found.append({"Algorithms": algorithms})
        about = ["status.md", "guarantees.md", "comparison.md", "conformance.md",
                 "reproduction.md"]
        others = sorted(name[len("docs/"):] for name in self.files
                        if re.fullmatch(r"docs/[^/]+\.md", name)
                        and name[len("docs/"):] not in about + ["start.md"])
        found.append({"About": about + others + ["changelog.md", "contributing.md"]})
        return found
