# SPDX-License-Identifier: BSD-3-Clause
"""Runs the steps of ./dev: each with its time, its log in build/logs, and only the lines that
matter on the screen. The summary in the end repeats the closing lines of every test run."""

import os
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import Dict, List, Optional

ROOT = Path(__file__).resolve().parent.parent
LOGS = ROOT / "build" / "logs"
SECONDS_BETWEEN_SIGNS_OF_LIFE = 20

NINJA_STATUS = re.compile(r"^\[\d+/\d+\] ")
CMAKE_STATUS = re.compile(r"^(-- |Preset CMake variables|  \w+=\"|ninja: no work to do)")
CTEST_STATUS = re.compile(r"^ *(Start +\d+: |\d+/\d+ Test +#\d+: .*(   Passed|\bPassed) )")
CTEST_CLOSING = re.compile(r"(\d+)% tests passed, (\d+) tests failed out of (\d+)")


class Phase:
    """One line of the summary."""

    def __init__(self, name: str):
        self.name = name
        self.seconds = 0.0
        self.passed = False
        self.closing: List[str] = []
        self.tests_run = 0
        self.tests_failed = 0
        self.tests_skipped = 0


class Progress:
    """Routine lines: one that is overwritten on a terminal, a sign of life elsewhere."""

    def __init__(self) -> None:
        self.on_terminal = sys.stdout.isatty()
        self.last = time.monotonic()
        self.open_line = False

    def show(self, line: str) -> None:
        if self.on_terminal:
            sys.stdout.write("\r\x1b[K" + line[:100])
            sys.stdout.flush()
            self.open_line = True
        elif time.monotonic() - self.last > SECONDS_BETWEEN_SIGNS_OF_LIFE:
            print("    ... " + line.strip()[:100], flush=True)
            self.last = time.monotonic()

    def close(self) -> None:
        if self.open_line:
            sys.stdout.write("\r\x1b[K")
            self.open_line = False


def is_routine(line: str) -> bool:
    return bool(NINJA_STATUS.match(line) or CMAKE_STATUS.match(line)
                or CTEST_STATUS.match(line))


def stream(command: List[str], log, environment: Optional[Dict[str, str]] = None) -> int:
    """Runs a command in the project's folder; its whole output goes to the log."""
    log.write("$ " + " ".join(command) + "\n")
    progress = Progress()
    process = subprocess.Popen(command, cwd=str(ROOT), stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
                               env=dict(os.environ, **(environment or {})))
    assert process.stdout is not None
    for raw in process.stdout:
        line = raw.decode("utf-8", "replace").rstrip("\n")
        log.write(line + "\n")
        if is_routine(line):
            progress.show(line)
        elif line.strip():
            progress.close()
            print("  " + line, flush=True)
    progress.close()
    log.flush()
    return process.wait()


class Phases:
    """The phases of one ./dev call, in order; a failed one does not stop the others."""

    def __init__(self) -> None:
        self.done: List[Phase] = []
        self.started = time.monotonic()

    def run(self, name: str, commands: List[List[str]],
            environment: Optional[Dict[str, str]] = None) -> bool:
        """Runs the commands until one fails; remembers time and outcome under the name."""
        phase = Phase(name)
        print("== %s" % name, flush=True)
        LOGS.mkdir(parents=True, exist_ok=True)
        path = LOGS / (re.sub(r"\W+", "-", name) + ".log")
        start = time.monotonic()
        with open(str(path), "w", encoding="utf-8", buffering=1) as log:  # who waits looks there
            phase.passed = all(stream(command, log, environment) == 0 for command in commands)
        self.finish(phase, start, path)
        return phase.passed

    def call(self, name: str, function) -> bool:
        """The same for a Python function that returns whether it succeeded."""
        phase = Phase(name)
        print("== %s" % name, flush=True)
        start = time.monotonic()
        phase.passed = bool(function())
        self.finish(phase, start, None)
        return phase.passed

    def skip(self, name: str, because: str) -> None:
        """A phase that cannot run since an earlier one failed counts as failed."""
        phase = Phase(name)
        phase.closing = ["not run: " + because]
        self.done.append(phase)

    def finish(self, phase: Phase, start: float, log: Optional[Path]) -> None:
        phase.seconds = time.monotonic() - start
        if log is not None:
            read_closing_lines(phase, log.read_text(encoding="utf-8", errors="replace"))
        self.done.append(phase)
        print("   %s: %s, %.1f s%s" % (phase.name, "ok" if phase.passed else "FAILED",
                                     phase.seconds,
                                     "" if phase.passed or log is None
                                     else ", log in " + str(log.relative_to(ROOT))), flush=True)

    def summary(self) -> str:
        lines = ["", "summary"]
        for phase in self.done:
            verdict = "ok" if phase.passed else "FAILED"
            lines.append("  %-22s %7.1f s  %s" % (phase.name, phase.seconds, verdict))
            lines += ["      " + line for line in phase.closing]
        run = sum(phase.tests_run for phase in self.done)
        if run:
            lines.append("  tests: %d run, %d failed, %d skipped"
                         % (run, sum(phase.tests_failed for phase in self.done),
                            sum(phase.tests_skipped for phase in self.done)))
        failed = [phase.name for phase in self.done if not phase.passed]
        lines.append("  total %.1f s: %s" % (time.monotonic() - self.started,
                                            "FAILED: " + ", ".join(failed) if failed
                                            else "all %d phases passed" % len(self.done)))
        return "\n".join(lines)

    def close(self) -> int:
        """Prints the summary, keeps it in build/logs/summary.txt, returns the exit status."""
        text = self.summary()
        print(text, flush=True)
        LOGS.mkdir(parents=True, exist_ok=True)
        (LOGS / "summary.txt").write_text(text + "\n", encoding="utf-8")
        return 0 if all(phase.passed for phase in self.done) else 1


def read_closing_lines(phase: Phase, text: str) -> None:
    """Takes over what ctest says last: totals, time, and the names of what failed or skipped."""
    found = CTEST_CLOSING.search(text)
    if not found:
        return
    phase.tests_failed, phase.tests_run = int(found.group(2)), int(found.group(3))
    tail = text[found.start():].splitlines()
    phase.closing = [line.strip() for line in tail if line.strip()
                     and "Errors while running CTest" not in line
                     and not line.startswith("Output from these tests")]
    phase.tests_skipped = sum("(Skipped)" in line for line in phase.closing)
