# SPDX-License-Identifier: BSD-3-Clause
"""HPCC judges what it computed: linear systems, transposes, random updates, FFTs, triads.

Debian's program as processes, and one built from the same source as processes and as threads.
"""

import re
from pathlib import Path

import builds
import sources
from jobs import ALONE, MODES, THREADS, Launcher, debian, peer
from sources import Missing
from verdict import Verdict, of_counts

PROGRAM = Path("/usr/bin/hpcc")
INPUT = Path("/usr/share/doc/hpcc/examples/_hpccinf.txt")
RECIPE = """SHELL = /bin/sh
CD = cd
CP = cp
LN_S = ln -s
MKDIR = mkdir -p
RM = rm -f
TOUCH = touch
ARCH = $(arch)
TOPdir = ../../..
INCdir = $(TOPdir)/include
LIBdir = $(TOPdir)/lib/$(ARCH)
HPLlib = $(LIBdir)/libhpl.a
F2CDEFS = -DAdd_ -DF77_INTEGER=int -DStringSunStyle -DHPL_NO_MPI_DATATYPE
HPL_LIBS = $(HPLlib) /usr/lib/x86_64-linux-gnu/blas/libblas.so.3 -lm
HPL_DEFS = $(F2CDEFS) -I$(INCdir) -I$(INCdir)/$(ARCH)
CC = %s
CCNOOPT = $(HPL_DEFS)
CCFLAGS = $(HPL_DEFS) -O2
LINKER = $(CC)
LINKFLAGS = $(CCFLAGS)
ARCHIVER = ar
ARFLAGS = r
RANLIB = echo
""" % builds.CC  # HPL's way to be told of compilers; MPI_Address is not in the ABI of MPI 5.0
SIZE = 400  # of the linear system; the example's 1000 takes as long again
SECONDS = 400
FFT_ERROR = 1e-12


def input_for(ranks: int) -> str:
    """Debian's example with another size, and a grid of as many ranks as there are."""
    text = INPUT.read_text()
    for name, value in (("Ns", SIZE), ("NBs", 32), ("Ps", 1), ("Qs", ranks)):
        text, made = re.subn(r"^\d+(\s+%s)$" % name, r"%d\1" % value, text, flags=re.MULTILINE)
        if made != 1:
            raise Missing("%s has no line of %s; is it another version?" % (INPUT, name))
    return text


class Hpcc:
    name = "hpcc"
    mpis = (debian("openmpi"),)
    modes = MODES + (THREADS,)
    ranks = (2, 3)
    program = PROGRAM

    def prepare(self) -> None:
        if not PROGRAM.exists() or not INPUT.exists():
            raise Missing("no %s: Debian's package hpcc has it (./dev setup)" % PROGRAM)

    def judge(self, launcher: Launcher, ranks: int, folder: Path) -> Verdict:
        (folder / "hpccinf.txt").write_text(input_for(ranks))
        (folder / "hpccoutf.txt").unlink(missing_ok=True)
        ended = launcher.run(ranks, [str(self.program)], folder, SECONDS)
        output = folder / "hpccoutf.txt"
        text = output.read_text() if output.exists() else ""
        passed = len(re.findall(r"\bPASSED\b|\(passed\)|Solution Validates", text))
        failed = len(re.findall(r"\bFAILED\b|\(failed\)|Failed Validation", text))
        errors = [float(error) for error in re.findall(r"^MPIFFT_maxErr=(\S+)", text, re.MULTILINE)]
        fft_is_right = len(errors) == 1 and errors[0] < FFT_ERROR
        return of_counts("hpcc of %d ranks" % ranks, ended, passed + int(fft_is_right),
                         failed + int(not fft_is_right) + int("Success=1" not in text))


class HpccAsThreads(Hpcc):
    name = "hpcc-threads"
    mpis = (peer("mpich"),)
    modes = (ALONE, THREADS)
    ranks = (2, 4, 8)

    def prepare(self) -> None:
        super().prepare()
        folder = builds.unpacked("hpcc", RECIPE)
        self.program = folder / "hpcc"
        if not builds.is_made(folder):
            (folder / "hpl" / "Make.terrace").write_text(RECIPE)
            sources.run(["make", "arch=terrace"], folder, "HPCC")  # in parallel it links too early
            builds.finish(folder, self.program)
