# SPDX-License-Identifier: BSD-3-Clause
"""Sources are as clang-format leaves them (./dev fix); versions differ, so one version judges."""

import re
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import List

from tree import Complaint, Skip, Tree

VERSION = 14  # the one of Debian 12
WARNING = re.compile(r"^(.*?):(\d+):\d+: (?:error|warning): ")
STYLE = Path(__file__).resolve().parents[3] / ".clang-format"


def clang_format() -> str:
    for program in ("clang-format-%d" % VERSION, "clang-format"):
        if shutil.which(program):
            answer = subprocess.run([program, "--version"], capture_output=True, text=True)
            if re.search(r"version %d\." % VERSION, answer.stdout):
                return program
    raise Skip("clang-format %d is not installed" % VERSION)


def check(tree: Tree) -> List[Complaint]:
    """The texts are judged, not the files, so that made-up ones can be judged too."""
    program = clang_format()
    complaints = []
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        shutil.copy(str(STYLE), str(place / ".clang-format"))
        for path in tree.c_and_cxx():
            (place / path).parent.mkdir(parents=True, exist_ok=True)
            (place / path).write_text(tree.texts[path], encoding="utf-8")
        if tree.c_and_cxx():
            answer = subprocess.run([program, "--dry-run"] + tree.c_and_cxx(), cwd=folder,
                                    capture_output=True, text=True)
            seen = set()
            for match in map(WARNING.match, answer.stderr.splitlines()):
                if match and match.group(1) not in seen:  # the first place per file is enough
                    seen.add(match.group(1))
                    complaints.append(Complaint(match.group(1), int(match.group(2)),
                                                "not as clang-format has it; run ./dev fix"))
    return complaints


BAD = [("src/base/a.cpp", "int  f( int a ){return a;}\n")]
GOOD = [("src/base/a.cpp", "int f(int a) {\n  return a;\n}\n")]
