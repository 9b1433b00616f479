#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Which plans should teams choose whose ranks have a core each, on machines not at hand?

Predicts every plan that could be chosen, on every machine file, with 4 ranks up to 32 or all cores,
spread over the node and side by side; takes for each size and form of team, reach, collective and
length what loses least on all of them; and writes src/choose/many_ranks.inc. Always the same, from
the same machine files and costs. `--keep DIR` keeps the predictions, and takes up those there."""

import argparse
import collections
import concurrent.futures
import math
import os
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import answers  # noqa: E402

TABLE = answers.ROOT / "src/choose/many_ranks.inc"
RANKS = (4, 8, 16, 32)
LENGTHS = (8, 32, 112, 512, 2048, 8192, 32768, 131072, 524288, 2097152, 4194304)
# Half-way to the length before; lines carry up to 112 bytes.
FROM = (0, 16, 64, 113, 1024, 4096, 16384, 65536, 262144, 1048576, 3145728)
RADICES = (2, 4, 8, 16)
STRIPS = (4096, 16384, 65536, 262144, 1048576, -1)
# A change of plans has to be worth so much: each plan has to be written once.
SWITCH = 0.06
# How much the worst machine counts beside the mean of all.
WORST = 0.5
# Up to here whoever gives goes through scratch where all is direct, too, so that it need not wait
# for those who take; measured, as predictions are about one call alone.
BOUNCED_UP_TO = 1024
BOUNCED = ("bcast", "reduce", "allgather", "gather", "scatter", "reduce_scatter_block")

HEAD = """\
// SPDX-License-Identifier: BSD-3-Clause
// What teams choose whose ranks have a core each and are more than two. Written by
// bench/choices/run.py from predictions on the machine files; not measured (docs/design/costs.md).
// Of a row: size and form of the team, whether all ranks are direct, collective, and a Choice.
"""


class Setting:
    """Ranks on a machine: all predictions by reach, collective, length and plan."""

    def __init__(self, lines):
        self.ns = collections.defaultdict(dict)
        for line in lines:
            words = line.split()
            self.name = " ".join(words[:3])
            self.ranks, self.domains, self.largest = (int(words[i]) for i in (1, 3, 4))
            plan = (words[8],) + tuple(int(word) for word in words[9:14])
            self.ns[words[5], words[6], int(words[7])][plan] = float(words[14])
        for (reach, collective, length), plans in list(self.ns.items()):
            if reach == "direct" and length <= 112:
                self.copy_lines(plans, self.ns["bounced", collective, length])

    @staticmethod
    def copy_lines(direct, bounced):
        """In lines nothing is direct."""
        known = {plan[:2] for plan in bounced}
        for plan, ns in direct.items():
            if plan[:2] not in known and plan[4:] == (0, 0):
                bounced[plan] = ns

    def kind(self):
        form = "flat" if self.domains == 1 else "alone" if self.largest == 1 else "domains"
        size = next((size for most, size in ((6, "few"), (12, "some"), (24, "many"))
                     if self.ranks < most), "most")
        return size, form

    def time(self, question, plan):
        """Of a plan that is not listed, that of the one that it comes to."""
        plans, length = self.ns[question], question[2]
        algorithm, radix, strip, ring, streams, bounces = plan
        alike = [(radix, ring, strip), (radix, 2, strip), (8, ring, strip), (8, 2, strip)]
        if strip == -1 or strip >= length:
            alike += [(one, 2, other) for one in (radix, 8) for other in STRIPS
                      if other == -1 or other >= length]
        for one, slots, other in alike:
            found = plans.get((algorithm, one, other, slots, streams, bounces))
            if found is not None:
                return found
        if length <= 112:
            for one in (radix, 8):
                found = plans.get((algorithm, one, -1, 2, 0, 0))
                if found is not None:
                    return found
        return None


def is_allowed(plan, reach, collective, length):
    streams, bounces = plan[4:]
    must_bounce = reach == "direct" and collective in BOUNCED and 112 < length <= BOUNCED_UP_TO
    is_line = length <= 112
    return (plan[1] in RADICES and not streams
            and (is_line or bool(bounces) == must_bounce))


def losses(settings, reach, collective, lengths):
    """By length: how much each plan loses, as a logarithm."""
    result = []
    plans = {plan for setting in settings for length in lengths
             for plan in setting.ns[reach, collective, length]}
    for length in lengths:
        question = (reach, collective, length)
        lost = {}
        for plan in sorted(plans):
            if not is_allowed(plan, reach, collective, length):
                continue
            times = [setting.time(question, plan) for setting in settings]
            if None in times:
                continue
            best = [min(ns for one, ns in setting.ns[question].items()
                        if is_allowed(one, reach, collective, length)) for setting in settings]
            logs = [math.log(time / least) for time, least in zip(times, best)]
            lost[plan] = (1 - WORST) * sum(logs) / len(logs) + WORST * max(logs)
        result.append(lost)
    return result


def cheapest(lost):
    """A plan for each length, with few changes."""
    paths = {None: (0.0, ())}
    for of_length in lost:
        least = min(paths.values())
        following = {}
        for plan, loss in of_length.items():
            stay = paths.get(plan)
            before = min([(least[0] + SWITCH, least[1])] + ([stay] if stay else []))
            following[plan] = (round(before[0] + loss, 9), before[1] + (plan,))
        paths = following
    return min(paths.values())[1]


def row(kind, reach, collective, start, plan):
    algorithm, radix, strip, ring, _, bounces = plan
    strip_text = "kWhole" if strip == -1 else "%d * KiB" % (strip // 1024)
    words = [*kind, "true" if reach == "direct" else "false", collective, str(start),
             '"%s"' % algorithm.split(".")[1], str(radix), strip_text, str(ring), "false",
             "true" if bounces else "false"]
    return "ROW(%s)\n" % ", ".join(words)


def table(settings):
    kinds = collections.defaultdict(list)
    for setting in settings:
        if setting.ranks > 2:
            kinds[setting.kind()].append(setting)
    text = HEAD
    for kind in sorted(kinds):
        for reach, collective in sorted({key[:2] for key in kinds[kind][0].ns}):
            if collective in ("scan", "exscan"):
                continue
            lengths = [length for length in LENGTHS
                       if (reach, collective, length) in kinds[kind][0].ns]
            plans = cheapest(losses(kinds[kind], reach, collective, lengths))
            for i, plan in enumerate(plans):
                if i == 0 or plan != plans[i - 1]:
                    text += row(kind, reach, collective, FROM[i], plan)
    return text


def settings_of(keep):
    machines = sorted((answers.ROOT / "machines").glob("*.json"))
    jobs = []
    for machine in machines:
        listed = subprocess.run([str(answers.program("choice_costs")), machine.stem],
                                capture_output=True, text=True, check=True)
        cores = int(listed.stdout)
        for ranks in sorted({*RANKS, cores} if cores <= max(RANKS) else {*RANKS}):
            for places in ("spread", "packed"):
                if 2 < ranks <= cores and not (ranks == cores and places == "packed"):
                    jobs.append((machine.stem, str(ranks), places))

    def ask(job):
        kept = keep / ("-".join(job) + ".txt") if keep else None
        if kept and kept.exists():
            return Setting(kept.read_text().splitlines())
        done = subprocess.run([str(answers.program("choice_costs")), *job], capture_output=True,
                              text=True, check=True)
        if kept:
            kept.write_text(done.stdout)
        return Setting(done.stdout.splitlines())

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(ask, jobs))


def main():
    options = argparse.ArgumentParser(description=__doc__,
                                      formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--keep", type=Path, help="where predictions are kept")
    asked = options.parse_args()
    if asked.keep:
        asked.keep.mkdir(parents=True, exist_ok=True)
    TABLE.write_text(table(settings_of(asked.keep)))
    print("%s: %d rows" % (TABLE, TABLE.read_text().count("ROW(")))
    return 0


if __name__ == "__main__":
    sys.exit(main())
