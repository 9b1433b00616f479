# SPDX-License-Identifier: BSD-3-Clause
"""The repository as input: a map from path to text, the real one or one made up for self-tests."""

import os
import subprocess
from pathlib import Path
from typing import Dict, Iterator, List, NamedTuple

C_AND_CXX = (".c", ".h", ".cpp", ".hpp", ".inc")
IGNORED_FOLDERS = {".git", "build", ".peers", "__pycache__", "papers", ".library"}


class Skip(Exception):
    """Raised by a rule that cannot judge here; its text is the reason."""


class Complaint(NamedTuple):
    path: str
    line: int
    sentence: str

    def __str__(self) -> str:
        return "%s:%d: %s" % (self.path, self.line, self.sentence)


class Tree:
    """Read-only. Paths are relative to the root, with forward slashes."""

    def __init__(self, texts: Dict[str, str], root: Path = Path(".")):
        self.texts = texts
        self.root = root

    @staticmethod
    def of_repository(root: Path) -> "Tree":
        texts = {}
        for path in sorted(list_files(root)):
            try:
                texts[path] = (root / path).read_text(encoding="utf-8")
            except (UnicodeDecodeError, FileNotFoundError, IsADirectoryError):
                continue  # a picture, or a file that is just being moved
        return Tree(texts, root)

    def with_suffix(self, *suffixes: str) -> List[str]:
        return [path for path in self.texts if path.endswith(suffixes)]

    def c_and_cxx(self) -> List[str]:
        """mpif.h is Fortran, by a name that MPI prescribes."""
        return [path for path in self.with_suffix(*C_AND_CXX) if not path.endswith("/mpif.h")]

    def lines(self, path: str) -> Iterator:
        """Pairs of line number (from 1) and line."""
        return enumerate(self.texts[path].splitlines(), start=1)


def list_files(root: Path) -> List[str]:
    """Tracked and new files as git sees them; every file where there is no git."""
    answer = subprocess.run(["git", "-C", str(root), "ls-files", "-z", "--cached", "--others",
                             "--exclude-standard"], capture_output=True)
    if answer.returncode == 0 and answer.stdout:
        return [path for path in answer.stdout.decode().split("\0") if path]
    paths = []
    for folder, subfolders, names in os.walk(str(root)):
        subfolders[:] = [name for name in subfolders if name not in IGNORED_FOLDERS]
        paths += [os.path.relpath(os.path.join(folder, name), str(root)) for name in names]
    return paths
