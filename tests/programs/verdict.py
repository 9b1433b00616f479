# SPDX-License-Identifier: BSD-3-Clause
"""What a program says of itself: which of its checks passed and failed, and its results."""

from typing import Dict, List, NamedTuple

from jobs import Ended

LINES_SHOWN = 30


class Verdict(NamedTuple):
    passed: int
    failed: Dict[str, str]  # its checks, each with what the program printed about it
    results: List[str] = []  # must be the same with Terrace, character by character

    def text(self) -> str:
        checks = "%d passed" % self.passed
        return checks + (", %d failed" % len(self.failed) if self.failed else "")


def end_of(text: str) -> str:
    lines = [line for line in text.splitlines() if not line.startswith("terrace:   ")]
    return "\n".join(lines[-LINES_SHOWN:])


def together(verdicts: List[Verdict]) -> Verdict:
    failed: Dict[str, str] = {}
    for verdict in verdicts:
        failed.update(verdict.failed)
    return Verdict(sum(verdict.passed for verdict in verdicts), failed,
                   [line for verdict in verdicts for line in verdict.results])


def of_counts(name: str, ended: Ended, passed: int, failed: int,
              results: List[str] = []) -> Verdict:
    """A job that counts its own checks. One that ends badly, or makes none, has failed."""
    why = ended.why_not_well() or ("%d checks failed" % failed if failed else
                                   "" if passed else "no check was made")
    return Verdict(passed, {name: why + "\n" + end_of(ended.text)} if why else {}, results)


def differences(alone: Verdict, within: Verdict) -> List[str]:
    """What passes alone and not with Terrace, or comes out otherwise; each with a reason."""
    found = ["%s passes alone, not with Terrace: %s" % (name, why)
             for name, why in sorted(within.failed.items()) if name not in alone.failed]
    if found or set(within.failed) != set(alone.failed):
        return found  # what failed alone and passes now is no fault
    if within.passed != alone.passed:
        found.append("%d checks pass alone, %d with Terrace" % (alone.passed, within.passed))
    if len(within.results) != len(alone.results):
        found.append("%d lines of results alone, %d with Terrace"
                     % (len(alone.results), len(within.results)))
    unlike = [pair for pair in zip(alone.results, within.results) if pair[0] != pair[1]]
    return found + ["results differ:\n  alone         %s\n  with Terrace  %s" % pair
                    for pair in unlike[:3]]
