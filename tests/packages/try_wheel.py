# SPDX-License-Identifier: BSD-3-Clause
"""Tries the wheel in the Python environment that runs this, beside an MPI and mpi4py."""

import re
import subprocess
import sys
import time
from pathlib import Path

PROGRAM = """\
from mpi4py import MPI
comm = MPI.COMM_WORLD
for _ in range(10):
    total = comm.allreduce(comm.rank + 1)
value = __import__("numpy").ones(1)
for _ in range(10):
    comm.Allreduce(MPI.IN_PLACE, value)
if comm.rank == 0:
    print("sum", total, "of", comm.size, "ranks")
"""
SPLIT = """\
from mpi4py import MPI
from terrace import mpix
comm = mpix.split_type(MPI.COMM_WORLD, mpix.PHYSICAL_TOPOLOGY)
print("split", comm != MPI.COMM_NULL or "alone")
"""


def said_by(*command: str, **variables: str) -> str:
    words = ["env"] + ["%s=%s" % pair for pair in variables.items()] + list(command)
    answer = subprocess.run(words, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                            timeout=120)
    if answer.returncode != 0:
        sys.exit("FAILED: `%s` gave %d:\n%s" % (" ".join(words), answer.returncode, answer.stdout))
    return answer.stdout


def expect(pattern: str, said: str, what: str) -> None:
    found = re.search(pattern, said)
    if found is None:
        sys.exit("FAILED: %s: no %r in\n%s" % (what, pattern, said))
    print("   works: %s: %s" % (what, " ".join(found.group().split())), flush=True)


def main() -> None:
    begin = time.monotonic()
    Path("sum.py").write_text(PROGRAM)
    Path("split.py").write_text(SPLIT)
    report = said_by("mpirun", "-n", "2", "terrace", "exec", sys.executable, "sum.py",
                     TERRACE_REPORT="1")
    expect("sum 3 of 2 ranks", report, "terrace exec")
    expect(r"allreduce .*ran allreduce\S+", report, "its report")
    print("   a program's first report after %.1f s" % (time.monotonic() - begin))
    said_by("terrace", "cc", str(Path(__file__).parent / "hello.c"), "-o", "hello")
    expect("sum 3 of 2 ranks", said_by("terrace", "run", "-n", "2", "./hello"), "terrace run")
    expect("split (True|alone)", said_by("mpirun", "-n", "2", sys.executable, "split.py"),
           "terrace.mpix")
    expect("latency", said_by("terrace", "plot", "--help"), "terrace.plot")
    expect("westmere", said_by("terrace", "cost", "--list"), "machine files")
    expect("failures", said_by("sh", "-c", "terrace doctor || test $? -eq 1"), "terrace doctor")
    expect("libhwloc.*bundled", said_by("sh", "-c", "ldd $(command -v terrace)"), "its own hwloc")


main()
