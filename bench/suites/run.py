#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""How long does a program's own test-suite take with many ranks on few cores?

ScaLAPACK's own tests, as Debian has compiled them for Open MPI 4.1, on all grids of so many ranks
(without those of the BLACS, in which one rank computes most of the time); SUNDIALS' tests of
vectors and solvers, HPCC and Tachyon, built from Debian's sources by MPICH 5. Each as processes
under that MPI, as ranks that are threads, and as fibres, in turn; how many checks passed is told
beside the time. A job that has not ended when its time is over counts as failed, with that time."""

import sys
import tempfile
import time
from pathlib import Path

BENCH = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(BENCH), str(BENCH.parent / "tests" / "programs")]

import answers  # noqa: E402
import launches as launched  # noqa: E402
from hpcc import HpccAsThreads  # noqa: E402
from jobs import ALONE, FIBRES, THREADS, Launcher, debian  # noqa: E402
from scalapack import Scalapack  # noqa: E402
from sources import Missing  # noqa: E402
from sundials import Sundials  # noqa: E402
from tachyon import Tachyon  # noqa: E402

WAYS = {"alone": ALONE, "threads": THREADS, "fibres": FIBRES}
SUITES = {suite.name: suite for suite in
          (Scalapack((debian("openmpi"),), ranks=(4,), testers=()), Sundials(), HpccAsThreads(),
           Tachyon())}


def launch(suite, way, ranks):
    """Seconds, and what the suite says of itself."""
    with tempfile.TemporaryDirectory(prefix="terrace-bench-") as folder:
        launcher = Launcher(suite.mpis[0], WAYS[way], answers.program("terrace"))
        start = time.monotonic()
        verdict = suite.judge(launcher, ranks, Path(folder))
        return time.monotonic() - start, verdict


def measured(suite, ways, ranks, chosen):
    found = {way: [] for way in ways}
    for _, way in launched.in_rotation(ways, chosen.turns):
        found[way].append(launch(suite, way, ranks))
        for name, why in sorted(found[way][-1][1].failed.items()):
            print("%s: %s: %s" % (way, name, why.splitlines()[0]), file=sys.stderr)
    for way in ways:
        times = answers.median_of([seconds for seconds, _ in found[way]])
        yield {"program": suite.name, "way": way, "ranks": ranks, "turns": times["count"],
               "passed": min(verdict.passed for _, verdict in found[way]),
               "jobs_failed": max(len(verdict.failed) for _, verdict in found[way]),
               "s_median": round(times["value"], 2), "s_low": round(times["low"], 2),
               "s_high": round(times["high"], 2)}


def options():
    parser = answers.question_options("suites", __doc__, "the part that takes seconds, not kept",
                                      patience=None)
    parser.add_argument("--suites", default=",".join(SUITES))
    parser.add_argument("--ways", default=",".join(WAYS))
    parser.add_argument("--ranks", default="16,64", help="such as 4,16 (16,64)")
    parser.add_argument("--turns", type=int, default=3, help="launches of each way (3)")
    chosen = parser.parse_args()
    for given, known in ((chosen.suites, SUITES), (chosen.ways, WAYS)):
        for name in given.split(","):
            if name not in known:
                parser.error("there is no %s, only %s" % (name, ", ".join(known)))
    return chosen


def main():
    chosen = options()
    rows = []
    for name in chosen.suites.split(","):
        suite = SUITES[name]
        suite.is_quick = chosen.quick
        try:
            suite.prepare()
        except Missing as sentence:
            print("%s: left out: %s" % (name, sentence), file=sys.stderr)
            continue
        for ranks in map(int, chosen.ranks.split(",")):
            rows += measured(suite, chosen.ways.split(","), ranks, chosen)
    if not rows:
        print("nothing measured: no suite is here", file=sys.stderr)
        return 1
    print(answers.table(rows, list(rows[0])))
    if not chosen.quick:
        answers.keep("suites", __doc__.splitlines()[0], rows, chosen.results)
    return 0


if __name__ == "__main__":
    sys.exit(main())
