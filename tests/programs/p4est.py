# SPDX-License-Identifier: BSD-3-Clause
"""p4est's own tests with Debian's library for Open MPI: forests of quadtrees and octrees that are
refined, balanced, partitioned, searched, and saved by MPI-IO. They check themselves, and what they
count must be the same.
"""

import re
import shutil
from pathlib import Path

import sources
from jobs import ALONE, THREADS, Launcher, debian
from sources import Missing
from verdict import Verdict, of_counts, together

SECONDS = 120
DIMENSIONS = ("2", "3")
TESTS = tuple("test_%s%s" % (name, dimensions) for dimensions in DIMENSIONS
              for name in ("balance", "coarsen", "ghost", "iterate", "lnodes", "loadsave", "nodes",
                           "partition", "partition_corr", "search", "subcomm"))
COUNTED = re.compile(r"^(?:Into|Done|New) p[48]est_\w+ .*\d")


class P4est:
    name = "p4est"
    mpis = (debian("openmpi"),)
    modes = (ALONE, THREADS)
    ranks = (2, 4)

    def prepare(self) -> None:
        compiler = shutil.which("mpicc.openmpi")
        if compiler is None or not Path("/usr/include/p4est.h").exists():
            raise Missing("no mpicc.openmpi, or Debian's package libp4est-dev is not installed "
                          "(./dev setup)")
        tar = sources.debian_source("p4est", "libp4est-dev")
        self.place = tar.parent / "tests"
        unpacked = tar.parent / "unpacked"
        if not unpacked.exists():
            sources.unpack(tar, unpacked, "/test/")
        self.place.mkdir(exist_ok=True)
        for name in TESTS:
            if not (self.place / name).exists():
                source = next(unpacked.glob("*/test/%s.c" % name))
                sources.run([compiler, "-O1", "-w", str(source), "-o", name, "-lp4est", "-lsc",
                             "-lm"], self.place, "p4est's " + name)

    def judge(self, launcher: Launcher, ranks: int, folder: Path) -> Verdict:
        return together([self.judge_test(launcher, ranks, folder, name) for name in TESTS])

    def judge_test(self, launcher: Launcher, ranks: int, folder: Path, test: str) -> Verdict:
        """Each ends with an error if anything is wrong. Its ranks write in any order."""
        ended = launcher.run(ranks, [str(self.place / test)], folder, SECONDS)
        said = [re.sub(r"^\[(?:p4est|libsc)[^]]*\] *", "", line)
                for line in ended.text.splitlines()]
        name = "%s of %d ranks" % (test, ranks)
        lines = sorted(name + ": " + line for line in said if COUNTED.match(line))
        return of_counts(name, ended, 1, 0, lines)
