# SPDX-License-Identifier: BSD-3-Clause
"""Tachyon, a ray tracer in C whose ranks share an image's lines: the images must be the same."""

import hashlib
from pathlib import Path

import builds
from jobs import ALONE, THREADS, Launcher, peer
from verdict import Verdict, of_counts, together

SECONDS = 120
SCENES = ("balls", "gridtest", "teapot", "lavablobs", "room")
RECIPE = {"CC": str(builds.CC), "ARCH": "linux-mpi", "AR": "ar", "ARFLAGS": "r", "STRIP": "true",
          "RANLIB": "ranlib", "LIBS": "-L. -ltachyon -lm",
          "CFLAGS": "-O2 -DLinux -DMPI -DUSE_MPI_IN_PLACE"}


class Tachyon:
    name = "tachyon"
    mpis = (peer("mpich"),)
    modes = (ALONE, THREADS)
    ranks = (2, 4, 8)

    def prepare(self) -> None:
        self.folder = builds.unpacked("tachyon", str(RECIPE))
        self.program = self.folder / "compile" / "linux-mpi" / "tachyon"
        if not builds.is_made(self.folder):
            words = ["make", "all"] + ["%s=%s" % pair for pair in RECIPE.items()]
            builds.make(words, self.folder / "unix", "Tachyon")
            builds.finish(self.folder, self.program)

    def judge(self, launcher: Launcher, ranks: int, folder: Path) -> Verdict:
        return together([self.judge_scene(launcher, ranks, folder, name)
                         for name in SCENES[:2 if self.is_quick else len(SCENES)]])

    def judge_scene(self, launcher: Launcher, ranks: int, folder: Path, name: str) -> Verdict:
        image = folder / ("%s.tga" % name)
        image.unlink(missing_ok=True)
        words = [str(self.program), str(self.folder / "scenes" / ("%s.dat" % name)), "-res", "160",
                 "120", "-o", str(image)]
        ended = launcher.run(ranks, words, folder, SECONDS)
        pixels = image.read_bytes() if image.exists() else b""
        # All of an image, and not of one color.
        is_image = len(pixels) == 18 + 3 * 160 * 120 and len(set(pixels[18:])) > 1
        result = "%s %s" % (name, hashlib.sha256(pixels).hexdigest())
        return of_counts("%s on %d ranks" % (name, ranks), ended, int(is_image),
                         int(not is_image), [result])
