# SPDX-License-Identifier: BSD-3-Clause
"""HPCC judges what it computed: linear systems, transposes, random updates, FFTs, triads."""

import re
from pathlib import Path

from jobs import Launcher, debian
from sources import Missing
from verdict import Verdict, of_counts

PROGRAM = Path("/usr/bin/hpcc")
INPUT = Path("/usr/share/doc/hpcc/examples/_hpccinf.txt")
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
    ranks = (2, 3)

    def prepare(self) -> None:
        if not PROGRAM.exists() or not INPUT.exists():
            raise Missing("no %s: Debian's package hpcc has it (./dev setup)" % PROGRAM)

    def judge(self, launcher: Launcher, ranks: int, folder: Path) -> Verdict:
        (folder / "hpccinf.txt").write_text(input_for(ranks))
        (folder / "hpccoutf.txt").unlink(missing_ok=True)
        ended = launcher.run(ranks, [str(PROGRAM)], folder, SECONDS)
        output = folder / "hpccoutf.txt"
        text = output.read_text() if output.exists() else ""
        passed = len(re.findall(r"\bPASSED\b|\(passed\)|Solution Validates", text))
        failed = len(re.findall(r"\bFAILED\b|\(failed\)|Failed Validation", text))
        errors = [float(error) for error in re.findall(r"^MPIFFT_maxErr=(\S+)", text, re.MULTILINE)]
        fft_is_right = len(errors) == 1 and errors[0] < FFT_ERROR
        return of_counts("hpcc of %d ranks" % ranks, ended, passed + int(fft_is_right),
                         failed + int(not fft_is_right) + int("Success=1" not in text))
