# SPDX-License-Identifier: BSD-3-Clause
"""Other compilers accept our sources: a look of half a minute. `./dev sweep --clang` and
`--aarch64` build them, and run the tests.

run.py --build FOLDER TEST. Reads the commands by which the build compiles. Exit status: 0 passed, 1
failed, 77 skipped (with a reason).
"""

import argparse
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Callable, Dict, List, Sequence

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from rows import Skipped, expect, parser_of, run_named  # noqa: E402

# What our sources see of other processors, and of longer cache lines.
CLANG = ["clang++", "-fsyntax-only", "-DTERRACE_LINE_BYTES=256", "-Wno-unknown-warning-option",
         "-Wno-sign-conversion"]
ROOMS_OF_THE_HOT_PATH = "base|collectives|engine|execute|fibres|hierarchy|plan|team"
# Code is made, as only then are the operands of assembler looked at.
AARCH64 = ["aarch64-linux-gnu-g++", "-c", "-o", os.devnull]
# Rooms that depend on the processor, and need no library but those of the compiler.
ROOMS_OF_PROCESSORS = "team|fibres|launcher"


def compiles(build: Path, rooms: str) -> List[Dict[str, str]]:
    """The build's commands for C++ of these rooms of src/, each file or group of files once."""
    ours = re.compile(r"/src/(%s)/|/Unity/unity_(%s)_" % (rooms, rooms))
    groups: Dict[str, Dict[str, str]] = {}
    for command in json.loads((build / "compile_commands.json").read_text()):
        if ours.search(command["file"]) and command["file"].endswith((".cpp", ".cxx")):
            groups.setdefault(command["file"], command)
    return list(groups.values())


def options_of(command: str) -> List[str]:
    """Without the compiler, whatever launches it, and what it writes."""
    words = shlex.split(command)
    first = next(index for index, word in enumerate(words) if word.startswith("-"))
    words = [word for word in words[first:] if word != "-c" and not word.startswith("-march=")]
    if "-o" in words:
        at = words.index("-o")
        del words[at:at + 2]
    return words


def refusal(compiler: Sequence[str], entry: Dict[str, str]) -> str:
    words = list(compiler[:1]) + options_of(entry["command"]) + list(compiler[1:])
    answer = subprocess.run(words, cwd=entry["directory"], text=True, stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT)
    return "" if answer.returncode == 0 else "%s:\n%s" % (entry["file"], answer.stdout[:2000])


def accepts(compiler: Sequence[str], rooms: str) -> Callable[[argparse.Namespace], None]:
    def row(given: argparse.Namespace) -> None:
        if not shutil.which(compiler[0]):
            raise Skipped("no %s here; ./dev setup installs it" % compiler[0])
        entries = compiles(Path(given.build), rooms)
        expect(len(entries) > 0, "the build has no sources of %s" % rooms)
        with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
            refusals = [text for text in pool.map(lambda one: refusal(compiler, one), entries)
                        if text]
        expect(not refusals, "%s refuses %d of %d:\n%s" % (
            compiler[0], len(refusals), len(entries), "\n".join(refusals[:5])))
    return row


TESTS = {
    "clang_accepts_the_hot_path": accepts(CLANG, ROOMS_OF_THE_HOT_PATH),
    "aarch64s_compiler_accepts_what_depends_on_the_processor":
        accepts(AARCH64, ROOMS_OF_PROCESSORS),
}

if __name__ == "__main__":
    sys.exit(run_named(TESTS, parser_of("--build"), lambda row, given, folder: row(given)))
