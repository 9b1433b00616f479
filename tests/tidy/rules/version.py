# SPDX-License-Identifier: BSD-3-Clause
"""One version everywhere: what CMakeLists.txt says is what CITATION.cff, the changelog, Spack's
recipe, Python's module and the pages say."""

import re
from typing import Iterator, List, Optional, Tuple

from tree import Complaint, Tree

PROJECT = re.compile(r"^project\(terrace VERSION (\d+)\.(\d+)\.(\d+)", re.MULTILINE)
RELEASE = re.compile(r"^## (\d+\.\d+\.\d+) \((.*)\)$", re.MULTILINE)
RECIPE = "packaging/spack/spack_repo/terrace/packages/terrace_mpi/package.py"
# (file, what names a version there, which part of the version it must be)
NAMED = (
    ("CITATION.cff", re.compile(r"^version: (\S+)$", re.MULTILINE), "whole"),
    (RECIPE, re.compile(r'^    version\("([\d.]+)"', re.MULTILINE), "whole"),
    ("python/terrace/mpix.py", re.compile(r'libterrace-communicators\.so\.(\d+)'), "major"),
    ("docs/guide/install.md", re.compile(r"terrace[-_]mpi(?:-dev|-devel)?[-_](\d[\d.]*\d)-"),
     "whole"),
    ("docs/guide/administrators.md", re.compile(r"\bterrace[-/ ](\d+\.\d+\.\d+)"), "whole"),
    ("docs/reference/c-api.md", re.compile(r"find_package\(terrace ([\d.]+)"), "minor"),
)


def versions_in(tree: Tree) -> Iterator[Tuple[str, int, str, str]]:
    """A file that names none has "none" in its first line."""
    for path, pattern, part in NAMED:
        places = list(pattern.finditer(tree.texts.get(path, "")))
        for found in places:
            line = tree.texts[path].count("\n", 0, found.start()) + 1
            yield path, line, found.group(1), part
        if path in tree.texts and not places:
            yield path, 1, "none", part


def date_of_release(tree: Tree, version: str) -> Optional[str]:
    """Of the newest release in the changelog, if that is this version."""
    newest = RELEASE.search(tree.texts.get("CHANGELOG.md", ""))
    return newest.group(2) if newest and newest.group(1) == version else None


def check(tree: Tree) -> List[Complaint]:
    project = PROJECT.search(tree.texts.get("CMakeLists.txt", ""))
    if not project:
        return [Complaint("CMakeLists.txt", 1, "no `project(terrace VERSION x.y.z`")]
    version = ".".join(project.groups())
    wanted = {"whole": version, "minor": version.rpartition(".")[0], "major": project.group(1)}
    complaints = [Complaint(path, line, "`%s`; CMakeLists.txt has %s" % (found, version))
                  for path, line, found, part in versions_in(tree) if found != wanted[part]]
    date = date_of_release(tree, version)
    if date is None:
        complaints.append(Complaint("CHANGELOG.md", 1, "the newest release is not %s" % version))
    elif "date-released: " + date not in tree.texts.get("CITATION.cff", ""):
        complaints.append(Complaint("CITATION.cff", 1, "`date-released` is not %s" % date))
    return complaints


RIGHT = {
    "CMakeLists.txt": "project(terrace VERSION 1.2.3 LANGUAGES C)\n",
    "CHANGELOG.md": "# Changelog\n\n## Unreleased\n\n## 1.2.3 (2026-11-27)\n\n## 0.9.0 (old)\n",
    "CITATION.cff": "version: 1.2.3\ndate-released: 2026-11-27\n",
    RECIPE: '    version("1.2.3", tag="v1.2.3")\n    version("main", branch="main")\n',
    "python/terrace/mpix.py": '_FILE = "libterrace-communicators.so.1"\n',
    "docs/guide/install.md": "apt install ./terrace-mpi_1.2.3-1_amd64.deb\n",
    "docs/guide/administrators.md": "module load terrace/1.2.3\n",
    "docs/reference/c-api.md": "find_package(terrace 1.2 REQUIRED)\n",
}
BAD = [
    ("another version in " + path, dict(RIGHT, **{path: text})) for path, text in (
        ("CMakeLists.txt", "project(terrace VERSION 1.3.0 LANGUAGES C)\n"),
        ("CMakeLists.txt", "project(terrace)\n"),
        ("CHANGELOG.md", "## 1.2.2 (2026-11-27)\n"),
        ("CITATION.cff", "version: 1.2.3\ndate-released: 2026-11-26\n"),
        ("CITATION.cff", "version: 1.2\ndate-released: 2026-11-27\n"),
        (RECIPE, '    version("1.2.2", tag="v1.2.2")\n'),
        ("python/terrace/mpix.py", '_FILE = "libterrace-communicators.so.0"\n'),
        (RECIPE, '    version("main", branch="main")\n'),
        ("docs/guide/install.md", "./terrace_mpi-1.2.2-py3-none-manylinux.whl\n"),
        ("docs/guide/administrators.md", "module load terrace/1.2.2\n"),
        ("docs/reference/c-api.md", "find_package(terrace 0.1 REQUIRED)\n"),
    )
]
GOOD = [("one version", RIGHT)]
