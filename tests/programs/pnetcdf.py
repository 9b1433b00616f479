# SPDX-License-Identifier: BSD-3-Clause
"""PnetCDF's own tests with Debian's library for Open MPI: files of arrays that all ranks write and
read by MPI-IO, with types, strides and requests of many kinds. The files must be the same, to the
byte.
"""

import hashlib
import re
import shutil
from pathlib import Path

import sources
from jobs import ALONE, THREADS, Launcher, debian
from sources import Missing
from verdict import Verdict, of_counts, together

SECONDS = 120
# Those whose files hold no bytes that nobody has written.
TESTS = tuple("testcases/" + name for name in (
    "flexible", "flexible2", "flexible_varm", "ivarn", "mix_collectives", "nonblocking",
    "record", "test_fillvalue", "test_vard", "test_vard_multiple", "test_varm", "tst_free_comm",
    "tst_info", "varn_contig", "varn_int", "vectors"))
TESTS += tuple("nonblocking/" + name for name in (
    "flexible_bput", "i_varn_int64", "interleaved", "req_all", "test_bput", "wait_after_indep"))


class Pnetcdf:
    name = "pnetcdf"
    mpis = (debian("openmpi"),)
    modes = (ALONE, THREADS)
    ranks = (2, 4)

    def prepare(self) -> None:
        compiler = shutil.which("mpicc.openmpi")
        if compiler is None or not Path("/usr/include/pnetcdf.h").exists():
            raise Missing("no mpicc.openmpi, or Debian's package libpnetcdf-dev is not installed "
                          "(./dev setup)")
        tar = sources.debian_source("pnetcdf", "libpnetcdf-dev")
        self.place = tar.parent / "tests"
        unpacked = tar.parent / "unpacked"
        if not unpacked.exists():
            sources.unpack(tar, unpacked, "/test/")
        self.place.mkdir(exist_ok=True)
        folder = next(unpacked.glob("*/test"))
        for test in TESTS:
            made = self.place / Path(test).name
            if not made.exists():
                sources.run([compiler, "-O1", "-w", "-I", str(folder / "common"),
                             str(folder / (test + ".c")), str(folder / "common" / "testutils.c"),
                             "-o", made.name, "-lpnetcdf", "-lpthread", "-lm"], self.place,
                            "PnetCDF's " + made.name)

    def judge(self, launcher: Launcher, ranks: int, folder: Path) -> Verdict:
        return together([self.judge_test(launcher, ranks, folder, Path(test).name)
                         for test in TESTS])

    def judge_test(self, launcher: Launcher, ranks: int, folder: Path, test: str) -> Verdict:
        files = folder / test
        files.mkdir()
        ended = launcher.run(ranks, [str(self.place / test), str(files / "file.nc")], folder,
                             SECONDS)
        passed = len(re.findall(r"-- pass\s*$", ended.text, re.MULTILINE))
        name = "%s of %d ranks" % (test, ranks)
        results = ["%s: %s has %d bytes: %s" % (name, path.name, path.stat().st_size,
                                                hashlib.sha256(path.read_bytes()).hexdigest())
                   for path in sorted(files.iterdir())]
        return of_counts(name, ended, passed, len(re.findall(r"\bfail", ended.text)), results)
