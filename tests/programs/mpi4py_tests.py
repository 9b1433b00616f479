# SPDX-License-Identifier: BSD-3-Clause
"""mpi4py's own tests, with the mpi4py and the MPI of a peer's environment."""

import re
from pathlib import Path
from typing import List

import sources
from jobs import Ended, Launcher, peer
from verdict import Verdict, end_of, together

SECONDS = 1800  # more ranks than cores, next to other work


def count(kind: str, closing: str) -> int:
    found = re.search(r"\b%s=(\d+)" % kind, closing)
    return int(found.group(1)) if found else 0


def of_rank(rank: int, ended: Ended) -> Verdict:
    """From the end of unittest's output: `Ran 88 tests in 3.7s`, then `OK (skipped=2)`."""
    ran = re.search(r"^Ran (\d+) tests? in ", ended.text, re.MULTILINE)
    closing = re.search(r"^(OK|FAILED)\b.*$", ended.text, re.MULTILINE)
    if not ran or not closing:
        return Verdict(0, {"rank %d" % rank: ended.why_not_well() + "\n" + end_of(ended.text)})
    failed = {"%s at rank %d" % (test, rank): kind
              for kind, test in re.findall(r"^(FAIL|ERROR): (.*)$", ended.text, re.MULTILINE)}
    if not failed and (closing.group(1) != "OK" or ended.status != 0):
        failed["rank %d" % rank] = ended.why_not_well() + "\n" + end_of(ended.text)
    return Verdict(int(ran.group(1)) - count("skipped", closing.group()) - len(failed), failed)


class Mpi4pyTests:
    name = "mpi4py"
    mpis = (peer("mpich"), peer("openmpi"))
    ranks = (2, 3)
    modules: List[str] = []  # all

    def prepare(self) -> None:
        python = next((mpi.python for mpi in self.mpis if mpi.python), "")
        if not python:
            raise sources.Missing("no peer MPI with mpi4py in .peers (./dev setup)")
        self.source = sources.python_source(python, "mpi4py")

    def judge(self, launcher: Launcher, ranks: int, folder: Path) -> Verdict:
        words = [launcher.mpi.python, str(self.source / "test" / "main.py"), "-v", "--no-builddir"]
        ended = launcher.run_apart(ranks, words, folder, SECONDS)
        return together([of_rank(rank, ended[rank]) for rank in range(ranks)])
