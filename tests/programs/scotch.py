# SPDX-License-Identifier: BSD-3-Clause
"""PT-Scotch's own programs, Debian's binaries for Open MPI, at a grid: what is said of the graph
must be the same. Parts and orders differ from run to run, in processes, too, so of them it is
tested that they are right, and about as good as they should be.
"""

import re
import shutil
from pathlib import Path
from typing import List

import sources
from jobs import ALONE, THREADS, Launcher, debian
from sources import Missing
from verdict import Verdict, of_counts, together

SECONDS = 120
WIDTH, HEIGHT = 160, 100
VERTICES = WIDTH * HEIGHT
PARTS = 5
LARGEST_PART = 1.1 * VERTICES / PARTS  # 1.05 is what dgpart aims at
LARGEST_CUT = 2 * (PARTS - 1) * HEIGHT  # twice what stripes cut


def pairs_of(text: str) -> List[List[int]]:
    """Lines of two numbers, behind one that says how many there are."""
    return [[int(word) for word in line.split()]
            for line in text.splitlines() if re.match(r"\d+\s+\d+$", line)]


def is_partition(pairs: List[List[int]]) -> bool:
    """Each vertex has a part, parts are about as large, and few edges lie between two."""
    part = dict(pairs)
    if sorted(part) != list(range(VERTICES)) or set(part.values()) != set(range(PARTS)):
        return False
    sizes = [list(part.values()).count(number) for number in range(PARTS)]
    cut = sum(part[vertex] != part[vertex + 1] for vertex in part if (vertex + 1) % WIDTH)
    cut += sum(part[vertex] != part[vertex + WIDTH] for vertex in part
               if vertex + WIDTH < VERTICES)
    return max(sizes) <= LARGEST_PART and cut <= LARGEST_CUT


def is_order(pairs: List[List[int]]) -> bool:
    every = list(range(VERTICES))
    return sorted(old for old, _ in pairs) == every and sorted(new for _, new in pairs) == every


class Scotch:
    name = "scotch"
    mpis = (debian("openmpi"),)
    modes = (ALONE, THREADS)
    ranks = (2, 4)

    def prepare(self) -> None:
        for program in ("gmk_m2", "dgtst", "dgpart", "dgord"):
            if shutil.which(program) is None:
                raise Missing("no %s: Debian's packages scotch and ptscotch are not installed "
                              "(./dev setup)" % program)

    def judge(self, launcher: Launcher, ranks: int, folder: Path) -> Verdict:
        sources.run(["gmk_m2", str(WIDTH), str(HEIGHT), "grid.grf"], folder, "Scotch's grid")
        said = launcher.run(ranks, ["dgtst", "grid.grf"], folder, SECONDS)
        lines = [" ".join(line.split()) for line in said.text.splitlines()
                 if line.startswith("S\t")]
        verdicts = [of_counts("dgtst of %d ranks" % ranks, said, int(bool(lines)), 0, lines)]
        for words, is_right in ((["dgpart", str(PARTS)], is_partition), (["dgord"], is_order)):
            answer = folder / (words[0] + ".txt")
            answer.unlink(missing_ok=True)
            ended = launcher.run(ranks, words + ["grid.grf", str(answer)], folder, SECONDS)
            right = answer.exists() and is_right(pairs_of(answer.read_text()))
            verdicts.append(of_counts("%s of %d ranks" % (words[0], ranks), ended, int(right),
                                      int(not right)))
        return together(verdicts)
