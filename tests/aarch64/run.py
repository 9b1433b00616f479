# SPDX-License-Identifier: BSD-3-Clause
"""Fibres on AArch64: their room and its unit tests by a cross compiler, run by qemu-user.

Exit status: 0 passed, 1 failed, 77 skipped (with a reason).
"""

import os
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import List

ROOT = Path(__file__).resolve().parent.parent.parent
COMPILER, EMULATOR = "aarch64-linux-gnu-g++", "qemu-aarch64-static"
GOOGLETEST = Path("/usr/src/googletest/googletest")
ROOM = sorted((ROOT / "src" / "fibres").glob("*.cpp")) + [
    ROOT / "src" / "fibres" / "context_switch_aarch64.S", ROOT / "src" / "base" / "contract.cpp"]
TESTS = sorted((ROOT / "tests" / "unit" / "fibres").glob("*_test.cpp"))
FLAGS = ["-std=c++20", "-O2", "-DNDEBUG", "-pthread", "-I%s" % (ROOT / "src"),
         "-I%s" % (ROOT / "tests"), "-I%s" % (GOOGLETEST / "include"), "-I%s" % GOOGLETEST]
WARNINGS = ["-Wall", "-Wextra", "-Wshadow", "-Wconversion", "-Werror"]
SECONDS = 240


def compiled(source: Path, folder: Path) -> Path:
    to = folder / (source.name + ".o")
    is_ours = ROOT in source.parents
    subprocess.run([COMPILER] + FLAGS + (WARNINGS if is_ours else [])
                   + ["-c", str(source), "-o", str(to)], check=True)
    return to


def is_right(folder: Path) -> bool:
    sources: List[Path] = ROOM + TESTS + [GOOGLETEST / "src" / "gtest-all.cc",
                                          GOOGLETEST / "src" / "gtest_main.cc"]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        objects = list(pool.map(lambda source: compiled(source, folder), sources))
    program = folder / "test_fibres"
    # Static, so that the emulator needs no system of that kind. Googletest's sockets are not used.
    linked = subprocess.run([COMPILER, "-static", "-pthread", "-o", str(program)]
                            + [str(one) for one in objects], stderr=subprocess.PIPE, text=True)
    if linked.returncode != 0:
        print(linked.stderr)
        return False
    answer = subprocess.run([EMULATOR, str(program)], timeout=SECONDS, stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT, text=True)
    print(answer.stdout)
    return answer.returncode == 0 and "[  PASSED  ]" in answer.stdout


def main() -> int:
    for program, package in ((COMPILER, "g++-aarch64-linux-gnu"), (EMULATOR, "qemu-user-static")):
        if not shutil.which(program):
            print("skipped: no %s here (Debian: %s)" % (program, package))
            return 77
    if not GOOGLETEST.exists():
        print("skipped: no %s, the sources of Debian's googletest" % GOOGLETEST)
        return 77
    with tempfile.TemporaryDirectory() as folder:
        return 0 if is_right(Path(folder)) else 1


if __name__ == "__main__":
    sys.exit(main())
